"""The scale of predictions: a training run in YAML on a data sheet in YAML, and how long its step took."""
import json
import random
import re

from damage_check import ROOT, Case
from relations import LOCALES, PACKED, Relation, crlf, run, with_lines

UNITS = [  # of the data sheet: what is written, and the same quantity otherwise
    ("clock in MHz", "clock: 1.41 GHz", "clock: 1410 MHz"), ("clock in Hz", "clock: 1.41 GHz", "clock: 1410000000 Hz"),
    ("memory in GiB", "memory: 81920 MiB", "memory: 80 GiB"), ("memory in bytes", "memory: 81920 MiB", "memory: 85899345920 B"),
    ("bandwidth in TB/s", "2039 GB/s", "2.039 TB/s"), ("bandwidth in MB/s", "2039 GB/s", "2039000 MB/s"),
    ("cache in KiB", "cache: 40 MiB", "cache: 40960 KiB"), ("links in MB/s", "300 GB/s", "300000 MB/s"),
    ("launch in ns", "launch: 1.95 us", "launch: 1950 ns"), ("host in us", "host_layer: 1.15 ms", "host_layer: 1150 us"),
    ("power in kW", "power: 400 W", "power: 0.4 kW"), ("zeros after the point", "pointwise: 1.04", "pointwise: 1.0400"),
    ("exponents", "prologue: 2940", "prologue: 2.94e3"),
]


def flow(value):
    """YAML in one line, unlike JSON without quotes."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {flow(v)}" for k, v in value.items()) + "}"
    return str(value).lower() if isinstance(value, bool) else str(value)


def block(run_of, indent):
    lines = []
    for key, value in run_of.items():
        lines += [f"{key}:"] + [f"{' ' * indent}{k}: {flow(v)}" for k, v in value.items()] if isinstance(value, dict) else [f"{key}: {flow(value)}"]
    return "\n".join(lines) + "\n"


def plain(run_of):
    return "".join(f"{k}: {flow(v)}\n" for k, v in run_of.items())


def in_order(order):
    """The keys of the run and of its model in another order; `schema` stays first."""
    def change(folder, rng):
        run_of = json.loads((folder / "run.json").read_text())
        order(keys := [k for k in run_of if k != "schema"], rng)
        order(inner := list(run_of["model"]), rng)
        (folder / "step.yaml").write_text(plain({"schema": run_of["schema"], **{k: run_of[k] for k in keys}, "model": {k: run_of["model"][k] for k in inner}}))
    return change


def spelled(write):
    return lambda folder, _: (folder / "step.yaml").write_text(write(json.loads((folder / "run.json").read_text())))


def of_sheet(edit):
    def change(folder, rng):
        text = (folder / "sheet.yaml").read_text()
        changed = edit(text, rng)
        assert changed != text
        (folder / "sheet.yaml").write_text(changed)
    return change


def replaced(old, new):
    return of_sheet(lambda text, _: text.replace(old, new))


def sections(order):
    """The top-level keys of the sheet in another order."""
    def edit(text, rng):
        schema, *parts = re.split(r"^(?=[a-z])", text, flags=re.M)[1:]
        order(parts, rng)
        return schema + "".join(parts)
    return of_sheet(edit)


def texts(write):
    """Changes what is YAML of the folder."""
    def change(folder, _):
        for f in (folder / "step.yaml", folder / "sheet.yaml"):
            f.write_bytes(write(f.read_text()))
    return change


def measured(write):
    """The duration in other words."""
    return lambda folder, _: (folder / "measured").write_text(write(float((folder / "measured").read_text().split()[0])))


def packed_yaml(relation):
    def change(folder, rng):
        spared = {f: f.read_bytes() for f in (folder / "run.json", folder / "measured", folder / "sheet.yaml")}
        for f in spared:
            f.unlink()
        relation.change(folder, rng)
        for f, data in spared.items():
            f.write_bytes(data)
    return Relation(relation.name, change)


class PredictScale(Case):
    whole = {"healthy": "answer", "planted": "answer"}

    def build(self):
        rng = random.Random(self.seed)
        tensor, pipeline = rng.choice([1, 2, 4]), rng.choice([1, 2])
        run_of = {"schema": "lento.workload/1", "kind": "training", "precision": "bf16",
                  "model": {"layers": rng.choice([24, 32, 40]), "hidden": 4096, "heads": 32, "kv_heads": rng.choice([8, 32]), "ffn": 14336, "vocab": 128256,
                            "gated": True, "tied": False},
                  "sequence": rng.choice([2048, 4096]), "global_batch": 256, "micro_batch": 1, "tensor": tensor, "pipeline": pipeline,
                  "data": rng.choice([4, 8]), "zero": 1, "recompute": rng.choice(["none", "full"])}
        sheet = (ROOT / "share/lento/systems/a100.yaml").read_text()
        for kind, factor in (("healthy", 1), ("planted", 4)):
            self.put(kind, "run.json").write_text(json.dumps(run_of))
            self.put(kind, "step.yaml").write_text(plain(run_of))
            self.put(kind, "sheet.yaml").write_text(sheet)
            answer = json.loads(run([self.lento, "predict", self.put(kind, "step.yaml"), "--system", self.put(kind, "sheet.yaml"), "--measured", "9 s", "--json"]).stdout)
            expected = float(dict(answer["facts"])["expected"].split()[0])
            self.put(kind, "measured").write_text(f"{expected * factor:.2f} s")

    def judge(self, folder):
        step = next(f for f in sorted(folder.iterdir()) if f.name.startswith("step"))
        return [self.lento, "predict", step, "--system", next(folder.glob("sheet*")), "--measured", (folder / "measured").read_text()]

    def detail(self, diagnosis, _):
        """The expected time may not move either."""
        return dict(diagnosis["facts"])["expected"]

    relations = LOCALES + [packed_yaml(r) for r in PACKED] + [
        Relation("keys reversed", in_order(lambda keys, _: keys.reverse())), Relation("order of keys", in_order(lambda keys, rng: rng.shuffle(keys))),
        Relation("keys sorted", in_order(lambda keys, _: keys.sort())),
        Relation("blocks indented by 2", spelled(lambda r: block(r, 2))), Relation("blocks indented by 7", spelled(lambda r: block(r, 7))),
        Relation("flow style", spelled(flow)), Relation("JSON", spelled(json.dumps)), Relation("JSON, indented", spelled(lambda r: json.dumps(r, indent=2))),
        Relation("quoted words", spelled(lambda r: plain(r).replace("training", '"training"').replace("bf16", "'bf16'"))),
        Relation("comments", texts(lambda text: ("# of Tuesday\n" + text.replace("\n", "  # so\n", 1)).encode())),
        Relation("blank lines", texts(lambda text: text.replace("\n", "\n\n").encode())), Relation("blanks at the ends", texts(lambda text: text.replace("\n", "  \n").encode())),
        Relation("no end of line at the end", texts(lambda text: text.rstrip("\n").encode())), Relation("CR LF", texts(lambda text: text.replace("\n", "\r\n").encode())),
        Relation("byte order mark", texts(lambda text: text.encode("utf-8-sig"))), Relation("UTF-16", texts(lambda text: text.encode("utf-16"))),
        Relation("start and end of document", texts(lambda text: f"---\n{text}...\n".encode())),
        Relation("another file name", lambda folder, _: (folder / "step.yaml").rename(folder / "step of today (1).txt")),
        Relation("another name of the sheet", lambda folder, _: (folder / "sheet.yaml").rename(folder / "sheet.v2.yml")),
        Relation("another title", of_sheet(lambda text, _: re.sub(r"^title: .*$", "title: Of the cellar", text, flags=re.M))),
        Relation("another source", of_sheet(lambda text, _: re.sub(r"^source: .*$", "source: a data sheet", text, flags=re.M))),
        Relation("sections reversed", sections(lambda parts, _: parts.reverse())), Relation("order of sections", sections(lambda parts, rng: rng.shuffle(parts))),
        *(Relation(name, replaced(old, new)) for name, old, new in UNITS),
        Relation("measured in ms", measured(lambda s: f"{s * 1000:.0f} ms")), Relation("measured without a blank", measured(lambda s: f"{s:.2f}s")),
        Relation("--explain", more=["--explain"]), Relation("--color always", more=["--color", "always"]), Relation("--price 2", more=["--price", "2"]),
        Relation("--memory-limit 1GiB", more=["--memory-limit", "1GiB"]),
    ]
