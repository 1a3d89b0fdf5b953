#!/usr/bin/env python3
"""Would the tests notice? Changes one module's code in one place at a time and runs the tests that pass there.

usage: mutate.py MODULE [--sample N] [--seed S] [--job TEST]... [--plain]

MODULE is a folder of src (chip/detect). A mutant halves or doubles a named number, turns a comparison round, or drops a
statement. Tests run: the module's own, then those of its house's door, and each --job. A mutant that fails a test,
crashes or hangs is killed; one that does not compile does not count. tests/mutants.txt lists changes that no test can
notice, with the reason: numbers that only buy speed, and equivalent code. What survives is printed; the last line is
"killed K of N", also when it is ended early (Ctrl-C, SIGTERM).

All mutants are compiled at once, each behind a switch (tests/mutant_switch.h), and each test says which of them it
passes: one mutant then costs a second of tests and no build. Those that need a compiler of their own (a number that
sizes an array) are changed in the text and built one by one; --plain does so with all.

The work is done on a copy under build/mutate; the tree itself is never touched.
"""
import argparse
import dataclasses
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

import mutants

ROOT = pathlib.Path(__file__).resolve().parent.parent
TREE = ROOT / "build/mutate/tree"
BUILD = TREE / "build/release"
SWITCH = TREE / "tests/mutant_switch.h"
HOUSES = {"chip", "memory", "fleet", "predict", "tile"}
MEMORY = 8 << 30  # of a test, bytes: a mutant that fills memory is a hang
QUICK = 0.1  # seconds of a test that is tried before the others


@dataclasses.dataclass
class Test:
    program: pathlib.Path
    name: str
    seconds: float
    passes: frozenset  # ids of the mutants that it comes by


def listed():
    """(file, text of the line) -> reason; lines that no test can notice."""
    found = {}
    for line in (ROOT / "tests/mutants.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            place, text, reason = [part.strip() for part in line.split("|", 2)]
            found[(place, text)] = reason
    return found


def run(command, limit=None, **more):
    try:
        return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=limit, **more)
    except subprocess.TimeoutExpired:
        return None


def prepare():
    files = run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT).stdout.splitlines()
    TREE.mkdir(parents=True, exist_ok=True)
    wanted = {f for f in files if not f.startswith(("bench/results", "docs/", ".git"))}
    for name in wanted:
        source, copy = ROOT / name, TREE / name
        if not source.is_file() or (copy.is_file() and copy.read_bytes() == source.read_bytes()):
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, copy)
    for name in run(["find", ".", "-path", "./build", "-prune", "-o", "-type", "f", "-print"], cwd=TREE).stdout.splitlines():
        if name[2:] not in wanted:
            (TREE / name).unlink()
    done = run(["cmake", "-S", TREE, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"])
    if done.returncode:
        sys.exit(done.stderr)


def draw(folder, seed):
    """The mutants in the order in which they are tried, and how many more are listed as not to be noticed."""
    files = sorted(p for p in folder.iterdir() if p.suffix in (".cc", ".h", ".inc") and ".test." not in p.name
                   and ".bench." not in p.name and not p.name.startswith("test_"))
    known, drawn, spared = listed(), [], 0
    for file in files:
        lines = file.read_text().splitlines()
        for place in mutants.places_of(file):
            if (file.relative_to(TREE).as_posix(), lines[place.line].strip()) in known:
                spared += 1
            else:
                drawn.append(place)
    random.Random(seed).shuffle(drawn)
    return drawn, spared


def first_failure(output):
    return output[max(0, output.find("FAILED:")):][:3000]


class Workshop:
    """The copy with its mutants in it, and what its tests say."""

    def __init__(self, folder, programs):
        self.folder = folder
        self.programs = programs
        self.originals = {p: p.read_text() for p in folder.iterdir() if p.suffix in (".cc", ".h", ".inc")}
        shared = pathlib.Path(os.environ.get("LENTO_SHARED", ROOT / "../shared")).resolve()
        self.environment = {**os.environ, "LENTO_SOURCE": str(TREE), "LENTO_SHARED": str(shared)}
        self.environment.pop("LENTO_MUTANT", None)
        self.tests = []

    def build(self, programs):
        return run(["ninja", "-C", BUILD, "-k", "0", *programs])

    def write(self, chosen):
        """All files of the module, the chosen mutants behind their switches."""
        for file, text in self.originals.items():
            if ".test." in file.name or ".bench." in file.name:
                continue
            ones = [(key, place) for key, place in chosen if place.file == file]
            if ones or file.suffix == ".cc":
                text = mutants.instrumented(file, text, ones, SWITCH)
            if file.read_text() != text:
                file.write_text(text)

    def restore(self):
        for file, text in self.originals.items():
            if file.read_text() != text:
                file.write_text(text)

    def switch(self, drawn):
        """Builds with the mutants behind switches. Returns the ids of those that can be."""
        chosen = dict(enumerate(drawn))
        for _ in range(12):
            self.write(list(chosen.items()))
            built = self.build(self.programs)
            if built.returncode == 0:
                return set(chosen)
            wrong = mutants.blamed(built.stdout, list(chosen.items()), BUILD, self.originals)
            if not wrong:
                sys.exit(first_failure(built.stdout))
            for key in wrong:
                del chosen[key]
        sys.exit("the mutants cannot be compiled beside one another; --plain builds them one by one")

    def look(self):
        """Runs each test alone: how long it takes, and which mutants it passes."""
        record = BUILD / "reached.txt"
        for program in [BUILD / "bin" / p for p in self.programs]:
            suite = ""
            for line in run([program, "--gtest_list_tests"]).stdout.splitlines()[1:]:
                if not line.startswith(" "):
                    suite = line.split("#")[0].strip()
                    continue
                name = suite + line.split("#")[0].strip()
                record.unlink(missing_ok=True)
                begin = time.monotonic()
                done = run([program, f"--gtest_filter={name}"], 600, cwd=TREE,
                           env={**self.environment, "LENTO_REACHED": str(record)})
                if done is None or done.returncode:
                    sys.exit(f"{name} fails before anything is changed")
                passes = frozenset(map(int, record.read_text().split())) if record.exists() else frozenset()
                self.tests.append(Test(program, name, time.monotonic() - begin, passes))

    def narrow(self, numbers):
        """Numbers are read as a program starts, so every test passes them. Of the door those count that pass something else too."""
        own = self.programs[0]
        self.tests = [t for t in self.tests if t.program.name == own or not t.passes <= numbers]

    def noticed(self, tests, key=None):
        """Whether one of the tests fails, crashes or hangs with this mutant."""
        for program in dict.fromkeys(t.program for t in tests):
            for quick in (True, False):
                ones = [t for t in tests if t.program == program and (t.seconds < QUICK) == quick]
                if ones and not self.holds(program, ones, key):
                    return True
        return False

    def holds(self, program, tests, key):
        seconds = 10 + 6 * sum(t.seconds for t in tests)

        def bounded():
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 1))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        environment = self.environment if key is None else {**self.environment, "LENTO_MUTANT": str(key)}
        names = ":".join(t.name for t in tests)
        done = run([program, "--gtest_brief=1", "--gtest_fail_fast", f"--gtest_filter={names}"], 5 * seconds, cwd=TREE,
                   env=environment, preexec_fn=bounded)
        return done is not None and done.returncode == 0

    def noticed_in_text(self, place, key):
        """The same of a mutant that is written into the text; None when it does not compile."""
        before = place.file.read_text()
        lines = before.splitlines(keepends=True)
        head = len(lines) - len(self.originals[place.file].splitlines())
        lines[head + place.line] = place.plain(self.originals[place.file].splitlines(keepends=True)[place.line])
        place.file.write_text("".join(lines))
        try:
            for program in self.programs:  # the door is built when the module's own tests have not noticed
                if self.build([program]).returncode:
                    return None
                if self.noticed([t for t in self.tests if t.program.name == program]):
                    return True
            return False
        finally:
            place.file.write_text(before)


def main():
    args = argparse.ArgumentParser(usage=__doc__)
    args.add_argument("module")
    args.add_argument("--sample", type=int, default=150)
    args.add_argument("--seed", type=int, default=1)
    args.add_argument("--job", action="append", default=[])
    args.add_argument("--plain", action="store_true")
    args = args.parse_args()
    prepare()
    folder = TREE / "src" / args.module
    drawn, spared = draw(folder, args.seed)
    jobs = [args.module.split("/")[0]] * (args.module.split("/")[0] in HOUSES) + args.job
    programs = [f"lento_{name.replace('/', '_')}_tests" for name in dict.fromkeys([args.module, *jobs])]
    total = len(drawn) + spared
    print(f"{total} places to change, {spared} listed as not to be noticed ({100 * spared / max(1, total):.1f} %); "
          f"{', '.join(programs)}", flush=True)
    bench = Workshop(folder, programs)
    ended = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.append(True))  # after the mutant at hand
    try:
        measure(bench, drawn, args, ended)
    finally:
        bench.restore()


def said(begin, text):
    print(f"{text}: {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)


def measure(bench, drawn, args, ended):
    behind = set()
    begin = time.monotonic()
    if args.plain:
        built = bench.build(bench.programs)
        if built.returncode:
            sys.exit(first_failure(built.stdout))
    else:
        behind = bench.switch(drawn[:args.sample + args.sample // 8])  # a few do not compile
    said(begin, f"built, {len(behind)} mutants behind switches")
    bench.look()
    said(begin, f"{len(bench.tests)} tests looked at")
    if behind:
        bench.narrow({key for key in behind if drawn[key].kind == "number"})
    if bench.noticed(bench.tests) and bench.noticed(bench.tests):  # the second time: a busy machine
        sys.exit("the tests fail together before anything is changed")
    killed = counted = 0
    for key, place in enumerate(drawn):
        if counted == args.sample or ended:
            break
        if key in behind:
            noticed = bench.noticed([t for t in bench.tests if key in t.passes], key)
        else:
            noticed = bench.noticed_in_text(place, key)
        if ended:
            break  # the signal may have reached the tests too
        if noticed is None:
            continue
        counted += 1
        killed += noticed
        if not noticed:
            original = bench.originals[place.file].splitlines()[place.line].strip()
            print(f"survived: {place.file.relative_to(TREE)}:{place.line + 1}: {place.what}: {original}", flush=True)
    print(f"killed {killed} of {counted}")


if __name__ == "__main__":
    main()
