#!/usr/bin/env python3
"""A recording that lost its end: is the fault that was planted in it still what it was?

usage: cuts_check.py LENTO [--seeds N] [--seed S] [--reader NAME ...] [-j N]
Inputs with one planted fault are made by simulation from the seed, judged whole, and judged again when 90, 70 or 50 % of
each file's bytes are left: text in the middle of a line, JSON in the middle of an event. Right is the planted part first,
with a factor within 20 % of the planted one (of the whole input's where none is planted), or an input that cannot be judged or is
refused. A finding that states no factor must state an interval that holds it. Counted as errors are another part, another factor and
an all-clear. Faults begin early enough to be in what is left.
"""
import argparse
import concurrent.futures
import json
import math
import pathlib
import random
import sys
import tempfile

import damage_check
from damage_check import CHIP, Access, FlightRecorder, Inspector, Kineto, Noc, Probe, ProbeText, TrainingLog, make, open_bytes, run

SHARES = (0.9, 0.7, 0.5)


class Links(Probe):
    """A link of the mesh ten times slower, seen by the time of transfers."""

    planted = 10

    def build(self):
        faults = self.folder / "fault.yaml"
        faults.write_text("schema: lento.faults/1\nfaults:\n  - component: link5-6\n    factor: 10\n    start: 0\n")
        make(self.lento, "chip", "simulate", *CHIP, "--form", self.form, "--seed", self.seed, "--inferences", 6, "--faults", faults, "-o", self.put("planted"))


class LinksText(Links):
    form = "text"


class FleetEarly(damage_check.Fleet):
    """Twelve machines, one at two thirds of its clock and power from a fifth of the period on."""

    def build(self):
        rng = random.Random(self.seed)
        slow, rows = rng.randrange(12), ["machine,time,sm_clock_mhz,power_w,temp_c"]
        for step in range(150):
            for m in range(12):
                less = 0.66 if m == slow and step >= 30 else 1
                rows.append(f"node{m:02d},{step * 10},{1755 * less * rng.gauss(1, 0.008):.1f},{520 * less * rng.gauss(1, 0.01):.1f},{64 * rng.gauss(1, 0.01):.1f}")
        self.put("planted", "input.csv").write_text("\n".join(rows) + "\n")


class LogEarly(TrainingLog):
    begin = 40


READERS = {"chip, binary": Probe, "chip, text": ProbeText, "link, binary": Links, "link, text": LinksText, "fleet": FleetEarly, "ranks, Kineto": Kineto,
           "ranks, Inspector": Inspector, "ranks, recorder": FlightRecorder, "memory": Access, "NoC events": Noc, "log": LogEarly}


def interval(finding):
    """The factor's interval, where the finding states one. Stretched from 90 to 99 %, because one in ten is missed by design."""
    ends = [e["value"] for e in (finding or {}).get("evidence", []) if "end of its factor's 90 % interval" in e["text"]]
    if len(ends) != 2 or min(ends) <= 0:
        return ()
    middle, half = math.log(ends[0] * ends[1]) / 2, math.log(ends[1] / ends[0]) / 2 * 2.576 / 1.645
    return math.exp(middle - half), math.exp(middle + half)


def judge(case, folder):
    done = run(*case.judge(folder), "--json")
    if done.returncode < 0 or done.returncode == 3:  # a signal, or a defect that was noticed
        return "crash", "", None, ()
    try:
        d = json.loads(done.stdout)
    except ValueError:
        return "refused", "", None, ()
    first = d["findings"][0] if d["findings"] else None
    return d["outcome"], damage_check.name_of(first) if first else "", first and first.get("factor"), interval(first)


def cut(case, share, whole):
    """Judges a copy of which `share` is left; returns what is wrong with the verdict, or nothing, and the outcome."""
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work)
        for f in case.files("planted"):
            data = open_bytes(f)
            (folder / f.name).write_bytes(data[: int(len(data) * share)])
        outcome, subject, factor, ends = judge(case, folder)
    if outcome in ("cannot judge", "refused"):
        return "", outcome
    if subject != whole[1]:
        return f"{outcome} {subject} for {whole[1]}", outcome
    truth = getattr(case, "planted", whole[2])
    if not truth:
        return "", outcome
    is_right = 0.8 <= factor / truth <= 1.2 if factor else ends and ends[0] <= truth <= ends[1]
    if not is_right:
        return f"x{factor} {ends} for x{truth}", outcome
    return "", outcome


def one(args, name, seed):
    with tempfile.TemporaryDirectory() as folder:
        case = READERS[name](args.lento, seed, pathlib.Path(folder))
        case.build()
        whole = judge(case, case.folder / "planted")
        if whole[0] != "findings":
            return [(f"  {name}, seed {seed}: the whole input is {whole}", whole[0])]
        rows = []
        for share in SHARES:
            wrong, outcome = cut(case, share, whole)
            rows.append((f"  {name}, seed {seed}, {share:.0%} left: {wrong}" if wrong else "", outcome))
        return rows


def main():
    args = argparse.ArgumentParser()
    args.add_argument("lento", type=lambda p: pathlib.Path(p).resolve())
    args.add_argument("--seeds", type=int, default=10)
    args.add_argument("--seed", type=int, default=1)
    args.add_argument("--reader", nargs="*", choices=READERS)
    args.add_argument("-j", "--jobs", type=int, default=2)
    args = args.parse_args()
    errors, all_runs = [], 0
    print(f"seeds {args.seed} to {args.seed + args.seeds - 1}\nreader             cuts  judged  cannot judge or refused  wrong")
    for name in args.reader or READERS:
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            rows = sum(pool.map(lambda s, n=name: one(args, n, s), range(args.seed, args.seed + args.seeds)), [])
        wrong = [r[0] for r in rows if r[0]]
        judged = sum(r[1] in ("findings", "healthy") for r in rows)
        print(f"{name:18} {len(rows):4d} {judged:7d} {len(rows) - judged:24d} {len(wrong):6d}", flush=True)
        errors, all_runs = errors + wrong, all_runs + len(rows)
    print(f"{all_runs} cuts, {len(errors)} wrong", *errors, sep="\n")
    sys.exit(1 if errors else 0)


if __name__ == "__main__":
    main()
