#!/usr/bin/env python3
"""Hostile input through every reader: spoilt files of every form, and what the program does with them.

usage: hostile_check.py LENTO [--runs N] [--seed S] [--reader NAME ...] [-j N]
Each reader has one or more whole inputs, made by simulation or taken from the checkout. A run spoils one of them in one to
eight places (bits, digits, huge numbers, lost and doubled stretches, other files' bytes, brackets without end, a cut) or
replaces it by noise, and gives it to the reader's command. Counted are crashes and bugs (a signal or exit 3), runs over ten
seconds, and runs that hold over 64 MiB more than --memory-limit. One of these is an error, and the exit status is 1.
"""
import argparse
import concurrent.futures
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import damage_check
from damage_check import CHIP, EXAMPLES, ROOT, make, open_bytes

LIMIT_MIB, MORE_MIB, MOST_S = 256, 64, 10
SYSTEM = ["--system", "h100"]


def made(kind, lento, seed, folder):
    """The planted input of a reader of damage_check.py, and the words that judge it."""
    case = kind(lento, seed, folder)
    case.build()
    file = case.files("planted")[0]
    whole = [str(w) for w in case.judge(case.folder / "planted")[1:]]
    if str(file) in whole:
        return file, [("{}" if w == str(file) else w) for w in whole]
    return file, [("{}" if w == str(case.folder / "planted") else w) for w in whole]



def readers(lento, seed, work):
    """name -> (file, words); {} stands for the spoilt file."""
    out = {}
    for name, kind in damage_check.READERS.items():
        folder = work / name.replace(" ", "_")
        folder.mkdir()
        out[name] = made(kind, lento, seed, folder)
    keep = work / "made"
    keep.mkdir()
    chip, mapping = str(EXAMPLES / "chip/4x4.yaml"), str(EXAMPLES / "chip/tiny.map.json")
    probe = str(out["binary probe"][0])
    make(lento, "fleet", "diagnose", "--csv", out["fleet CSV"][0], "--html", keep / "p.html")
    text = subprocess.run([lento, "chip", "diagnose", probe, *map(str, CHIP), "--json"], capture_output=True).stdout
    (keep / "d.json").write_bytes(text)
    make(lento, "memory", "simulate", ROOT / "guests/built/false_sharing.elf", "--harts", 2, "--trace", keep / "t.access")
    (keep / "m.csv").write_text("kind,m,n,k,precision,measured\n" + "".join(f"gemm,{m},4096,4096,bf16,{m / 4000} ms\n" for m in range(512, 9000, 512)))
    (keep / "up.txt").write_text("".join(f'load{{machine="n{m}"}} {100 + m} {1780000000 + 10 * t}\n' for t in range(60) for m in range(6)) + "# EOF\n")
    vcd = EXAMPLES / "tile/bus.vcd"
    wave = ["tile", "run", str(ROOT / "guests/built/echo.ypu"), "--unsigned", "--map", str(EXAMPLES / "tile/bus.map.yaml"), "--block"]
    out |= {
        "chip file": (pathlib.Path(chip), ["chip", "check", "--chip", "{}", "--mapping", mapping]),
        "mapping": (pathlib.Path(mapping), ["chip", "check", "--chip", chip, "--mapping", "{}"]),
        "faults": (EXAMPLES / "chip/slow_link.yaml", ["chip", "simulate", "--chip", chip, "--mapping", mapping, "--faults", "{}", "-o", "/dev/null"]),
        "network": (EXAMPLES / "models/gpt2.json", ["predict", "{}", *SYSTEM, "--sequence", "128"]),
        "onnx": (EXAMPLES / "models/googlenet.onnx", ["predict", "{}", *SYSTEM]),
        "diagnosis": (keep / "d.json", ["report", "{}"]),
        "diff": (keep / "d.json", ["diff", "{}", str(keep / "d.json")]),
        "openmetrics": (keep / "up.txt", ["fleet", "diagnose", "--openmetrics", "{}"]),
        "binary accesses": (keep / "t.access", ["memory", "diagnose", "{}"]),
        "guest": (ROOT / "guests/built/false_sharing.elf", ["memory", "simulate", "{}", "--harts", "2", "--max-cycles", "200000"]),
        "platform": (EXAMPLES / "memory/banked.yaml", ["memory", "replay", str(out["accesses"][0]), "--platform", "{}", "-o", "/dev/null"]),
        "foreign trace": (out["accesses"][0], ["memory", "replay", "{}", "-o", "/dev/null"]),
        "transactions": (ROOT / "fuzz/seeds/itemsets/small.fimi", ["memory", "itemsets", "{}", "--support", "2"]),
        "workload": (EXAMPLES / "predict/mixture.yaml", ["predict", "{}", *SYSTEM]),
        "system": (ROOT / "share/lento/systems/a100.yaml", ["predict", str(EXAMPLES / "predict/gemm.yaml"), "--system", "{}"]),
        "questions": (keep / "m.csv", ["predict", "--table", "{}", *SYSTEM]),
        "measured": (keep / "m.csv", ["predict", "--measured", "{}", *SYSTEM]),
        "profiler trace": (ROOT / "fuzz/seeds/profiler_trace/products.json", ["predict", "--measured", "{}", *SYSTEM]),
        "rocprof": (ROOT / "fuzz/seeds/rocprof/kernel_trace.csv", ["predict", "--measured", "{}", *SYSTEM]),
        "space": (EXAMPLES / "search/quick.yaml", ["search", "{}", "--starts", "1", "--steps", "1"]),
        "image": (ROOT / "guests/built/echo.ypu", ["tile", "verify", "{}"]),
        "recording": (vcd, [*wave, "vcd:{}"]),
        "signal map": (EXAMPLES / "tile/bus.map.yaml", ["tile", "run", str(ROOT / "guests/built/echo.ypu"), "--unsigned", "--block", f"vcd:{vcd}", "--map", "{}"]),
        "rules": (EXAMPLES / "tile/rules.yaml", [*wave, f"vcd:{vcd}", "--rules", "{}"]),
        "Nsight": (EXAMPLES / "nsight/rank0.sqlite", ["fleet", "ranks", "{}"]),
        "op trace": (ROOT / "fuzz/seeds/op_trace/ops.csv", ["fleet", "diagnose", "--op-trace", "{}"]),
        "any file, a diagnosis": (keep / "d.json", ["diagnose", "{}"]),
        "any file, a probe": (pathlib.Path(probe), ["diagnose", "{}"]),
        "any file, a trace": (out["Kineto"][0], ["diagnose", "{}"]),
        "any file, a page": (keep / "p.html", ["diagnose", "{}"]),
    }
    for seed_file in sorted((ROOT / "fuzz/seeds/desk_lines").iterdir()):
        out[f"desk {seed_file.name}"] = (seed_file, ["diagnose", "{}"])
    return out


def spoilt(data, other, rng):
    if rng.random() < 0.03:
        return rng.choice([b"", b"\x00", rng.randbytes(rng.randrange(4096)), b"[" * (1 << 20), b"{\"a\":" * 200000, other])
    for _ in range(rng.randrange(1, 9)):
        at, long = rng.randrange(len(data) + 1), rng.choice([1, 4, 8, 64, 512])
        kind = rng.randrange(9)
        if kind == 0 and at < len(data):
            data = data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1:]
        elif kind == 1:
            data = data[:at] + rng.randbytes(long) + data[at:]
        elif kind == 2:
            data = data[:at] + data[at + long:]
        elif kind == 3:
            data = data[:at] + data[at:at + long] * rng.choice([2, 3, 50]) + data[at + long:]
        elif kind == 4:
            data = data[:at] + rng.choice([b"9" * 30, b"-1", b"1e308", b"nan", b"18446744073709551615", b"\xff\xff\xff\xff", b"\xff" * 8, b"0x7fffffff"]) + data[at + long:]
        elif kind == 5:
            begin = rng.randrange(len(other) + 1)
            data = data[:at] + other[begin:begin + long] + data[at:]
        elif kind == 6:
            data = data[:at] + rng.choice([b"\x00" * long, b"\n" * long, b"[" * long, b"\"", b"{", b",", b"\x1b[2J", b"\xf0\x9f"]) + data[at:]
        elif kind == 7:
            digits = [i for i in range(at, min(len(data), at + 2000)) if 48 <= data[i] < 58]
            if digits:
                i = rng.choice(digits)
                data = data[:i] + bytes([48 + rng.randrange(10)]) * rng.choice([1, 1, 12]) + data[i + 1:]
        elif rng.random() < 0.3:
            data = data[:at]
    return data


def once(command, folder):
    """(what is wrong or '', seconds, MiB)."""
    begin = time.monotonic()
    with open(folder / "err", "wb") as err:
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err, start_new_session=True)
    while True:
        done, status, usage = os.wait4(process.pid, os.WNOHANG)
        cpu = usage.ru_utime + usage.ru_stime if done else 0
        if done:
            break
        if time.monotonic() - begin > 6 * MOST_S:
            os.killpg(process.pid, signal.SIGKILL)
            _, status, usage = os.wait4(process.pid, 0)
            return "hang", usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
        time.sleep(0.003)
    process.returncode = code = os.waitstatus_to_exitcode(status)
    memory = usage.ru_maxrss / 1024
    if code < 0 or code == 3:
        return f"exit {code}", cpu, memory
    if cpu > MOST_S:
        return "over 10 s", cpu, memory
    return "over the limit of memory" if memory > LIMIT_MIB + MORE_MIB else "", cpu, memory


def run_one(args, name, file, words, others, n):
    rng = random.Random(f"{args.seed}/{name}/{n}")
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work)
        data = spoilt(open_bytes(file)[:1 << 20], open_bytes(rng.choice(others))[:1 << 16], rng)
        target = folder / file.name
        target.write_bytes(data)
        command = [str(args.lento), *[w.replace("{}", str(target)) for w in words], "--memory-limit", f"{LIMIT_MIB}MiB"]
        wrong, seconds, memory = once(command, folder)
        if wrong and args.keep:
            args.keep.mkdir(exist_ok=True)
            shutil.copy(target, args.keep / f"{name.replace(' ', '_')}-{n}-{file.name}")
        said = (folder / "err").read_text(errors="replace").strip()[:160]
    return f"  {name} {n}: {wrong}: {said}" if wrong else "", seconds, memory


def main():
    args = argparse.ArgumentParser()
    args.add_argument("lento", type=lambda p: pathlib.Path(p).resolve())
    args.add_argument("--runs", type=int, default=100, help="of each reader")
    args.add_argument("--seed", type=int, default=1)
    args.add_argument("--reader", nargs="*")
    args.add_argument("--keep", type=pathlib.Path, help="folder for inputs of errors")
    args.add_argument("-j", "--jobs", type=int, default=2)
    args = args.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    errors, total = [], 0
    with tempfile.TemporaryDirectory() as work:
        everyone = readers(args.lento, args.seed, pathlib.Path(work))
        others = [file for file, _ in everyone.values()]
        print(f"seed {args.seed}\nreader                   runs  errors  most s  most MiB")
        for name in args.reader or everyone:
            file, words = everyone[name]
            with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
                rows = list(pool.map(lambda n, r=(name, file, words): run_one(args, *r, others, n), range(args.runs)))
            wrong = [r[0] for r in rows if r[0]]
            total += len(rows)
            errors += wrong
            print(f"{name:24} {len(rows):4d} {len(wrong):7d} {max(r[1] for r in rows):7.1f} {max(r[2] for r in rows):9.0f}", flush=True)
    print(f"{total} runs of {len(args.reader or everyone)} readers, {len(errors)} errors", *errors, sep="\n")
    sys.exit(1 if errors else 0)


if __name__ == "__main__":
    main()
