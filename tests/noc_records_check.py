#!/usr/bin/env python3
"""Counts of `lento chip import` against those of a plain script, on every recorded NoC trace at hand.

usage: noc_records_check.py LENTO [FOLDER]
FOLDER holds *.json.gz as tt-metal writes them; without it ../shared/data/chip/noc_traces. The example of the
repository is always counted.
"""
import gzip
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHARED = pathlib.Path(os.environ.get("LENTO_SHARED", ROOT.parent / "shared"))


def plain(path):
    text = gzip.open(path).read() if path.suffix == ".gz" else path.read_bytes()
    events = json.loads(text)
    chips = {e["run_host_id"]: e["src_device_id"] for e in events if "src_device_id" in e and "run_host_id" in e}

    def chip(event):
        return event.get("src_device_id", chips.get(event.get("run_host_id"), 0))

    zones = [e for e in events if "zone" in e]
    return {
        "events": len(events),
        "cores": len({(chip(e), e["sx"], e["sy"]) for e in events}),
        "bytes": sum(e.get("num_bytes", 0) for e in events),
        "zones begun": sum(e["zone_phase"] == "begin" for e in zones),
        "zones ended": sum(e["zone_phase"] == "end" for e in zones),
        "waits": sum(e.get("type", "").endswith("BARRIER_END") for e in events),
    }


def ours(lento, path):
    out = subprocess.run([lento, "chip", "import", str(path), "--json"], capture_output=True, text=True, check=True)
    diagnosis = json.loads(out.stdout)
    facts = dict(diagnosis["facts"])
    skipped = diagnosis.get("records_skipped", 0)
    return {
        "events": int(facts["events"]),
        "cores": int(facts["cores that recorded"]),
        "bytes": int(facts["bytes"]),
        "zones begun": int(facts["zones begun"]),
        "zones ended": int(facts["zones ended"]),
        "waits": int(facts["waits"]),
    }, skipped


def main():
    lento = sys.argv[1]
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else SHARED / "data/chip/noc_traces"
    paths = [p for p in sorted(folder.glob("*.json.gz")) if "topology" not in p.name]
    paths.append(ROOT / "examples/chip/noc_events.json")
    wrong = 0
    for path in paths:
        expected = plain(path)
        found, skipped = ours(lento, path)
        if expected != found or skipped:
            wrong += 1
            print(f"{path.name}: expected {expected}, found {found}, skipped {skipped}")
    print(f"{len(paths)} traces, {wrong} counted otherwise")
    return 1 if wrong else 0


sys.exit(main())
