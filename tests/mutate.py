#!/usr/bin/env python3
"""Would the tests notice? Changes one module's code in one place at a time, builds, and runs the module's tests.

usage: mutate.py MODULE [--sample N] [--seed S] [--job TEST]...

MODULE is a folder of src (chip/detect). A mutant halves or doubles a named number, turns a comparison round, or drops a
statement. Tests run: the module's own, those of jobs for the houses, and each --job. A mutant that fails a test, crashes or
hangs is killed; one that does not compile does not count. tests/mutants.txt lists changes that no test can notice, with
the reason: numbers that only buy speed, and equivalent code. What survives is printed; the last line is
"killed K of N", also when it is ended early (Ctrl-C, SIGTERM).

The work is done on a copy under build/mutate; the tree itself is never touched.
"""
import argparse
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
TREE = ROOT / "build/mutate/tree"
BUILD = ROOT / "build/mutate/build"

NUMBER = re.compile(r"(\bk[A-Z]\w*\s*=\s*|\bk[A-Z]\w*\{)(-?\d[\d']*\.?\d*(?:e-?\d+)?)(?![\w.])")
COMPARISON = re.compile(r"(?<![<>=!\-])\s(<=|>=|==|!=|<|>)\s(?![<>=])")
# An assignment to something that exists, a call, or a one-line loop; never a declaration.
STATEMENT = re.compile(r"^\s+(?:\*?[\w:.\->\[\]()]+\s(?:[-+*/|&^]?=)\s.*;|(?!return\b|throw\b)[\w:.\->\[\]]+\(.*\);|for \(.*\) .*;)\s*$")
TURNED = {"<": ">=", ">": "<=", "<=": ">", ">=": "<", "==": "!=", "!=": "=="}


def code_of(line):
    """The line without its comment; '' for lines that hold no code to change."""
    line = line.split("//")[0]
    if re.match(r"\s*(#|template\b|static_assert|case\b)", line) or '"' in line:
        return ""
    return line


def mutants_of(file):
    lines = file.read_text().splitlines(keepends=True)
    depth = 0
    for number, line in enumerate(lines):
        code = code_of(line)
        for match in NUMBER.finditer(code):
            value = match.group(2)
            whole = re.fullmatch(r"-?[\d']+", value)
            for factor in (0.5, 2):
                new = float(value.replace("'", "")) * factor
                text = str(int(new)) if whole else repr(new)
                if text != value:
                    changed = line[:match.start(2)] + text + line[match.end(2):]
                    yield number, changed, f"{value} -> {text}"
        if depth >= 2 or "  " == line[:2]:
            for match in COMPARISON.finditer(code):
                if "template" in code or "<" in match.group(1) and re.search(r"\w<\w", code):
                    continue
                turned = TURNED[match.group(1)]
                yield number, line[:match.start(1)] + turned + line[match.end(1):], f"{match.group(1)} -> {turned}"
            if STATEMENT.match(code):
                yield number, line[:len(line) - len(line.lstrip())] + ";\n", "dropped"
        depth += code.count("{") - code.count("}")


def listed():
    """(file, text of the line) -> reason; lines that no test can notice."""
    found = {}
    path = ROOT / "tests/mutants.txt"
    for line in path.read_text().splitlines() if path.exists() else []:
        if line.strip() and not line.startswith("#"):
            place, text, reason = [part.strip() for part in line.split("|", 2)]
            found[(place, text)] = reason
    return found


def run(command, limit=None, **more):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=limit, **more)
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
    for copy in [p for p in TREE.rglob("*") if p.is_file()]:
        if copy.relative_to(TREE).as_posix() not in wanted:
            copy.unlink()
    done = run(["cmake", "-S", TREE, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"])
    if done.returncode:
        sys.exit(done.stderr)


def main():
    args = argparse.ArgumentParser(usage=__doc__)
    args.add_argument("module")
    args.add_argument("--sample", type=int, default=150)
    args.add_argument("--seed", type=int, default=1)
    args.add_argument("--job", action="append", default=[])
    args = args.parse_args()
    prepare()
    folder = TREE / "src" / args.module
    files = sorted(p for p in folder.iterdir() if p.suffix in (".cc", ".h", ".inc") and ".test." not in p.name
                   and ".bench." not in p.name and not p.name.startswith("test_"))
    known = listed()
    drawn, spared = [], 0
    for file in files:
        for number, changed, what in mutants_of(file):
            place = file.relative_to(TREE).as_posix()
            if (place, file.read_text().splitlines()[number].strip()) in known:
                spared += 1
            else:
                drawn.append((file, number, changed, what))
    total = len(drawn) + spared
    random.Random(args.seed).shuffle(drawn)
    programs = [f"lento_{args.module.replace('/', '_')}_tests"] + [f"lento_{j.replace('/', '_')}_tests" for j in args.job]
    print(f"{total} places to change, {spared} listed as not to be noticed ({100 * spared / max(1, total):.1f} %); "
          f"{', '.join(programs)}")
    built = run(["ninja", "-C", BUILD, *programs])
    if built.returncode:
        sys.exit(built.stdout[-3000:])
    environment = {**__import__("os").environ, "LENTO_SOURCE": str(TREE), "LENTO_SHARED": str(
        pathlib.Path(__import__("os").environ.get("LENTO_SHARED", ROOT / "../shared")).resolve())}

    def tests(limit):
        for program in programs:
            result = run([BUILD / "bin" / program, "--gtest_brief=1", "--gtest_fail_fast"], limit, cwd=TREE, env=environment)
            if result is None or result.returncode:
                return False
        return True

    begin = time.monotonic()
    if not tests(600):
        sys.exit("the tests fail before anything is changed")
    limit = 20 + 5 * (time.monotonic() - begin)
    killed = counted = 0
    ended = []
    for number_of in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number_of, lambda *_: ended.append(True))  # after the mutant at hand
    for file, number, changed, what in drawn:
        if counted == args.sample or ended:
            break
        before = file.read_text()
        lines = before.splitlines(keepends=True)
        original = lines[number]
        lines[number] = changed
        file.write_text("".join(lines))
        try:
            built = run(["ninja", "-C", BUILD, *programs], 900)
            if built is None or built.returncode or ended:
                continue
            passed = tests(limit)
            if ended:
                continue  # the signal may have reached the tests too
            counted += 1
            if passed:
                print(f"survived: {file.relative_to(TREE)}:{number + 1}: {what}: {original.strip()}", flush=True)
            else:
                killed += 1
        finally:
            file.write_text(before)
    print(f"killed {killed} of {counted}")


main()
