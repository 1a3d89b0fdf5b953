"""The scale of tiles: a program that counts what a bus brings, run on a recording of the bus."""
import hashlib
import json
import random
import re
import shutil
import subprocess

from damage_check import ROOT, Case
from relations import LOCALES, PACKED, Relation

HEAD = """$date a recording $end
$version a simulator $end
$timescale 1ns $end
$scope module soc $end
$var wire 1 c clk $end
$scope module bus $end
$var wire 8 d data [7:0] $end
$var wire 1 v valid $end
$upscope $end
$scope module other $end
$var wire 4 n noise [3:0] $end
$upscope $end
$upscope $end
$enddefinitions $end
"""
MAP = {"schema": "lento.tile-map/1", "clock": "soc.clk", "inputs": [{"ioreg": 0, "signal": "soc.bus.data", "valid": "soc.bus.valid"}]}


def flow(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {flow(v)}" for k, v in value.items()) + "}"
    return "[" + ", ".join(map(flow, value)) + "]" if isinstance(value, list) else f'"{value}"' if isinstance(value, str) else str(value)


def plain(mapping):
    return "".join(f"{k}: {flow(v)}\n" for k, v in mapping.items())


def of_wave(edit):
    def change(folder, rng):
        text = (folder / "run.vcd").read_text()
        changed = edit(text, rng)
        assert changed != text
        (folder / "run.vcd").write_bytes(changed if isinstance(changed, bytes) else changed.encode())
    return change


def of_body(edit):
    def change(text, rng):
        head, end, body = text.partition("$enddefinitions $end\n")
        return head + end + edit(body, rng)
    return of_wave(change)


def times(value):
    return lambda text: re.sub(r"^#(\d+)$", lambda m: f"#{value(int(m[1]))}", text, flags=re.M)


def scaled(unit, value):
    return of_wave(lambda text, _: times(value)(text).replace("$timescale 1ns", f"$timescale {unit}"))


def codes(names):
    """Identifier codes of other characters, which may be several."""
    def edit(text, _):
        text = re.sub(r"^(\$var \w+ \d+) ([cdvn]) ", lambda m: f"{m[1]} {names[m[2]]} ", text, flags=re.M)
        text = re.sub(r"^([01])([cv])$", lambda m: m[1] + names[m[2]], text, flags=re.M)
        return re.sub(r"^(b[01]+) ([dn])$", lambda m: f"{m[1]} {names[m[2]]}", text, flags=re.M)
    return of_wave(edit)


def moved(old, new):
    """Scopes of other names, in the recording and in the map."""
    def change(folder, _):
        wave, mapping = folder / "run.vcd", folder / "map.yaml"
        wave.write_text(re.sub(rf"\$scope module {old} ", f"$scope module {new} ", wave.read_text()))
        mapping.write_text(re.sub(rf"\b{old}\.", f"{new}.", mapping.read_text()))
    return change


def within_top(folder, _):
    wave = folder / "run.vcd"
    text = wave.read_text().replace("$scope module soc ", "$scope module top $end\n$scope module soc ")
    wave.write_text(text.replace("$enddefinitions", "$upscope $end\n$enddefinitions"))
    mapping = folder / "map.yaml"
    mapping.write_text(mapping.read_text().replace("soc.", "top.soc."))


def bits(text, _):
    """The vector dumped as eight bits of codes A to H."""
    declared = "".join(f"$var wire 1 {chr(65 + i)} data [{i}] $end\n" for i in range(8))
    text = text.replace("$var wire 8 d data [7:0] $end\n", declared)
    return re.sub(r"^b([01]+) d$", lambda m: "\n".join(f"{b}{chr(65 + 7 - i)}" for i, b in enumerate(m[1].rjust(8, "0"))), text, flags=re.M)


def signal(code, kind, width, name, value):
    """One more signal that nobody maps, which changes now and then."""
    def edit(text, rng):
        text = text.replace("$var wire 4 n noise", f"$var {kind} {width} {code} {name} $end\n$var wire 4 n noise")
        return re.sub(r"^(#\d+)$", lambda m: m[1] + ("\n" + value(rng) if rng.random() < 0.1 else ""), text, flags=re.M)
    return of_wave(edit)


def of_map(write):
    return lambda folder, rng: (folder / "map.yaml").write_bytes(write(json.loads(json.dumps(MAP)), rng).encode())


def named(signal_name, valid):
    return of_map(lambda m, _: plain({**m, "inputs": [{**m["inputs"][0], "signal": signal_name, "valid": valid}]}))


def fst(folder, _):
    subprocess.run(["vcd2fst", folder / "run.vcd", folder / "run.fst"], check=True, capture_output=True)
    (folder / "run.vcd").unlink()


def packed_wave(relation):
    def change(folder, rng):
        mapping = (folder / "map.yaml").read_bytes()
        (folder / "map.yaml").unlink()
        relation.change(folder, rng)
        (folder / "map.yaml").write_bytes(mapping)
    return Relation(relation.name, change)


class TileScale(Case):
    def build(self):
        for kind, gap in (("healthy", 90), ("planted", 3)):
            rng = random.Random(self.seed)
            lines, last, data = ["#0", "0c", "b0 d", "0v", "b0 n"], 0, {}
            for _ in range(80):
                last += gap + rng.randrange(gap)
                data[last] = rng.randrange(1, 256)
            for cycle in range(1, last + 100):
                lines.append(f"#{10 * cycle}")
                if cycle in data:
                    lines += [f"b{data[cycle]:b} d", "1v"]
                elif cycle - 1 in data:
                    lines.append("0v")
                if rng.random() < 0.05:
                    lines.append(f"b{rng.randrange(16):b} n")
                lines += [f"#{10 * cycle + 5}", "1c", f"#{10 * cycle + 8}", "0c"]
            self.put(kind, "run.vcd").write_text(HEAD + "\n".join(lines) + "\n")
            self.put(kind, "map.yaml").write_text(plain(MAP))

    def judge(self, folder):
        wave = next(f for f in sorted(folder.iterdir()) if ".vcd" in f.name or ".fst" in f.name)
        return [self.lento, "tile", "run", ROOT / "guests/built/echo.ypu", "--unsigned", "--block", f"{'fst' if '.fst' in wave.name else 'vcd'}:{wave}",
                "--map", next(folder.glob("map*")), "-o", folder / "out.bin"]

    def detail(self, _, folder):
        """The bytes that the program sends may not move either."""
        return hashlib.sha256((folder / "out.bin").read_bytes()).hexdigest()[:8]

    relations = LOCALES + [packed_wave(r) for r in PACKED] + ([Relation("FST", fst)] if shutil.which("vcd2fst") else []) + [
        Relation("CR LF", of_wave(lambda text, _: text.replace("\n", "\r\n"))), Relation("no end of line at the end", of_wave(lambda text, _: text.rstrip("\n"))),
        Relation("another file name", lambda folder, _: (folder / "run.vcd").rename(folder / "run of today.vcd")),
        Relation("no date, no version", of_wave(lambda text, _: re.sub(r"^\$(date|version).*\n", "", text, flags=re.M))),
        Relation("a comment", of_wave(lambda text, _: "$comment made on Tuesday $end\n" + text)),
        Relation("declarations over lines", of_wave(lambda text, _: text.replace("$var wire 8 d data [7:0] $end", "$var\n  wire\n  8 d\n  data [7:0]\n$end"))),
        Relation("indented declarations", of_wave(lambda text, _: re.sub(r"^\$", "\t $", text, flags=re.M))),
        Relation("100 ps", scaled("100ps", lambda t: t * 10)), Relation("1 ps", scaled("1ps", lambda t: t * 1000)), Relation("10 ns", scaled("10ns", lambda t: t)),
        Relation("unit apart", of_wave(lambda text, _: text.replace("1ns", "1 ns"))),
        Relation("times + 10^6", of_wave(lambda text, _: times(lambda t: t + 10**6)(text))), Relation("times + 2^40", of_wave(lambda text, _: times(lambda t: t + 2**40)(text))),
        Relation("codes of three characters", codes({"c": "!!a", "d": "#0b", "v": "$$$", "n": "~0~"})), Relation("codes of digits", codes({"c": "10", "d": "11", "v": "01", "n": "0"})),
        Relation("top renamed", moved("soc", "u_dut")), Relation("inner scope renamed", moved("bus", "axi_0")), Relation("a scope above", within_top),
        Relation("order of declarations", of_wave(lambda text, _: text.replace("$var wire 8 d data [7:0] $end\n$var wire 1 v valid $end\n", "$var wire 1 v valid $end\n$var wire 8 d data [7:0] $end\n"))),
        Relation("reg for wire", of_wave(lambda text, _: text.replace("$var wire 8", "$var reg 8"))),
        Relation("range beside the name", of_wave(lambda text, _: text.replace("data [7:0]", "data[7:0]"))),
        Relation("no range", of_wave(lambda text, _: text.replace("data [7:0]", "data"))), Relation("bits for the vector", of_wave(bits)),
        Relation("leading zeros", of_body(lambda body, _: re.sub(r"^b([01]+) d$", lambda m: f"b{m[1].rjust(8, '0')} d", body, flags=re.M))),
        Relation("capital B", of_body(lambda body, _: re.sub(r"^b", "B", body, flags=re.M))),
        Relation("changes share lines", of_body(lambda body, _: re.sub(r"\n0v\n(b[01]+ n\n)?(?=#)", lambda m: f" 0v\n{m[1] or ''}", body))),
        Relation("a dump at the start", of_body(lambda body, _: body.replace("#0\n0c\nb0 d\n0v\nb0 n\n", "#0\n$dumpvars\n0c\nb0 d\n0v\nb0 n\n$end\n"))),
        Relation("unknown at the start", of_body(lambda body, _: body.replace("b0 n\n", "bx n\n", 1))),
        Relation("values again", of_body(lambda body, _: re.sub(r"^(#\d*5)\n1c$", lambda m: f"{m[1]}\n1c\n1c", body, flags=re.M))),
        Relation("one more signal", signal("q", "wire", 2, "more [1:0]", lambda rng: f"b{rng.randrange(4):b} q")),
        Relation("one more number", signal("r", "real", 64, "volts", lambda rng: f"r{rng.random():.4f} r")),
        Relation("one more word", signal("s", "string", 1, "state", lambda _: "sIDLE s")),
        Relation("one more parameter", of_wave(lambda text, _: text.replace("$var wire 4 n noise", "$var parameter 32 p WIDTH [31:0] $end\n$var wire 4 n noise"))),
        Relation("one line damaged", of_body(lambda body, _: re.sub(r"^b[01]+ n$", "b1\x002 n", body, count=1, flags=re.M))),
        Relation("last line cut", of_wave(lambda text, _: text[:-3])),
        Relation("map: JSON", of_map(lambda m, _: json.dumps(m))), Relation("map: keys reversed", of_map(lambda m, _: plain(dict([("schema", m.pop("schema")), *reversed(m.items())])))),
        Relation("map: comments", of_map(lambda m, _: "# of Tuesday\n" + plain(m))), Relation("map: CR LF", of_map(lambda m, _: plain(m).replace("\n", "\r\n"))),
        Relation("map: by code", named("@d", "@v")), Relation("map: a slice of all", named("soc.bus.data[7:0]", "soc.bus.valid")),
        Relation("map: a list of valids", of_map(lambda m, _: plain({**m, "inputs": [{**m["inputs"][0], "valid": ["soc.bus.valid", "soc.bus.valid"]}]}))),
        Relation("--explain", more=["--explain"]), Relation("--color always", more=["--color", "always"]),
    ]
