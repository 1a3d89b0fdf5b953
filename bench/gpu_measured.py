#!/usr/bin/env python3
"""Gains that Lento predicts from profiles of real kernels, beside the times of the kernels and their mended twins.

gpu_measured.py LENTO [FOLDER]: FOLDER (bench/results/2026-11-27/gpu) has pages of Nsight Compute of the kernels of
bench/gpu/cases.cu, and kernel_pairs.csv with the time of each kernel alone. Prints for each slow kernel the predicted interval, its
middle and the measured ratio, and for each page the kernels that have a finding. Exit 1 when a healthy kernel has one, a direction is wrong, or pages with the same
counters name other kernels.
"""
import csv
import json
import pathlib
import re
import subprocess
import sys

# slow kernel: mended twin, how many times the twin's work is the slow one's, cause
PAIRS = {
    "transpose_naive": ("transpose_padded", 1, "uncoalesced access"),
    "transpose_conflict": ("transpose_padded", 1, "bank conflicts"),
    "reduce_interleaved": ("reduce_sequential", 1, "bank conflicts"),
    "particles_aos": ("particles_soa", 1, "uncoalesced access"),
    "matvec_row_a_thread": ("matvec_warp_a_row", 1, "uncoalesced access"),
    "gather_scalars": ("gather_rows", 1, "uncoalesced access"),
    "shared_stride8": ("shared_stride9", 1, "bank conflicts"),
    "column_of_half2": ("column_of_half2_swizzled", 1, "bank conflicts"),
    "stride_16": ("copy", 8, "uncoalesced access"),
    "histogram_one_copy": ("histogram_copies", 1, "bank conflicts"),
}
PAGES = ("raw.csv", "details.csv", "details.txt", "metrics.csv", "sass.csv", "source.csv")
NUMBER = r"([\d.]+)"


def findings(lento, path):
    """Findings and notes of a page by kernel: (category, factor, low, high), (None, ...) for a note."""
    done = subprocess.run([lento, "memory", "diagnose", str(path), "--json"], capture_output=True, text=True)
    if not done.stdout.strip():
        return {}, done.stderr.strip().splitlines()[0]
    result = json.loads(done.stdout[done.stdout.index("{"):])
    rows = {}
    for f in result["findings"]:
        low, high = re.search(rf"\({NUMBER} to {NUMBER} times\)", f.get("factor_of", "")).groups() if "(" in f.get("factor_of", "") else (1, f["factor"])
        rows.setdefault(f["subject"].split("(")[0], (f["category"], f["factor"], float(low), float(high), f["subject"]))
    for note in result.get("notes", []):
        found = re.match(rf"(\w+)\(.*?: ([\w ]+) without a certain cost: the kernel would be {NUMBER} to {NUMBER} times", note)
        if found:
            low, high = float(found[3]), float(found[4])
            rows.setdefault(found[1], (None, (low * high) ** 0.5, low, high, found[2]))
    skipped = result.get("records_skipped", 0)
    return rows, f"{result['outcome']}, {len(result['findings'])} findings" + (f", {skipped} skipped" if skipped else "")


def main():
    lento = str(pathlib.Path(sys.argv[1]).resolve())
    folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else pathlib.Path(__file__).parent / "results/2026-11-27/gpu")
    times = {row[0]: float(row[1]) for row in csv.reader((folder / "kernel_pairs.csv").open())}
    raw, _ = findings(lento, folder / "raw.csv")
    near = inside = right = 0
    for slow, (twin, work, cause) in PAIRS.items():
        measured = times[slow] / (times[twin] / work)
        category, factor, low, high, _ = raw.get(slow, (None, 1, 1, 1, ""))
        right += factor > 1
        inside += low <= measured <= high
        near += abs(factor / measured - 1) <= 0.3
        print(f"{slow:20} {category or 'note':20} {low:6.3g} to {high:6.3g}, middle {factor:6.3g}, measured {measured:6.3g} ({factor / measured - 1:+.0%})")
    wrong = right < len(PAIRS)
    print(f"direction right in {right}, measured ratio inside {inside}, middle within 30 % in {near} of {len(PAIRS)}")
    for page in [folder / f for f in PAGES if (folder / f).exists()]:
        rows, outcome = findings(lento, page)
        named = [k for k, row in rows.items() if row[0] and k in PAIRS and row[0] == PAIRS[k][2]]
        healthy = [k for k, row in rows.items() if row[0] and k not in PAIRS]
        missed = [k for k in rows if k in PAIRS and raw[k][0] and not rows[k][0] and page.stem in ("details", "sass")]
        wrong = wrong or bool(healthy) or bool(missed)
        print(f"{page.name}: {outcome}; named: {' '.join(named) or 'none'}; healthy named: {' '.join(healthy) or 'none'}")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
