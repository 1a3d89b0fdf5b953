#!/usr/bin/env python3
"""Files that people hold, made by seed after public descriptions of their formats (tests/desk), half of them healthy or not
decidable, each with its right answer: the parts that must be named and no other, "healthy", or "open": cannot judge, or the job as
a whole became slower, and no part of it is named. A fact that the answer on
a fault must state is the case's third value, or its family's in FACTS.

usage: desk_fresh.py LENTO [SEEDS] [FIRST_SEED] [CASE | FAMILY ...]
"""
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from desk import benchmarks, cluster, devices, faults, fourth, gpu, hosts_tools, job, jobs_four, jobs_one, jobs_three, jobs_two, kinds_again, more, network, public_eight, public_five, public_four, public_seven, public_six, public_one, public_three, public_two, reported_fleets, reported_jobs, reported_more, reported_systems, services, systems, third, trainers

FAMILIES = (cluster, gpu, network, job, trainers, benchmarks, faults, devices, more, third, fourth, systems, jobs_one, jobs_two, jobs_three, jobs_four, hosts_tools, services, reported_jobs, reported_systems, reported_more, public_one, public_two, public_three, kinds_again, public_four)
ON_REQUEST = (reported_fleets, public_five, public_six, public_seven, public_eight)  # asked by name: some of their answers are known to be open (docs/notes/2026-11-28-fleet-reports.md, -desk.md)
CASES = [case for family in FAMILIES + ON_REQUEST for case in family.CASES]
SHARE = 0.95  # that must be right, none of the others with a part named or an all-clear


def answer(lento, folder):
    done = subprocess.run([lento, "diagnose", "--json", "."], cwd=folder, capture_output=True, text=True)
    try:
        return json.loads(done.stdout)
    except ValueError:
        return {"outcome": "refused", "verdict": done.stderr.strip()[:200], "findings": []}


def is_right(right, got, fact=""):
    """`fact` is a pattern that the verdict, its reason or a finding must contain beside the right parts."""
    if not re.search(fact, json.dumps([got.get("verdict", ""), got.get("reason", ""), got["findings"]], ensure_ascii=False), re.I):
        return False
    subjects = [finding["subject"] for finding in got["findings"]]
    if right == "healthy":
        return got["outcome"] == "healthy" and not subjects
    if right == "open":
        return got["outcome"] in ("cannot judge", "findings") and all(subject == "the job" for subject in subjects)
    return len(subjects) == len(right) and all(re.search(part, subject) for part, subject in zip(right, subjects))


def verdict(lento, case, fault, seed):
    draw = random.Random(f"{case.__name__} {fault} {seed}")
    files, right, *facts = case(draw, fault)
    facts += [getattr(sys.modules[case.__module__], "FACTS", {}).get(case.__name__, "")]
    fact = facts[0] if fault and right != "healthy" else ""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, newline="")
        return right, answer(lento, folder), fact


def main():
    lento = pathlib.Path(sys.argv[1]).resolve()
    seeds = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    named = sys.argv[4:]
    asked = wrong = accused = cleared = 0
    for case in CASES:
        if not named and sys.modules[case.__module__] in ON_REQUEST:
            continue
        if named and case.__name__ not in named and case.__module__.split(".")[-1] not in named:
            continue
        for fault in (True, False):
            for seed in range(first, first + seeds):
                right, got, fact = verdict(lento, case, fault, seed)
                asked += 1
                if is_right(right, got, fact):
                    continue
                wrong += 1
                subjects = [finding["subject"] for finding in got["findings"]]
                cleared += got["outcome"] == "healthy"
                accused += right in ("healthy", "open") and any(subject != "the job" for subject in subjects)
                print(f"{case.__name__}, seed {seed}: right {right}, got {got['outcome']} {subjects}: {got.get('verdict', '')[:160]}")
    print(f"{asked - wrong} of {asked} right, {accused} with a part named where none is at fault or none can be named, {cleared} wrong all-clears")
    sys.exit(accused + cleared > 0 or asked - wrong < SHARE * asked)


if __name__ == "__main__":
    main()
