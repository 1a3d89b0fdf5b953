#!/usr/bin/env python3
"""Checks the walls of the house: every #include in src and lab against the module lists in their CMakeLists.txt.

A file may include its own module, the modules its lento_module line names after USES, and what those use in
turn only if it names them too. Third-party headers stay in one place each, and no circle of files. Exit 1 lists each breach.
--figures prints the figures of the house instead.
"""
import pathlib
import re
import sys

import house_figures

ROOT = pathlib.Path(__file__).resolve().parent.parent
SRC = ROOT / "src"

# Library header prefix -> modules that may include it.
LIBRARIES = {
    "nlohmann/": {"base"},
    "yaml-cpp/": {"spec"},
    "onnx/": {"spec"},
    "CLI/": {"cli"},
    "mpi.h": {"lab/mpi"},
    "elfutils/": {"program"},
    "dwarf.h": {"program"},
    "curl/": {"base/http"},
    "sodium": {"tile/seal"},
    "zlib.h": {"base", "memory/read"},
    "zstd.h": {"base"},
    "lzma.h": {"base"},
    "nlopt": {"predict/search", "predict/time"},
    "Eigen/": {"evidence"},
    "snappy": {"fleet/read"},
    "sqlite3.h": {"fleet/ranks/read", "fleet/watch"},
}


def modules():
    text = (SRC / "CMakeLists.txt").read_text() + (ROOT / "lab/CMakeLists.txt").read_text()
    found = {}
    for line in re.findall(r"^ *lento_module\(([^)]*)\)", text, re.M):
        words = line.split()
        uses, collecting = [], False
        for word in words[1:]:
            if word in ("USES", "LINKS"):
                collecting = word == "USES"
            elif collecting:
                uses.append(word)
        found[words[0]] = set(uses)
    return found


def deep():
    """Modules that also take the files of their folders' folders."""
    text = (SRC / "CMakeLists.txt").read_text() + (ROOT / "lab/CMakeLists.txt").read_text()
    return {words.split()[0] for words in re.findall(r"^ *lento_module\(([^)]*)\)", text, re.M) if "DEEP" in words.split()}


def module_of(path, known):
    parts = path.split("/")
    for n in range(len(parts) - 1, 0, -1):
        name = "/".join(parts[:n])
        if name in known:
            return name
    return None


def breaches(known):
    for path in sorted([*SRC.rglob("*"), *(ROOT / "lab").rglob("*")]):
        if path.suffix not in (".h", ".cc", ".inc"):
            continue
        shown = path.relative_to(ROOT).as_posix()
        relative = shown.removeprefix("src/")
        own = module_of(relative, known)
        if own is None:
            if path.name not in ("main.cc", "mpi_main.cc"):
                yield f"{shown}: stands in no module"
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            match = re.match(r'\s*#\s*include\s*[<"]([^>"]+)[>"]', line)
            if not match:
                continue
            target = match.group(1)
            other = module_of(target, known)
            if other and other != own and other not in known[own]:
                yield f"{shown}:{number}: {own} may not include {other} ({target})"
            for prefix, allowed in LIBRARIES.items():
                if target.startswith(prefix) and own not in allowed:
                    yield f"{shown}:{number}: {target} belongs to {', '.join(sorted(allowed))}"


def cycles(known):
    done = set()

    def visit(name, chain):
        if name in chain:
            yield " -> ".join(chain[chain.index(name):] + [name])
            return
        if name in done:
            return
        for other in sorted(known.get(name, ())):
            if other not in known:
                yield f"{name} uses {other}, which is no module"
            else:
                yield from visit(other, chain + [name])
        done.add(name)

    for name in known:
        yield from visit(name, [])


def main():
    if sys.argv[1:] == ["--figures"]:
        return house_figures.figures(ROOT)
    known = modules()
    faults = list(cycles(known)) + list(breaches(known))
    faults += ["a circle of files: " + " ".join(circle) for circle in house_figures.file_cycles(ROOT)]
    print("\n".join(faults) if faults else f"{len(known)} modules, no wall is broken")
    return 1 if faults or not known else 0


if __name__ == "__main__":
    sys.exit(main())
