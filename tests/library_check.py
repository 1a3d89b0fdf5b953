#!/usr/bin/env python3
"""The library as an outside program sees it: installs the build, compiles the programs of docs/library.md against it, runs
them beside the command that each names, and compares the two diagnoses (all but `command`).

usage: library_check.py BUILD_FOLDER
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def run(*command, cwd=None):
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True)
    if done.returncode not in (0, 4):
        sys.exit(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return done.stdout


def programs(page):
    """(name, source, the command that answers the same) of each block ```cpp NAME, beside ```sh same NAME."""
    text = page.read_text()
    sources = dict(re.findall(r"^```cpp (\w+)\n(.*?)^```", text, re.M | re.S))
    commands = dict(re.findall(r"^```sh same (\w+)\n(.*?)^```", text, re.M | re.S))
    if not sources or set(sources) != set(commands):
        sys.exit(f"{page.name}: programs {sorted(sources)}, commands {sorted(commands)}")
    for name, source in sources.items():
        lines = [line for line in source.splitlines() if line.strip()]
        if len(lines) > 20:
            sys.exit(f"{page.name}: {name} has {len(lines)} lines, at most 20")
    return [(name, sources[name], commands[name]) for name in sources]


def parts(text):
    d = json.loads(text)
    d.pop("command", None)
    d.pop("inputs", None)
    return json.dumps(d, sort_keys=False)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        run("cmake", "--install", build, "--prefix", folder / "prefix")
        internals = [p for p in (folder / "prefix/include").rglob("*.h") if p.relative_to(folder / "prefix/include").parts[:2] not in
                     {("lento", "lento.h"), ("lento", "base"), ("lento", "finding")}]
        if internals:
            sys.exit(f"installed internals: {internals}")
        pages = programs(ROOT / "docs/library.md")
        (folder / "programs").mkdir()
        for name, source, _ in pages:
            (folder / "programs" / f"{name}.cc").write_text(source)
        run("cmake", "-S", ROOT / "tests/consumer", "-B", folder / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
            f"-DCMAKE_PREFIX_PATH={folder / 'prefix'}", f"-DPROGRAMS={folder / 'programs'}")
        run("cmake", "--build", folder / "build")
        work = folder / "work"
        work.mkdir()
        (work / "examples").symlink_to(ROOT / "examples")
        (work / "guests").symlink_to(ROOT / "guests")
        differ = []
        for name, _, command in pages:
            *before, last = command.strip().splitlines()
            for line in before:
                run(folder / "prefix/bin/lento", *line.split()[1:], cwd=work)
            ours = run(folder / "build" / name, cwd=work)
            theirs = run(folder / "prefix/bin/lento", *last.split()[1:], "--json", cwd=work)
            if parts(ours) != parts(theirs):
                differ.append(name)
                (build / f"library_{name}.json").write_text(ours)
                (build / f"command_{name}.json").write_text(theirs)
            else:
                print(f"{name}: {len(ours)} bytes, equal to the command's")
        if differ:
            sys.exit(f"the library and the command differ: {', '.join(differ)}; see {build}")


main()
