#!/usr/bin/env python3
"""Jobs of ranks whose files are missing, cut or stamped by a clock that is off: what does the verdict name?

usage: bench/fleet_missing_files.py LENTO [DRAWS] [SEED] [JOBS]
Each draw simulates a job of 8 or 16 ranks with one slow GPU or host of x1.4, traces of Kineto or logs of the Inspector. Of
1, 2, 4 or 8 files of ranks that are not at fault one of three things happens: they are missing, they end at a half to nineteen
twentieths of their bytes, or all their times are off by up to two seconds. Right is the planted part first: the host, the rank by its
number, or by host and process where the answer gives no number. An all-clear, another rank, GPU or host, and *cannot judge* are counted
apart. Faults of healthy parts beside the right one count as wrong. A host that alone runs its pipeline stage is listed as "alone".
"""
import collections
import concurrent.futures
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

DAMAGES = ("missing", "cut", "off")
COUNTS = (1, 2, 4, 8)


def rank_of(path):
    return int(re.search(r"(?:_|pid)1(\d\d\d)\.", path.name).group(1))


def damage(path, kind, rng):
    if kind == "missing":
        path.unlink()
    elif kind == "cut":
        path.write_bytes(path.read_bytes()[:int(path.stat().st_size * rng.uniform(0.5, 0.95))])
    else:
        off_us = int(rng.uniform(-2e6, 2e6))
        text = re.sub(r'("baseTimeNanoseconds":)(\d+)', lambda m: m[1] + str(int(m[2]) + off_us * 1000), path.read_text())
        text = re.sub(r'("(?:\w+_ts|dump_timestamp_us)":)(\d{16})', lambda m: m[1] + str(int(m[2]) + off_us), text)
        path.write_text(text)


def answer_of(verdict, truth, fault, ranks):
    """What a verdict says about the planted part, whose ranks are given."""
    if not verdict.get("findings"):
        return "all-clear" if verdict["outcome"] == "healthy" else "cannot judge"
    names = {truth["host"]} if fault == "slow_host" else {f"rank{ranks[0]}", f"{truth['host']}/pid{1000 + ranks[0]}"}
    first = verdict["findings"][0]
    where = first.get("where", {})
    if first["subject"] not in names:
        return "rank of the right host" if where.get("host") == truth["host"] else "another part"
    if fault == "slow_gpu" and where.get("gpu", str(ranks[0] % 4)) != str(ranks[0] % 4):
        return "another GPU of the right rank"
    own = {truth["host"]} | {f"rank{r}" for r in ranks} | {f"{truth['host']}/pid{1000 + r}" for r in ranks}
    return "right" if all(f["subject"] in own for f in verdict["findings"]) else "another beside"


def outcome(lento, seed, kind, count):
    """(layout, whether a slow host alone runs its stage, answer) of one draw."""
    rng = random.Random(f"{seed} {kind} {count}")
    layout = rng.choice(("kineto", "inspector"))
    fault = rng.choice(("slow_gpu", "slow_host"))
    dp = 4 if count == 8 else rng.choice((2, 4))
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([lento, "fleet", "simulate-ranks", "--tp", "2", "--pp", "2", "--dp", str(dp), "--gpus-a-host", "4", "--fault",
                        fault, "--factor", "1.4", "--missing", "0", "--steps", "80", "--seed", str(seed), "--layout", layout,
                        "--out", folder], check=True, capture_output=True)
        truth = json.loads((pathlib.Path(folder) / "truth.json").read_text())
        files = sorted(p for p in pathlib.Path(folder).iterdir() if p.name != "truth.json")
        at_fault = [p for p in files if truth["host"] == f"host{rank_of(p) // 4}"] if fault == "slow_host" else \
            [p for p in files if rank_of(p) == truth["rank"]]
        others = [p for p in files if p not in at_fault]
        for path in rng.sample(others, min(count, len(others))):
            damage(path, kind, rng)
        done = subprocess.run([lento, "fleet", "ranks", folder, "--json"], capture_output=True, text=True)
    answer = answer_of(json.loads(done.stdout), truth, fault, [rank_of(p) for p in at_fault]) if done.stdout.strip() else "refused"
    return layout, fault == "slow_host" and dp == 2, answer


def main():
    lento = sys.argv[1]
    draws, seed, jobs = (int(a) for a in (sys.argv[2:] + ["20", "1", "2"][len(sys.argv) - 2:]))
    rows = [(kind, count, seed * 100000 + i) for kind in DAMAGES for count in COUNTS for i in range(draws)]
    counts = collections.defaultdict(collections.Counter)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for (kind, count, s), (layout, alone, answer) in zip(rows, pool.map(lambda r: outcome(lento, r[2], r[0], r[1]), rows)):
            counts[(kind, count, layout)][answer + " (alone)" * alone] += 1
            if answer not in ("right", "cannot judge", "refused"):
                print(f"seed {s}, {count} {kind}, {layout}: {answer}", flush=True)
    total = collections.Counter()
    for (kind, count, layout), answers in sorted(counts.items()):
        print(f"{kind}, {count} files, {layout}: " + ", ".join(f"{a} {n}" for a, n in sorted(answers.items())))
        total += answers
    print("together: " + ", ".join(f"{a} {n}" for a, n in sorted(total.items())))


main()
