#!/usr/bin/env python3
"""Public reports about the cores, links and memories of accelerators, each as the small file that its reader holds, with the right answer.

chip_reports.py LENTO [--seed N] [--only NAME] [--keep DIR] [RESULTS.csv]: the files are written below, by seed, with the numbers of the report.
Answers: "core, REGEX" or another category with a regex of every accused subject; "quiet" (healthy); "nobody" (healthy or cannot judge: the
report has no answer to give); "cannot judge"; "refused, REGEX" (the file cannot answer, and the refusal or *cannot judge* says why).
A twin NAME_slow has one slow core or link put into the same file. Prints right, helps, refuses or wrong for each.
"""
import csv
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
ANY = "."
CASES = {}  # name: source, answer, arguments of lento, function of a random number generator -> {file: text}
TWINS = {}  # name: the place that is slow in a second input after the same report, how slow, the answer
SLOW = {}  # places that are slow in the input that is being written
EXAMINE, COMPARE = ["chip", "examine", "run.csv"], ["chip", "compare", "before.csv", "after.csv"]
NOC, TWO_NOCS = ["chip", "examine", "run.json"], ["chip", "compare", "before.json", "after.json"]
WORDS_OF_HELP = "lento chip"  # a refusal helps when it names the command that would answer


def case(name, source, answer, arguments=(), twin=None):
    def keep(function):
        CASES[name] = source, answer, list(arguments), function
        if twin:
            TWINS[name] = twin
        return function
    return keep


def grid(width, height, x=1, y=2):
    return [(x + i, y + j) for j in range(height) for i in range(width)]


def around(r, cycles, spread=0.01):
    return max(1, round(cycles * r.gauss(1, spread)))


def log(zones, megahertz=1000, arch="wormhole_b0"):
    """profile_log_device.csv with these zones: (chip, core, processor, zone, begin, end)."""
    lines = [f"ARCH: {arch}, CHIP_FREQ[MHz]: {megahertz}",
             "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, run host ID, trace id, trace id counter, "
             "zone name, type, source line, source file, meta data"]
    for chip, (x, y), processor, zone, begin, end in zones:
        for time, kind in ((begin, "ZONE_START"), (end, "ZONE_END")):
            if time is not None:
                lines.append(f"{chip},{x},{y},{processor},{abs(hash_of(zone))},{time},0,1,,,{zone},{kind},40,kernel.cpp,")
    return "\n".join(lines) + "\n"


def hash_of(zone):
    return sum(ord(c) * 31 ** i for i, c in enumerate(zone)) % 65536


def runs(cores, cycles, times=20, gap=200, processor="TRISC_1", begin=lambda core: 1000, chip=0):
    """Zones one after another on each core: cycles(core, zone, i) is None where the core has none. `cycles` has the attribute zones."""
    out = []
    for core in cores:
        now = begin(core)
        for i in range(times):
            for zone in cycles.zones:
                length = cycles(core, zone, i)
                if length is not None:
                    length = round(length * SLOW.get(core, 1))
                    out.append((chip, core, processor, zone, now, now + length))
                    now += length + gap
    return out


def lengths(*zones):
    def mark(function):
        function.zones = zones
        return function
    return mark


def table(rows, header="core,kind,start,end,layer"):
    return "\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n"


def work(r, cores, cycles, times=24, layers=("conv",), spread=0.01):
    """Rows of a table: cycles(core, layer) is the mean length of each piece of work on this core, or None."""
    rows = []
    for core in cores:
        now = 0
        for _ in range(times):
            for layer in layers:
                mean = cycles(core, layer)
                if mean:
                    length = around(r, mean * SLOW.get(core, 1), spread)
                    rows.append((core, "compute", now, now + length, layer))
                    now += length + 150
    return rows


# ---- NoC events of Wormhole: reads of DRAM tiles, first come first served, and the waits for them ----
DRAM = ["0-0", "0-1", "0-11", "0-5", "0-6", "0-7", "5-0", "5-1", "5-11", "5-2", "5-9", "5-10", "5-3", "5-4", "5-8", "5-5", "5-6", "5-7"]


def noc(r, cores, reads, rounds=8, bytes_each=2048, rate=lambda tile: 24, latency=lambda core, tile: 430, server=lambda tile: tile, each=0):
    """reads(core, round) are tiles. A core issues its reads, waits for the last, goes on. Servers are shared; bytes or `each` cycles a request."""
    events, free = [], {}
    state = [(1000 + 7 * i, core, 0) for i, core in enumerate(cores)]
    while state:
        state.sort()
        now, (x, y), turn = state.pop(0)
        event = dict(proc="NCRISC", sx=x, sy=y, noc="NOC_0", vc=-1)
        last = 0
        for tile in reads((x, y), turn):
            dx, dy = map(int, tile.split("-"))
            events.append(dict(event, dx=dx, dy=dy, num_bytes=bytes_each, type="READ", timestamp=now))
            begin = max(free.get(server(tile), 0), now + 60)
            free[server(tile)] = begin + max(each, bytes_each / rate(tile))
            last = max(last, free[server(tile)] + latency((x, y), tile) - 60 + abs(r.gauss(0, 4)))
            now += 125
        start, end = now - 10, max(round(last) + 31, now)
        for kind, time in (("READ_BARRIER_START", start), ("READ_BARRIER_END", end)):
            events.append(dict(event, dx=-1, dy=-1, num_bytes=0, type=kind, timestamp=time))
        if turn + 1 < rounds:
            state.append((end + 94 + round(abs(r.gauss(0, 20))), (x, y), turn + 1))
    return "[\n" + ",\n".join(json.dumps(e) for e in events) + "\n]\n"


def messages(r, flows, each, hops_x, bytes_each=256, gap=400, slow=None):
    """Rows of messages over a mesh, x first: 10 cycles, 1 a hop, 16 bytes a cycle. A receiver takes `slow` cycles for each when given."""
    rows, busy = [], {}
    for i in range(each):
        for n, (a, b) in enumerate(flows):
            start = i * gap + 11 * n + r.randrange(8)
            ax, ay, bx, by = a % hops_x, a // hops_x, b % hops_x, b // hops_x
            weak = SLOW.get("2-2>3-2", 1) if ay == 2 and ax <= 2 < bx else 1
            end = start + 10 + abs(ax - bx) + abs(ay - by) + round(weak * bytes_each / 16) + r.randrange(3)
            if slow:
                end = round(max(end, busy.get(b, 0) + slow(b)))
                busy[b] = end
            rows.append((f"{ax}-{ay}", "write", f"{bx}-{by}", bytes_each, start, end, f"flow{a}to{b}"))
    return table(sorted(rows, key=lambda row: row[4]), "core,kind,peer,bytes,start,end,layer")


@case("gather_by_row", "github.com/tenstorrent/tt-metal/issues/52279: 64 cores, 957 us in the slowest row and 433 in the fastest", "nobody", EXAMINE)
def _(r):
    @lengths("GATHER")
    def cycles(core, zone, i):
        return around(r, 1350 * (957 - (core[1] - 2) * 524 / 7), 0.005)
    return {"run.csv": log(runs(grid(8, 8), cycles, 6), 1350, "blackhole")}


@case("gather_on_16", "github.com/tenstorrent/tt-metal/issues/52279: the same on 16 cores, 1297 to 1316 us", "quiet", EXAMINE,
      twin=((3, 4), 1.3, "slow core, 3-4"))
def _(r):
    @lengths("GATHER")
    def cycles(core, zone, i):
        return round(1350 * r.uniform(1297, 1316))
    return {"run.csv": log(runs(grid(4, 4), cycles, 6), 1350, "blackhole")}


@case("attention_remainder", "github.com/tenstorrent/tt-metal/issues/55766: of 110 cores the first two get a pair of chunks more", "quiet", EXAMINE,
      twin=((6, 6), 1.3, "slow core, 6-6"))
def _(r):
    zones = []
    for n, core in enumerate(grid(11, 10)):
        for launch in range(6):
            now = begin = 10000 + 400000 * launch
            for _ in range(66 if n < 2 else 33):
                end = now + around(r, 2900 * SLOW.get(core, 1))
                zones.append((0, core, "TRISC_1", "K-CHUNK", now, end))
                now = end + 40
            zones.append((0, core, "TRISC_0", "KERNEL", begin, now + 600))
    return {"run.csv": log(zones, 1350, "blackhole")}


@case("dispatch_skew", "github.com/tenstorrent/tt-metal/issues/20681: kernels begin within 2004 ns of each other, within 648 ns before", "quiet", COMPARE)
def _(r):
    @lengths("KERNEL")
    def cycles(core, zone, i):
        return around(r, 296 + 2215 * ((core[0] * 3 + core[1]) % 8) / 7)
    return {name: log(runs(grid(8, 4), cycles, 12, 5000, begin=lambda core: 1000 + r.randrange(skew)))
            for name, skew in (("before.csv", 648), ("after.csv", 2004))}


@case("two_states", "github.com/tenstorrent/tt-metal/issues/55169: each run of a matmul takes 9,927 or 10,352 cycles", "quiet", COMPARE)
def _(r):
    def one():
        state = {core: r.choice((9927, 10352)) for core in grid(8, 8)}

        @lengths("TILE_LOOP")
        def cycles(core, zone, i):
            return state[core] + r.randrange(-6, 7)
        return log(runs(grid(8, 8), cycles, 8))
    return {"before.csv": one(), "after.csv": one()}


@case("packer_rate", "github.com/tenstorrent/tt-metal/issues/51901: 37,461 cycles with one build, 49,211 with another", "slower than the earlier run, ANY", COMPARE)
def _(r):
    def one(loop):
        @lengths("INIT", "TILE_LOOP")
        def cycles(core, zone, i):
            return around(r, loop if zone == "TILE_LOOP" else 310, 0.002)
        return log(runs(grid(8, 8), cycles, 6))
    return {"before.csv": one(37461), "after.csv": one(49211)}


@case("impossible_duration", "github.com/tenstorrent/tt-metal/issues/48043: kernels of 6.924 s between kernels of 17 us", "quiet", EXAMINE,
      twin=((5, 6), 1.4, "slow core, 5-6"))
def _(r):
    @lengths("KERNEL")
    def cycles(core, zone, i):
        return 9347239648 if core == (3, 4) and i in (5, 11) else around(r, 17477 * 1.35)
    return {"run.csv": log(runs(grid(8, 8), cycles, 20), 1350, "blackhole")}


def at_clock(r, megahertz):
    """A run whose reads take as long in microseconds whatever the clock, and whose products as many cycles."""
    @lengths("READ", "MATH")
    def cycles(core, zone, i):
        return around(r, 12.0 * megahertz if zone == "READ" else 30000)
    return log(runs(grid(8, 8), cycles, 10), megahertz, "blackhole")


@case("clock_stuck", "github.com/tenstorrent/tt-firmware/issues/26: the clock stays at 800 MHz of 1350", "slower than the earlier run, ANY", COMPARE)
def _(r):
    return {"before.csv": at_clock(r, 1350), "after.csv": at_clock(r, 800)}


@case("clock_settles", "github.com/tenstorrent/tt-umd/issues/2663: 1337 MHz where 1350 were expected", "quiet", COMPARE)
def _(r):
    return {"before.csv": at_clock(r, 1350), "after.csv": at_clock(r, 1337)}


@case("hot_chip", "github.com/tenstorrent/tt-umd/issues/781: one chip is throttled at 75 degrees, times in ns", "ANY, 1:|chip ?1|chip1",
      [*COMPARE, "--component", "core"])
def _(r):
    cores = [f"{chip}:{x}-{y}" for chip in (0, 1) for x in range(4) for y in range(4)]
    return {name: table(work(r, cores, lambda core, layer: 21000 * (slow if core[0] == "1" else 1)))
            for name, slow in (("before.csv", 1), ("after.csv", 1.33))}


@case("throttled_core", "github.com/tenstorrent/tt-metal/pull/20951: level 1 leaves 73 % of a core's matrix steps, here on core 4-5 alone", "slow core, 4-5", COMPARE)
def _(r):
    def one(slow):
        @lengths("MATMUL", "ELTWISE")
        def cycles(core, zone, i):
            return around(r, 18000 / (slow if core == (4, 5) and zone == "MATMUL" else 1) if zone == "MATMUL" else 4000)
        return log(runs(grid(8, 8), cycles, 10))
    return {"before.csv": one(1), "after.csv": one(0.73)}


@case("staggered_rows", "github.com/tenstorrent/tt-metal/pull/10659: every other row begins 12,000 cycles later", "nobody", EXAMINE)
def _(r):
    zones = []
    for core in grid(8, 8):
        for i in range(8):
            begin = 100000 * i
            now = begin + 12000 * (core[1] % 2)
            end = now + around(r, 60000)
            zones += [(0, core, "TRISC_1", "MATMUL", now, end), (0, core, "BRISC", "KERNEL", begin, end + 300)]
    return {"run.csv": log(zones)}


@case("zones_dropped", "github.com/tenstorrent/tt-metal/issues/21928: the first zones of some cores are missing", "quiet", EXAMINE,
      twin=((5, 6), 1.4, "slow core, 5-6"))
def _(r):
    cut = {core: r.randrange(1, 4) for core in r.sample(grid(8, 8), 14)}

    @lengths("KERNEL")
    def cycles(core, zone, i):
        return None if i < cut.get(core, 0) else around(r, 8200 if i else 11000)
    return {"run.csv": log(runs(grid(8, 8), cycles, 16))}


@case("clock_of_one_core", "github.com/tenstorrent/tt-metal/issues/19213: core 1,1 counts from 4,312,241,045,096 on", "quiet", EXAMINE,
      twin=((1, 1), 1.4, "slow core, 1-1"))
def _(r):
    @lengths("KERNEL")
    def cycles(core, zone, i):
        return around(r, 8200)
    return {"run.csv": log(runs(grid(8, 8, 1, 1), cycles, 16, begin=lambda core: 4312241045096 if core == (1, 1) else 7000))}


@case("marker_wraps", "github.com/tenstorrent/tt-metal/pull/53667: markers have 44 bits, one wrap in 4.9 hours", "quiet", EXAMINE,
      twin=((5, 6), 1.4, "slow core, 5-6"))
def _(r):
    @lengths("KERNEL")
    def cycles(core, zone, i):
        return around(r, 8200)
    zones = runs(grid(8, 8), cycles, 16, begin=lambda core: 2 ** 44 - 70000 + r.randrange(3000))
    return {"run.csv": log([(*z[:4], z[4] % 2 ** 44, z[5] % 2 ** 44) for z in zones])}


@case("short_inputs_vary", "github.com/tenstorrent/tt-metal/issues/53821: runs of 128 tokens vary by 20 %", "quiet", COMPARE)
def _(r):
    @lengths("GATE", "UP", "DOWN")
    def cycles(core, zone, i):
        return around(r, {"GATE": 5200, "UP": 5100, "DOWN": 7600}[zone], 0.2)
    return {name: log(runs(grid(8, 8), cycles, 12)) for name in ("before.csv", "after.csv")}


@case("tiles_begin_apart", "github.com/bespoke-silicon-group/bsg_manycore/pull/233: the time of a kernel is from the first begin to the last end", "quiet",
      [*EXAMINE, "--component", "core"],
      twin=("2-3", 1.5, "slow core, 2-3"))
def _(r):
    rows = []
    for n, core in enumerate(f"{x}-{y}" for x in range(4) for y in range(4)):
        for i in range(12):
            begin = 40000 * i + 900 * n
            rows.append((core, "compute", begin, begin + around(r, 14980 * SLOW.get(core, 1)), "tag0"))
    return {"run.csv": table(rows)}


@case("tile_stats", "github.com/bespoke-silicon-group/bsg_manycore/pull/206: one line of counters a tile and tag", "slow core, 2-3", ["diagnose", "vanilla_stats.csv"])
def _(r):
    rows = []
    for x in range(4):
        for y in range(4):
            now = 5000
            for i in range(12):
                end = now + around(r, 1498 * (1.5 if (x, y) == (2, 3) else 1))
                for time, tag in ((now, 0), (end, 1)):
                    rows.append((time, x, y, tag, time, 980 * i + 490 * tag, 426 * i + 200 * tag, 592 * i + 296 * tag, 240 * i + 120 * tag))
                now = end + 60
    return {"vanilla_stats.csv": table(sorted(rows), "time,x,y,tag,global_ctr,instr_total,stall_ifetch_wait,stall_md,stall_depend_remote_load_dram")}


@case("router_stats", "github.com/bespoke-silicon-group/bsg_manycore/pull/576: shares of time of each router's output, as a text", "refused, " + WORDS_OF_HELP,
      ["diagnose", "router_stat.log"])
def _(r):
    lines = ["Per-Router Stats: utilized, stalled, arbitrated, idle (% of cycles), outputs to the east"]
    for y in range(8, 14):
        used = (y - 8) * 10.75
        rest = 100 - used
        lines.append(f"{y:02} (T)     " + "   ".join(" ".join(f"{v + abs(r.gauss(0, 0.05)):5.1f}" for _ in range(16)) for v in (used, 0.1, 0.0, rest)))
    return {"router_stat.log": "\n".join(lines) + "\n"}


def compute_sets(r):
    return [[around(r, mean * (1.3 if tile == 37 else 1)) for tile in range(64)] for mean in (5200, 9100, 2600, 7700, 12400, 3900)]


@case("tile_profile_json", "docs.graphcore.ai/projects/profile-data/en/latest/execution-profile.html: computeSetCyclesByTile, tile 37 at 1.3 times", "slow core, 37",
      ["diagnose", "execution.json"])
def _(r):
    return {"execution.json": json.dumps({"profilerMode": "COMPUTE_SETS", "computeSetCyclesByTile": compute_sets(r)})}


@case("tile_profile_table", "docs.graphcore.ai/projects/poplar-user-guide/en/2.0.0/profiler.html: the same as rows, one execution", "slow core, 37",
      [*EXAMINE, "--component", "tile"])
def _(r):
    rows = []
    for n, row in enumerate(compute_sets(r)):
        rows += [(f"tile{tile}", "compute", 20000 * n, 20000 * n + cycles, f"cs{n}") for tile, cycles in enumerate(row)]
    return {"run.csv": table(rows, "tile,kind,start,end,layer")}


@case("counts_wrap", "github.com/graphcore-research/tessellate-ipu/pull/1: raw cycle counts of 32 bits on each tile", "quiet", [*EXAMINE, "--component", "core"],
      twin=("7-0", 1.4, "slow core, 7-0"))
def _(r):
    rows = work(r, [f"{n}-0" for n in range(16)], lambda core, layer: 5400, 10)
    return {"run.csv": table([(c, k, (s + 2 ** 32 - 30000) % 2 ** 32, (e + 2 ** 32 - 30000) % 2 ** 32, l) for c, k, s, e, l in rows])}


@case("one_traced_tile", "github.com/Xilinx/mlir-aie/issues/2307: five calls of a kernel on one tile", "cannot judge", [*EXAMINE, "--component", "core"])
def _(r):
    return {"run.csv": table(work(r, ["0-2"], lambda core, layer: 104000, 5))}


@case("loop_on_one_tile", "github.com/Xilinx/mlir-aie/issues/3793: 116,000 cycles between two events of one tile, 2,900 before", "ANY, 0-2|whole|ANY",
      [*COMPARE, "--component", "core"])
def _(r):
    return {name: table(work(r, ["0-2"], lambda core, layer: mean, 40)) for name, mean in (("before.csv", 2900), ("after.csv", 116000))}


@case("one_core_has_the_tasks", "github.com/ICLDisco/parsec/issues/80: of 80 products one core runs 60 and seven the others", "quiet",
      [*EXAMINE, "--component", "core"])
def _(r):
    rows = []
    for n in range(8):
        for i in range(60 if n == 3 else 3 if n < 7 else 2):
            rows.append((f"{n}-0", "compute", 34000 * i, 34000 * i + around(r, 30000), "gemm512"))
    return {"run.csv": table(rows)}


@case("cold_instructions", "github.com/KULeuven-MICAS/snax_cluster/issues/28: the first pass waits for instructions, more on the core with other code", "quiet",
      [*EXAMINE, "--component", "core"],
      twin=("4-0", 1.4, "slow core, 4-0"))
def _(r):
    rows = []
    for n in range(9):
        now = 0
        for i in range(16):
            length = around(r, 3100 * SLOW.get(f"{n}-0", 1)) + (round(r.uniform(900, 1600)) if i == 0 else 0)
            rows.append((f"{n}-0", "compute", now, now + length, "gemm" if n == 8 else "mac"))
            now += length + 90
    return {"run.csv": table(rows)}


@case("two_halves_of_cache", "github.com/RRZE-HPC/gpu-benches/issues/13: 108 multiprocessors, each near one half of the second cache", "nobody",
      [*EXAMINE, "--component", "sm"],
      twin=("sm50", 1.5, "slow core, 50-0"))
def _(r):
    rows = work(r, [f"sm{n}" for n in range(108)], lambda core, layer: 20000 if int(core[2:]) % 4 < 2 else 26000, 8)
    return {"run.csv": table(rows, "sm,kind,start,end,layer")}


@case("hoarded_tasks", "github.com/hw-native-sys/simpler/issues/1341: one thread's cores run twice as many tasks, others stand idle", "quiet",
      [*EXAMINE, "--component", "core"],
      twin=("3-0", 1.4, "slow core, 3-0"))
def _(r):
    rows = []
    for n in range(24):
        for i in range(24 if n < 6 else 12):
            rows.append((f"{n}-0", "compute", 14000 * i, 14000 * i + around(r, 8400 * SLOW.get(f"{n}-0", 1), 0.02), "aic"))
    return {"run.csv": table(rows)}


@case("near_and_far", "github.com/tenstorrent/tt-metal/pull/40665: two cores read one channel, one beside it and one after a whole turn", "cannot judge", EXAMINE)
def _(r):
    @lengths("READ")
    def cycles(core, zone, i):
        return around(r, 5600 if core == (1, 11) else 7300)
    return {"run.csv": log(runs([(1, 11), (9, 10)], cycles, 12, processor="NCRISC"))}


def spread_reads(core, turn):
    return [DRAM[(core[0] * 5 + core[1] * 7 + turn * 4 + i * 6) % 18] for i in range(3)]


WORKERS = [(x, y) for y in (2, 4, 7, 9) for x in (1, 3, 6, 8)]


@case("memory_rate_lowered", "github.com/tenstorrent/tt-metal/issues/22236: firmware takes the memory from 12 to 10 Gbit/s", "slower than the earlier run, ANY", TWO_NOCS)
def _(r):
    return {name: noc(r, WORKERS, spread_reads, bytes_each=8192, rate=lambda tile: rate, server=lambda tile: DRAM.index(tile) // 3)
            for name, rate in (("before.json", 24), ("after.json", 20))}


@case("first_channel", "github.com/tenstorrent/tt-umd/issues/2736: channel 0 is the weakest, here at a third of its rate", "slow memory port, dram0-(0|1|11)$", TWO_NOCS)
def _(r):
    return {name: noc(r, WORKERS, spread_reads, 12, rate=lambda tile: 24 / (slow if DRAM.index(tile) < 3 else 1))
            for name, slow in (("before.json", 1), ("after.json", 3))}


@case("three_doors", "github.com/tenstorrent/tt-npe/pull/125: three tiles are doors of one controller, and all cores read there", "nobody", NOC)
def _(r):
    return {"run.json": noc(r, WORKERS, lambda core, turn: DRAM[:3] if core[0] < 5 else [DRAM[6 + (core[1] + turn) % 12]] * 3, 10,
                            rate=lambda tile: 40, server=lambda tile: DRAM.index(tile) // 3)}


@case("small_pages", "github.com/tenstorrent/tt-metal/issues/55898: a memory tile takes one read in 16.4 cycles, so pages of 576 bytes are slow", "nobody",
      [*NOC, "--chip", "blackhole"])
def _(r):
    tiles = ["0-0", "0-2", "0-9", "0-5", "9-0", "9-2", "9-9", "9-5"]
    return {"run.json": noc(r, [(x + 2 * (x == 8), y) for x, y in WORKERS], lambda core, turn: [tiles[(core[0] + core[1] + turn) % 8]] * 16, 8, 576, rate=lambda tile: 47, each=16.4)}


@case("far_cores_wait", "github.com/tenstorrent/tt-metal/issues/23294: cores far from the memory win arbitration less often", "nobody", NOC)
def _(r):
    cores = [(x, 2) for x in (1, 2, 3, 4, 6, 7, 8, 9)]
    return {"run.json": noc(r, cores, lambda core, turn: ["0-1"] * 4, 10, latency=lambda core, tile: 430 + 60 * core[0] + r.randrange(1 + 40 * core[0]))}


@case("places_off_the_chip", "github.com/tenstorrent/tt-npe/issues/66: some events go to 33,21, which is no tile", "nobody", NOC)
def _(r):
    events = json.loads(noc(r, WORKERS, spread_reads))
    for e in r.sample([e for e in events if e["type"] == "READ"], 6):
        e.update(dx=33, dy=21)
    return {"run.json": json.dumps(events)}


PAIR = """schema: lento.chip/2
name: n300
clock: 1 GHz
chips: 2
width: 4
height: 4
tiles:
  ethernet: ["0,0", "3,0"]
networks:
  - {name: noc, topology: mesh, order: xy}
link: {bytes_per_cycle: 32, hop_cycles: 9}
core_memory: {bytes_per_cycle: 76, read_cycles: 182}
chip_links:
  - {from: "0:3,0", to: "1:0,0", bytes_per_cycle: 12.5, cycles: 600}
  - {from: "1:0,0", to: "0:3,0", bytes_per_cycle: 12.5, cycles: 600}
"""


@case("weak_joint", "github.com/tenstorrent/tt-metal/issues/50262: hardware fault between two chips, 125.5 us for 83.8 at [32x4096]", "slow link, link[01]/",
      [*COMPARE, "--component", "core", "--chip", "pair.yaml"])
def _(r):
    def one(slow):
        rows, now = [], 0
        for i in range(20):
            for n in range(3):
                for chip, x, y, peer, us in ((0, 1, 1 + n, f"1:2-{1 + n}", 83.8 * slow), (1, 2, 1 + n, f"0:1-{1 + n}", 83.8 * slow), (0, 1, 1 + n, f"0:2-{1 + n}", 9.0),
                                             (1, 2, 1 + n, f"1:1-{1 + n}", 9.0)):
                    rows.append((f"{chip}:{x}-{y}", "write", peer, 262144, now, now + around(r, 1000 * us), "decode" if us > 10 else "local"))
                    now += 200000
        return table(rows, "core,kind,peer,bytes,start,end,layer")
    return {"pair.yaml": PAIR, "before.csv": one(1), "after.csv": one(1.5)}


@case("random_mesh", "github.com/ucb-bar/constellation/issues/60: a mesh of 6 x 6 under random traffic, 0.07 flits a node and cycle", "nobody",
      [*EXAMINE, "--component", "core", "--chip", str(ROOT / "examples/chip/6x6.yaml")],
      twin=("2-2>3-2", 5, r"slow link, link(14-15|2-2>3-2)"))
def _(r):
    return {"run.csv": messages(r, [(12, 17), (13, 16), (14, 15), (12, 15), (14, 33), *(tuple(r.sample(range(36), 2)) for _ in range(55))], 8, 6)}


@case("hot_spot", "github.com/davidepatti/noxim/issues/109: a hot spot by the pattern of the traffic", "nobody",
      [*EXAMINE, "--component", "core", "--chip", str(ROOT / "examples/chip/8x8.yaml")])
def _(r):
    flows = [(a, 27 if a % 3 == 0 and a != 27 else (a * 37 + 11) % 64) for a in range(64)]
    return {"run.csv": messages(r, [f for f in flows if f[0] != f[1]], 8, 8, slow=lambda node: 18)}


@case("one_flow", "github.com/davidepatti/noxim/issues/124: only node 0 sends, only to node 5", "nobody",
      [*EXAMINE, "--component", "core", "--chip", str(ROOT / "examples/chip/4x4.yaml")])
def _(r):
    return {"run.csv": messages(r, [(0, 5)], 60, 4)}


@case("slow_consumer", "github.com/arch-hdl-lang/arch-com/pull/112: 480 flits in 4,000 cycles behind a consumer at a quarter of its rate, 1,990 before", "ANY, ANY",
      [*COMPARE, "--component", "core", "--chip", str(ROOT / "examples/chip/4x4.yaml")])
def _(r):
    return {name: messages(r, [(0, 15)], 80, 4, 64, 10, slow=lambda node: rate) for name, rate in (("before.csv", 2), ("after.csv", 8.3))}


@case("bandwidth_table", "github.com/tenstorrent/tt-metal/issues/43182: one row a receiver, cycles and bytes a cycle", "refused, " + WORDS_OF_HELP, ["diagnose", "bandwidth.csv"])
def _(r):
    rows = []
    for place, receiver in (("baseline", "2-6"), ("left", "2-5"), ("right", "2-7"), ("up", "1-6"), ("down", "3-6")):
        for size, cycles in ((64, 4850), (1024, 4850), (8192, 33450)):
            taken = around(r, cycles, 0.004)
            rows.append((place, receiver, size, taken, f"{256 * size / taken:.4f}"))
    return {"bandwidth.csv": table(rows, "position,receiver_coord,bytes_per_transaction,cycles,bandwidth_bpc")}


@case("network_stats", "github.com/gem5/gem5/issues/2654: the average latency of all packets stays at 29", "refused, " + WORDS_OF_HELP, ["diagnose", "stats.txt"])
def _(r):
    lines = ["---------- Begin Simulation Statistics ----------", "simTicks                                      1000000                       # Number of ticks simulated (Tick)"]
    for name, value in (("average_packet_latency", 29.2925), ("average_flit_latency", 25.1), ("packets_injected::total", 800), ("average_hops", 2.63)):
        lines.append(f"system.ruby.network.{name:40} {value:14.6f}                       # (Unspecified)")
    lines += [f"system.ruby.network.ext_links{n:02}.network_links0.buffer_reads {r.randrange(300, 700):14}                       # (Count)" for n in range(16)]
    return {"stats.txt": "\n".join([*lines, "---------- End Simulation Statistics   ----------"]) + "\n"}


@case("array_report", "github.com/scalesim-project/SCALE-Sim/issues/4: compute and stall cycles of layers of one array", "refused, " + WORDS_OF_HELP,
      ["diagnose", "COMPUTE_REPORT.csv"])
def _(r):
    rows = [(n, round(138802 * f * 1.19), round(26519 * f), 74.17, 94.53, around(r, 138802 * f)) for n, f in enumerate((1, 0.8, 1.7, 0.4))]
    return {"COMPUTE_REPORT.csv": table(rows, "LayerID, Total Cycles, Stall Cycles, Overall Util %, Mapping Efficiency %, Compute Cycles")}


def grade(answer, diagnosis):
    outcome, findings = diagnosis["outcome"], diagnosis["findings"]
    said = json.dumps(diagnosis)
    kind, _, wanted = answer.partition(", ")
    if kind == "refused":
        if findings or outcome not in ("refused", "cannot judge"):
            return "wrong"
        return "right" if re.search(wanted, said) else "refuses"
    if outcome == "refused":
        return "helps" if re.search(WORDS_OF_HELP, said) else "refuses"
    if kind in ("quiet", "nobody"):
        return "wrong" if findings else "helps" if kind == "quiet" and outcome == "cannot judge" else "right"
    if kind == "cannot judge":
        return "right" if outcome == "cannot judge" else "wrong"
    if outcome == "cannot judge":
        return "helps"
    if not findings or not all(re.search(wanted.replace("ANY", ANY), f["subject"]) for f in findings):
        return "wrong"
    return "right" if kind == "ANY" or findings[0]["category"] == kind else "wrong"


def judged(words, folder):
    done = subprocess.run([*words, "--json"], cwd=folder, capture_output=True, text=True)
    at = done.stdout.find("{")
    if at >= 0 and done.returncode in (0, 1, 4):
        return json.loads(done.stdout[at:])
    return {"outcome": "refused" if done.returncode in (1, 2) else f"ended with {done.returncode}", "findings": [], "verdict": done.stderr.strip()}


def inputs():
    for name, (source, answer, arguments, function) in CASES.items():
        yield name, source, answer, arguments, function, {}
        if name in TWINS:
            place, factor, named = TWINS[name]
            yield name + "_slow", source, named, arguments, function, {place: factor}


def main():
    words = sys.argv[1:]
    taken = {flag: words.pop(words.index(flag) + 1) for flag in ("--only", "--keep", "--seed") if flag in words}
    lento, *results = [w for w in words if w not in taken]
    out = csv.writer(open(results[0], "w") if results else sys.stdout, lineterminator="\n")
    out.writerow(["input", "source", "right answer", "grade", "outcome", "findings", "verdict"])
    counts = {}
    with tempfile.TemporaryDirectory() as temporary:
        for name, source, answer, arguments, function, slow in inputs():
            if taken.get("--only", "") not in name:
                continue
            SLOW.clear()
            SLOW.update(slow)
            folder = pathlib.Path(taken.get("--keep", temporary)) / name
            folder.mkdir(parents=True, exist_ok=True)
            for file, text in function(random.Random(f"{taken.get('--seed', '1')} {name}")).items():
                (folder / file).write_text(text)
            if lento == "none":
                continue
            d = judged([str(pathlib.Path(lento).resolve()), *arguments], folder)
            mark = grade(answer, d)
            counts[mark] = counts.get(mark, 0) + 1
            found = "; ".join(f"{f['category']} {f['subject']} x{f.get('factor', 0):.3g}" for f in d["findings"][:4])
            out.writerow([name, source.split(":")[0], answer, mark, d["outcome"], found, re.sub(r"\s+", " ", d.get("verdict", ""))[:400]])
    print(", ".join(f"{n} {mark}" for mark, n in sorted(counts.items())), "of", sum(counts.values()))
    return counts.get("wrong", 0) + counts.get("refuses", 0) > 0


if __name__ == "__main__":
    sys.exit(main())
