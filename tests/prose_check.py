#!/usr/bin/env python3
"""Measures how plainly the comments of C, C++, SystemVerilog and Python speak, and holds folders to limits.

usage: prose_check.py                     the gate: every folder of tests/prose_folders.txt keeps the limits, no word of
                                          docs/glossary.md is defined twice and no document is too long, else exit 1
       prose_check.py [--list] FOLDER...  one row of figures a folder; --list prints each comment that breaks a rule
       prose_check.py --draw SEED FOLDER...  30 comments, each below the opening of its file and with the four lines behind
                                          it, and 40 functions of 6 to 45 lines, drawn by seed for a blind reading (docs/notes)
       prose_check.py --self-test         planted comments, good and bad, must be counted as such

A comment is a run of whole-line comments. Limits: 5 of 1,000 comments may open without a subject ("What is kept"), 3 of
1,000 with a preposition ("Of two, the larger"), 6 of 1,000 words may end in a semicolon and 8 may be verbs that make code a
person; 90 % of the sources open with a purpose of at least eight words, licence lines apart; no comment is torn. A torn
comment has a line of one or two words that the formatter broke off: the line before is long, the next continues it.
"""
import dataclasses
import pathlib
import random
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ROOT / "tests/prose_folders.txt"
GLOSSARY = ROOT / "docs/glossary.md"
KINDS = {".cc": "//", ".h": "//", ".inc": "//", ".c": "//", ".sv": "//", ".svh": "//", ".py": "#"}
SOURCES = {".cc", ".c", ".sv", ".py"}

NO_SUBJECT = re.compile(r"(?:What|Who|Whoever|Whose|Which|Whatever|How|That which)\b")
PREPOSITION = re.compile(r"(?:Of|By|Besides?|Among|Under|Over|Beyond|Upon|So)\b")
PERSON = re.compile(
    r"\b(?:tells?|told|speaks?|says?|said|asks?|asked|hears?|heard|unheard|knows?|known|sees?|seen|believes?|stands?|stood"
    r"|wants?|gives? up|takes? for|owes?|deserves?|vouch\w*|settles?|settled|accus\w+|blam\w+)\b", re.I)
LICENCE = re.compile(r"SPDX|copyright|licen[cs]e", re.I)
LIMITS = {"headless": 5, "preposition": 3, "semicolons": 6, "persons": 8, "torn": 0}
LEAST_OPENING = 90
MOST_DOCUMENT_WORDS = 1500
WRITTEN_BY_A_PROGRAM = {"cli.md", "lab.md", "accuracy-tables.md"}
FULL_LINE = 90  # A line of at least so many characters was filled by the formatter, not ended by its author.


@dataclasses.dataclass
class Comment:
    line: int
    texts: list   # each line without its mark
    widths: list  # each line's width in the file
    indents: list  # blanks between the mark and the text

    @property
    def text(self):
        return " ".join(t for t in self.texts if t)

    def torn_lines(self):
        for i in range(1, len(self.texts) - 1):
            short = 1 <= len(self.texts[i].split()) <= 2
            broken_off = self.widths[i - 1] >= FULL_LINE and not self.texts[i - 1].endswith((".", ":", "?", "!"))
            # The last line of an entry of a table, or one that its author went on with, indented.
            table = self.indents[i] > self.indents[i - 1] or self.indents[i + 1] < self.indents[i]
            if short and broken_off and not table and self.texts[i + 1] and not self.texts[i].endswith((":", "?", "!")):
                yield self.line + i


def read_comments(path):
    """The comments of a file, and its numbers of comment lines and of code lines."""
    mark, found, current, commented, code = KINDS[path.suffix], [], None, 0, 0
    for number, raw in enumerate(path.read_text(errors="replace").splitlines(), 1):
        line = raw.strip()
        if not line.startswith(mark) or line.startswith("#!"):
            current = None
            code += bool(line)
            continue
        commented += 1
        if current is None:
            current = Comment(number, [], [], [])
            found.append(current)
        current.texts.append(line.lstrip("/#").strip())
        current.widths.append(len(raw))
        marked = line.lstrip("/#")
        current.indents.append(len(marked) - len(marked.lstrip()))
    return [c for c in found if c.text], commented, code


def opens_with_purpose(path):
    words = 0
    for line in path.read_text(errors="replace").lstrip().splitlines():
        line = line.strip()
        if line.startswith("#!") or LICENCE.search(line) or line in ("//", "#", '"""'):
            continue
        if not line.startswith(("//", "/*", "*", "#", '"""')):
            break
        words += len(line.split())
    return words >= 8


def measure(folder, show=False):
    """The figures of one folder; with show, prints the place of each breach."""
    counts = dict.fromkeys([*LIMITS, "comments", "words", "sources", "opened", "commented", "code"], 0)

    def breach(kind, path, line, text):
        counts[kind] += 1
        if show:
            print(f"{path}:{line}: {kind}: {text[:110]}")

    for path in sorted(folder.rglob("*")):
        if path.suffix not in KINDS or ".test." in path.name or path.stem.endswith("_test"):
            continue
        if path.suffix in SOURCES:
            counts["sources"] += 1
            opened = opens_with_purpose(path)
            counts["opened"] += opened
            if show and not opened:
                print(f"{path}:1: opening: the source does not say what it is for")
        comments, commented, code = read_comments(path)
        counts["commented"] += commented
        counts["code"] += code
        for c in comments:
            counts["comments"] += 1
            counts["words"] += len(c.text.split())
            if NO_SUBJECT.match(c.text) and "?" not in c.text:
                breach("headless", path, c.line, c.text)
            if PREPOSITION.match(c.text):
                breach("preposition", path, c.line, c.text)
            for _ in range(c.text.count(";")):
                breach("semicolons", path, c.line, c.text)
            for verb in PERSON.findall(c.text):
                breach("persons", path, c.line, f"'{verb}' in: {c.text}")
            for line in c.torn_lines():
                breach("torn", path, line, c.text)
    n, w = max(1, counts["comments"]), max(1, counts["words"])
    return {
        "comments": counts["comments"],
        "headless": 1000 * counts["headless"] / n,
        "preposition": 1000 * counts["preposition"] / n,
        "semicolons": 1000 * counts["semicolons"] / w,
        "persons": 1000 * counts["persons"] / w,
        "torn": counts["torn"],
        "opening %": 100 * counts["opened"] / max(1, counts["sources"]),
        "comment lines %": 100 * counts["commented"] / max(1, counts["commented"] + counts["code"]),
    }


def breaches(row):
    found = [f"{name} {row[name]:.1f}, limit {most}" for name, most in LIMITS.items() if row[name] > most]
    if row["opening %"] < LEAST_OPENING:
        found.append(f"opening {row['opening %']:.1f} %, at least {LEAST_OPENING} %")
    return found


def double_words():
    """Words of the glossary that are defined twice."""
    seen = set()
    for cell in re.findall(r"^\| (?!word|name|---)([^|]+) \|", GLOSSARY.read_text(), re.M):
        for word in cell.split(", "):
            if word in seen:
                yield f"{GLOSSARY.name}: '{word}' is defined twice: give one of its meanings a longer name"
            seen.add(word)


def long_documents():
    """Documents over MOST_DOCUMENT_WORDS words. Bars and rules of tables are no words."""
    for page in sorted((ROOT / "docs").rglob("*.md")):
        words = sum(1 for word in page.read_text().split() if re.search(r"\w", word))
        if words > MOST_DOCUMENT_WORDS and page.name not in WRITTEN_BY_A_PROGRAM and page.parent.name != "formats":
            yield f"{page.relative_to(ROOT)}: {words} words, at most {MOST_DOCUMENT_WORDS}: split it, or move its history to docs/notes"


def gate():
    folders = [line.strip() for line in FOLDERS.read_text().splitlines()]
    folders = [f for f in folders if f and not f.startswith("#")]
    bad = []
    for name in folders:
        if not (ROOT / name).is_dir():
            bad.append(f"{name}: no such folder; a folder that moved is renamed in {FOLDERS.name}, never dropped")
            continue
        bad += [f"{name}: {b}; python3 tests/prose_check.py --list {name} shows the places" for b in breaches(measure(ROOT / name))]
    bad += [*double_words(), *long_documents()]
    print(*bad, f"{len(folders)} folders, {len(bad)} breaches", sep="\n")
    return bool(bad)


PLANTED = {
    "headless": "// What is outlasted by the burst.\n",
    "preposition": "// Of two hypotheses the larger.\n",
    "semicolons": "// The sum is kept; the rest is dropped.\n",
    "persons": "// The scan believes the sketch.\n",
    "torn": "// The window grows until both halves hold as many samples of every metric and of every machine of\n"
            "// the job,\n// because a short half has a wide interval.\n",
}
PLAIN = ("// Tracks the longest burst of each metric, so that a deviation must last longer than any burst.\n"
         "// Source: Minder, section 4.\n\nint f();\n")


def self_test():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        source = folder / "planted.cc"
        source.write_text(PLAIN)
        assert not breaches(measure(folder)), "the plain comment keeps all limits"
        for kind, text in PLANTED.items():
            source.write_text(PLAIN + "\n" + text + "int g();\n")
            row = measure(folder)
            assert [k for k in LIMITS if row[k] > LIMITS[k]] == [kind], f"{kind}: {row}"
        source.write_text("// Licensed under the Apache License, version 2.0 of January 2004, by its authors.\nint f();\n")
        assert breaches(measure(folder)) == ["opening 0.0 %, at least 90 %"], "licence lines are no purpose"


def read_opening(path):
    """The first comment of a file, licence lines apart: what a reader of the file has read before any other."""
    return next(c for c in read_comments(path)[0] if not LICENCE.search(c.text))


def draw(seed, folders):
    """Comments and functions for readers who get nothing but these excerpts and the opening of each file."""
    comments, functions = [], []
    for path in sorted(p for f in folders for p in pathlib.Path(f).rglob("*") if p.suffix in KINDS and ".test." not in p.name):
        lines = path.read_text(errors="replace").splitlines()
        comments += [(path, c.line, c.line + len(c.texts) + 4) for c in read_comments(path)[0] if not LICENCE.search(c.text)]
        for i in (i for i, line in enumerate(lines) if re.match(r" {0,2}[\w:<>].*\(.*\{$", line) and line.split()[0] not in ("if", "for")):
            indent = len(lines[i]) - len(lines[i].lstrip())
            end = next((j for j in range(i, len(lines)) if lines[j].startswith(" " * indent + "}")), i)
            begin = next(j for j in range(i, -1, -1) if j == 0 or not lines[j - 1].lstrip().startswith("//"))
            if 6 <= end - i <= 45:
                functions.append((path, begin + 1, end + 1))
    for kind, most, found in ("comment", 30, comments), ("function", 40, functions):
        for path, begin, end in random.Random(f"{seed} {kind}").sample(found, min(most, len(found))):
            lines, opening = path.read_text(errors="replace").splitlines(), read_opening(path)
            told = [] if opening.line == begin else [f"file: {' '.join(opening.texts)}"]
            print(f"\n== {kind} {path}:{begin}", *told, *lines[begin - 1:end], sep="\n")
    return 0


def main(args):
    if args == ["--self-test"]:
        return self_test()
    if not args:
        return gate()
    if args[0] == "--draw":
        return draw(args[1], args[2:])
    show = "--list" in args
    for name in (a for a in args if a != "--list"):
        if not pathlib.Path(name).is_dir():
            sys.exit(f"prose_check.py: error: no folder {name}")
        row = measure(pathlib.Path(name), show)
        print(name, *(f"{k} {v:.1f}" if isinstance(v, float) else f"{k} {v}" for k, v in row.items()), *breaches(row), sep=" | ")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
