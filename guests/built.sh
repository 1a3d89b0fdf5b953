#!/usr/bin/env bash
# built.sh [--check] LENTO FALSE_SHARING_ELF: writes guests/built, the programs that lento embeds built, from their
# sources; with --check compares instead and fails where they differ. Needs the cross compiler (77: it is not there).
set -euo pipefail
check=""
[[ ${1:-} == --check ]] && check=1 && shift
lento=$(realpath "$1") elf=$(realpath "$2")
cd "$(dirname "$0")"
command -v riscv64-unknown-elf-gcc > /dev/null || { echo "the cross compiler is not installed"; exit 77; }
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
for source in tile/*.c; do
  name=$(basename "$source" .c)
  "$lento" tile build "$source" -o "$fresh/$name.ypu" > /dev/null
done
cp "$elf" "$fresh/false_sharing.elf"
if [[ $check ]]; then
  diff -rq built "$fresh" || { echo "run guests/built.sh"; exit 1; }
else
  mkdir -p built
  cp "$fresh"/* built/
fi
