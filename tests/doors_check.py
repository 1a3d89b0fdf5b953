#!/usr/bin/env python3
"""One table through every door: made-up fleets by seed, half of them healthy, each as a wide table, a long one, a row per GPU
and a file per host; asked through `lento diagnose`, `lento fleet diagnose --csv` and Python. Outcome and subject must be those
of the planted truth, and so the same through all.

usage: doors_check.py LENTO [TABLES] [FIRST_SEED]  (PYTHONPATH holds the built module)
"""
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy
    import pandas
    import lento
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

LENTO = pathlib.Path(sys.argv[1]).resolve()
TABLES = int(sys.argv[2]) if len(sys.argv) > 2 else 40
FIRST = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
WHO = ["node", "hostname", "machine", "server_id", "instance"]
WHEN = ["time", "timestamp", "ts", "datetime"]
GPU = ["gpu", "gpu_id", "device"]


def metrics(draw, count, steps, slow):
    """A row a machine and time; `slow` loses a quarter to a third of its clock after a third of the period."""
    rows = []
    levels = {"power_w": 520, "sm_clock_mhz": 1755, "temp_c": 64, "util_pct": 93}
    loss = draw.uniform(0.25, 0.34)
    for machine in range(count):
        table = pandas.DataFrame({"machine": f"node{machine:02d}", "time": numpy.arange(steps) * 10})
        for name, level in levels.items():
            table[name] = level * (1 + 0.008 * draw.standard_normal(steps))
        if machine == slow:
            table.loc[steps // 3:, "sm_clock_mhz"] *= 1 - loss
        rows.append(table)
    table = pandas.concat(rows, ignore_index=True)
    return table.round(2)


def named(table, draw):
    """Other names of the columns, and columns that are no metric."""
    names = {"machine": draw.choice(WHO), "time": draw.choice(WHEN)}
    table = table.rename(columns=names)
    if draw.random() < 0.5:
        table["step"] = table[names["time"]] // 10
    if draw.random() < 0.5:
        table["label"] = (table[names["time"]] > 700).astype(int)
    return table, names["machine"], names["time"]


def shapes(seed, slow):
    draw = numpy.random.default_rng(seed)
    wide, who, when = named(metrics(draw, 10, 120, slow), draw)
    yield "wide", wide
    long = wide.melt(id_vars=[who, when], var_name="metric", value_name="value")
    yield "long", long.sort_values([when, who, "metric"]) if seed % 3 else long
    gpu = draw.choice(GPU)
    where = int(draw.integers(4))
    cards = []
    for card in range(4):
        other = wide if card == where else named(metrics(draw, 10, 120, None), draw)[0]
        table = wide.copy()
        for name in ("power_w", "sm_clock_mhz", "temp_c", "util_pct"):
            table[name] = other[name].to_numpy()
        table.insert(2, gpu, card)
        cards.append(table)
    table = pandas.concat(cards)
    yield "a row per GPU", table.sort_values([who, when, gpu]) if seed % 2 else table
    yield "a file per host", {name: rows.drop(columns=who) for name, rows in wide.groupby(who)}


def answer(text):
    d = json.loads(text)
    return d["outcome"], [finding["subject"] for finding in d["findings"]][:1]


def command(*words):
    done = subprocess.run([LENTO, *map(str, words), "--json"], capture_output=True, text=True)
    return answer(done.stdout) if done.stdout else ("error", [done.stderr.strip()[:300]])


def python(what):
    try:
        return answer(lento.fleet.diagnose(what).to_json())
    except lento.Error as error:
        return "error", [str(error)[:300]]


def doors(table):
    if isinstance(table, dict):
        paths = [f"{name}.csv" for name in table]
        for name, rows in table.items():
            rows.to_csv(f"{name}.csv", index=False)
        frame = paths
    else:
        paths, frame = ["table.csv"], table
        table.to_csv("table.csv", index=False)
    yield "lento diagnose", command("diagnose", *paths)
    yield "lento fleet diagnose --csv", command("fleet", "diagnose", *[word for path in paths for word in ("--csv", path)])
    yield "Python", python(frame)


def main():
    asked = wrong = 0
    for seed in range(FIRST, FIRST + TABLES):
        slow = seed % 10 if seed % 2 else None
        truth = ("healthy", []) if slow is None else ("findings", [f"node{slow:02d}"])
        for shape, table in shapes(seed, slow):
            for door, got in doors(table):
                asked += 1
                if got != truth:
                    wrong += 1
                    print(f"seed {seed}, {shape}, {door}: {got}, planted {truth}")
    print(f"{asked - wrong} of {asked} answers are the planted truth")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        import os
        os.chdir(folder)
        main()
