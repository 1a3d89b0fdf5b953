#!/usr/bin/env python3
"""Runs the shell blocks of README and docs: a block that opens with ```sh run must exit 0.

A ```text block right after it names lines that the output must hold; "..." stands for anything left out. Blocks of one page run in
order in one scratch folder that holds copies of examples/ and guests/built. A picture that a page shows (packaging/site)
must be one of a report that its blocks wrote. usage: docs_check.py LENTO [PAGE...]
"""
import pathlib
import re
import sys
import tempfile

import doc_blocks

ROOT = doc_blocks.ROOT
PICTURE = re.compile(r"^<!-- picture (\S+\.html) (\d+) -->$", re.M)


def pages(named):
    if named:
        return [pathlib.Path(p).resolve() for p in named]
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "campaigns").rglob("*.md"))]


def missing_lines(expected, output):
    flat = [" ".join(line.split()) for line in output.splitlines()]
    for line in expected.splitlines():
        wanted = " ".join(line.split())
        if wanted in ("", "..."):
            continue
        parts = [re.escape(p) for p in wanted.split("...")]
        if not any(re.fullmatch(".*".join(parts), have) for have in flat):
            yield line


def missing_pictures(page, scratch):
    for name, number in PICTURE.findall(page.read_text()):
        report = pathlib.Path(scratch) / name
        drawn = report.read_text().count('<div class="picture">') if report.exists() else 0
        if int(number) >= drawn:
            yield f"{name} has {drawn} pictures, no picture {number}"


def run_page(page, lento):
    faults = 0
    with tempfile.TemporaryDirectory() as scratch:
        doc_blocks.prepare(scratch)
        for command, expected in doc_blocks.blocks(page.read_text()):
            done = doc_blocks.execute(command, scratch, lento)
            lost = list(missing_lines(expected, done.stdout)) if done.returncode == 0 else []
            if done.returncode != 0 or lost:
                faults += 1
                print(f"{page.relative_to(ROOT)}: exit {done.returncode}\n{command}--- printed\n{done.stdout}")
                for line in lost:
                    print(f"--- not printed: {line}")
        for fault in missing_pictures(page, scratch):
            faults += 1
            print(f"{page.relative_to(ROOT)}: {fault}")
    return faults


def main():
    blocks = sum(len(doc_blocks.blocks(p.read_text())) for p in pages(sys.argv[2:]))
    faults = sum(run_page(p, sys.argv[1]) for p in pages(sys.argv[2:]) if doc_blocks.blocks(p.read_text()))
    print(f"{blocks} shell blocks run, {faults} failed")
    return 1 if faults or blocks == 0 else 0


sys.exit(main())
