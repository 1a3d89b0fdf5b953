#!/usr/bin/env python3
"""How many rows of fused kernels lie inside the stated errors.

usage: predict_coverage.py RESIDUALS.csv.gz

RESIDUALS is written by `lento-lab validate --kernels --residuals`. Rows are dealt to four parts; each part is held
against the halves and nine tenths of the other three, by the regimes of share/lento/serving_errors.csv. Three seeds.
"""
import collections
import csv
import gzip
import random
import statistics
import sys

FEWEST_OF_ALL = 8
FEWEST_OF_REGIME = 20
PARTS = 4
SEEDS = (1, 2, 3)


def regime(seconds):
    return sum(seconds >= limit for limit in (1e-5, 1e-4, 1e-3))


def quantile(values, share):
    ordered = sorted(values)
    at = min(1.0, share) * (len(ordered) - 1)
    low = int(at)
    return ordered[low] + (at - low) * (ordered[min(low + 1, len(ordered) - 1)] - ordered[low])


def places(row):
    return f"{row['chip']}/{row['framework']}", row["chip"], "fitted"


def cells_of(rows):
    errors = collections.defaultdict(list)
    for row in rows:
        for place in places(row):
            errors[row["kind"], place, ""].append(row["error"])
            errors[row["kind"], place, row["regime"]].append(row["error"])
    out = {}
    for key, seen in errors.items():
        fewest = FEWEST_OF_ALL if key[2] == "" else FEWEST_OF_REGIME
        if len(seen) >= fewest:
            share = 0.9 * (len(seen) + 1) / len(seen)
            out[key] = statistics.median(seen), quantile(seen, share)
    return out


def stated(cells, row):
    for place in places(row):
        for where in (row["regime"], ""):
            if (row["kind"], place, where) in cells:
                return cells[row["kind"], place, where]
    return None


def read(path):
    with gzip.open(path, "rt") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        predicted = float(row["predicted_s"])
        row["error"] = abs(predicted / float(row["measured_s"]) - 1)
        row["regime"] = regime(predicted)
    return rows


def judge(rows):
    seen = collections.defaultdict(list)
    for seed in SEEDS:
        draw = random.Random(seed)
        parts = [draw.randrange(PARTS) for _ in rows]
        for part in range(PARTS):
            cells = cells_of(row for row, own in zip(rows, parts) if own != part)
            for row, own in zip(rows, parts):
                if own != part:
                    continue
                half, most = stated(cells, row)
                for key in ((row["kind"], "all chips"), (row["kind"], row["chip"])):
                    seen[key].append((row["error"], half, most))
    return seen


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print("kind, chip: rows; inside p90; inside p50; mean p90 over mean error")
    for key, found in sorted(judge(read(sys.argv[1])).items()):
        count = len(found)
        inside = sum(error <= most for error, _, most in found) / count
        half = sum(error <= half for error, half, _ in found) / count
        wide = sum(most for _, _, most in found) / sum(error for error, _, _ in found)
        print(f"{key[0]}, {key[1]}: {count // len(SEEDS)}; {inside:.1%}; {half:.1%}; {wide:.2f}")


if __name__ == "__main__":
    main()
