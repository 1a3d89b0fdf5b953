#!/usr/bin/env python3
"""Runs fuzz targets one after another and writes a table: executions, speed, coverage, crashes.

Each target ends after SECONDS or N executions, whichever comes first. Speed is by processor time, so that it says the same
on a busy machine. Corpora are kept under BUILD/corpus; seeds are fuzz/seeds/TARGET. Exit 1 when a target crashed, ran out
of memory or hung.
"""
import argparse
import csv
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def run(target, build, seconds, runs):
    name = target.name.removeprefix("fuzz_")
    corpus = build / "corpus" / name
    corpus.mkdir(parents=True, exist_ok=True)
    seeds = ROOT / "fuzz" / "seeds" / name
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as crashes:
        command = [target, f"-max_total_time={seconds}", f"-runs={runs}", "-print_final_stats=1", "-rss_limit_mb=2048", "-print_funcs=0",
                   "-timeout=10", f"-artifact_prefix={crashes}/", corpus, *([seeds] if seeds.is_dir() else [])]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, errors="replace")
        found = [f.name.split("-")[0] for f in pathlib.Path(crashes).iterdir()]
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    executions = int((re.findall(r"number_of_executed_units: (\d+)", done.stderr) or ["0"])[-1])
    coverage = int((re.findall(r" cov: (\d+)", done.stderr) or ["0"])[-1])
    error = (re.findall(r"(?:SUMMARY|ERROR): .*", done.stderr) or [""])[-1] if done.returncode else ""
    return [name, executions, f"{cpu:.1f}", f"{executions / max(cpu, 1e-9):.0f}", coverage, " ".join(found), error[:150]]


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("build", type=pathlib.Path)
    words.add_argument("seconds", type=int)
    words.add_argument("out")
    words.add_argument("--runs", type=int, default=-1)
    words.add_argument("targets", nargs="*")
    asked = words.parse_intermixed_args()
    build, wanted = asked.build, asked.targets
    targets = sorted(t for t in (build / "bin").glob("fuzz_*") if not wanted or t.name.removeprefix("fuzz_") in wanted)
    rows = []
    for target in targets:
        rows.append(run(target, build, asked.seconds, asked.runs))
        print(*rows[-1], flush=True)
    with open(asked.out, "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["target", "executions", "cpu s", "executions per cpu s", "edges covered", "found", "error"])
        table.writerows(rows)
    speeds = sorted(float(row[3]) for row in rows)
    failed = [row[0] for row in rows if row[5] or row[6]]
    median = speeds[len(speeds) // 2] if speeds else 0
    print(f"{len(rows)} targets, slowest {speeds[0] if speeds else 0:.0f}, median {median:.0f} executions per cpu second, "
          f"{len(failed)} with a finding {failed}")
    return 1 if failed or not rows else 0


sys.exit(main())
