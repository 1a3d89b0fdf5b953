#!/usr/bin/env python3
"""A million questions from Python beside the same through the library: interleaved, CPU seconds and wall, the answers compared first.

usage: PYTHONPATH=build/release/python python3 bench/python_predict.py [ROWS [ROUNDS]]
"""
import resource
import statistics
import sys
import tempfile
import time

import numpy
import pandas
import lento
from lento import _lento


def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def timed(work):
    begin = cpu(), time.monotonic()
    result = work()
    return result, cpu() - begin[0], time.monotonic() - begin[1]


def main():
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    draw = numpy.random.default_rng(1)
    frame = pandas.DataFrame({"device": draw.choice(["H100", "A100"], rows), "m": draw.integers(16, 16384, rows),
                              "n": draw.integers(16, 16384, rows), "k": draw.integers(16, 16384, rows), "dtype": "bf16"})
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as table:
        frame.to_csv(table.name, index=False)
        small = frame.head(1000)
        text = tempfile.NamedTemporaryFile("w", suffix=".csv")
        small.to_csv(text.name, index=False)
        lines = _lento.predict_table(text.name, "").splitlines()[1:]
        assert [float(line.split(",")[5]) for line in lines] == list(lento.predict(small).predicted_s)
        print("round,library_cpu_s,python_cpu_s,library_wall_s,python_wall_s,ratio_cpu")
        ratios = []
        for number in range(rounds):
            _, library, library_wall = timed(lambda: _lento.predict_table(table.name, ""))
            answers, python, python_wall = timed(lambda: lento.predict(frame))
            assert len(answers) == rows
            ratios.append(python / library)
            print(f"{number},{library:.2f},{python:.2f},{library_wall:.2f},{python_wall:.2f},{ratios[-1]:.3f}", flush=True)
        print(f"# median ratio of CPU time {statistics.median(ratios):.3f} over {rows} questions")


main()
