#!/usr/bin/env python3
"""Writes the JSON Schema of each YAML form from the reader itself, so that an editor underlines what the program would refuse.

A reader names every legal key where it finds an unknown one, and what a key needs where it finds something else. The answers to
such questions, asked key by key of an example, are the schema: keys, numbers with their bounds, words, quantities with their units.
usage: make_schemas.py LENTO [FOLDER]  (default: share/lento/schemas)
"""
import copy
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
TINY = str(EXAMPLES / "chip/tiny.map.json")
# Form -> (examples that together show its parts, the command that reads FILE).
FORMS = {
    "chip": (["examples/chip/4x4.yaml", "examples/chip/two_networks.yaml", "examples/chip/four_chips.yaml", "examples/chip/harvested.yaml",
              "examples/chip/unequal.yaml", "examples/chip/routes.yaml"],
             ["chip", "simulate", "--chip", "FILE", "--mapping", TINY]),
    "faults": (["examples/chip/slow_link.yaml"],
               ["chip", "simulate", "--chip", str(EXAMPLES / "chip/4x4.yaml"), "--mapping", TINY, "--faults", "FILE"]),
    "platform": (["examples/memory/default.yaml", "examples/memory/banked.yaml", "examples/memory/mesh.yaml"],
                 ["memory", "simulate", str(ROOT / "guests/built/false_sharing.elf"), "--max-cycles", "1000", "--platform", "FILE"]),
    # A platform of a server's core, which recordings are played on, has other keys than one of simulated harts.
    "core-platform": (["share/lento/platforms/epyc-genoa.yaml", "share/lento/platforms/grace.yaml"],
                      ["memory", "record", "--platform", "FILE", "--", "/bin/true"]),
    "search": (["examples/search/quick.yaml"], ["search", "FILE", "--steps", "1", "--starts", "1"]),
    "system": (["share/lento/systems/h100.yaml", "share/lento/systems/a100.yaml", "share/lento/systems/mi300x.yaml"],
               ["predict", str(EXAMPLES / "predict/gemm.yaml"), "--system", "FILE"]),
    "workload": (["examples/predict/gemm.yaml", "examples/predict/gpt3_175b.yaml", "examples/predict/mixture.yaml"],
                 ["predict", "FILE", "--system", "h100"]),
}
NOBODY = "no_such_key_of_any_form"
ITEM = "[]"


class Reader:
    """One form's reader, asked with documents."""

    def __init__(self, lento, form, folder):
        self.lento, self.words, self.folder = lento, FORMS[form][1], folder
        for name in ("node.yaml",):  # what examples name beside them
            (folder / name).write_text((EXAMPLES / "search" / name).read_text())

    def complaints(self, document):
        file = self.folder / "asked.yaml"
        file.write_text(yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=1000))
        words = [str(file) if word == "FILE" else word for word in self.words]
        return subprocess.run([self.lento, *words], capture_output=True, text=True, cwd=self.folder, check=False).stderr


def at(document, path):
    for step in path:
        document = document[step]
    return document


def with_value(document, path, value):
    out = copy.deepcopy(document)
    at(out, path[:-1])[path[-1]] = value
    return out


def keys_of(reader, document, path):
    """The legal keys of the mapping at the path, or None where it is no mapping with fixed keys."""
    said = reader.complaints(with_value(document, [*path, NOBODY], 1))
    found = re.search(rf"unknown key '{NOBODY}'\n\s*hint: one of: (.*)", said)
    return found[1].split(", ") if found else None


def scalar_of(reader, document, path):
    """The schema of a key that takes one value; None when the reader wants no scalar there."""
    key = re.escape(str(path[-1]))
    said = reader.complaints(with_value(document, path, "@@"))
    whole = re.search(rf"found '@@' for '{key}', needed a whole number from (-?\d+) to (-?\d+)", said)
    if whole:
        return {"type": "integer", "minimum": int(whole[1]), "maximum": int(whole[2])}
    words = re.search(rf"'@@' is not a legal '{key}'\n\s*hint: one of: (.*)", said)
    if words:
        return {"enum": words[1].split(", ")}
    if re.search(rf"'?{key}'?.*(true or false)", said):
        return {"type": "boolean"}
    if re.search(rf"'{key}': found '@@', needed a quantity", said):
        return quantity_of(reader, document, path, key)
    if re.search(rf"'@@'.*'{key}'.*needed a number|'{key}'.*'@@'.*needed a number", said):
        return {"type": "number"}
    return None if "found '@@'" in said or "needed" in said else {"type": ["string", "number", "boolean"]}


def word_of(reader, document, path):
    """The schema of a word in a list: a list in its place is refused, and so is a mapping."""
    refused = all("needed text" in reader.complaints(with_value(document, path, other)) for other in (["@@"], {"@@": 1}))
    return {"type": ["string", "number", "boolean"]} if refused else {}


def quantity_of(reader, document, path, key):
    said = reader.complaints(with_value(document, path, "1 @@"))
    units = re.search(r"units: (.*)", said)
    number = r"[-+]?[0-9]*\.?[0-9]+([eE][-+]?[0-9]+)?"
    if not units:
        return {"type": "number"}
    names = "|".join(re.escape(u).replace("/", r"\/") for u in units[1].split(", "))
    schema = {"type": "string", "pattern": f"^{number} *({names})$"}
    bare = reader.complaints(with_value(document, path, 1))
    if not re.search(rf"'{key}': found '1' without a unit", bare):
        schema = {"anyOf": [schema, {"type": "number"}, {"type": "string", "pattern": f"^{number}$"}]}
    return schema


def schema_at(reader, document, path):
    value = at(document, path) if path else document
    if isinstance(value, dict):
        keys = keys_of(reader, document, path)
        if keys is None:
            return {"type": "object"}
        properties = {}
        for key in keys:
            below = [*path, key]
            properties[key] = schema_of_key(reader, document, below, key in value)
        needed = [key for key in value if key in keys and is_required(reader, document, [*path, key])]
        return {"type": "object", "additionalProperties": False, "properties": properties, **({"required": needed} if needed else {})}
    if isinstance(value, list):
        items = [schema_at(reader, document, [*path, i]) if isinstance(v, dict) else word_of(reader, document, [*path, i])
                 for i, v in enumerate(value)]
        joined = {}
        for item in items:
            joined = merged(joined, item)
        return {"type": "array", **({"items": joined} if joined else {})}
    return scalar_of(reader, document, path) or {}


def schema_of_key(reader, document, path, present):
    if path == ["schema"]:
        return {"enum": [document["schema"]]}
    if present and isinstance(at(document, path), (dict, list)):
        return schema_at(reader, document, path)
    if not present:
        opened = with_value(document, path, {})
        if keys_of(reader, opened, path) is not None:
            return schema_at(reader, opened, path)
    return scalar_of(reader, document, path) or {}


def is_required(reader, document, path):
    out = copy.deepcopy(document)
    del at(out, path[:-1])[path[-1]]
    key = re.escape(str(path[-1]))
    return bool(re.search(rf"'{key}' is (missing|required)|(missing|needs|needed) (key )?'{key}'|no '{key}'", reader.complaints(out)))


def merged(a, b):
    """What either schema allows: keys of both, required where both require, other differences open."""
    if not a or not b or a == b:
        return a or b
    if a.get("type") == b.get("type") == "object" and "properties" in a and "properties" in b:
        properties = {k: merged(a["properties"].get(k, {}), b["properties"].get(k, {})) for k in {**a["properties"], **b["properties"]}}
        needed = [k for k in a.get("required", []) if k in b.get("required", [])]
        return {"type": "object", "additionalProperties": False, "properties": properties, **({"required": needed} if needed else {})}
    if a.get("type") == b.get("type") == "array":
        items = merged(a.get("items", {}), b.get("items", {}))
        return {"type": "array", **({"items": items} if items else {})}
    if "enum" in a and "enum" in b:
        return {"enum": a["enum"] + [w for w in b["enum"] if w not in a["enum"]]}
    choices = a.get("anyOf", [a]) + [c for c in b.get("anyOf", [b]) if c not in a.get("anyOf", [a])]
    return {"anyOf": choices} if len(choices) > 1 else choices[0]


def schema_of(lento, form):
    with tempfile.TemporaryDirectory() as scratch:
        reader = Reader(lento, form, pathlib.Path(scratch))
        out = {}
        for example in FORMS[form][0]:
            out = merged(out, schema_at(reader, yaml.safe_load((ROOT / example).read_text()), []))
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": f"lento.{form}/1", **out}


def main():
    lento = pathlib.Path(sys.argv[1]).resolve()
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "share/lento/schemas"
    folder.mkdir(parents=True, exist_ok=True)
    for form in FORMS:
        text = json.dumps(schema_of(lento, form), indent=1, ensure_ascii=False) + "\n"
        (folder / f"{form}.schema.json").write_text(text)
        print(f"{form}: {len(text)} bytes")


if __name__ == "__main__":
    main()
