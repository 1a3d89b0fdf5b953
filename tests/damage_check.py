#!/usr/bin/env python3
"""One damaged spot in a recorded input: does it make a confident wrong verdict?

usage: damage_check.py LENTO [--runs N] [--seed S] [--reader NAME ...] [-j N]
For each reader an input without a fault and one with a fault are made by simulation from the seed, judged whole, and then
judged N times with one spot damaged: a byte flipped, inserted or lost, eight zeroed, 64 written twice, or the end cut.
Counted are, on inputs without a fault, findings; on inputs with one, findings about another part first and all-clears.
A verdict that cannot judge is no error. The table names each error with its seed, and the exit status is 1 when one exists.
"""
import argparse
import concurrent.futures
import gzip
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
CHIP = ["--chip", EXAMPLES / "chip/4x4.yaml", "--mapping", EXAMPLES / "chip/tiny.map.json"]


def run(*words, cwd=None):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True, errors="replace", cwd=cwd, timeout=120)


def make(*words):
    done = run(*words)
    assert done.returncode == 0, f"{words}\n{done.stderr}"


class Case:
    """One reader: how its two inputs are made, which files may be damaged, and the command that judges the folder."""

    whole = {"healthy": "healthy", "planted": "findings"}  # outcomes of what is not damaged

    def __init__(self, lento, seed, folder):
        self.lento, self.seed, self.folder = lento, seed, folder

    def files(self, kind):
        return sorted(f for f in (self.folder / kind).iterdir() if f.name != "truth.json" and not f.name.endswith(".truth.json"))

    def put(self, kind, name="input"):
        (self.folder / kind).mkdir(parents=True, exist_ok=True)
        return self.folder / kind / name


class Probe(Case):
    form = "binary"
    planted = 3  # times slower

    def build(self):
        faults = self.folder / "fault.yaml"
        part = random.Random(self.seed).choice(["core5", "core6", "core9"])
        faults.write_text(f"schema: lento.faults/1\nfaults:\n  - component: {part}\n    factor: {self.planted}\n    start: 0\n")
        for kind, more in (("healthy", []), ("planted", ["--faults", faults])):
            make(self.lento, "chip", "simulate", *CHIP, "--form", self.form, "--seed", self.seed, "--inferences", 3, *more, "-o", self.put(kind))

    def judge(self, folder):
        return [self.lento, "chip", "diagnose", folder / "input", *CHIP]


class ProbeText(Probe):
    form = "text"


class Sketch(Probe):
    def build(self):
        super().build()
        for kind in ("healthy", "planted"):
            sketch = self.folder / "sketch"
            run(self.lento, "chip", "diagnose", self.put(kind), *CHIP, "--sketch", sketch)
            sketch.replace(self.put(kind))


class Fleet(Case):
    machine = "machine"

    def build(self):
        for kind, more in (("healthy", ["--healthy"]), ("planted", [])):
            path = self.put(kind, "input.csv")
            make(self.lento, "fleet", "simulate", "--machines", 12, "--seconds", 1200, "--seed", self.seed, *more, "-o", path)

    def judge(self, folder):
        return [self.lento, "fleet", "diagnose", "--csv", folder / "input.csv"]


class Kineto(Case):
    layout = "kineto"
    planted = 2

    def build(self):
        place = random.Random(self.seed).randrange(8)
        for kind, more in (("healthy", []), ("planted", ["--fault", "slow_gpu", "--factor", self.planted, "--place", place, "--from-step", 10])):
            make(self.lento, "fleet", "simulate-ranks", "--seed", self.seed, "--steps", 40, "--layout", self.layout, *more,
                 "--out", self.put(kind).parent)

    def judge(self, folder):
        return [self.lento, "fleet", "ranks", folder]


class Inspector(Kineto):
    layout = "inspector"


class FlightRecorder(Kineto):
    """Dumps exist only of a job that hangs, so that both inputs have a fault."""
    layout = "flight-recorder"
    planted = None
    whole = {"healthy": "findings", "planted": "findings"}

    def build(self):
        place = random.Random(self.seed).randrange(8)
        for kind, rank in (("healthy", place), ("planted", (place + 3) % 8)):
            make(self.lento, "fleet", "simulate-ranks", "--seed", self.seed, "--steps", 40, "--layout", self.layout,
                 "--fault", "hang", "--place", rank, "--out", self.put(kind).parent)


class Access(Case):
    """Four CPUs that count: each in its own line, or all in one."""

    def build(self):
        for kind, apart in (("healthy", 64), ("planted", 8)):
            rng = random.Random(self.seed)
            rows, clock, writer = [], 0, {}
            for _ in range(6000):
                clock += rng.randrange(20, 60)
                cpu, store = rng.randrange(4), rng.random() < 0.5
                if rng.random() < 0.5:  # its own work, beside the counter
                    rows.append(f"{cpu} {clock} {0x11000 + 8 * cpu:#x} load {0x30000000 + 4096 * cpu + 8 * rng.randrange(64):#x} 3")
                    continue
                line = (0x20000000 + cpu * apart) // 64
                wait = 3 if writer.get(line, cpu) == cpu else rng.randrange(90, 110)
                if store:
                    writer[line] = cpu
                rows.append(f"{cpu} {clock} {0x10000 + 8 * cpu:#x} {'store' if store else 'load'} {0x20000000 + cpu * apart:#x} {wait}")
            self.put(kind, "input.txt").write_text("\n".join(rows) + "\n")

    def judge(self, folder):
        return [self.lento, "memory", "diagnose", folder / "input.txt"]


class Noc(Case):
    def build(self):
        shutil.copy(EXAMPLES / "chip/noc_events.json", self.put("healthy"))
        shutil.copy(EXAMPLES / "chip/noc_events_slow.json", self.put("planted"))

    def judge(self, folder):
        return [self.lento, "chip", "examine", folder / "input"]


class TrainingLog(Case):
    """The log of a job of 16 ranks whose timers print every rank's time. One that is slow all along may have more work."""

    begin = 100

    def build(self):
        slow = random.Random(self.seed).randrange(16)
        for kind in ("healthy", "planted"):
            rng = random.Random(self.seed)
            lines = []
            for step in range(1, 201):
                ms = 800 * (1 + rng.gauss(0, 0.01))
                lines.append(f" [2026-05-03 10:{step // 60:02d}:{step % 60:02d}] iteration {step:8d}/     200 | consumed samples: {step * 512:12d} | "
                             f"elapsed time per iteration (ms): {ms:.1f} | learning rate: 1.500000E-04 | global batch size:   512 | lm loss: 2.1E+00 |")
                if step % 10 == 0:
                    lines += ["times across ranks (ms):", "  forward-compute:"]
                    times = [380 * (1 + rng.gauss(0, 0.004)) * (1.35 if kind == "planted" and step > self.begin and r == slow else 1) for r in range(16)]
                    lines += [f"     rank {r:2d}: {t:.2f}" for r, t in enumerate(times)]
            self.put(kind, "train.log").write_text("\n".join(lines) + "\n")

    def judge(self, folder):
        return [self.lento, "diagnose", folder / "train.log"]


READERS = {"binary probe": Probe, "text probe": ProbeText, "sketch": Sketch, "fleet CSV": Fleet, "Kineto": Kineto,
           "Inspector": Inspector, "flight recorder": FlightRecorder, "accesses": Access, "NoC events": Noc, "training log": TrainingLog}


def damage(data, rng):
    """One spot. Returns what was done and the new bytes."""
    at = rng.randrange(len(data))
    kind = rng.choice(["flip", "insert", "lose", "zero", "double", "cut"])
    if kind == "flip":
        return kind, data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1:]
    if kind == "insert":
        return kind, data[:at] + bytes([rng.randrange(256)]) + data[at:]
    if kind == "lose":
        return kind, data[:at] + data[at + 1:]
    if kind == "zero":
        return kind, data[:at] + bytes(len(data[at:at + 8])) + data[at + 8:]
    if kind == "double":
        return kind, data[:at + 64] + data[at:at + 64] + data[at + 64:]
    return kind, data[:len(data) - 1 - rng.randrange(min(len(data) - 1, 4096))]


def name_of(finding):
    """A rank whose number became uncertain is named by its process, which the simulation counts from 1000."""
    _, _, process = finding["subject"].partition("/pid")
    return f"rank{int(process) - 1000}" if process.isdigit() else finding["subject"]


def verdict(command):
    """(outcome, subjects, largest score); an input that is refused has no findings and is no all-clear."""
    done = run(*command, "--json")
    if done.returncode < 0 or done.returncode == 3:  # a signal, or a defect that was noticed
        return "crash", [], 0
    try:
        d = json.loads(done.stdout)
    except ValueError:
        return "refused", [], 0
    return d["outcome"], [name_of(f) for f in d["findings"]], max([f.get("score", 0) for f in d["findings"]], default=0)


def open_bytes(path):
    data = path.read_bytes()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def one(case, kind, truth, n):
    """Judges a copy with one damaged spot; returns the error, or nothing."""
    rng = random.Random(f"{case.seed}/{type(case).__name__}/{kind}/{n}")
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work) / kind
        shutil.copytree(case.folder / kind, folder)
        target = rng.choice([folder / f.name for f in case.files(kind)])
        what, data = damage(open_bytes(target), rng)
        target.write_bytes(data)
        outcome, subjects, score = verdict(case.judge(folder))
    if outcome == "crash":
        return outcome, "crash", f"{kind} {n}: {what}"
    if kind == "healthy" and subjects and subjects[0] not in truth:
        return outcome, "accused", f"{kind} {n}: {what} of {target.name}: {subjects[:3]} score {score:.2f}"
    if kind == "planted" and subjects and subjects[0] not in truth:
        return outcome, "another", f"{kind} {n}: {what} of {target.name}: {subjects[:3]} for {truth} score {score:.2f}"
    if kind == "planted" and outcome == "healthy":
        return outcome, "all-clear", f"{kind} {n}: {what} of {target.name}"
    return outcome, "", ""


def campaign(name, args, folder):
    case = READERS[name](args.lento, args.seed, folder)
    case.build()
    row, errors = [name], []
    for kind in ("healthy", "planted"):
        outcome, truth, _ = verdict(case.judge(case.folder / kind))
        row.append("" if outcome == case.whole[kind] else f"{kind} whole: {outcome} {truth[:2]}")
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            results = list(pool.map(lambda n, k=kind, t=truth: one(case, k, t, n), range(args.runs)))
        row.append({w: sum(r[1] == w for r in results) for w in ("accused", "another", "all-clear", "crash")})
        row.append(sum(r[0] in ("cannot judge", "refused") for r in results))
        errors += [f"  {name}: {r[2]}" for r in results if r[1]]
    return row, errors


def main():
    args = argparse.ArgumentParser()
    args.add_argument("lento", type=lambda p: pathlib.Path(p).resolve())
    args.add_argument("--runs", type=int, default=200)
    args.add_argument("--seed", type=int, default=1)
    args.add_argument("--reader", nargs="*", choices=READERS)
    args.add_argument("-j", "--jobs", type=int, default=2)
    args = args.parse_args()
    all_errors = []
    print(f"seed {args.seed}, {args.runs} damaged spots an input\n"
          "reader             accused  another  all-clear  crash  cannot judge or refused, of healthy, of planted")
    for name in args.reader or READERS:
        with tempfile.TemporaryDirectory() as folder:
            row, errors = campaign(name, args, pathlib.Path(folder))
        _, odd_healthy, healthy, unjudged, odd_planted, planted, unjudged_planted = row
        print(f"{name:18} {healthy['accused']:7d} {planted['another']:8d} {planted['all-clear']:10d} {healthy['crash'] + planted['crash']:6d}"
              f"  {unjudged}, {unjudged_planted}  {odd_healthy} {odd_planted}", flush=True)
        all_errors += errors
    print("\n".join(all_errors))
    sys.exit(1 if all_errors else 0)


if __name__ == "__main__":
    main()
