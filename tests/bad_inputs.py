#!/usr/bin/env python3
"""Broken inputs get an error that says where and why, and leave no output file.

usage: bad_inputs.py LENTO
Cases stand in bad/cases.txt, one a line: arguments => what standard error must hold. The chip and the mapping that
they name beside the broken files come from examples/chip.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile


def main():
    lento = pathlib.Path(sys.argv[1]).resolve()
    bad = pathlib.Path(__file__).resolve().parent / "bad"
    examples = bad.parent.parent / "examples" / "chip"
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for file in [*bad.iterdir(), examples / "4x4.yaml", examples / "tiny.map.json"]:
            shutil.copy(file, folder)
        before = sorted(pathlib.Path(folder).iterdir())
        cases = [line for line in (bad / "cases.txt").read_text().splitlines() if not line.startswith("#")]
        if not cases:
            sys.exit("bad/cases.txt holds no case")
        for line in cases:
            arguments, wanted = line.split(" => ")
            in_lab = arguments.startswith("lab: ")
            program = lento.with_name("lento-lab") if in_lab else lento
            run = subprocess.run([program, *arguments.removeprefix("lab: ").split()], cwd=folder, capture_output=True, text=True, timeout=60)
            left = sorted(pathlib.Path(folder).iterdir()) != before
            if run.returncode != 2 or wanted not in run.stderr or left:
                failed += 1
                print(f"{arguments}: exit {run.returncode}{', left a file' if left else ''}\n  wanted {wanted}\n  got    {run.stderr}")
    sys.exit(1 if failed else 0)


main()
