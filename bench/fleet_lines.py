#!/usr/bin/env python3
"""The lines and the numbers that a verdict on metrics runs through: code of src/fleet/scan and src/fleet/watch/judge.*.

usage: bench/fleet_lines.py    (from the root; comments, blank lines and lone braces are not counted)
Files that only write texts and pictures, save and restore the state, or follow codes and predictions are listed apart.
A number counts unless it is 0, 1/2, 1, 2, a power of ten, a unit of time, an entry of a table of a paper,
or the digits of a printed number.
The most members of a class of the watch are listed too.
"""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(root / "tests"))
from house_figures import bare, code_lines, is_test  # noqa: E402

NUMBER = re.compile(r"(?<![\w.])(\d[\d']*\.?\d*(?:e[-+]?\d+)?)(?:[fFuUlL]*)(?![\w.])")
UNITS = {60, 3600, 3_600_000, 60_000, 86_400, 86_400_000}
TABLES = ("fault_types.cc", "gauss.cc")  # numbers of publications
APART = ("budget_text", "codes", "conclude", "conclude_text", "covered", "expected", "explain", "fault_types", "figures", "history",
         "notes", "scan_live", "judge")


def plain(value):
    if value in (0, 0.5, 1, 2) or value in UNITS:
        return True
    digits = f"{value:.15g}"
    return bool(re.fullmatch(r"0\.0*1|10*|1e[-+]?\d+", digits))


def members(path):
    """(class, data members) of a header."""
    text = bare(path.read_text())
    for found in re.finditer(r"\nclass (\w+)[^;{]*\{(.*?)\n\};", text, re.S):
        yield found.group(1), len(re.findall(r"^  [A-Za-z][\w:<>,*& ]* \w+_(?:\{[^}]*\})?(?: = [^;]+)?;", found.group(2), re.M))


files = [p for p in sorted((root / "src/fleet/scan").iterdir()) if p.suffix in (".h", ".cc") and not is_test(p)]
files += [root / "src/fleet/watch/judge.h", root / "src/fleet/watch/judge.cc"]
lines, numbers = {True: 0, False: 0}, {True: [], False: []}
for path in files:
    decides = path.name.split(".")[0] not in APART
    lines[decides] += len(code_lines(path.read_text()))
    raw = path.read_text().splitlines()
    if path.name in TABLES:
        continue
    for at, line in enumerate(bare(path.read_text()).splitlines()):
        line = re.sub(r"(format_number\(.*), \d+\)", r"\1)", line)
        for literal in NUMBER.findall(line):
            if not plain(float(literal.replace("'", ""))):
                numbers[decides].append(f"  {path.relative_to(root)}:{at + 1}: {literal}: {raw[at].strip()}")
for decides, what in ((True, "that decide"), (False, "apart")):
    print(f"lines {what}: {lines[decides]}; numbers: {len(numbers[decides])}")
    print("\n".join(numbers[decides]))
most = sorted(((n, name) for p in (root / "src/fleet/watch").glob("*.h") for name, n in members(p)), reverse=True)
print("members of the watch's classes: " + ", ".join(f"{name} {n}" for n, name in most[:5]))
