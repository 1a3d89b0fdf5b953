#!/usr/bin/env python3
"""Pages, texts and JSON of every scale keep to one design.

A factor is never below 1 and is printed with what it is of. No number has more than six digits without a unit. The page opens with
the sentence of the text, its picture stands before every table, at most 80 words come before what to do next, and only what a
finding names wears the colour of alarm. usage: pages_check.py LENTO [--keep FOLDER]
"""
import html.parser
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import desk_incidents
from desk import benchmarks, cluster, more, network, runs

ROOT = pathlib.Path(__file__).resolve().parent.parent
LENTO = pathlib.Path(sys.argv[1]).resolve()
CHIP = ["--chip", "examples/chip/4x4.yaml", "--mapping", "net.map.json"]
PREPARE = [
    ["fleet", "simulate", "--machines", "32", "--preset", "paper", "--seed", "8", "-o", "job.csv.gz"],
    ["fleet", "simulate", "--machines", "8", "--seconds", "900", "--seed", "3", "--healthy", "-o", "calm.csv"],
    ["fleet", "simulate-ranks", "--dp", "4", "--fault", "slow_nic", "--place", "2", "--factor", "2", "--from-step", "90", "--out", "nic"],
    ["chip", "map", "examples/models/darknet19.onnx", "--chip", "examples/chip/4x4.yaml", "--batch", "16", "-o", "net.map.json"],
    ["chip", "simulate", *CHIP, "--faults", "examples/chip/slow_link.yaml", "--inferences", "2", "-o", "run.probe"],
    ["memory", "simulate", "guests/false_sharing.elf", "--harts", "4", "--trace", "fs.access"],
]
ASKED = {
    "fleet": ["fleet", "diagnose", "--csv", "job.csv.gz", "--machine-column", "machine"],
    "fleet healthy": ["fleet", "diagnose", "--csv", "calm.csv", "--machine-column", "machine"],
    "ranks": ["fleet", "ranks", "nic"],
    "chip": ["chip", "diagnose", "run.probe", *CHIP],
    "memory": ["memory", "diagnose", "fs.access", "--elf", "guests/false_sharing.elf"],
    "predict": ["predict", "examples/predict/gpt3_175b.yaml", "--system", "a100"],
    "gemm": ["predict", "examples/predict/gemm.yaml", "--system", "h100"],
    "search": ["search", "examples/search/quick.yaml"],
    "tile": ["tile", "run", "guests/echo.ypu", "--unsigned", "--block", "vcd:examples/tile/bus.vcd", "--map", "examples/tile/bus.map.yaml"],
    "kernel log": ["diagnose", "kern.log"],
    "nvidia-smi": ["diagnose", "smi.csv"],
    "incident": ["diagnose", "hosts"],
    "scrapes": ["diagnose", *[f"node{n}.prom" for n in range(8)]],
    "gpu-burn": ["diagnose", "burn.log"],
    "training log": ["diagnose", "train.log"],
}
# Further kinds of files, each a folder that a family of the desk's cases makes with one part at fault.
FAMILIES = {"kubectl": cluster.kubectl_nodes, "links": network.iblinkinfo, "sensors": more.sensors, "watchdog": runs.watchdog, "hpl": benchmarks.hpl}
ASKED |= {name: ["diagnose", name] for name in FAMILIES}
UNITS = re.compile(r"\s*(cycles|[kMGTP]?i?B\b|[munp]?s\b|[kMG]?Hz|records|samples|B/s|UTC|tokens|accesses|lines|windows|FLOP)")


def write_desk_files(folder):
    """Logs of four kinds with one part that is worse, made here."""
    (folder / "kern.log").write_text("".join(
        f"Nov 20 08:{m:02d}:01 node3 kernel: [{1000 + m}.5] {line}\n" for m, line in enumerate(
            ["usb 1-1: new high-speed device", "NVRM: Xid (PCI:0000:3b:00): 79, pid=2112, GPU has fallen off the bus."] * 3)))
    rows = ["timestamp, index, clocks.current.sm [MHz], temperature.gpu, power.draw [W]"]
    for s in range(0, 1800, 20):
        for gpu in range(8):
            hot = gpu == 6 and s >= 700
            rows.append(f"2026/11/20 08:{s // 60:02d}:{s % 60:02d}.000, {gpu}, {(1155 if hot else 1980) - 15 * ((s // 20 + gpu) % 3 == 0)} MHz, "
                        f"{(86 if hot else 62) + (s // 20 * 5 + gpu * 3) % 4}, {(420 if hot else 655) + (s // 20 * 7 + gpu * 11) % 9}.00 W")
    (folder / "smi.csv").write_text("\n".join(rows) + "\n")
    (folder / "hosts").mkdir()
    incident = desk_incidents.Folder(random.Random(52))
    ill = incident.hosts[2]
    incident.kernel[ill].append(desk_incidents.kernel(ill, incident.at - 5, "NVRM: Xid (PCI:0000:5d:00): 79, pid=4021, GPU has fallen off the bus."))
    incident.hang((ill, 1), 8841)
    for name, text in incident.files().items():
        (folder / "hosts" / name).parent.mkdir(exist_ok=True)
        (folder / "hosts" / name).write_text(text)
    for name, case in FAMILIES.items():
        (folder / name).mkdir()
        for file, text in case(random.Random(name), True)[0].items():
            (folder / name / file).write_text(text)
    for n in range(8):
        clock = 345e6 if n == 5 else 1980e6
        (folder / f"node{n}.prom").write_text(
            "# HELP nvidia_smi_clocks_current_sm_clock_hz SM clock\n# TYPE nvidia_smi_clocks_current_sm_clock_hz gauge\n"
            f'nvidia_smi_clocks_current_sm_clock_hz{{uuid="{n}"}} {clock:.6e}\n')
    (folder / "burn.log").write_text("".join(
        f"{p}.0%  proc'd: {100 * p} ({' Gflop/s) - '.join(['47800'] * 3 + ['36700'])} Gflop/s)   errors: 0 - 0 - 0 - 0   "
        f"temps: 60 C - 61 C - 60 C - 62 C\n" for p in range(10, 100, 10)))
    (folder / "train.log").write_text("".join(
        f"[2026-11-20 08:{s // 60 % 60:02d}:{s % 60:02d}] iteration {s}/ 600 | consumed samples: {s} | elapsed time per iteration (ms): "
        f"{500 if s < 300 else 830}.{s % 7} | learning rate: 1.0E-04 | lm loss: 2.1E+00 |\n" for s in range(1, 600)))


class Page(html.parser.HTMLParser):
    """Words in the order of the page, the classes of elements, and where the first picture and table stand."""

    def __init__(self, text):
        super().__init__()
        self.words_before_next, self.verdict, self.order, self.blamed, self.hidden, self.next = [], "", [], [], 0, False
        self.inside = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.hidden += tag in ("style", "script", "svg", "details")
        self.next |= values.get("id", "").endswith("-next")
        if tag in ("svg", "table") and "details" not in self.inside and "svg" not in self.inside:
            self.order.append(tag)
        self.inside.append(tag) if tag not in ("meta", "link", "br", "path", "rect") else None
        if re.search(r"\bblame(d)?\b", values.get("class", "")):
            self.blamed.append(values)
        self.unseen = values.get("class") == "skip"
        self.in_verdict = values.get("class", "").startswith("verdict")

    def handle_endtag(self, tag):
        self.hidden -= tag in ("style", "script", "svg", "details")
        if tag in self.inside:
            self.inside = self.inside[:len(self.inside) - 1 - self.inside[::-1].index(tag)]

    def handle_data(self, data):
        if self.hidden or not data.strip() or "title" in self.inside:
            return
        if getattr(self, "in_verdict", False):
            self.verdict += data
            self.in_verdict = False
        if not self.next and not self.unseen:
            self.words_before_next += data.split()


def long_integers(text):
    for found in re.finditer(r"(?<![\w.,:/x-])\d{7,}(?![\w.:/-])", text):
        if not UNITS.match(text[found.end():]):
            yield text[max(0, found.start() - 30):found.end() + 20].replace("\n", " ")


def faults_of(name, words, run):
    text = run(words)
    d = json.loads(run([*words, "--json"]))
    run([*words, "--html", "page.html"])
    source = pathlib.Path(run.folder, "page.html").read_text()
    page = Page(source)
    for finding in d["findings"]:
        if "factor" in finding and not finding["factor"] >= 1:
            yield f"factor {finding['factor']} of {finding['subject']}"
        if finding.get("factor", 1) > 1 and not re.search(r"(\d+ times|\d %) [a-z]", text):
            yield f"the factor of {finding['subject']} is of nothing"
    yield from (f"long integer: {found}" for found in long_integers(text))
    if page.verdict != d["verdict"]:
        yield f"the page opens with '{page.verdict}'"
    if len(page.words_before_next) > 80 and d["outcome"] != "answer":
        yield f"{len(page.words_before_next)} words before what to do next"
    drawn = [f for f in d.get("figures", []) if f["kind"] != "table"]
    if drawn and page.order[:1] != ["svg"]:
        yield f"a {page.order[:1]} stands before the picture"
    if page.blamed and not d["findings"]:
        yield f"{len(page.blamed)} elements in the colour of alarm without a finding"
    if "Nothing stands out" in source and d["outcome"] != "healthy":
        yield "'Nothing stands out' where nothing was judged"


class Run:
    def __init__(self, folder):
        self.folder = folder

    def __call__(self, words):
        done = subprocess.run([LENTO, *words], cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1, 4):  # 1: a promise of a tile's image broke
            raise SystemExit(f"lento {' '.join(words)}: exit {done.returncode}\n{done.stderr}")
        return done.stdout


class Spoilt:
    """A run whose page breaks one rule after another, as the program would if it broke them."""

    RULES = {"factor 0.046": ("factor", 0.046), "long integer": ("text", "parameters 70553706496"),
             "opens with": ("verdict", "another sentence"), "words before": ("lead", "<p>" + "word " * 90 + "</p>"),
             "stands before the picture": ("lead", "<table></table>"), "colour of alarm": ("calm", True),
             "'Nothing stands out'": ("lead", "<p>Nothing stands out</p>"), "is of nothing": ("of", "")}

    def __init__(self, folder, what, value):
        self.folder, self.what, self.value = folder, what, value

    def __call__(self, words):
        spoilt = {self.what: self.value}
        finding = {"subject": "node3", "factor": spoilt.get("factor", 2), "score": 0.9}
        d = {"outcome": "cannot judge" if "calm" in spoilt or "Nothing" in str(self.value) else "findings", "verdict": "node3 is slow",
             "findings": [] if "calm" in spoilt else [finding], "figures": [{"kind": "bars", "title": "x"}]}
        if "--json" in words:
            return json.dumps(d)
        pathlib.Path(self.folder, "page.html").write_text(
            f'<h1 class="verdict bad">{spoilt.get("verdict", d["verdict"])}</h1>{spoilt.get("lead", "")}'
            '<svg><rect class="blamed"/></svg><h2 id="h-next">What to do next</h2>')
        return f"node3 is slow, {spoilt.get('of', '2 times slower')}\n{spoilt.get('text', '')}\n"


def check_that_faults_are_found(folder):
    good = list(faults_of("good", [], Spoilt(folder, "", None)))
    assert not good, good
    for wanted, (what, value) in Spoilt.RULES.items():
        found = list(faults_of(what, [], Spoilt(folder, what, value)))
        assert any(wanted in fault for fault in found), f"a page with {what} {value!r:.40} passes: {found}"


def check(folder):
    check_that_faults_are_found(folder)
    (folder / "examples").symlink_to(ROOT / "examples")
    (folder / "guests").symlink_to(ROOT / "guests/built")
    write_desk_files(folder)
    run = Run(folder)
    for words in PREPARE:
        run(words)
    count = 0
    for name, words in ASKED.items():
        for fault in faults_of(name, words, run):
            count += 1
            print(f"{name}: {fault}")
        if "--keep" in sys.argv:
            kept = pathlib.Path(sys.argv[sys.argv.index("--keep") + 1])
            kept.mkdir(exist_ok=True, parents=True)
            (kept / (name.replace(" ", "-") + ".html")).write_text((folder / "page.html").read_text())
            (kept / (name.replace(" ", "-") + ".txt")).write_text(run([*words, "--color", "always"]))
    print(f"{len(ASKED)} pages, {count} faults")
    return count


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        sys.exit(check(pathlib.Path(scratch)) > 0)
