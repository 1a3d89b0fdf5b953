#!/usr/bin/env python3
"""What other tools read of us: Chrome traces for Perfetto, folded stacks for flame graphs.

usage: interop_check.py LENTO [GUEST.elf]
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def lento(*arguments, program=None):
    done = subprocess.run([program or sys.argv[1], *map(str, arguments)], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr


def check_trace(file, spans_wanted):
    """Complete events with a place and a length, every track named: what Perfetto's JSON importer asks for."""
    events = json.loads(file.read_text())["traceEvents"]
    named = {(e["pid"], e.get("tid")) for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    spans = [e for e in events if e["ph"] == "X"]
    assert len(spans) >= spans_wanted, f"{file.name}: {len(spans)} spans"
    for e in spans:
        assert isinstance(e["name"], str) and e["name"], e
        assert e["ts"] >= 0 and e["dur"] >= 0, e
        assert (e["pid"], e["tid"]) in named, f"{file.name}: a track without a name: {e}"
    assert {e["ph"] for e in events} <= {"X", "M", "C", "i"}, file.name


def check_folded(file):
    lines = file.read_text().splitlines()
    assert lines, "no stacks"
    for line in lines:
        assert re.fullmatch(r"[^;]+(;[^;]+)+ [1-9]\d*", line), line


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        lento("chip", "simulate", "--chip", "examples/chip/4x4.yaml", "--mapping", "examples/chip/tiny.map.json", "--trace-out",
              folder / "chip.json", "-o", folder / "chip.records")
        check_trace(folder / "chip.json", 10)
        lento("report", "fuzz/seeds/diagnosis/all_figures.json", "--trace-out", folder / "report.json")
        check_trace(folder / "report.json", 1)
        if len(sys.argv) > 2:
            lab = pathlib.Path(sys.argv[1]).with_name("lento-lab")
            lento("tile", "case", "pics", sys.argv[2], "--folded", folder / "stacks.folded", program=lab)
            check_folded(folder / "stacks.folded")


main()
