#!/usr/bin/env bash
# From C to a loaded, signed program. Run it in a copy of this folder with `lento` in the path; it needs a RISC-V GCC
# (gcc-riscv64-unknown-elf). The keys here are for this example only.
set -euo pipefail

# The developer: compile, and see what is proved. The worst path is told by line of the source.
lento tile build slow_answers.c --block 7 -o slow.ypu --elf slow.elf
lento tile verify slow.ypu --elf slow.elf

# The owner of the block certifies the developer; the developer signs.
lento tile certify keys/developer.pub --owner keys/owner.key --subject Acme --block 7 --until 2099-01-01 -o acme.cert
lento tile sign slow.ypu --key keys/developer.key

# The tile: its rules name the owner, the block and the policy. Would it load the image? Then it runs on what was
# recorded, 16 tile cycles a cycle of the block, and remembers the release.
lento tile check slow.ypu --rules rules.yaml --cert acme.cert
lento tile run slow.ypu --rules rules.yaml --cert acme.cert --block vcd:bus.vcd --map bus.map.yaml --tile-cycles 16 --remember -o late.bin --vcd tile.vcd --explain
od -An -tu4 late.bin

# One bit changed: refused.
cp slow.ypu changed.ypu
cp slow.ypu.minisig changed.ypu.minisig
printf '\xff' | dd of=changed.ypu bs=1 seek=400 conv=notrunc status=none
if lento tile check changed.ypu --rules rules.yaml --cert acme.cert; then exit 1; fi
