#!/bin/sh
# Manual pages (compressed, as Debian wants them) and completion scripts.
# usage: manual.sh FOLDER LENTO [LENTO-LAB]
set -eu
folder=$1
rm -rf "$folder"
"$2" docs --man "$folder/man1"
"$2" docs --completion bash >"$folder/lento.bash"
"$2" docs --completion zsh >"$folder/_lento"
"$2" docs --completion fish >"$folder/lento.fish"
if [ $# -gt 2 ]; then
  "$3" docs --man "$folder/lab/man1"
  gzip -9n "$folder"/lab/man1/*.1
  "$3" docs --completion bash >"$folder/lento-lab.bash"
  "$3" docs --completion zsh >"$folder/_lento-lab"
  "$3" docs --completion fish >"$folder/lento-lab.fish"
fi
mkdir -p "$folder/mpi/man1"
gzip -9nc "$(dirname "$0")/lento-mpi.1" >"$folder/mpi/man1/lento-mpi.1.gz"
gzip -9n "$folder"/man1/*.1
touch "$folder/written"
