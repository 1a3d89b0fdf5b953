#!/usr/bin/env bash
# soft_logic.sh [INPUTS...]: LUTs (of 4 and of 6 inputs, or as asked), flip-flops and block RAM bits of each case
# study's soft logic, from yosys. PICS, GPU and values have none.
# The block RAMs are black boxes of 64 x 64 bits; the scratchpad is the tile's. Some minutes.
set -euo pipefail
cd "$(dirname "$0")/soft"
command -v yosys > /dev/null || { echo "yosys is not installed"; exit 77; }
echo "prefetch, lines of SystemVerilog without blanks and comments: $(cat ./*.sv ./*.svh | grep -cvE '^[[:space:]]*(//.*)?$')"
report=$(mktemp)
trap 'rm -f "$report"' EXIT
(($#)) || set -- 4 6
for inputs in "$@"; do
  for next_line in 0 1; do
    yosys -qq -e 'implicitly declared|no driver' -p "read_verilog -sv block_ram.sv prefetch_logic.sv
      blackbox block_ram; chparam -set NEXT_LINE 1'b$next_line prefetch_logic
      hierarchy -check -top prefetch_logic; synth -top prefetch_logic -run begin:fine
      opt -fast -full; memory_map; opt -full; techmap; opt -fast; abc -lut $inputs; opt_clean
      tee -q -o $report stat"
    awk -v inputs="$inputs" -v name="$([[ $next_line == 1 ]] && echo "next line" || echo "entangling 2K")" '
      $1 == "$lut" { luts = $2 } $1 ~ /DFF/ { flops += $2 } $1 == "block_ram" { rams = $2 }
      END { printf "%-14s %5d LUT%d  %5d flip-flops  %d block RAMs, %d bits\n", name, luts, inputs, flops, rams, rams * 4096 }
    ' "$report"
  done
done
