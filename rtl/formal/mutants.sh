#!/usr/bin/env bash
# mutants.sh [--count N] [--seed N] [--of N] [--frames N]
#
# Changes the core in single places (yosys `mutate`; a list of --of changes drawn by --seed, of which the first --count that
# are not in the retirement interface itself) and says which changes the proofs find. Each takes about 20 s of CPU.
# What is not found within --frames (default 11) is for lock-step to find, or changes nothing that can be seen.
set -euo pipefail
cd "$(dirname "$0")/.."
count=100 of=160 seed=1 frames=11
while (($#)); do
  case $1 in
    --count) count=$2; shift 2 ;;
    --of) of=$2; shift 2 ;;
    --seed) seed=$2; shift 2 ;;
    --frames) frames=$2; shift 2 ;;
    *) sed -n '2,6p' formal/mutants.sh; exit 2 ;;
  esac
done
command -v yosys > /dev/null && command -v yosys-abc > /dev/null || { echo "yosys is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
files="tile_pkg.sv alu.sv control.sv core.sv decode.sv fetch.sv memory_map.sv registers.sv tile.sv formal/rv32i.sv"
files+=" formal/custom.sv formal/chain.sv formal/found.sv formal/free.sv formal/proof.sv"
defines="-DRETIREMENT"
for p in LEGAL VALUE HASH NEXT MEMORY CUSTOM REGISTERS CHAIN TRAP WRITES PROGRESS STATUS; do defines+=" -DP_$p"; done
observer=$(grep -n '^`ifdef RETIREMENT' core.sv | tail -1 | cut -d: -f1)

yosys -q -p "read_verilog -formal -Iformal -sv $defines $files; prep -nordff -top proof; write_rtlil $work/base.il
  mutate -list $of -seed $seed -o $work/list alu control core decode fetch memory_map registers" > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }

tried=0 found=0
while read -r line; do
  at=$(sed -n 's/.*-src core.sv:\([0-9]*\)\..*/\1/p' <<< "$line")
  [[ $line == *deed* || $line == *trap_* || $line == *"-wire trapped"* ]] && continue
  if [[ -n $at ]] && ((at >= observer)); then continue; fi
  ((tried < count)) || break
  tried=$((tried + 1))
  yosys -q -p "read_rtlil $work/base.il; ${line%% -src*}; flatten; memory_map; chformal -cover -remove; opt -full
    setundef -undriven -anyseq; async2sync; dffunmap; opt -fast; techmap; opt -fast; dffunmap; simplemap; aigmap; opt_clean
    write_aiger -zinit $work/x.aig" > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  timeout -s KILL 200 yosys-abc -c "read $work/x.aig; fold; strash; bmc3 -F $frames -T 60" > "$work/log" 2>&1 || true
  if grep -q 'was asserted in frame' "$work/log"; then
    found=$((found + 1))
    verdict="found $(grep -o 'in frame [0-9]*' "$work/log")"
  else
    verdict="left"
  fi
  echo "$verdict: $line"
done < "$work/list"
echo "$found of $tried found by proof (seed $seed)"
