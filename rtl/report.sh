#!/usr/bin/env bash
# report.sh [--liberty FILE...] [--core FILE... --top MODULE [--define NAME[=VALUE]]...] [--only PART] [--seeds N]
#
# Size and speed of the tile's parts: cells, flip-flops, block RAMs, MHz and the critical path.
#   iCE40 HX8K: yosys and nextpnr-ice40; all ports stand behind registers, so that pins do not bind (LC without them).
#               Parts: core. The tile does not fit: its memories are 80 block RAMs, the chip has 32.
#   --liberty:  the same parts and the histogram on the standard cells of FILE (plain or .gz), full abc, area and timing
#               from one netlist; OpenSTA (`sta`) for the arrival when it is installed. No wires. Files are joined;
#               cells that are not to be used are dropped (DROP, a pattern; default: scan, clock gates, latches with
#               asynchronous pins, fractional drives).
#               Debian has one such file: qflow-tech-osu018, /usr/share/qflow/tech/osu018/osu018_stdcells.lib.
#   --ecp5:     instead: the whole tile, memories in, on Lattice ECP5 after yosys; not placed.
#   --core:     another Verilog core, measured the same way beside them.
#   --only:     core, core_without_hash, histogram or the module given by --top.
# PicoRV32 and SERV are not part of Lento; whoever wants them beside it names their files.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
liberty=() other=() top="" defines="" only="" seeds=3 ecp5=""
while (($#)); do
  case $1 in
    --liberty) shift; while (($#)) && [[ $1 != --* ]]; do liberty+=("$(realpath "$1")"); shift; done ;;
    --core) shift; while (($#)) && [[ $1 != --* ]]; do other+=("$(realpath "$1")"); shift; done ;;
    --top) top=$2; shift 2 ;;
    --define) defines+=" -D$2"; shift 2 ;;
    --only) only=$2; shift 2 ;;
    --seeds) seeds=$2; shift 2 ;;
    --ecp5) ecp5=1; shift ;;
    *) sed -n '2,17p' "$0"; exit 2 ;;
  esac
done
command -v yosys > /dev/null || { echo "yosys is not installed"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

files_of() {
  case $1 in
    core | core_without_hash) echo "$here"/{tile_pkg,alu,decode,fetch,registers,xor_hash,core}.sv "$here/report/core_top.sv" ;;
    histogram) echo "$here"/{tile_pkg,histogram}.sv ;;
    *) echo "${other[@]}" ;;
  esac
}
module_of() { case $1 in core | core_without_hash) echo core_top ;; *) echo "$1" ;; esac; }
read_of() {
  local part=$1 flags="-sv"
  [[ $part == core_without_hash ]] && flags+=" -DNO_HASH"
  [[ $part == "$top" ]] && flags="-sv $defines"
  echo "read_verilog $flags $(files_of "$part"); hierarchy -check -top $(module_of "$part")"
}

# One module around MODULE with a register at every port: inputs from a shift register, outputs folded into one.
harness() {
  python3 "$here/report/harness.py" "$1" "$2" > "$3"
}

fpga() {
  local part=$1 module
  module=$(module_of "$part")
  yosys -qq -p "$(read_of "$part"); proc; write_json $work/ports.json"
  harness "$work/ports.json" "$module" "$work/harness.v"
  yosys -qq -l "$work/synth.log" -p "$(read_of "$part"); read_verilog $work/harness.v
    synth_ice40 -abc9 -top harness -json $work/with.json" > /dev/null || return 1
  yosys -qq -p "$(read_of "$part"); synth_ice40 -abc9 -top $module; tee -q -o $work/stat stat"
  awk -v part="$part" '$1 == "SB_LUT4" { lut = $2 } $1 == "SB_CARRY" { carry = $2 } /SB_DFF/ { dff += $2 } $1 ~ /SB_RAM/ { ram += $2 }
    END { printf "%s on HX8K: %d LUT4, %d carries, %d flip-flops, %d block RAMs\n", part, lut, carry, dff, ram }' "$work/stat"
  for ((seed = 1; seed <= seeds; ++seed)); do
    nextpnr-ice40 --hx8k --package ct256 --json "$work/with.json" --seed "$seed" --freq 60 --timing-allow-fail --pcf-allow-unconstrained \
      --asc "$work/x.asc" > "$work/pnr" 2>&1 || { tail -3 "$work/pnr"; return 1; }
    lc=$(sed -n 's/.*ICESTORM_LC: *\([0-9]*\)\/.*/\1/p' "$work/pnr" | tail -1)
    mhz=$(sed -n 's/.*Max frequency for clock .*: *\([0-9.]*\) MHz.*/\1/p' "$work/pnr" | tail -1)
    echo "  seed $seed: $mhz MHz, $lc LC with the registers around it"
  done
  sed -n '/Critical path report for clock/,/^Info: *$/p' "$work/pnr" | awk '/curr total|Source|Sink|Defined/' | sed 's/^Info: */    /' | awk 'NR<=60' > "$work/path"
  echo "  critical path of the last seed:"
  grep -E "Source|Sink|Setup" "$work/path" | sed 's/^ */    /' | head -40
}

join_liberty() {
  python3 "$here/report/liberty.py" "${DROP:-}" "${liberty[@]}" > "$work/cells.lib"
}

cells() {
  local part=$1 module
  module=$(module_of "$part")
  printf 'set_driving_cell %s\nset_load 1.0\n' "$(python3 "$here/report/liberty.py" --buffer "$work/cells.lib")" > "$work/constr"
  yosys -qq -p "$(read_of "$part"); synth -flatten -top $module; dfflibmap -liberty $work/cells.lib
    abc -liberty $work/cells.lib -D 500 -constr $work/constr; opt_clean -purge; tee -q -o $work/stat stat -liberty $work/cells.lib
    write_verilog -noexpr -noattr $work/net.v"
  awk -v part="$part" '/Number of cells/ { cells = $4 } /Chip area/ { area = $NF }
    END { printf "%s on standard cells: %d cells, area %.0f in the library'"'"'s unit\n", part, cells, area }' "$work/stat"
  command -v sta > /dev/null || return 0
  cat > "$work/sta.tcl" <<TCL
read_liberty $work/cells.lib
read_verilog $work/net.v
link_design $module
create_clock -name clock -period 1000 {clock clk}
set_input_delay 0 -clock clock [all_inputs]
report_checks -path_delay max -from [all_registers -clock_pins] -to [all_registers -data_pins] -digits 1
TCL
  sed -i "s/{clock clk}/$(grep -qE 'input clock' "$work/net.v" && echo clock || echo clk)/" "$work/sta.tcl"
  sta -no_splash -exit "$work/sta.tcl" > "$work/sta.log" 2>&1 || true
  awk '/data arrival time/ && !seen { seen = 1; print "  arrival " $1 " (library units), flip-flop to flip-flop, without wires" } /Startpoint|Endpoint/ { print "   ", $0 }' "$work/sta.log" | head -3
}

whole_tile() {
  yosys -qq -p "read_verilog -DSYNTHESIS -sv $here/tile_pkg.sv $(ls "$here"/*.sv | grep -v -e tile_pkg -e /tap.sv | tr '\n' ' '); synth_ecp5 -top tile
    tee -q -o $work/stat stat" > "$work/log" 2>&1 || { tail -3 "$work/log"; return 1; }
  awk '$1 == "LUT4" { lut = $2 } $1 == "CCU2C" { carry = $2 } $1 == "TRELLIS_FF" { ff = $2 } $1 == "DP16KD" { ram = $2 } $1 == "TRELLIS_DPR16X4" { small = $2 }
    END { printf "tile on ECP5: %d LUT4, %d carries, %d flip-flops, %d block RAMs, %d of 16 x 4 bits\n", lut, carry, ff, ram, small }' "$work/stat"
}
if [[ $ecp5 ]]; then whole_tile; exit; fi

parts=(core core_without_hash)
((${#liberty[@]})) && parts+=(histogram)
[[ $top ]] && parts+=("$top")
[[ $only ]] && parts=("$only")
((${#liberty[@]})) && join_liberty
for part in "${parts[@]}"; do
  if ((${#liberty[@]})); then cells "$part"; fi
  if [[ $part != histogram ]] && command -v nextpnr-ice40 > /dev/null && [[ ! ${NO_FPGA:-} ]]; then fpga "$part"; fi
done
