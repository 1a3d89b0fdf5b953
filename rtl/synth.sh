#!/usr/bin/env bash
# synth.sh [LIBERTY]: cells of the tile by module, from yosys; with a liberty file mapped to its cells, with areas.
# Code memory and scratchpad are black boxes (SRAM macros in a chip); registers, accumulators and output FIFO are
# flip-flops. About half a minute.
set -euo pipefail
cd "$(dirname "$0")"
command -v yosys > /dev/null || { echo "yosys is not installed"; exit 77; }
sources="tile_pkg.sv"
for file in *.sv; do [[ $file == tile_pkg.sv ]] || sources+=" $file"; done
map="abc -fast -g AND,OR,XOR,MUX,NAND,NOR" with=""
if [[ $# -gt 0 ]]; then
  with="-liberty $(realpath "$1")"
  map="dfflibmap $with; abc -fast $with"
fi
report=$(mktemp)
trap 'rm -f "$report"' EXIT
yosys -qq -p "read_verilog -sv $sources; blackbox code_memory scratchpad; hierarchy -check -top tile
  synth -top tile -run begin:check; $map; opt_clean; tee -q -o $report stat $with"
grep -E '=== |Number of cells|_DFF|_SDFF|[Cc]hip area' "$report" | sed 's/=== \$paramod\\\([a-z_]*\)\\.* ===/=== \1 ===/'
