#!/usr/bin/env python3
"""A core x1.3 slower in zone records (profile_log_device.csv), drawn afresh and judged by `lento chip examine`.

usage: chip_zones.py LENTO SEED RUNS
RUNS profiles each of 16 and of 64 cores, with and without the slow core. Zones, rounds, noise and the cores' own
differences are drawn for each profile.
"""
import collections
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile


def draw(rng, cores, slow):
    """Returns the text of one profile and the tile of the slow core."""
    width = 4 if cores == 16 else 8
    tiles = [(1 + c % width, 1 + c // width) for c in range(cores)]
    who = rng.randrange(cores)
    noise, own = rng.uniform(0.01, 0.05), rng.uniform(0, 0.02)
    zones = [(f"ZONE{z}", rng.uniform(2000, 50000)) for z in range(rng.randrange(1, 5))]
    rounds = rng.randrange(10, 40)
    lines = [
        "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000",
        "PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, run host ID,"
        " trace id, trace id counter, zone name, type, source line, source file, meta data",
    ]
    for core, (x, y) in enumerate(tiles):
        factor = math.exp(rng.gauss(0, own)) * (slow if core == who else 1)
        now = rng.randrange(1 << 40)
        for _ in range(rounds):
            for name, cycles in zones:
                for kind in ("ZONE_START", "ZONE_END"):
                    lines.append(f"0,{x},{y},TRISC_0,1,{now},0,0,,,{name},{kind},1,k.cpp,")
                    if kind == "ZONE_START":
                        now += int(cycles * factor * math.exp(rng.gauss(0, noise)))
                now += rng.randrange(50, 400)
    return "\n".join(lines) + "\n", tiles[who]


def main():
    lento, seed, runs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    rng = random.Random(seed)
    count = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "profile_log_device.csv"
        for _ in range(runs):
            for cores in (16, 64):
                for slow in (1.3, 1.0):
                    text, (x, y) = draw(rng, cores, slow)
                    path.write_text(text)
                    out = subprocess.run(
                        [lento, "chip", "examine", str(path), "--chip", "wormhole", "--json"],
                        capture_output=True,
                        text=True,
                    )
                    if not out.stdout:
                        sys.exit(out.stderr)
                    diagnosis = json.loads(out.stdout)
                    named = [f["subject"] for f in diagnosis.get("findings", [])]
                    answer = diagnosis["outcome"]
                    if named:
                        answer = "named alone" if slow > 1 and named == [f"core {x}-{y}"] else "another named"
                    count[cores, slow, answer] += 1
    for key, number in sorted(count.items()):
        print(*key, number)


main()
