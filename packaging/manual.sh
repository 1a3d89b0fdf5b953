#!/bin/sh
# Manual pages (compressed, as Debian wants them) and completion scripts. usage: manual.sh LENTO FOLDER
set -eu
rm -rf "$2"
"$1" docs --man "$2/man1"
gzip -9n "$2"/man1/*.1
"$1" docs --completion bash >"$2/lento.bash"
"$1" docs --completion zsh >"$2/_lento"
"$1" docs --completion fish >"$2/lento.fish"
touch "$2/written"
