#!/usr/bin/env python3
"""Runs fuzz targets one after another and keeps the table of docs/fuzzing.md: target, seeds, edges, executions, last run.

usage: run.py FOLDER SECONDS [TARGET...]
FOLDER holds fuzz_NAME programs; their corpora grow in FOLDER/../corpus/NAME. Edges are those that the corpus reaches in the
instrumented code of the target, executions those of the last run. A crash ends the script, and its input lies in the
folder where it began.
"""
import datetime
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "docs/fuzzing.md"
ROW = re.compile(r"^\| `(\w+)` \| (.*) \|$", re.M)


def inputs(program):
    """The folder in which a target's corpus grows, and those of its seeds."""
    name, corpora = program.name.removeprefix("fuzz_"), program.parent.parent / "corpus"
    (corpora / name).mkdir(parents=True, exist_ok=True)
    seeds = [ROOT / "fuzz/seeds" / name, *([corpora / "desk"] if name.startswith("desk_") else [])]
    return corpora / name, [d for d in seeds if d.is_dir()]


def run(program, seconds):
    corpus, seeds = inputs(program)
    count = sum(len(list(d.iterdir())) for d in [corpus, *seeds])
    done = subprocess.run([program, f"-max_total_time={seconds}", "-rss_limit_mb=2048", "-print_final_stats=1", corpus, *seeds],
                          stderr=subprocess.PIPE, text=True, errors="replace")
    edges = re.findall(r"cov: (\d+)", done.stderr)
    executions = re.search(r"stat::number_of_executed_units: +(\d+)", done.stderr)
    if done.returncode or not executions:
        sys.exit(done.stderr[-4000:])
    return f"{count} | {edges[-1] if edges else 0} | {int(executions[1]):,} | {datetime.date.today()}"


def main():
    folder, seconds, wanted = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
    text = TABLE.read_text()
    rows = dict(ROW.findall(text))
    for program in sorted(folder.glob("fuzz_*")):
        name = program.name.removeprefix("fuzz_")
        if wanted and name not in wanted:
            continue
        rows[name] = run(program, seconds)
        print(f"{name}: {rows[name]}", flush=True)
        head = ROW.sub("", text).rstrip("\n")
        TABLE.write_text(head + "\n" + "".join(f"| `{n}` | {r} |\n" for n, r in sorted(rows.items())))


if __name__ == "__main__":
    main()
