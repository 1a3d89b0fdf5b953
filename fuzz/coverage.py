#!/usr/bin/env python3
"""Which lines of the readers do the inputs of the fuzz targets reach?

usage: coverage.py FOLDER [TARGET...]
FOLDER holds fuzz_NAME programs of the preset `coverage`. Each reads its corpus and seeds (fuzz/run.py) once. The table counts the
lines of each source of a reader that any target reached, and the exit status is 1 when one is below 80 %.
"""
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from run import inputs

ROOT = pathlib.Path(__file__).resolve().parent.parent
LEAST = 0.8
# An FST is read by a child process (src/tile/block/fst.cc), of which nothing is counted.
READERS = """
src/*/read/*.cc src/fleet/ranks/read/*.cc src/program/*.cc src/memory/gpu/*.cc src/base/scan/*.cc src/chip/sketch/sketch_file.cc
src/desk/bench/*.cc src/desk/cluster/*.cc src/desk/general/*.cc src/desk/kernel/*.cc src/desk/link/*.cc src/desk/machine/*.cc
src/desk/metrics/*.cc src/desk/nvidia/*.cc src/desk/pytorch/*.cc src/desk/training/*.cc src/riscv/elf.cc src/fleet/watch/hook_ledger.cc
src/tile/block/[!f]*.cc src/tile/seal/documents.cc src/tile/seal/image.cc src/tile/seal/minisign.cc src/spec/trained.cc
src/base/json.cc src/base/zip.cc src/campaign/journal.cc src/chip/map/faults.cc src/base/http/head.cc src/predict/time/question.cc
""".split()
CODE = re.compile(r"\)( const)?( override)? \{$", re.M)
TESTS = re.compile(r"\.(test|bench)\.cc$")


def sources():
    return sorted({str(f) for pattern in READERS for f in ROOT.glob(pattern) if not TESTS.search(f.name)})


def lines_of(program, names, work):
    """{source: {line: times}} of one target."""
    corpus, seeds = inputs(program)
    raw, profile = work / "raw", work / "profile"
    done = subprocess.run([program, "-runs=0", "-rss_limit_mb=4096", corpus, *seeds], env=os.environ | {"LLVM_PROFILE_FILE": str(raw)}, capture_output=True, text=True, errors="replace")
    if done.returncode:
        sys.exit(f"{program.name}: {done.stderr[-4000:]}")
    subprocess.run(["llvm-profdata", "merge", "-sparse", raw, "-o", profile], check=True)
    text = subprocess.run(["llvm-cov", "export", "-format=lcov", program, f"-instr-profile={profile}", *names], check=True, capture_output=True, text=True).stdout
    counts, at = {}, None
    for line in text.splitlines():
        if line.startswith("SF:"):
            at = counts.setdefault(str(pathlib.Path(line[3:]).resolve()), {})
        elif line.startswith("DA:"):
            number, times = line[3:].split(",")[:2]
            at[int(number)] = int(times)
    return counts


def main():
    folder, wanted = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    names = sources()
    lines = collections.defaultdict(collections.Counter)
    with tempfile.TemporaryDirectory() as work:
        for program in sorted(folder.glob("fuzz_*")):
            if not wanted or program.name.removeprefix("fuzz_") in wanted:
                for source, counts in lines_of(program, names, pathlib.Path(work)).items():
                    lines[source].update(counts)
    few = 0
    for source in names:
        counts = lines.get(source, {})
        if not counts and not CODE.search(pathlib.Path(source).read_text()):
            continue  # a table
        share = sum(n > 0 for n in counts.values()) / max(1, len(counts))
        if counts or not wanted:
            few += share < LEAST
            print(f"{100 * share:4.0f} %  {len(counts):4d} lines  {source.removeprefix(str(ROOT) + '/')}{'' if share >= LEAST else '  <- below 80 %'}")
    print(f"{few} sources below 80 %")
    if os.environ.get("FUZZ_MISSED"):
        for source in names:
            print(source, sorted(line for line, n in lines.get(source, {}).items() if not n))
    sys.exit(1 if few else 0)


main()
