#!/usr/bin/env python3
"""Runs the shell blocks of README and docs: a block that opens with ```sh run must exit 0.

A ```text block right after it names lines that the output must hold; "..." stands for anything left out. Blocks of one page run in
order in one scratch folder that holds copies of examples/ and of the build's guests/. usage: docs_check.py LENTO [PAGE...]
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```sh run\n(.*?)^```\n(?:\s*^```text\n(.*?)^```)?", re.M | re.S)


def pages(named):
    if named:
        return [pathlib.Path(p) for p in named]
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


def run_page(page, lento):
    faults = 0
    with tempfile.TemporaryDirectory() as scratch:
        shutil.copytree(ROOT / "examples", pathlib.Path(scratch) / "examples")
        guests = pathlib.Path(lento).resolve().parent.parent / "guests"
        if guests.is_dir():
            shutil.copytree(guests, pathlib.Path(scratch) / "guests", ignore=shutil.ignore_patterns("CMake*"))
        path = f"{pathlib.Path(lento).resolve().parent}:{os.environ['PATH']}"
        for command, expected in BLOCK.findall(page.read_text()):
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=scratch, text=True, timeout=300,
                                  env={**os.environ, "PATH": path}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            lost = list(missing_lines(expected, done.stdout)) if done.returncode == 0 else []
            if done.returncode != 0 or lost:
                faults += 1
                print(f"{page.relative_to(ROOT)}: exit {done.returncode}\n{command}--- printed\n{done.stdout}")
                for line in lost:
                    print(f"--- not printed: {line}")
    return faults


def main():
    blocks = sum(len(BLOCK.findall(p.read_text())) for p in pages(sys.argv[2:]))
    faults = sum(run_page(p, sys.argv[1]) for p in pages(sys.argv[2:]) if BLOCK.search(p.read_text()))
    print(f"{blocks} shell blocks run, {faults} failed")
    return 1 if faults or blocks == 0 else 0


sys.exit(main())
