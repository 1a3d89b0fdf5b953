#!/usr/bin/env python3
"""What can be gone on with loses nothing to kill -9: the second run gives the bytes of a run that was never killed.

usage: kill_check.py LENTO LENTO_LAB SOURCE [MOMENTS [RESULTS.csv]]

Each command is run once undisturbed, then MOMENTS times (2 in the tests): killed at a random moment of its time and started again
with the same words. Its answer, its files and their names must be those of the undisturbed run, journals and checkpoints apart.
The watch of a fleet has a test of its own, tests/fleet_kill.py.
"""
import csv
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

KEPT_APART = {"journal", "checkpoint", "checkpoint.windows"}


def commands(source):
    chip = ["--chip", f"{source}/examples/chip/4x4.yaml", "--mapping", f"{source}/examples/chip/tiny.map.json"]
    return {
        "chip campaign": (1, ["chip", "campaign", f"{source}/campaigns/quick.yaml", "--journal", "journal", "--results", "results"]),
        "search": (0, ["search", f"{source}/examples/search/quick.yaml", "--starts", "4", "--steps", "30", "--journal", "journal",
                       "--json"]),
        "fleet evaluate": (1, ["fleet", "evaluate", "--preset", "paper", "--faults", "3", "--hours", "1", "--training-hours", "1",
                               "--journal", "journal"]),
        "memory diagnose": (0, ["memory", "diagnose", "run.access", "--checkpoint", "checkpoint", "--json"]),
        "chip simulate": (0, ["chip", "simulate", *chip, "--inferences", "1000", "-o", "out.probe"]),
        "memory replay": (0, ["memory", "replay", "run.access", "-o", "out.access"]),
    }


def prepare(lento, folder):
    """A trace of four CPUs that takes the first pass of a diagnosis a while."""
    draw, lines = random.Random(5), ["# lento.access/1", "cpu cycle pc type address latency size flags culprit culprit_pc blamed cause"]
    for i in range(1_000_000):
        kind = "store" if draw.random() < 0.3 else "load"
        lines.append(f"{i % 4} {2 * i} 0x{0x1000 + 4 * (i % 64):x} {kind} 0x{0x10000 + 8 * draw.randrange(1 << 16):x} 20 8 k - - - -")
    (folder / "addresses.txt").write_text("\n".join(lines) + "\n")
    subprocess.run([lento, "memory", "replay", "addresses.txt", "-o", "run.access"], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300)


def start(program, arguments, folder):
    return subprocess.Popen([program, *arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, start_new_session=True)


def fresh(inputs, where):
    where.mkdir()
    for file in inputs.iterdir():
        os.link(file, where / file.name)
    return where


def files_of(folder):
    return {f.name: f.read_bytes() for f in sorted(folder.iterdir()) if f.name not in KEPT_APART}


def undisturbed(program, arguments, folder):
    begin = time.monotonic()
    process = start(program, arguments, folder)
    out = process.communicate(timeout=600)[0]
    assert process.returncode == 0, (arguments, process.returncode)
    return time.monotonic() - begin, out, files_of(folder)


def killed(program, arguments, folder, after):
    """Whether it was killed before it ended, and what the second run gave."""
    process = start(program, arguments, folder)
    time.sleep(after)
    ended = process.poll() is not None
    if not ended:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    again = start(program, arguments, folder)
    out = again.communicate(timeout=600)[0]
    return not ended, again.returncode, out, files_of(folder)


def difference(expected, code, out, files):
    if code != 0:
        return f"the second run ended with {code}"
    if out != expected[1]:
        return "another answer"
    if set(files) != set(expected[2]):
        return f"other files: {' '.join(sorted(set(files) ^ set(expected[2])))}"
    changed = [name for name in files if files[name] != expected[2][name]]
    return f"other bytes in {' '.join(changed)}" if changed else ""


def main():
    programs = [os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])]
    source = pathlib.Path(sys.argv[3]).resolve()
    moments = int(sys.argv[4]) if len(sys.argv) > 4 else 2
    draw, rows, wrong = random.Random(11), [], 0
    with tempfile.TemporaryDirectory() as name:
        inputs = pathlib.Path(name) / "inputs"
        inputs.mkdir()
        prepare(programs[0], inputs)
        for title, (which, arguments) in commands(source).items():
            expected = undisturbed(programs[which], arguments, fresh(inputs, pathlib.Path(name) / title.replace(" ", "-")))
            for moment in range(moments):
                after = draw.uniform(0, 0.95 * expected[0])
                folder = fresh(inputs, pathlib.Path(name) / f"{title.replace(' ', '-')}.{moment}")
                was_killed, code, out, files = killed(programs[which], arguments, folder, after)
                fault = difference(expected, code, out, files)
                wrong += bool(fault)
                rows.append([title, f"{after:.3f}", f"{expected[0]:.3f}", int(was_killed), fault or "equal"])
                if fault:
                    print(f"{title}, killed after {after:.3f} s: {fault}")
    print(f"{len(rows)} kills of {len(commands(source))} commands, {sum(r[3] for r in rows)} before the end: {wrong} differ")
    if len(sys.argv) > 5:
        with open(sys.argv[5], "w", newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(["command", "killed_after_s", "undisturbed_s", "before_its_end", "second_run"])
            table.writerows(rows)
    return 1 if wrong else 0


sys.exit(main())
