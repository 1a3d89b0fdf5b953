#!/usr/bin/env python3
"""Judges twenty reported runs by `lento predict --measured`: the verdict, and the mistake that explains the figure.

usage: measured_runs.py LENTO [--show]
The runs stand in measured_runs.csv beside this file with the right answers. Exit 1 when fewer than 19 are right:
for Llama 2 7B on B200 the expectation is twice as fast as the one public run, so that its wrong peak is not seen.
"""
import csv
import pathlib
import shlex
import subprocess
import sys

VERDICTS = {"than the hardware allows": "impossible", "slower than nine of ten": "slower", "as expected": "expected"}
MISTAKE = " such runs if "
LEAST_RIGHT = 19


def judge(lento, run):
    command = [lento, "predict", "--model", run["model"], "--system", run["system"], *shlex.split(run["options"]),
               "--measured", run["measured"]]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    return next((line for line in done.stdout.splitlines() if line.startswith("Measured ")), done.stderr)


def is_right(run, text):
    verdict = next((v for words, v in VERDICTS.items() if words in text), "")
    named = text.split(MISTAKE)[1] if MISTAKE in text else ""
    if run["mistake"] == "-":
        return verdict == run["verdict"] and not named
    return (not run["verdict"] or verdict == run["verdict"]) and run["mistake"] in (named or text)


def main():
    path = pathlib.Path(__file__).with_suffix(".csv")
    with path.open() as rows:
        runs = list(csv.DictReader(line for line in rows if not line.startswith("#")))
    answers = [judge(sys.argv[1], run) for run in runs]
    right = [is_right(run, text) for run, text in zip(runs, answers)]
    for run, text, fine in zip(runs, answers, right):
        if not fine or "--show" in sys.argv:
            print("right" if fine else "WRONG", run["model"], run["measured"], run["verdict"], run["mistake"], "|", text)
    print(f"{sum(right)} of {len(runs)} right")
    return sum(right) < LEAST_RIGHT


if __name__ == "__main__":
    sys.exit(main())
