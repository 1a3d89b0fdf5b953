#!/usr/bin/env python3
"""Small files that become large ones, and devices without end: memory stays under the limit and the error names the file.

usage: bombs_check.py LENTO LENTO_LAB SOURCE [RESULTS.csv]
Each bomb is a few MB and 1 GiB when expanded. Every reader gets every bomb with --memory-limit 256MiB; the process may hold
at most 64 MiB more, must end within two minutes, and must say which file it was. What is read as a stream is not limited: it
ends with its own answer, in the same memory.
"""
import csv
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import zlib

LIMIT_MIB, MORE_MIB, MOST_S = 256, 64, 120
PIECE = 64 << 20
PIECES = 16


def gzip_of(path, head, piece):
    """head once, then the piece again and again, as members of one file."""
    def member(data):
        packer = zlib.compressobj(6, zlib.DEFLATED, 31)
        return packer.compress(data) + packer.flush()
    body = member((piece * (PIECE // len(piece) + 1))[:PIECE])
    path.write_bytes((member(head) if head else b"") + body * PIECES)


def bombs(folder):
    gzip_of(folder / "zeros.gz", b"", b"\0")
    gzip_of(folder / "one_line.gz", b"", b"a")
    gzip_of(folder / "brackets.gz", b"", b"[")
    gzip_of(folder / "list.gz", b"[", b"[1],")
    gzip_of(folder / "table.gz", b"time,machine,power_w\n", b"1,a,2\n")
    gzip_of(folder / "keys.gz", b"schema: lento.chip/1\n", b"k: 1\n")
    gzip_of(folder / "probe.gz", b"lento.probe/1 text\n", b"1 2 3 4 5\n")
    return ["zeros.gz", "one_line.gz", "brackets.gz", "list.gz", "table.gz", "keys.gz", "probe.gz", "/dev/zero", "/dev/full"]


def readers(source):
    chip, mapping = f"{source}/examples/chip/4x4.yaml", f"{source}/examples/chip/tiny.map.json"
    return {
        "report": ["report", "{}"],
        "diff": ["diff", "{}", "{}"],
        "chip": ["chip", "check", "--chip", "{}", "--mapping", mapping],
        "mapping": ["chip", "check", "--chip", chip, "--mapping", "{}"],
        "faults": ["chip", "simulate", "--chip", chip, "--mapping", mapping, "--faults", "{}"],
        "records": ["chip", "diagnose", "{}", "--chip", chip, "--mapping", mapping],
        "network": ["chip", "map", "{}", "--chip", chip, "--batch", "4", "-o", "/dev/null"],
        "fleet csv": ["fleet", "diagnose", "--csv", "{}", "--machine-column", "machine"],
        "openmetrics": ["fleet", "diagnose", "--openmetrics", "{}"],
        "op trace": ["fleet", "diagnose", "--op-trace", "{}"],
        "access trace": ["memory", "diagnose", "{}"],
        "transactions": ["memory", "itemsets", "{}", "--support", "50%"],
        "guest": ["memory", "simulate", "{}"],
        "platform": ["memory", "simulate", chip, "--platform", "{}"],
        "workload": ["predict", "{}", "--system", "h100"],
        "system": ["predict", f"{source}/examples/predict/gemm.yaml", "--system", "{}"],
        "measurements": ["predict", "calibrate", "{}", "--system", "h100"],
        "space": ["search", "{}"],
        "journal": ["search", f"{source}/examples/search/quick.yaml", "--steps", "1", "--starts", "1", "--journal", "{}"],
        "tile image": ["tile", "verify", "{}"],
    }


def once(lento, arguments, folder):
    begin = time.monotonic()
    process = subprocess.Popen([lento, *arguments, "--memory-limit", f"{LIMIT_MIB}MiB"], cwd=folder, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=open(folder / "err", "w"))
    while True:
        done, status, usage = os.wait4(process.pid, os.WNOHANG)
        if done:
            break
        if time.monotonic() - begin > MOST_S:
            process.kill()
            _, status, usage = os.wait4(process.pid, 0)
            break
        time.sleep(0.01)
    process.returncode = os.waitstatus_to_exitcode(status)
    said = (folder / "err").read_text(errors="replace")
    return process.returncode, usage.ru_maxrss / 1024, time.monotonic() - begin, said


def main():
    lento, source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[3])
    rows, faults = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for bomb in bombs(folder):
            for reader, arguments in readers(source).items():
                if reader == "transactions" and bomb.startswith("/dev"):
                    continue  # read as a stream, which has no end here
                if reader == "journal" and bomb.endswith(".gz"):
                    continue  # a journal is never compressed: a damaged one is refused and stays as it is
                code, memory, seconds, said = once(lento, [a.replace("{}", bomb) for a in arguments], folder)
                fault = ""
                if memory > LIMIT_MIB + MORE_MIB:
                    fault = f"{memory:.0f} MiB"
                elif code in (-9, 3) or code < 0:
                    fault = f"exit {code}: {said[:200]}"
                elif code == 2 and bomb not in said:
                    fault = f"the file is not named: {said[:200]}"
                print(reader, bomb, code, f"{memory:.0f} MiB, {seconds:.1f} s", fault, flush=True)
                if fault:
                    faults.append(f"{reader}, {bomb}: {fault}")
                rows.append([reader, bomb, code, f"{memory:.0f}", f"{seconds:.1f}", said.split("\n")[0].replace(source, "")[:120]])
    if len(sys.argv) > 4:
        with open(sys.argv[4], "w", newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(["reader", "bomb", "exit", "most MiB", "seconds", "said"])
            table.writerows(rows)
    print("\n".join(faults))
    print(f"{len(rows)} bombs, most memory {max(float(r[3]) for r in rows):.0f} MiB under a limit of {LIMIT_MIB}, {len(faults)} faults")
    return 1 if faults else 0


sys.exit(main())
