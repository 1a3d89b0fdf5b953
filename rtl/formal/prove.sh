#!/usr/bin/env bash
# prove.sh [--frames N] [--seconds N] [--only NAME] [--together]
#
# Proves what stands in this folder of the tile's RTL, with yosys (to AIGER) and its abc (bmc3): each property of
# proof.sv over N frames from the first reset (default 14), for any program, any command in any cycle, any waiting; the
# units that assert for themselves: FIFO and histogram by induction (so for all time), inputs over N frames, the hash.
# --together: the properties of proof.sv in one run. --seconds: of CPU a property, default 300.
# Exit 0: all hold; 1: one does not or was not finished; 77: yosys is not installed.
set -euo pipefail
cd "$(dirname "$0")/.."
frames=14 seconds=300 only="" together=""
while (($#)); do
  case $1 in
    --frames) frames=$2; shift 2 ;;
    --seconds) seconds=$2; shift 2 ;;
    --only) only=$2; shift 2 ;;
    --together) together=1; shift ;;
    *) sed -n '2,9p' formal/prove.sh; exit 2 ;;
  esac
done
command -v yosys > /dev/null && command -v yosys-abc > /dev/null || { echo "yosys is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

core="tile_pkg.sv alu.sv control.sv core.sv decode.sv fetch.sv memory_map.sv registers.sv tile.sv formal/rv32i.sv
  formal/custom.sv formal/chain.sv formal/found.sv formal/free.sv formal/proof.sv"

# TOP DEFINES FILES...: the assertions as an AIGER file.
aiger() {
  local top=$1 defines=$2
  shift 2
  yosys -q -p "read_verilog -formal -Iformal -sv $defines $*; prep -flatten -nordff -top $top; memory_map
    chformal -cover -remove; opt -full; setundef -undriven -anyseq; async2sync; dffunmap; opt -fast; techmap; opt -fast
    dffunmap; simplemap; aigmap; opt_clean; write_aiger -zinit $work/x.aig" > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
}

# NAME FRAMES WHAT [violated]: runs bmc3; abc's own line says how far it came.
check() {
  local name=$1 depth=$2 what=$3 wanted=${4:-held} line found=unfinished
  timeout -s KILL $((seconds + 60)) yosys-abc -c "read $work/x.aig; fold; strash; bmc3 -F $depth -T $seconds" > "$work/log" 2>&1 || true
  line=$(grep -E 'No output asserted|was asserted in frame' "$work/log" || true)
  [[ $line == *"asserted in $depth frames"* ]] && found=held
  [[ $line == *"was asserted in frame"* ]] && found=violated
  printf '%-10s %-10s %s (%s)\n' "$name" "$found" "$what" "$(sed 's/.*\(in frame [0-9]*\|in [0-9]* frames\).*Time = *\([0-9.]* sec\).*/\1, \2/' <<< "${line:-no answer}")"
  if [[ $found != "$wanted" ]]; then failed=1; fi
}

# A sum of products over GF(2) is beyond bmc3, and small as a BDD.
hash_unit() {
  local bits=32 script="" held found=violated
  yosys -q -p "read_verilog -formal -sv tile_pkg.sv xor_hash.sv formal/hash_proof.sv; prep -flatten -top hash_proof
    techmap; opt -fast; simplemap; aigmap; opt_clean; write_aiger $work/x.aig" > "$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  for ((bit = 0; bit < bits; ++bit)); do script+="read $work/x.aig; strash; cone -O $bit; collapse; strash; sat; "; done
  timeout -s KILL "$seconds" yosys-abc -c "$script" > "$work/log" 2>&1 || true
  held=$(grep -c UNSATISFIABLE "$work/log" || true)
  [[ $held == "$bits" ]] && found=held
  printf '%-10s %-10s %s\n' hash "$found" "the hash unit is its formula ($held of $bits bits, as BDDs)"
  if [[ $found != held ]]; then failed=1; fi
}

wants() { [[ -z $only || $only == "$1" ]]; }

property() {
  wants "$1" || return 0
  aiger proof "-DRETIREMENT -DP_$1" $core
  check "$1" "$frames" "$2" "${3:-held}"
}

all=""
if [[ $together ]]; then
  for p in LEGAL VALUE HASH NEXT MEMORY CUSTOM REGISTERS CHAIN TRAP WRITES PROGRESS STATUS; do all+=" -DP_$p"; done
  aiger proof "-DRETIREMENT$all" $core
  check TOGETHER "$frames" "all properties of the core"
else
  property LEGAL "only legal instructions with legal addresses leave"
  property VALUE "rd and its value, load extension and byte lanes in"
  property NEXT "the next pc; which instruction ends a region"
  property MEMORY "address, lanes, data and target of loads and stores"
  property REGISTERS "any register: read is what was last written"
  property CHAIN "pc follows next pc, hardware loops two deep, starts of regions"
  property TRAP "what faults must, with its cause, address and place"
  property HASH "hash reaches its register"
  property CUSTOM "the other own instructions act once, on their operands"
  property WRITES "the scratchpad is written by a store in its turn only"
  property PROGRESS "what is not made to wait leaves"
  property STATUS "STATUS is one of six and agrees with what runs"
fi
frames_before=$frames
frames=$((frames > 14 ? frames : 14))
property REACHED "must be violated: loads, stores, branches, loops and hashes do leave" violated
frames=$frames_before
if wants fifo; then aiger fifo_proof "" fifo.sv formal/fifo_proof.sv; check fifo 3 "bytes leave in order, none lost (induction)"; fi
for define in "" -DSYNTHESIS; do
  wants histogram || continue
  aiger histogram_proof "$define" tile_pkg.sv histogram.sv formal/histogram_proof.sv
  check histogram 3 "accumulators are sums of what was taken${define:+, as it is built} (induction)"
done
if wants inputs; then aiger inputs_proof "" tile_pkg.sv inputs.sv formal/inputs_proof.sv; check inputs "$frames" "each input has one fate, in order of arrival"; fi
for bus in axi_lite wishbone tilelink; do
  wants "$bus" || continue
  aiger "${bus}_proof" "" "bus/${bus}_port.sv" formal/bus_proof.sv
  check "$bus" "$frames" "answers are held, one a request, of its kind; requests reach the registers once"
done
if wants hash; then hash_unit; fi
exit "$failed"
