#!/usr/bin/env bash
# compile.sh SOURCE.c OUTPUT.elf [FLAG...]: a program for the simulated harts, with the runtime of guests/runtime
# (lento.h: threads, locks, barriers, devices). Debian's gcc-riscv64-unknown-elf has no rv32ima library set: nothing
# but the runtime is linked.
set -euo pipefail
source=$1 output=$2
shift 2
runtime=$(cd "$(dirname "$0")" && pwd)/runtime
exec riscv64-unknown-elf-gcc -O2 -g -march=rv32ima -mabi=ilp32 -misa-spec=2.2 -ffreestanding -nostdlib -static -fno-builtin \
  -fno-tree-loop-distribute-patterns -Wall -Wextra -Wl,--no-warn-rwx-segments "$@" -I"$runtime" -T "$runtime/link.ld" \
  "$runtime/start.S" "$runtime/lento.c" "$source" -o "$output"
