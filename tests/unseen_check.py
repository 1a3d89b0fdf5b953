#!/usr/bin/env python3
"""What was not seen is never healthy, and a counter that starts anywhere is judged.

usage: unseen_check.py LENTO [--seeds N] [--seed S] [--counters N] [--gloo FOLDER]
A job has one slow rank whose trace is absent or lost its end, in the layouts of Kineto and the Inspector; FOLDER holds such a
job as recorded (gloo8_slow_gpu of its rank 5). Wrong is an all-clear and a finding about another rank. Counted are verdicts that
name the rank as unseen and that say its peers wait. Probe records of free-running counters begin at a random 62-bit number
or wrap around at 2^32; right is the verdict of the records that begin at 0.
"""
import argparse
import json
import pathlib
import random
import re
import shutil
import sys
import tempfile

from damage_check import Inspector, Kineto, ProbeText, open_bytes, run


def text_of(d):
    return json.dumps({k: v for k, v in d.items() if k not in ("command", "inputs", "figures")})


class Tally:
    def __init__(self):
        self.runs = self.healthy = self.another = self.unseen = self.waits = 0
        self.errors = []

    def judge(self, lento, folder, slow, name):
        done = run(lento, "fleet", "ranks", folder, "--json")
        self.runs += 1
        try:
            d = json.loads(done.stdout)
        except ValueError:
            self.unseen += 1  # a folder that is refused is no all-clear
            return
        subjects = [f["subject"] for f in d["findings"]]
        self.healthy += d["outcome"] == "healthy"
        another = bool(subjects) and subjects[0] != f"rank{slow}" and not subjects[0].endswith(f"/pid{1000 + slow}")
        self.another += another
        text = text_of(d)
        self.unseen += bool(subjects) or bool(re.search(rf"rank ?{slow}\b|/pid{1000 + slow}|left no trace|not closed|cut|ends? before|lack", text))
        self.waits += bool(subjects) or bool(re.search(r"\bwait", text))
        if d["outcome"] == "healthy" or another:
            self.errors.append(f"  {name}: {d['outcome']} {subjects[:2]} for rank{slow}")


def spoil(file, how, rng):
    if how == "absent":
        file.unlink()
    else:
        data = open_bytes(file)
        file.write_bytes(data[: int(len(data) * rng.uniform(0.02, 0.6))])


def ranks(args):
    errors = []
    for how in ("absent", "cut"):
        for kind in (Kineto, Inspector):
            tally = Tally()
            for seed in range(args.seed, args.seed + args.seeds):
                rng = random.Random(f"{seed}/{how}/{kind.layout}")
                with tempfile.TemporaryDirectory() as folder:
                    case = kind(args.lento, seed, pathlib.Path(folder))
                    case.build()
                    slow = json.loads((case.folder / "planted/truth.json").read_text())["rank"]
                    spoil(case.files("planted")[slow], how, rng)
                    tally.judge(args.lento, case.folder / "planted", slow, f"{kind.layout}, {how}, seed {seed}")
            show(f"{kind.layout}, {how}", tally, errors)
    return errors


def recorded(args):
    tally, errors = Tally(), []
    for how in ("absent", "cut"):
        with tempfile.TemporaryDirectory() as work:
            folder = pathlib.Path(work) / "job"
            shutil.copytree(args.gloo, folder)
            folder.chmod(0o755)
            files = sorted(f for f in folder.iterdir() if f.suffix in (".gz", ".json", ".log") and "truth" not in f.name)
            slow = next(n for n, f in enumerate(files) if rank_of(f) == args.gloo_rank)
            files[slow].chmod(0o644)
            spoil(files[slow], how, random.Random(how))
            tally.judge(args.lento, folder, args.gloo_rank, f"{args.gloo.name}, {how}")
    show(args.gloo.name[:18], tally, errors)
    return errors


def rank_of(file):
    process = re.search(r"pid(\d+)", file.name)  # Inspector logs hold no global rank; the recorded job counts processes from 1000
    if process:
        return int(process[1]) - 1000
    found = re.search(rb'"rank": ?(\d+)', open_bytes(file)[:200000])
    return int(found[1]) if found else -1


def show(name, tally, errors):
    print(f"{name:18} {tally.runs:4d} {tally.healthy:7d} {tally.another:7d} {tally.unseen:6d} {tally.waits:8d}", flush=True)
    errors += tally.errors


def counters(args):
    wrong, judged = [], 0
    for n in range(args.counters):
        rng = random.Random(f"{args.seed}/counter/{n}")
        with tempfile.TemporaryDirectory() as folder:
            case = ProbeText(args.lento, args.seed + n, pathlib.Path(folder))
            case.build()
            kind = ("healthy", "planted")[n % 2]
            file = case.folder / kind / "input"
            before = verdict(case, kind)
            lines = file.read_text().splitlines()
            rows = [line.split() for line in lines[3:]]
            start, wrap = (rng.getrandbits(62), None) if n % 4 < 2 else (2**32 - int(int(rows[-1][1]) * rng.random()), 2**32)
            for r in rows:
                r[:2] = [str((int(x) + start) % wrap if wrap else int(x) + start) for x in r[:2]]
            file.write_text("\n".join(lines[:3] + [" ".join(r) for r in rows]) + "\n")
            after = verdict(case, kind)
            judged += after[0] in ("healthy", "findings")
            if after != before:
                wrong.append(f"  counter {n}, {kind}, from {start}{' modulo 2^32' if wrap else ''}: {before} became {after}")
    print(f"free-running counters: {args.counters} runs, {judged} judged, {len(wrong)} other than from 0")
    return wrong


def verdict(case, kind):
    d = json.loads(run(*case.judge(case.folder / kind), "--json").stdout or '{"outcome": "refused", "findings": []}')
    return d["outcome"], [f["subject"] for f in d["findings"]][:1]


def main():
    args = argparse.ArgumentParser()
    args.add_argument("lento", type=lambda p: pathlib.Path(p).resolve())
    args.add_argument("--seeds", type=int, default=40)
    args.add_argument("--seed", type=int, default=1)
    args.add_argument("--counters", type=int, default=20)
    args.add_argument("--gloo", type=pathlib.Path)
    args.add_argument("--gloo-rank", type=int, default=5)
    args = args.parse_args()
    print(f"seed {args.seed}\nslow rank          runs healthy another unseen of waiting")
    errors = (ranks(args) if args.seeds else []) + (recorded(args) if args.gloo else []) + (counters(args) if args.counters else [])
    print(*errors, sep="\n")
    sys.exit(1 if errors else 0)


if __name__ == "__main__":
    main()
