#!/usr/bin/env python3
"""What ./dev check does, for the modules that changed and a rotating third of the rest, within a number of minutes.

usage: check_changed.py --minutes N [--since REF]

Order: tests under AddressSanitizer and UndefinedBehaviorSanitizer, the threaded modules under ThreadSanitizer, fuzz targets,
clang-tidy on changed files. A fault ends it at once. What there was no time for is named; ./dev check takes all.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import time

import house_check

ROOT = pathlib.Path(__file__).resolve().parent.parent
THREADED = {"base", "base/http", "campaign", "serve", "chip", "fleet/watch", "memory/mine", "fleet/read", "lab/chip"}
FUZZ_SECONDS = 3
BEGIN = time.monotonic()
LEFT_OUT = []


def git(*words):
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True).stdout.split()


def left(end):
    return end - time.monotonic()


def run(end, *command, **more):
    """False when the time is over. Ends the program when the command fails."""
    if left(end) < 30:
        return False
    process = subprocess.Popen([str(word) for word in command], cwd=ROOT, start_new_session=True, **more)
    try:
        code = process.wait(left(end))
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.wait()
        return False
    if code:
        sys.exit(f"{' '.join(map(str, command))}: exit {code}")
    return True


def chosen(known, changed):
    """Changed modules first, the latest change before all, then the third of the others whose turn it is: the day decides."""
    def latest(module):
        return next((n for n, c in enumerate(changed) if c.startswith((f"src/{module}/", f"{module}/"))), None)

    first = sorted((m for m in known if latest(m) is not None), key=latest)
    rest = [m for m in known if m not in first]
    turn = int(time.time() // 86400) % 3
    return first, rest[turn::3]


def tests_under(preset, modules, end):
    environment = {**os.environ, "CMAKE_CXX_COMPILER_LAUNCHER": "ccache"}
    if not run(end, "cmake", "--preset", preset, stdout=subprocess.DEVNULL, env=environment):
        return LEFT_OUT.extend(f"{preset} {m}" for m in modules)
    for n, module in enumerate(modules):
        name = module.replace("/", "_")
        folder = ROOT / ("" if module.startswith("lab") else "src") / module
        if not list(folder.glob("*.test.cc")) and not (module in house_check.deep() and list(folder.glob("*/*.test.cc"))):
            continue
        if not (run(end, "cmake", "--build", f"build/{preset}", "--target", f"lento_{name}_tests", stdout=subprocess.DEVNULL)
                and run(end, "ctest", "--test-dir", f"build/{preset}", "--output-on-failure", "-R", f"^{name}$")):
            LEFT_OUT.extend(f"{preset} {m}" for m in modules[n:])
            return
        print(f"{preset}: {module} passed at {(time.monotonic() - BEGIN) / 60:.1f} min", flush=True)


def fuzz(modules, end):
    lines = re.findall(r"^lento_fuzz\((?:\w+/)*(\w+) ([^)]*)\)", (ROOT / "fuzz/CMakeLists.txt").read_text(), re.M)
    targets = [name for name, uses in lines if set(uses.split()) & set(modules)]
    if not run(end, "cmake", "--preset", "fuzz", stdout=subprocess.DEVNULL):
        return LEFT_OUT.extend(f"fuzz {t}" for t in targets)
    for n, name in enumerate(targets):
        corpus = ROOT / "build/fuzz/corpus" / name
        corpus.mkdir(parents=True, exist_ok=True)
        seeds = ROOT / "fuzz/seeds" / name
        folders = [corpus, seeds] if seeds.is_dir() else [corpus]
        if not (run(end, "cmake", "--build", "build/fuzz", "--target", f"fuzz_{name}", stdout=subprocess.DEVNULL)
                and run(end, f"build/fuzz/bin/fuzz_{name}", f"-max_total_time={FUZZ_SECONDS}", "-rss_limit_mb=2048",
                        "-verbosity=0", *folders, stderr=subprocess.DEVNULL)):
            LEFT_OUT.extend(f"fuzz {t}" for t in targets[n:])
            return
    print(f"fuzz: {len(targets)} targets ran", flush=True)


def tidy(changed, end):
    files = [c for c in dict.fromkeys(changed) if c.endswith(".cc") and not c.endswith(".test.cc") and (ROOT / c).exists()]
    if not run(end, "cmake", "--preset", "tidy", stdout=subprocess.DEVNULL):
        return LEFT_OUT.append("clang-tidy")
    for n, file in enumerate(files):
        if not run(end, "clang-tidy", "-p", "build/tidy", "--quiet", file, stderr=subprocess.DEVNULL):
            return LEFT_OUT.append(f"clang-tidy on {len(files) - n} files")
    print(f"clang-tidy: {len(files)} changed files", flush=True)


def main():
    args = argparse.ArgumentParser()
    args.add_argument("--minutes", type=float, required=True)
    args.add_argument("--since")
    args.add_argument("--modules", nargs="*", help="only the sanitizer tests of these")
    args = args.parse_args()
    end = BEGIN + 60 * args.minutes
    since = args.since or (git("rev-list", "-1", "--before=1 day ago", "HEAD") or git("rev-list", "--max-parents=0", "HEAD"))[0]
    changed = git("log", "--format=", "--name-only", f"{since}..HEAD", "--", "src", "lab", "fuzz")
    first, third = chosen(args.modules or list(house_check.modules()), changed)
    print(f"changed since {since[:9]}: {' '.join(first) or 'nothing'}; by turn: {' '.join(third)}", flush=True)
    modules = first + third
    if args.modules:
        tests_under("dev", modules, end)
        print("\n".join([f"no time for: {', '.join(LEFT_OUT)}"] if LEFT_OUT else []))
        return
    tests_under("dev", modules, BEGIN + 60 * args.minutes * 0.6)
    tests_under("tsan", [m for m in modules if m in THREADED], BEGIN + 60 * args.minutes * 0.75)
    fuzz(modules, BEGIN + 60 * args.minutes * 0.9)
    tidy(changed, end)
    if LEFT_OUT:
        print(f"no time for: {', '.join(LEFT_OUT)}; ./dev check takes all")
    print(f"{len(modules)} modules looked at in {(time.monotonic() - BEGIN) / 60:.1f} min")


if __name__ == "__main__":
    main()
