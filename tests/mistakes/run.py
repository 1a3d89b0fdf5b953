#!/usr/bin/env python3
"""Ways to go wrong: none may pass in silence, and nearly all must say where, why and what to do instead.

usage: run.py LENTO LENTO_LAB SOURCE [--show | --report FILE]
The mistakes stand in mistakes.txt beside this file. --show prints what each one is answered.
Exit 1 when one is silent, crashes or leaves a file, or when fewer than 95 % name place, cause and way out.
"""
import csv
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

LEAST_NAMED = 0.95
ENVIRONMENT = {**os.environ, "OMPI_COMM_WORLD_SIZE": ""}


class Mistake:
    def __init__(self, kind, command):
        self.kind, self.command, self.codes, self.wanted = kind, command, {2, 4}, {}

    def __str__(self):
        return self.command


def read(path):
    mistakes, kind = [], ""
    for line in path.read_text().splitlines():
        if line.startswith("##"):
            kind = line.strip("# ")
        elif not line.strip() or line.startswith("#"):
            continue
        elif line.startswith("  "):
            what, words = line.strip().split(": ", 1)
            mistakes[-1].wanted[what] = words
        else:
            mistakes.append(Mistake(kind, line))
    return mistakes


def prepare(lento, source, folder):
    """The good inputs that the mistakes are made with."""
    def run(*arguments):
        done = subprocess.run([lento, *map(str, arguments)], cwd=folder, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, (arguments, done.stderr)
        return done.stdout
    for name in ("examples/chip/4x4.yaml", "examples/chip/6x6.yaml", "examples/chip/tiny.map.json", "examples/search/quick.yaml",
                 "examples/predict/gpt3_175b.yaml", "examples/predict/gemm.yaml", "examples/memory/default.yaml",
                 "examples/models/googlenet.onnx"):
        shutil.copy(source / name, folder)
    guests = pathlib.Path(lento).resolve().parent.parent / "guests"
    for name in ("false_sharing.elf", "independent.elf"):
        if (guests / name).exists():
            shutil.copy(guests / name, folder)
            run("memory", "simulate", name, "--harts", "4", "--trace", name.replace(".elf", ".access"))
    chip = ["--chip", "4x4.yaml", "--mapping", "tiny.map.json"]
    run("chip", "simulate", *chip, "--inferences", "20", "-o", "run.probe")
    run("chip", "simulate", *chip, "--form", "text", "-o", "short.probe")
    lines = (folder / "short.probe").read_text().splitlines(keepends=True)
    (folder / "short.probe").write_text("".join(lines[:len(lines) // 3]))
    (folder / "chip.json").write_text(run("chip", "diagnose", "run.probe", *chip, "--json"))
    run("fleet", "simulate", "--machines", "8", "--preset", "paper", "--seconds", "600", "-o", "job.csv")
    (folder / "fleet.json").write_text(run("fleet", "diagnose", "--csv", "job.csv", "--machine-column", "machine", "--json"))
    (folder / "random.bin").write_bytes(random.Random(7).randbytes(4096))
    (folder / "empty").write_bytes(b"")
    (folder / "blank.yaml").write_text("\n\n")
    (folder / "cut.json").write_bytes((folder / "chip.json").read_bytes()[:400])
    (folder / "cut.probe").write_bytes((folder / "run.probe").read_bytes()[:700])
    (folder / "header.csv").write_text("time,machine,power_w\n")
    (folder / "words.csv").write_text("time,machine,power_w\n" + "soon,a,many\n" * 20)
    (folder / "notes.txt").write_text("buy milk\n")
    (folder / "tab.yaml").write_text("schema: lento.chip/1\n\twidth: 4\n")
    (folder / "list.yaml").write_text("- a\n- b\n")
    (folder / "newer.yaml").write_text("schema: lento.chip/9\nwidth: 4\n")
    (folder / "folder.d").mkdir()
    (folder / "other.map.json").write_text((folder / "tiny.map.json").read_text().replace('"x":0,"y":0', '"x":3,"y":3'))
    (folder / "late.yaml").write_text("schema: lento.faults/1\nfaults:\n- {component: core5, factor: 10, start: 9 s, end: 10 s}\n")
    training = (folder / "gpt3_175b.yaml").read_text()
    (folder / "odd.yaml").write_text(training + "context: 7\n")
    (folder / "experts.yaml").write_text(training + "expert: 64\n")
    (folder / "secret").write_text("\n")


def outcome(mistake, programs, folder):
    words = mistake.command.split()
    program = programs[words[0]]
    done = subprocess.run([program, *words[1:]], cwd=folder, capture_output=True, text=True, timeout=60,
                          stdin=subprocess.DEVNULL, errors="replace")
    return done.returncode, done.stderr + done.stdout


def main():
    programs = {"lento": os.path.abspath(sys.argv[1]), "lento-lab": os.path.abspath(sys.argv[2])}
    source = pathlib.Path(sys.argv[3]).resolve()
    os.environ.pop("OMPI_COMM_WORLD_SIZE", None)
    show = "--show" in sys.argv
    mistakes = read(pathlib.Path(__file__).resolve().parent / "mistakes.txt")
    silent, wrong, unnamed, rows = [], [], [], []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prepare(programs["lento"], source, folder)
        if not (folder / "false_sharing.elf").exists():  # no cross compiler, no guests
            mistakes = [m for m in mistakes if ".elf" not in m.command and ".access" not in m.command]
        before = sorted(os.listdir(folder))
        for mistake in mistakes:
            code, said = outcome(mistake, programs, folder)
            if show:
                print(f"--- [{code}] {mistake}\n{said.rstrip()}")
            missing = [what for what, words in mistake.wanted.items() if words not in said]
            if code in (0, 1):
                silent.append(f"{mistake}: exit {code}")
            elif code not in mistake.codes:
                wrong.append(f"{mistake}: exit {code}\n{said}")
            if sorted(os.listdir(folder)) != before:
                wrong.append(f"{mistake}: left {set(os.listdir(folder)) - set(before)}")
                before = sorted(os.listdir(folder))
            if missing or set(mistake.wanted) != {"place", "cause", "way out"}:
                unnamed.append(f"{mistake}: {', '.join(missing)} not named\n{said}")
            rows.append([mistake.kind, str(mistake), code, "silent" if code in (0, 1) else "; ".join(missing) or "all named"])
    named = len(mistakes) - len(unnamed)
    if "--report" in sys.argv:
        with open(sys.argv[sys.argv.index("--report") + 1], "w", newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(["kind", "mistake", "exit", "not named"])
            table.writerows(rows)
    for title, lines in (("silent", silent), ("wrong", wrong), ("not named", unnamed)):
        for line in lines:
            print(f"{title}: {line}")
    print(f"{len(mistakes)} mistakes: {len(silent)} silent, {len(wrong)} wrong ends, "
          f"{named} name place, cause and way out ({100 * named / max(1, len(mistakes)):.1f} %)")
    return 1 if silent or wrong or len(mistakes) < 80 or named < LEAST_NAMED * len(mistakes) else 0


if __name__ == "__main__":
    sys.exit(main())
