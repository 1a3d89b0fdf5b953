#!/usr/bin/env python3
"""What the programs load and how they are linked, read from their dynamic sections.

usage: binaries_check.py BUILD [--hardened]
Every program of the installation: no RPATH or RUNPATH, libraries by plain names only, position-independent, immediate
binding, read-only relocations, no executable stack; only lento-mpi knows MPI. With --hardened also stack canaries and
checked library calls. Exit 77 (skipped) without readelf.
"""
import pathlib
import re
import shutil
import subprocess
import sys

PROGRAMS = ["lento", "lento-lab", "lento-mpi"]


def readelf(*arguments):
    return subprocess.run(["readelf", "-W", *map(str, arguments)], capture_output=True, text=True, check=True).stdout


def faults(program, hardened):
    dynamic, header, segments = readelf("-d", program), readelf("-h", program), readelf("-l", program)
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
    if "(RPATH)" in dynamic or "(RUNPATH)" in dynamic:
        yield "has a run path: " + " ".join(re.findall(r"R(?:UN)?PATH\).*", dynamic))
    for library in needed:
        if "/" in library:
            yield f"loads '{library}' by a path"
    if any("mpi" in library or "open-rte" in library for library in needed) and program.name != "lento-mpi":
        yield "loads MPI"
    if "DYN (" not in header:
        yield "is not position-independent"
    if not re.search(r"BIND_NOW|Flags:.*NOW", dynamic):
        yield "binds its symbols late"
    if "GNU_RELRO" not in segments:
        yield "leaves its relocations writable"
    if re.search(r"GNU_STACK.*RWE", segments):
        yield "has an executable stack"
    if not needed:
        yield "says nothing of what it loads"
    if hardened:
        symbols = readelf("--dyn-syms", program)
        if "__stack_chk_fail" not in symbols:
            yield "has no stack canaries"
        if not re.search(r"_chk@", symbols.replace("__stack_chk_fail", "")):
            yield "checks no library calls"


def main():
    if not shutil.which("readelf"):
        print("readelf is not installed")
        return 77
    build = pathlib.Path(sys.argv[1])
    # Installed programs have no run path of the build, so the programs are checked as the linker wrote them.
    programs = [build / "bin" / name for name in PROGRAMS if (build / "bin" / name).exists()]
    cache = (build / "CMakeCache.txt").read_text()
    hardened = "LENTO_HARDEN:BOOL=ON" in cache and "LENTO_SANITIZE:BOOL=ON" not in cache
    bad = [f"{program.name} {fault}" for program in programs for fault in faults(program, hardened)]
    print("\n".join(bad) if bad else f"{len(programs)} programs, {'hardened' if hardened else 'not hardened'}: nothing wrong")
    return 1 if bad or not programs else 0


sys.exit(main())
