#!/usr/bin/env python3
"""The schemas of share/lento/schemas agree with the readers they were written from.

Every shipped YAML file of a form validates and names its schema in its first line where it is an example. Documents broken by a
fixed rule, one key at a time, are refused by the reader and by the schema alike: a schema may let through one in ten that the
reader refuses, and refuses none that the reader takes. usage: schemas_check.py LENTO
"""
import copy
import json
import pathlib
import random
import re
import sys
import tempfile

try:
    import jsonschema
    import yaml
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "packaging"))
import make_schemas  # noqa: E402

LENTO = pathlib.Path(sys.argv[1]).resolve()
BROKEN = 60


def shipped():
    for folder in ("examples", "share/lento"):
        for file in sorted((ROOT / folder).rglob("*.yaml")):
            found = re.search(r"^schema: lento\.([a-z-]+)/", file.read_text(), re.M)
            form = "core-platform" if file.parent.name == "platforms" else found and found[1]
            if form in make_schemas.FORMS:
                yield file, form


def mappings(node, path=()):
    if isinstance(node, dict):
        yield path
        for key, value in node.items():
            yield from mappings(value, (*path, key))
    elif isinstance(node, list):
        for i, value in enumerate(node):
            yield from mappings(value, (*path, i))


def broken(document, draw):
    """The document with one fault, and what the fault is."""
    out = copy.deepcopy(document)
    inside = make_schemas.at(out, draw.choice([p for p in mappings(document) if make_schemas.at(document, p)]))
    key = draw.choice([k for k in inside if k != "schema"] or list(inside))
    how = draw.choice(["misspelt", "list", "mapping", "unit"])
    if how == "misspelt":
        inside[f"{key}x"] = inside.pop(key)
    elif how == "list":
        inside[key] = [["x"]]
    elif how == "mapping":
        inside[key] = {"no_such_key": 1}
    else:
        inside[key] = "3 parsec"
    return out, f"{key} {how}"


def main():
    validators = {form: jsonschema.Draft202012Validator(json.loads((ROOT / f"share/lento/schemas/{form}.schema.json").read_text()))
                  for form in make_schemas.FORMS}
    faults = []
    for file, form in shipped():
        text = file.read_text()
        for error in validators[form].iter_errors(yaml.safe_load(text)):
            faults.append(f"{file.relative_to(ROOT)}: {'/'.join(map(str, error.absolute_path))}: {error.message[:150]}")
        if "examples" in file.parts and not re.match(rf"# yaml-language-server: \$schema=\S+/{form}\.schema\.json\n", text):
            faults.append(f"{file.relative_to(ROOT)} does not name its schema in its first line")
    draw = random.Random(52)
    refused = asked = lenient = 0
    with tempfile.TemporaryDirectory() as scratch:
        readers = {form: make_schemas.Reader(LENTO, form, pathlib.Path(scratch)) for form in make_schemas.FORMS}
        while refused < BROKEN and asked < 3 * BROKEN:
            form = draw.choice(list(make_schemas.FORMS))
            document, what = broken(yaml.safe_load((ROOT / draw.choice(make_schemas.FORMS[form][0])).read_text()), draw)
            asked += 1
            by_reader = re.search(r"asked\.yaml:\d+", readers[form].complaints(document)) is not None
            by_schema = not validators[form].is_valid(document)
            refused += by_reader and by_schema
            lenient += by_reader and not by_schema
            if by_schema and not by_reader:
                faults.append(f"{form}, {what}: the reader takes it, the schema refuses it")
    for fault in faults:
        print(fault)
    print(f"{refused} of {asked} broken documents refused by both, {lenient} by the reader alone, {len(faults)} faults")
    sys.exit(bool(faults) or refused < BROKEN or 10 * lenient > asked)


if __name__ == "__main__":
    main()
