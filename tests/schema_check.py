#!/usr/bin/env python3
"""Checks diagnoses against docs/formats/diagnosis.schema.json: stored ones and what the program writes of them.

usage: schema_check.py LENTO FILE...
"""
import json
import pathlib
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parent.parent
schema = json.loads((ROOT / "docs/formats/diagnosis.schema.json").read_text())
validator = jsonschema.Draft202012Validator(schema) if hasattr(jsonschema, "Draft202012Validator") else jsonschema.Draft7Validator(schema)


def check(text, name):
    faults = sorted(validator.iter_errors(json.loads(text)), key=str)
    for fault in faults[:5]:
        print(f"{name}: {'/'.join(map(str, fault.absolute_path))}: {fault.message[:200]}")
    return not faults


good = True
for name in sys.argv[2:]:
    if json.loads(pathlib.Path(name).read_text())["schema"] == "lento.diagnosis/2":  # the schema is of this version
        good &= check(pathlib.Path(name).read_text(), name)
    written = subprocess.run([sys.argv[1], "report", name, "--json"], capture_output=True, text=True, check=True).stdout
    good &= check(written, f"lento report {name} --json")
bad = {"schema": "lento.diagnosis/2", "verdict": "x", "findings": [{"score": "high"}]}
if not list(validator.iter_errors(bad)):
    print("the schema accepts a broken diagnosis")
    good = False
sys.exit(0 if good else 1)
