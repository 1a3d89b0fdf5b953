#!/usr/bin/env bash
# formal.sh [MODULE...]: proves the assertions in the RTL (under FORMAL), by yosys to AIGER and yosys-abc: pdr for all
# time, or, where that takes longer than LIMIT seconds (default 60), bmc3 for as many frames as LIMIT allows.
# Modules: fifo inputs control fetch histogram. Exit 1 when one is violated.
set -euo pipefail
cd "$(dirname "$0")"
limit=${LIMIT:-60}
command -v yosys > /dev/null && command -v yosys-abc > /dev/null || { echo "yosys is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(($#)) || set -- fifo inputs control fetch histogram
bad=0
for top in "$@"; do
  yosys -qq -p "read_verilog -formal -sv tile_pkg.sv $top.sv; prep -flatten -nordff -top $top; memory_map
    chformal -cover -remove; opt -full; setundef -undriven -anyseq; setundef -anyseq; async2sync; dffunmap; techmap; opt -fast; dffunmap
    simplemap; setundef -zero; delete -output; opt_clean; aigmap; opt_clean; write_aiger -zinit $work/$top.aig" > "$work/log" 2>&1 || { tail -3 "$work/log"; exit 1; }
  yosys-abc -c "read $work/$top.aig; fold; strash; pdr -T $limit" > "$work/pdr" 2>&1 || true
  if grep -q "Property proved" "$work/pdr"; then
    echo "$top: proved for all time"
  elif grep -q "Output 0 .* was asserted in frame\|asserted in frame" "$work/pdr"; then
    echo "$top: VIOLATED"; grep "asserted" "$work/pdr"; bad=1
  else
    yosys-abc -c "read $work/$top.aig; fold; strash; bmc3 -F 200 -T $limit" > "$work/bmc" 2>&1 || true
    if grep -q "asserted in frame" "$work/bmc"; then echo "$top: VIOLATED"; grep asserted "$work/bmc"; bad=1
    else echo "$top: $(grep -oE "No output (asserted|failed) in [0-9]+ frames" "$work/bmc" | tail -1)"; fi
  fi
done
exit $bad
