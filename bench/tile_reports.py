#!/usr/bin/env python3
"""Public reports about recordings, buses, counters and verifiers, each as a recording and a tile program with its right answer.

tile_reports.py LENTO [--only NAME] [--keep DIR] [--seed N] [RESULTS.csv]: the recordings are written below, by seed, with the events that the
report tells of; the right rows are counted from the events, not from the recording. Programs are in bench/tile_reports; one that says
"expect: accepted" or "rejected" is given to the verifier only. Prints right, helps, refuses or wrong for each. It needs riscv64-unknown-elf-gcc.
"""
import csv
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent / "tile_reports"
CYCLES = 400


class Recording:
    """A VCD of `signals` ({name: width}) in scope top.dut: one row of values a cycle of 10 ns, set before the rising edge of top.dut.clk."""

    def __init__(self, signals, rows):
        self.codes = {name: "!#%&'()*+-./:;<=>?@"[i] for i, name in enumerate(["clk", *signals])}
        self.signals, self.rows = signals, rows

    def change(self, name, value):
        width = 1 if name == "clk" else self.signals[name]
        if isinstance(value, str):
            return f"b{value} {self.codes[name]}" if width > 1 else value + self.codes[name]
        return f"b{value:b} {self.codes[name]}" if width > 1 else f"{value}{self.codes[name]}"

    def declared(self, name):
        width = self.signals.get(name, 1)
        return f"$var wire {width} {self.codes[name]} {name}" + (f" [{width - 1}:0]" if width > 1 else "") + " $end"

    def head(self):
        return ["$timescale 1ns $end", "$scope module top $end", "$scope module dut $end", *(self.declared(n) for n in self.codes),
                "$upscope $end", "$upscope $end", "$enddefinitions $end"]

    def body(self):
        lines, before = ["#0", "$dumpvars", self.change("clk", 0), *(self.change(n, 0) for n in self.signals), "$end"], {n: 0 for n in self.signals}
        for at, row in enumerate(self.rows):
            lines.append(f"#{10 * at + 1}")
            lines += [self.change(n, v) for n, v in row.items() if before[n] != v]
            before.update(row)
            lines += [f"#{10 * at + 5}", self.change("clk", 1), f"#{10 * at + 9}", self.change("clk", 0)]
        return lines

    def text(self):
        return "\n".join(self.head() + self.body()) + "\n"


def signal_map(*inputs, clock="top.dut.clk"):
    """A map: each input is (ioreg, at, signal, valid, ...); the clock is a name or a YAML flow mapping."""
    lines = ["schema: lento.tile-map/1", f"clock: {clock}", "inputs:"]
    for ioreg, at, signal, *valid in inputs:
        lines.append(f"  - {{ioreg: {ioreg}, at: {at}, signal: '{signal}'" + (f", valid: [{', '.join(valid)}]" if valid else "") + "}")
    return "\n".join(lines) + "\n"


def samples(r):
    """Valid samples of eight bits, and how many they are with their sum."""
    rows = [{"valid": int(r.random() < 0.4), "data": r.randrange(256)} for _ in range(CYCLES)]
    taken = [row["data"] for row in rows if row["valid"]]
    return Recording({"valid": 1, "data": 8}, rows), [[len(taken), sum(taken)]]


DATA = signal_map((0, 0, "top.dut.data", "top.dut.valid"))
CASES = {}  # name: source, program, record, function of a random number generator -> recording, map or preset, rows


def case(name, source, program="sum_valid", record="uint32_t count, sum;"):
    def keep(function):
        CASES[name] = source, program, record, function
        return function
    return keep


def of_samples(name, source, mapped=DATA):
    """A recording of samples() whose text a function changes."""
    def keep(function):
        def make(r):
            recording, rows = samples(r)
            return function(recording), mapped, rows
        CASES[name] = source, "sum_valid", "uint32_t count, sum;", make
        return function
    return keep


@of_samples("litescope_scopes", "enjoy-digital/litescope/issues/47", signal_map((0, 0, "dumped_signals.data", "dumped_signals.valid"), clock="dumped_signals.clk"))
def _(v):
    return v.text().replace("$scope module top $end\n$scope module dut $end", "$scope dumped_signals $end").replace("$upscope $end\n$upscope $end", "$unscope $end")


@of_samples("no_dumpvars", "ngscopeclient/scopehal/issues/1116")
def _(v):
    text = v.text().replace("$dumpvars\n", "", 1)
    at = text.index("$end\n#1\n")
    return text[:at] + text[at + 5:]


@of_samples("systemc_header", "jbush001/WaveView/issues/13", signal_map((0, 0, "SystemC.data", "SystemC.valid"), clock="SystemC.clk"))
def _(v):
    v.codes = {n: "aaaa" + c for n, c in zip(v.codes, "acd")}
    head = ["$date\n     Apr 16, 2017       14:12:19\n$end\n", "$version\n SystemC 2.3.2\n$end\n", "$timescale\n     1 ps\n$end\n", "$scope module SystemC $end",
            "$var real    1  aaaab  float_val       $end", *(v.declared(n).replace(" [", "  [") for n in v.codes), "$upscope $end", "$enddefinitions  $end\n",
            "$comment\nAll initial values are dumped below at time 0 sec = 0 timescale units.\n$end\n"]
    body = v.body()
    return "\n".join(head + body[:2] + ["r0 aaaab"] + body[2:]) + "\n"


@of_samples("timescale_of_zero", "verilator/verilator/issues/832")
def _(v):
    return v.text().replace("$timescale 1ns $end", "$timescale 0ps $end")


@of_samples("scope_with_dollar", "gtkwave/gtkwave/issues/112", signal_map((0, 0, "top.$ivl_for_loop0.data", "top.$ivl_for_loop0.valid"), clock="top.$ivl_for_loop0.clk"))
def _(v):
    return v.text().replace("$scope module dut $end", "$scope begin $ivl_for_loop0 $end")


@of_samples("bits_one_by_one", "gtkwave/gtkwave/issues/331")
def _(v):
    single = "ABCDEFGH"
    text = v.text().replace(v.declared("data"), "\n".join(f"$var wire 1 {single[7 - b]} data [{b}] $end" for b in range(7, -1, -1)))
    return re.sub(r"^b([01]+) " + re.escape(v.codes["data"]) + "$", lambda m: "\n".join(d + c for d, c in zip(m.group(1).zfill(8), single)), text, flags=re.M)


@of_samples("clocking_scope", "Lramseyer/vaporview/issues/96", signal_map((0, 0, "top.cb.data", "top.cb.valid"), clock="top.cb.clk"))
def _(v):
    return v.text().replace("$scope module dut $end", "$scope clocking cb $end")


@of_samples("colon_in_name", "verilator/verilator/pull/3104", signal_map((0, 0, "top.dut.maybe_plrus.plrus:0.data", "top.dut.valid")))
def _(v):
    return v.text().replace("data [7:0]", "maybe_plrus.plrus:0.data [7:0]")


@of_samples("date_of_a_locale", "wokwi/wokwi-features/issues/233")
def _(v):
    return ("$date Mon Nov 22 2021 17:41:45 GMT+0100 (heure normale d\u2019Europe centrale) $end\n" + v.text()).replace("\n", "\r\n")[:-2]


@of_samples("element_of_a_table", "ben-marshall/verilog-vcd-parser/issues/18", signal_map((0, 0, "top.dut.atan_table[0]", "top.dut.cos_out.d")))
def _(v):
    return v.text().replace("data [7:0]", "atan_table[0] [7:0]").replace(" valid $end", " cos_out.d $end")


@case("ready_of_half_a_cycle", "Minres/SystemC-Components/issues/34")
def _(r):
    rows, taken, lines = [], [], []
    for _ in range(CYCLES):
        rows.append({"arvalid": int(r.random() < 0.5), "arready": int(r.random() < 0.3), "araddr": r.randrange(256)})
        if rows[-1]["arvalid"] and rows[-1]["arready"]:
            taken.append(rows[-1]["araddr"])
    v = Recording({"arvalid": 1, "arready": 1, "araddr": 8}, rows)
    ready, level = v.codes["arready"], "0"
    for line in v.text().splitlines():  # ready falls and rises again between the edges, which is no handshake
        lines.append(line)
        level = line[0] if line[1:] == ready and line[0] in "01" else level
        if line == "1" + v.codes["clk"]:
            now = int(lines[-2][1:])
            lines += [f"#{now + 1}", f"{1 - int(level)}{ready}", f"#{now + 3}", level + ready]
    return "\n".join(lines) + "\n", signal_map((0, 0, "top.dut.araddr", "top.dut.arvalid", "top.dut.arready")), [[len(taken), sum(taken)]]


@case("three_orders", "mbits-mirafra/axi4_avip/issues/106")
def _(r):
    rows, taken = [], []
    for _ in range(60):
        data, first = r.randrange(256), r.choice(["valid", "ready", "both"])
        idle = {"wvalid": 0, "wready": 0, "wdata": data}
        rows += [idle] * r.randrange(1, 3)
        rows += [{**idle, "wvalid": int(first == "valid"), "wready": int(first == "ready")}] * (r.randrange(1, 3) if first != "both" else 0)
        rows.append({"wvalid": 1, "wready": 1, "wdata": data})
        taken.append(data)
    rows.append({"wvalid": 0, "wready": 0, "wdata": 0})
    return Recording({"wvalid": 1, "wready": 1, "wdata": 8}, rows).text(), signal_map((0, 0, "top.dut.wdata", "top.dut.wvalid", "top.dut.wready")), [[len(taken), sum(taken)]]


@case("valid_falls_early", "tgingold-cern/cheby/issues/86", "early_fall", "uint32_t handshakes, fallen;")
def _(r):
    rows, handshakes, fallen = [], 0, 0
    for _ in range(60):
        error, stall = r.random() < 0.3, r.randrange(0, 4)
        rows += [{"bvalid": 0, "bready": 0}] * r.randrange(1, 4)
        if error and stall:  # a pulse of one cycle, which the master does not see
            rows += [{"bvalid": 1, "bready": 0}] + [{"bvalid": 0, "bready": 0}] * stall
            fallen += 1
        else:
            rows += [{"bvalid": 1, "bready": 0}] * stall + [{"bvalid": 1, "bready": 1}]
            handshakes += 1
    rows.append({"bvalid": 0, "bready": 0})
    return Recording({"bvalid": 1, "bready": 1}, rows).text(), signal_map((0, 0, "top.dut.bvalid"), (0, 1, "top.dut.bready")), [[handshakes, fallen]]


@case("change_in_a_stall", "cucapra/protocols/pull/158", "stable_in_stall", "uint32_t beats, changed;")
def _(r):
    rows, beats, changed = [], 0, 0
    for _ in range(80):
        data, last, stall = r.randrange(1 << 32), int(r.random() < 0.2), r.randrange(0, 4)
        for at in range(stall + 1):
            if at and r.random() < 0.2:
                data ^= 1 << r.randrange(32)
                changed += 1
            rows.append({"tvalid": 1, "tready": int(at == stall), "tdata": data, "tlast": last})
        beats += 1
    rows.append({"tvalid": 0, "tready": 0, "tdata": 0, "tlast": 0})
    return (Recording({"tvalid": 1, "tready": 1, "tdata": 32, "tlast": 1}, rows).text(),
            signal_map((0, 0, "top.dut.tdata"), (1, 0, "top.dut.tvalid"), (1, 1, "top.dut.tready"), (1, 2, "top.dut.tlast")), [[beats, changed]])


def frames(r, lengths):
    """Frames of so many bytes on a stream of 64 bits, with pauses: the recording, its map and the beats and bytes of each frame."""
    rows, right = [], []
    for length in lengths:
        beats = (length + 7) // 8
        for beat in range(beats):
            while r.random() < 0.3:
                rows.append({"tvalid": int(r.random() < 0.5), "tready": 0, "tkeep": 255, "tlast": int(beat == beats - 1)})
            left = length - 8 * beat
            rows.append({"tvalid": 1, "tready": 1, "tkeep": (1 << min(8, left)) - 1, "tlast": int(beat == beats - 1)})
        right.append([beats, length])
    rows.append({"tvalid": 0, "tready": 0, "tkeep": 0, "tlast": 0})
    ends = ("top.dut.tvalid", "top.dut.tready")
    return Recording({"tvalid": 1, "tready": 1, "tkeep": 8, "tlast": 1}, rows).text(), signal_map((0, 0, "top.dut.tlast", *ends), (0, 1, "top.dut.tkeep", *ends)), right


@case("frames_of_one_beat", "alexforencich/verilog-axis/issues/16", "frame_length", "uint32_t beats, bytes;")
def _(r):
    return frames(r, [r.choice([1, 4, 8, 8, 30]) for _ in range(30)])


@case("last_each_four_kilobytes", "fpgasystems/Coyote/issues/141", "frame_length", "uint32_t beats, bytes;")
def _(r):
    return frames(r, [512] * 4)


@case("strobe_of_the_last_beat", "pulp-platform/pulp-ethernet/issues/5", "frame_length", "uint32_t beats, bytes;")
def _(r):
    return frames(r, [78 - 26, 78 - 26, 64, 61])


@case("bursts_at_a_page", "VUnit/vunit/issues/1018, zero-day-labs/riscv-iopmp/issues/9", "page_crossing", "uint32_t bursts, crossing;")
def _(r):
    asked = [(3841, 63, 2), (0x96A40FC0, 7, 3), (0x96A40FC8, 7, 3)] + [(r.randrange(1 << 20), r.randrange(256), r.randrange(4)) for _ in range(60)]
    rows, crossing = [], 0
    idle = {"awvalid": 0, "awready": 0, "awaddr": 0, "awlen": 0, "awsize": 0}
    for address, length, size in asked:
        first = address // (1 << size) * (1 << size)
        crossing += first // 4096 != (first + ((length + 1) << size) - 1) // 4096
        rows += [idle] * r.randrange(1, 3) + [{"awvalid": 1, "awready": 1, "awaddr": address, "awlen": length, "awsize": size}]
    v = Recording({"awvalid": 1, "awready": 1, "awaddr": 32, "awlen": 8, "awsize": 3}, rows + [idle])
    both = ("top.dut.awvalid", "top.dut.awready")
    return v.text(), signal_map((0, 0, "top.dut.awaddr", *both), (1, 0, "top.dut.awlen", *both), (1, 8, "top.dut.awsize", *both)), [[len(asked), crossing]]


def tilelink(r, wrong):
    """Requests and answers of TileLink as Chisel names them; `wrong` is "reuse" or "nothing"."""
    free, busy, rows, count = list(range(16)), [], [], 0
    idle = {"a_valid": 0, "a_ready": 1, "d_valid": 0, "d_ready": 1, "a_bits_address": 0, "a_bits_opcode": 4, "a_bits_size": 3, "a_bits_source": 0,
            "d_bits_opcode": 1, "d_bits_size": 3, "d_bits_source": 0, "d_bits_denied": 0}
    for _ in range(CYCLES):
        row, what = dict(idle), r.random()
        if what < 0.35 and free:
            source = free.pop(r.randrange(len(free)))
            busy.append(source)
            row.update(a_valid=1, a_bits_source=source, a_bits_address=r.randrange(1 << 32))
        elif what < 0.7 and busy:
            source = busy.pop(0)
            free.append(source)
            row.update(d_valid=1, d_bits_source=source)
        elif what < 0.76 and wrong == "reuse" and busy:
            row.update(a_valid=1, a_bits_source=r.choice(busy))
            count += 1
        elif what < 0.76 and wrong == "nothing" and free:
            row.update(d_valid=1, d_bits_source=r.choice(free))
            count += 1
        rows.append(row)
    widths = {"a_bits_address": 32, "a_bits_opcode": 3, "a_bits_size": 4, "a_bits_source": 4, "d_bits_opcode": 3, "d_bits_size": 4, "d_bits_source": 4}
    return Recording({n: widths.get(n, 1) for n in idle}, rows).text(), count


@case("source_used_again", "chipsalliance/rocket-chip/issues/505", "source_in_flight", "uint32_t reused, nothing;")
def _(r):
    text, count = tilelink(r, "reuse")
    chosen = [("a_bits_source", "a_valid", "a_ready", 1), ("d_bits_source", "d_valid", "d_ready", 4)]
    return text, signal_map(*((to, 8, "top.dut." + n, "top.dut." + v, "top.dut." + y) for n, v, y, to in chosen)), [[count, 0]]


@case("answer_to_nothing", "sifive/sifive-blocks/issues/175", "source_in_flight", "uint32_t reused, nothing;")
def _(r):
    text, count = tilelink(r, "nothing")
    chosen = [("a_bits_source", "a_valid", "a_ready", 1), ("d_bits_source", "d_valid", "d_ready", 4)]
    return text, signal_map(*((to, 8, "top.dut." + n, "top.dut." + v, "top.dut." + y) for n, v, y, to in chosen)), [[0, count]]


BUS = signal_map(*((0, at, "top.dut." + n) for at, n in enumerate(["cyc", "stb", "ack", "err"])))


@case("ack_with_error", "bittide/bittide-hardware/issues/90", "ack_and_error", "uint32_t ended, both;")
def _(r):
    rows, both = [], 0
    for _ in range(60):
        kind = r.choice(["ack", "ack", "err", "both"])
        rows += [dict(cyc=0, stb=0, ack=0, err=0)] * r.randrange(1, 3) + [dict(cyc=1, stb=1, ack=0, err=0)] * r.randrange(0, 3)
        rows.append(dict(cyc=1, stb=1, ack=int(kind != "err"), err=int(kind != "ack")))
        both += kind == "both"
    return Recording(dict(cyc=1, stb=1, ack=1, err=1), rows + [dict(cyc=0, stb=0, ack=0, err=0)]).text(), BUS, [[60, both]]


@case("nobody_answers", "enjoy-digital/litex/issues/82", "no_answer", "uint32_t answered, silent;")
def _(r):
    rows, silent = [], 0
    for _ in range(20):
        lost = r.random() < 0.3
        rows += [dict(cyc=0, stb=0, ack=0, err=0)] * r.randrange(1, 3) + [dict(cyc=1, stb=1, ack=0, err=0)] * (120 if lost else r.randrange(0, 30))
        rows += [] if lost else [dict(cyc=1, stb=1, ack=1, err=0)]
        silent += lost
    return Recording(dict(cyc=1, stb=1, ack=1, err=1), rows + [dict(cyc=0, stb=0, ack=0, err=0)]).text(), BUS, [[20 - silent, silent]]


def spi(r, words, phase):
    """Words of bytes over SPI with CPOL 0. The clock of the map is that of the bus, which changes only inside a word."""
    rows = [dict(cs=1, sclk=0, mosi=0)] * 4
    for word in words:
        bits = [b >> i & 1 for b in word for i in range(7, -1, -1)]
        rows.append(dict(cs=0, sclk=0, mosi=bits[0] if phase == 0 else 0))
        for at, bit in enumerate(bits):
            if phase == 0:
                rows += [dict(cs=0, sclk=0, mosi=bit), dict(cs=0, sclk=1, mosi=bit)]
            else:
                rows += [dict(cs=0, sclk=1, mosi=bit), dict(cs=0, sclk=0, mosi=bit)]
        rows += [dict(cs=0, sclk=0, mosi=0)] + [dict(cs=1, sclk=0, mosi=0)] * r.randrange(2, 6)
    clock = "{signal: top.dut.sclk, edge: " + ("rising" if phase == 0 else "falling") + "}"
    return Recording(dict(cs=1, sclk=1, mosi=1), rows).text(), signal_map((0, 0, "top.dut.mosi"), (0, 1, "top.dut.cs"), clock=clock), [[b] for word in words for b in word]


@case("spi_of_phase_one", "analogdevicesinc/scopy/issues/562, 750", "spi_bytes", "uint32_t byte;")
def _(r):
    return spi(r, [[0xAA, 0x55], [0xA5, 0x5A]], 1)


@case("spi_of_phase_zero", "gusmanb/logicanalyzer/issues/125", "spi_bytes", "uint32_t byte;")
def _(r):
    return spi(r, [[0xD1, 0xAB, 0, 0, 0, 0, 0, 0, 0xEE, 0x7F]], 0)


def crossing(r):
    """Pulses of one cycle of the recording's clock, beside a clock of a seventh of it."""
    rows = [dict(go=0, slow_clk=int(at % 7 < 3)) for at in range(CYCLES)]
    pulses = sorted(r.sample(range(4, CYCLES - 4, 3), 40))
    for at in pulses:
        rows[at]["go"] = 1
    return Recording(dict(go=1, slow_clk=1), rows).text(), len(pulses)


@case("pulse_of_a_fast_clock", "newaetech/chipwhisperer-husky-fpga/issues/24", "rises", "uint32_t rises;")
def _(r):
    text, _ = crossing(r)
    return text, signal_map((0, 0, "top.dut.go"), clock="top.dut.slow_clk"), "clock"


@case("pulse_by_its_own_clock", "newaetech/chipwhisperer-husky-fpga/issues/24", "rises", "uint32_t rises;")
def _(r):
    text, pulses = crossing(r)
    return text, signal_map((0, 0, "top.dut.go")), [[pulses]]


@case("skipped_second", "enjoy-digital/litex/issues/1835", "missed_pulse", "uint32_t pulses, missed;")
def _(r):
    rows, pulses, missed, gone = [], 0, 0, True
    for _ in range(60):
        skip = not gone and r.random() < 0.2
        rows += [dict(pps=int(not skip))] + [dict(pps=0)] * (39 + r.choice([-1, 0, 0, 1]))
        pulses, missed, gone = pulses + (not skip), missed + skip, skip
    rows += [dict(pps=1), dict(pps=0)]
    return Recording(dict(pps=1), rows).text(), signal_map((0, 0, "top.dut.pps", "top.dut.pps")), [[pulses + 1, missed]]


def rvfi(r, steps):
    """A recording of RVFI from (pc, trap, intr, idle cycles before) of each instruction."""
    widths = dict(rvfi_valid=1, rvfi_pc_rdata=32, rvfi_insn=32, rvfi_trap=1, rvfi_intr=1)
    rows = []
    for pc, trap, intr, idle in steps:
        rows += [dict(rvfi_valid=0, rvfi_pc_rdata=r.randrange(1 << 32), rvfi_insn=0, rvfi_trap=r.randrange(2), rvfi_intr=0)] * idle
        rows.append(dict(rvfi_valid=1, rvfi_pc_rdata=pc, rvfi_insn=r.randrange(1 << 32), rvfi_trap=trap, rvfi_intr=intr))
    rows.append(dict(rvfi_valid=0, rvfi_pc_rdata=0, rvfi_insn=0, rvfi_trap=0, rvfi_intr=0))
    valid = "top.dut.rvfi_valid"
    return Recording(widths, rows).text(), signal_map((0, 0, "top.dut.rvfi_pc_rdata", valid), (6, 15, "top.dut.rvfi_trap", valid), (6, 16, "top.dut.rvfi_intr", valid))


@case("valid_and_trap", "SymbioticEDA/riscv-formal/issues/56", "retired_and_trapped", "uint32_t retired, trapped;")
def _(r):
    steps = [(0x100 + 4 * i, int(r.random() < 0.1), 0, r.randrange(3)) for i in range(150)]
    trapped = sum(s[1] for s in steps)
    return *rvfi(r, steps), [[150 - trapped, trapped]]


@case("handler_from_nowhere", "openhwfoundation/cv32e40s/issues/414", "handler_without_trap", "uint32_t handlers, without;")
def _(r):
    steps, without, handlers = [(0x100, 0, 0, 1)], 0, 0
    for i in range(150):
        trap = steps[-1][1]
        intr = 1 if trap else int(r.random() < 0.05)
        without, handlers = without + (intr and not trap), handlers + intr
        steps.append((0x104 + 4 * i, int(r.random() < 0.1), intr, r.randrange(3)))
    return *rvfi(r, steps), [[handlers, without]]


@case("iteration_of_five", "openhwgroup/cv32e40p/issues/47", "loop_cycles", "uint32_t cycles;")
def _(r):
    steps, right = [], []
    for i in range(30):
        extra = r.choice([0, 0, 0, 3])  # sometimes an interrupt stretches an iteration
        steps += [(0x1C008BA4, 0, 0, 2 + extra if i else 0), (0x1C008BA8, 0, 0, 0), (0x1C008BAC, 0, 0, 0)]
        right += [[5 + extra]] if i else []
    return *rvfi(r, steps), right


@case("replayed_miss", "OpenXiangShan/XiangShan/pull/417", "miss_once", "uint32_t requests, misses;")
def _(r):
    rows, pending, requests, misses = [], [], 0, 0
    for _ in range(CYCLES):
        row, what = dict(valid=1, request=0, refill=0, line=0), r.random()
        if what < 0.3 and pending:
            row.update(refill=1, line=pending.pop(0))
        elif what < 0.45 and pending:  # the pipeline replays a request whose line is under way
            row.update(request=1, line=r.choice(pending))
            requests += 1
        elif what < 0.65 and len(pending) < 8:
            line = r.choice([n for n in range(1, 200) if n not in pending])
            pending.append(line)
            row.update(request=1, line=line)
            requests, misses = requests + 1, misses + 1
        row["valid"] = row["request"] | row["refill"]
        rows += [row] + [dict(valid=0, request=0, refill=0, line=0)] * 3
    mapped = signal_map(*((0, at, "top.dut." + n, "top.dut.valid") for at, n in enumerate(["request", "refill", "line"])))
    return Recording(dict(valid=1, request=1, refill=1, line=30), rows).text(), mapped, [[requests, misses]]


@case("outer_buckets", "yanet-platform/yanet2/pull/1256", "buckets", "uint32_t bucket, count;")
def _(r):
    values = [r.choice([0, 1, 5000, r.randrange(4096), 1 << r.randrange(14)]) for _ in range(80)]
    counts, right, rows = {}, [], []
    for value in values:
        bucket = min(value.bit_length(), 13)
        counts[bucket] = counts.get(bucket, 0) + 1
        right.append([bucket, counts[bucket]])
        rows += [dict(valid=1, latency=value)] + [dict(valid=0, latency=0)] * 4
    return Recording(dict(valid=1, latency=16), rows).text(), signal_map((0, 0, "top.dut.latency", "top.dut.valid")), right


@case("favoured_requester", "arch-hdl-lang/arch-com/pull/452", "grants", "uint32_t first, second, third;")
def _(r):
    order, rows, counts = [0, 1, 2, 0], [], [0, 0, 0]
    for at in range(240):
        rows += [dict(grant_valid=0, grant=3)] * r.randrange(2) + [dict(grant_valid=1, grant=order[at % 4])]
        counts[order[at % 4]] += 1
    return Recording(dict(grant_valid=1, grant=2), rows + [dict(grant_valid=0, grant=0)]).text(), signal_map((0, 0, "top.dut.grant", "top.dut.grant_valid")), [counts]


@case("wait_by_wait", "UVVM/UVVM/issues/47", "longest_wait", "uint32_t longest, all;")
def _(r):
    waits, rows = [r.randrange(0, 12) for _ in range(50)], []
    for wait in waits:
        rows += [dict(tvalid=1, tready=0)] * wait + [dict(tvalid=1, tready=1)]
    return Recording(dict(tvalid=1, tready=1), rows + [dict(tvalid=0, tready=0)]).text(), signal_map((0, 0, "top.dut.tvalid"), (0, 1, "top.dut.tready")), [[max(waits), sum(waits)]]


@case("level_of_a_fifo", "kevinpt/vhdl-extras/issues/10", "fifo_level", "uint32_t level, most;")
def _(r):
    rows, level, most = [], 0, 0
    for _ in range(CYCLES):
        push, pop = int(level < 16 and r.random() < 0.5), int(level > 0 and r.random() < 0.48)
        rows.append(dict(push=push, pop=pop))
        level += push - pop
        most = max(most, level)
    return Recording(dict(push=1, pop=1), rows + [dict(push=0, pop=0)]).text(), signal_map((0, 0, "top.dut.push"), (0, 1, "top.dut.pop")), [[level, most]]


def run(words, folder):
    done = subprocess.run([str(w) for w in words], cwd=folder, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def built(lento, program, folder):
    code, text = run([lento, "tile", "build", ROOT / f"{program}.c", "-o", "image.ypu", "--elf", "image.elf"], folder)
    if code:
        return "build: " + text
    code, text = run([lento, "tile", "verify", "image.ypu", "--elf", "image.elf"], folder)
    return "" if "\naccepted" in text else text if "\nrejected" in text else "verify: " + text


def measured(lento, folder, record, recording, mapped):
    (folder / "run.vcd").write_bytes(recording.encode())
    (folder / "run.map.yaml").write_text(mapped)
    code, text = run([lento, "tile", "run", "image.ypu", "--unsigned", "--block", "vcd:run.vcd", "--map", "run.map.yaml", "--tile-cycles", "64",
                      "--record", f"struct {{{record}}}", "--rows", "rows.csv"], folder)
    rows = folder / "rows.csv"
    table = [[int(x) for x in row[1:]] for row in list(csv.reader(open(rows)))[1:]] if rows.exists() else []
    rows.unlink(missing_ok=True)
    return code, text, table


def grade_run(code, text, table, right):
    if right == "clock":
        return "right" if code == 1 and re.search(r"changes with top\.dut\.clk and was sampled by", text) else "wrong"
    agree = table == right if len(right) > 1 else table[-1:] == right
    return "right" if agree and code == 0 else "helps" if agree else "refuses" if code and not table else "wrong"


def answers(lento, folder, seed, only):
    for name, (source, program, record, function) in CASES.items():
        if only not in name:
            continue
        recording, mapped, right = function(random.Random(f"{seed} {name}"))
        problem = built(lento, program, folder)
        if problem:
            yield name, source, "rows", "refuses", problem
            continue
        code, text, table = measured(lento, folder, record, recording, mapped)
        said = f"rows {table[-3:]}, right {right if right == 'clock' else right[-3:]}; " + text
        yield name, source, "rows", grade_run(code, text, table, right), said
    for path in sorted(ROOT.glob("*.c")):
        head = path.read_text()
        expect = re.search(r"^// expect: (\w+)", head, re.M)
        if expect and only in path.stem:
            problem = built(lento, path.stem, folder)
            said = "accepted" if not problem else "rejected"
            mark = "right" if said == expect.group(1) else "refuses" if problem else "wrong"
            yield path.stem, re.search(r"github\.com/(\S+?)[:,]", head).group(1), expect.group(1), mark, problem or "accepted"


def main():
    words = sys.argv[1:]
    taken = {flag: words.pop(words.index(flag) + 1) for flag in ("--only", "--keep", "--seed") if flag in words}
    lento, *results = [w for w in words if w not in taken]
    lento = pathlib.Path(lento).resolve()
    out = csv.writer(open(results[0], "w") if results else sys.stdout, lineterminator="\n")
    out.writerow(["input", "source", "right", "grade", "said"])
    counts = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(taken.get("--keep", temporary))
        folder.mkdir(exist_ok=True)
        for name, source, right, mark, said in answers(lento, folder, taken.get("--seed", "1"), taken.get("--only", "")):
            counts[mark] = counts.get(mark, 0) + 1
            out.writerow([name, source, right, mark, re.sub(r"\s+", " ", said.replace(str(ROOT) + "/", ""))[:600]])
    print(", ".join(f"{n} {mark}" for mark, n in sorted(counts.items())), "of", sum(counts.values()))
    return counts.get("wrong", 0) + counts.get("refuses", 0) > 0


if __name__ == "__main__":
    sys.exit(main())
