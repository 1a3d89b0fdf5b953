#!/usr/bin/env python3
"""Slow cores in zone records (profile_log_device.csv), drawn afresh and judged by `lento chip examine` and `compare`.

usage: chip_zones.py LENTO SEED RUNS
RUNS profiles each of 16 and of 64 cores in each row: a core slow in all zones, in one zone, in the last third of
its rounds, one that is delayed once, healthy ones, and healthy ones of which 5 % of the records take twice as long.
Zones, rounds, noise and the cores' own differences are drawn for each profile. Beside it stands an earlier run.
"""
import collections
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

ROWS = {
    "healthy": {},
    "healthy, long records": {"tail": 0.05},
    "slow x1.3": {"all": 1.3},
    "one zone x2": {"one": 2},
    "last third x1.5": {"late": 1.5},
    "one delay x40": {"once": 40},
}


class Program:
    """Zones and rounds of one profile, the same in every run of it."""

    def __init__(self, rng, cores):
        width = 4 if cores == 16 else 8
        self.tiles = [(1 + c % width, 1 + c // width) for c in range(cores)]
        self.who = rng.randrange(cores)
        self.noise = rng.uniform(0.01, 0.05)
        self.own = [math.exp(rng.gauss(0, rng.uniform(0, 0.02))) for _ in range(cores)]
        self.zones = [(f"ZONE{z}", rng.uniform(2000, 50000)) for z in range(rng.randrange(2, 7))]
        self.rounds = rng.randrange(10, 40)

    def text(self, rng, fault):
        lines = [
            "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000",
            "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, run host ID,"
            " trace id, trace id counter, zone name, type, source line, source file, meta data",
        ]
        once = rng.randrange(self.rounds)
        for core, (x, y) in enumerate(self.tiles):
            now = rng.randrange(1 << 40)
            for i in range(self.rounds):
                for z, (name, cycles) in enumerate(self.zones):
                    factor = self.own[core] * math.exp(rng.gauss(0, self.noise))
                    if rng.random() < fault.get("tail", 0):
                        factor *= 2
                    if core == self.who:
                        factor *= fault.get("all", 1)
                        factor *= fault.get("one", 1) if z == 0 else 1
                        factor *= fault.get("late", 1) if 3 * i >= 2 * self.rounds else 1
                        factor *= fault.get("once", 1) if z == 0 and i == once else 1
                    for kind in ("ZONE_START", "ZONE_END"):
                        lines.append(f"0,{x},{y},TRISC_0,1,{now},0,0,,,{name},{kind},1,k.cpp,")
                        now += int(cycles * factor) if kind == "ZONE_START" else rng.randrange(50, 400)
        return "\n".join(lines) + "\n"


def answer_of(command, core):
    out = subprocess.run([*command, "--json"], capture_output=True, text=True)
    if not out.stdout:
        sys.exit(out.stderr)
    diagnosis = json.loads(out.stdout)
    named = [f["subject"] for f in diagnosis.get("findings", [])]
    if named:
        return "named alone" if named == [core] else "another named"
    return diagnosis["outcome"]


def main():
    lento, seed, runs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    rng = random.Random(seed)
    count = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        before, after = pathlib.Path(folder) / "before.csv", pathlib.Path(folder) / "after.csv"
        for _ in range(runs):
            for cores in (16, 64):
                for row, fault in ROWS.items():
                    program = Program(rng, cores)
                    before.write_text(program.text(rng, {k: v for k, v in fault.items() if k == "tail"}))
                    after.write_text(program.text(rng, fault))
                    core = "core {}-{}".format(*program.tiles[program.who]) if "healthy" not in row else ""
                    count[cores, row, "examine", answer_of([lento, "chip", "examine", after], core)] += 1
                    count[cores, row, "compare", answer_of([lento, "chip", "compare", before, after], core)] += 1
    for key, number in sorted(count.items()):
        print(*key, number, sep=", ")


main()
