#!/usr/bin/env python3
"""Writes docs/accuracy.md and docs/accuracy-tables.md from bench/results/facts.csv, so that no figure is typed twice.

usage: make_accuracy.py           writes both pages
       make_accuracy.py --check   exit 1 when a page is not what the facts give, a front page is too long, or a raw file, a script or
                                  a test that a source names does not exist

Columns of facts.csv: page (`front` and `front text` for accuracy.md, `table` and `text` for the tables behind it), scale (heading),
group (second heading), question, promise (the aim, or a paper's figure), figure, n, interval (95 %), source (command and raw file
under bench/results). A fact is one line. A figure that misses its promise is **bold**.
"""
import csv
import itertools
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench/results"
FACTS = RESULTS / "facts.csv"
MOST_WORDS = 1200
MOST_ROWS = 12  # of one scale on the front page
WIDTH = 150
FRONT = """# How accurate is it, and when not to trust it

Written by `packaging/make_accuracy.py` from `bench/results/facts.csv`. These figures decide whether to trust a verdict. **Bold** marks promises
that are missed. A verdict that the records do not allow is *cannot judge*, and counts as wrong here. Raw files are under `bench/results`.
`./dev build` makes the commands, in `build/release/bin`. [All figures](accuracy-tables.md) are behind this page.
"""
TABLES = """# All figures

Written by `packaging/make_accuracy.py` from `bench/results/facts.csv`. Every figure was measured by the command beside it, and the raw
file is under `bench/results`. [The front page](accuracy.md) has those that decide whether to trust a verdict. A verdict that the
records do not allow is `cannot judge` with exit code 4. It counts as wrong unless a row says otherwise.
"""


def wrapped(text):
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) >= WIDTH:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return "\n".join(lines)


def table(names, rows):
    """A table without the columns that are empty in all rows."""
    used = [i for i in range(len(names)) if any(row[i] for row in rows)]
    lines = [[names[i] for i in used], ["---"] * len(used), *([row[i] for i in used] for row in rows)]
    return "\n".join(("|" + "|".join(line) + "|") if line[0] == "---" else "| " + " | ".join(line) + " |" for line in lines)


def page(head, facts, names, row_of, text_kind):
    parts = [head.strip()]
    for scale, of_scale in itertools.groupby(facts, lambda f: f["scale"]):
        parts.append(f"## {scale}")
        for (group, is_text), of_group in itertools.groupby(of_scale, lambda f: (f["group"], f["page"] == text_kind)):
            of_group = list(of_group)
            if group and not is_text and f"**{group}**" not in parts:
                parts.append(f"**{group}**")
            parts += [wrapped(f["figure"]) for f in of_group] if is_text else [table(names, [row_of(f) for f in of_group])]
    return "\n\n".join(parts) + "\n"


def front_row(f):
    n = ", ".join(part for part in (f["n"], f["interval"]) if part)
    return f["question"], f["promise"], f["figure"], n, f["source"]


def read_facts():
    with FACTS.open(newline="") as file:
        return list(csv.DictReader(file))


def pages():
    facts = read_facts()
    front = [f for f in facts if f["page"].startswith("front")]
    behind = [f for f in facts if not f["page"].startswith("front")]
    return {
        ROOT / "docs/accuracy.md": page(FRONT, front, ("question", "promise", "figure", "n, 95 %", "command, raw file"), front_row, "front text"),
        ROOT / "docs/accuracy-tables.md": page(TABLES, behind, ("question", "promise", "figure", "command, raw file"),
                                               lambda f: (f["question"], f["promise"], f["figure"], f["source"]), "text"),
    }


def faults():
    front = [f for f in read_facts() if f["page"] == "front"]
    for path, text in pages().items():
        if not path.exists() or path.read_text() != text:
            yield f"{path.relative_to(ROOT)} is not what {FACTS.name} gives: run packaging/make_accuracy.py"
    words = sum(1 for word in pages()[ROOT / "docs/accuracy.md"].split() if re.search(r"\w", word))
    if words > MOST_WORDS:
        yield f"docs/accuracy.md would have {words} words, at most {MOST_WORDS}: move facts to the page `table`"
    for scale, of_scale in itertools.groupby(front, lambda f: f["scale"]):
        rows = len(list(of_scale))
        if rows > MOST_ROWS:
            yield f"{scale} has {rows} facts on the front page, at most {MOST_ROWS}"
    for f in read_facts():
        for what in absent(f["source"]):
            yield f"'{f['question']}': {what}"
    for f in front:
        if not f["source"]:
            yield f"'{f['question']}' has no command"
        for raw in re.findall(r"\d{4}-\d\d-\d\d/[\w.-]*\w", f["source"]):
            if not (RESULTS / raw).exists():
                yield f"'{f['question']}': no file bench/results/{raw}"


def absent(source):
    """What the command of a source names and the checkout lacks: scripts, campaigns, and suites of test programs."""
    for path in re.findall(r"(?<![\w/])(?:bench|tests|campaigns|packaging|fuzz|rtl)/[\w/-]+\.(?:py|sh|yaml|cu)", source):
        if not (ROOT / path).exists():
            yield f"no file {path}"
    for program, suite in re.findall(r"lento_(\w+)_tests(?: --gtest_filter='?(\w+))?", source):
        folder = ROOT / ("lab" if program.startswith("lab_") else "src") / program.removeprefix("lab_").replace("_", "/")
        tests = sorted(folder.glob("*.test.cc"))
        if not any(re.search(rf"TEST(?:_F|_P)?\({suite}\b", test.read_text()) for test in tests):
            yield f"no tests {suite} in {folder.relative_to(ROOT)}"


def main(args):
    if args == ["--check"]:
        bad = list(faults())
        print(*bad, f"{len(read_facts())} facts, {len(bad)} faults", sep="\n")
        return bool(bad)
    if args:
        sys.exit(f"make_accuracy.py: error: found '{args[0]}', needed nothing or --check")
    for path, text in pages().items():
        path.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
