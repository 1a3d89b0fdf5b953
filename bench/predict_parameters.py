#!/usr/bin/env python3
"""Parameters of every published config.json, as `lento predict` tells them, beside what their makers and a count of our own say.

usage: python3 bench/predict_parameters.py LENTO FOLDER   (FOLDER holds model_params.csv and model_configs/)
"""
import csv
import re
import subprocess
import sys


UNITS = {"": 1, "M": 1e6, "G": 1e9, "T": 1e12}


def told(lento, config):
    """Total and active parameters in the facts of the answer."""
    text = subprocess.run([lento, "predict", config, "--system", "h200"], capture_output=True, text=True, check=True).stdout
    found = {name: float(number) * UNITS[unit] for name, number, unit in re.findall(r"^((?:active )?parameters)\s+([0-9.]+)([MGT]?)$", text, re.M)}
    return found["parameters"], found.get("active parameters", found["parameters"])


def main():
    lento, folder = sys.argv[1:]
    print("model,total,active,counted_total,counted_active,published_total_b,published_active_b,off_pct,limit_pct,within")
    within = rows = open_rows = 0
    with open(folder + "/model_params.csv", encoding="utf-8") as table:
        for row in csv.DictReader(table):
            total, active = told(lento, folder + "/" + row["config"])
            pairs = [(total, row["counted_total"], 1, 0.1), (active, row["counted_active"], 1, 0.1)]
            if not row["counted_total"]:
                pairs += [(total, row["published_total_b"], 1e9, 3)]
            known = [(abs(mine / (float(theirs) * unit) - 1) * 100, limit) for mine, theirs, unit, limit in pairs if theirs]
            worst, limit = max(known, key=lambda k: k[0] / k[1]) if known else (0, 0)
            rows += 1
            open_rows += not known
            within += bool(known) and worst <= limit
            print(",".join([row["model"], f"{total:.0f}", f"{active:.0f}", row["counted_total"], row["counted_active"],
                            row["published_total_b"], row["published_active_b"], f"{worst:.3f}", str(limit),
                            "no figure" if not known else "yes" if worst <= limit else "no"]))
    print(f"# {within} of {rows - open_rows} within their limit, {open_rows} of {rows} without a figure")


main()
