#!/usr/bin/env python3
"""Every command ends soon after a signal, wherever it is, and leaves nothing half done.

usage: signals_check.py LENTO LENTO_LAB SOURCE [MOMENTS [RESULTS.csv [COMMAND,COMMAND...]]]

Each command is started MOMENTS times (2 in the tests) for each of SIGINT, SIGTERM and SIGHUP, and signalled at a random
moment of its first three seconds. It must be gone within 2 s of wall and 0.5 s of processor time with status 130 (or have ended
by itself before), without a temporary file, and with no file that differs from what a complete run writes: a signal may come when
all is written.
"""
import concurrent.futures
import csv
import functools
import json
import os
import pathlib
import queue
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
MOST_WALL_S, MOST_CPU_S = 2.0, 0.5
LONGEST_WAIT_S = 3.0
SIDE_BY_SIDE = 2  # commands: most of the time of each is the wait before its signal
TICK = os.sysconf("SC_CLK_TCK")


def commands(source, folder, guests):
    """name -> (program, arguments)."""
    public = os.path.join(os.path.abspath(os.environ.get("LENTO_SHARED", f"{source}/../shared")), "data/predict")
    chip = ["--chip", f"{source}/examples/chip/4x4.yaml"]
    mapping = ["--mapping", f"{source}/examples/chip/tiny.map.json"]
    net = f"{source}/examples/models/googlenet.onnx"
    mp = f"{guests}/mjpeg.elf"
    known = {
        "chip map": ["chip", "map", net, *chip, "--batch", "64", "-o", "out.map.json"],
        "chip simulate": ["chip", "simulate", *chip, *mapping, "--inferences", "10000", "-o", "out.probe"],
        "chip sweep": ["chip", "sweep", *chip, *mapping, "--inferences", "1000"],
        "chip diagnose of a pipe": ["chip", "diagnose", "-", *chip, *mapping],
        "chip diagnose": ["chip", "diagnose", "run.probe", *chip, *mapping, "--html", "out.html"],
        "fleet simulate": ["fleet", "simulate", "--machines", "2000", "--seconds", "86400", "-o", "out.csv.gz"],
        "fleet simulate, serving": ["fleet", "simulate", "--machines", "8", "--serve", "0"],
        "fleet train": ["fleet", "train", "--csv", "job.csv", "--machine-column", "machine", "-o", "out.json"],
        "fleet diagnose": ["fleet", "diagnose", "--csv", "job.csv", "--machine-column", "machine"],
        "fleet diagnose of a pipe": ["fleet", "diagnose", "--csv", "-", "--machine-column", "machine"],
        "fleet diagnose of a silent store": ["fleet", "diagnose", "--prometheus", "http://127.0.0.1:{silent}", "--metric", "up"],
        "fleet watch": ["fleet", "watch", "--prometheus", "http://127.0.0.1:{silent}", "--metric", "up"],
        "memory itemsets": ["memory", "itemsets", "dense.fimi", "--support", "2", "--frequent"],
        "memory itemsets of a pipe": ["memory", "itemsets", "-", "--support", "2"],
        "memory replay": ["memory", "replay", "addresses.txt", "--format", "lackey", "-o", "out.access"],
        "memory simulate": ["memory", "simulate", mp, "--trace", "out.access"],
        "memory diagnose": ["memory", "diagnose", "run.access"],
        "report of a pipe": ["report", "-"],
        "search": ["search", f"{source}/examples/search/quick.yaml", "--steps", "100000", "--starts", "1000",
                   "--journal", "out.journal"],
        "serve": ["serve", ".", "--port", "0"],
        "tile store serve": ["tile", "store", "serve", ".", "--port", "0"],
        "tile build": ["tile", "build", "program.c", "-o", "out.ypu"],
        "predict": ["predict", f"{source}/examples/predict/gpt3_175b.yaml", "--system", "h100"],
        "predict calibrate": ["predict", "calibrate", "measured.csv", "--system", "h100"],
        "demo": ["demo", "--folder", "tour", "--html", "out.html"],
    }
    lab = {
        "lab chip campaign": ["chip", "campaign", f"{source}/campaigns/quick.yaml", "--journal", "out.journal"],
        "lab fleet evaluate": ["fleet", "evaluate"],
        "lab tile case prefetch": ["tile", "case", "prefetch", *map(str, sorted(pathlib.Path(guests).glob("front/*.elf")))],
        "lab tile case pics": ["tile", "case", "pics", f"{guests}/front/handlers.elf"],
        "lab tile case gpu": ["tile", "case", "gpu"],
        "lab validate": ["validate", public],
    }
    return {**{name: (0, args) for name, args in known.items()}, **{name: (1, args) for name, args in lab.items()}}


def prepare(lento, source, folder, guests):
    """Inputs that take longer than the test waits, where that is cheap."""
    def run(*arguments):
        done = subprocess.run([lento, *map(str, arguments)], cwd=folder, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, (arguments, done.stderr)
    run("chip", "simulate", "--chip", f"{source}/examples/chip/4x4.yaml", "--mapping", f"{source}/examples/chip/tiny.map.json",
        "--inferences", "2000", "-o", "run.probe")
    run("fleet", "simulate", "--machines", "64", "--preset", "paper", "-o", "job.csv")
    if os.path.exists(f"{guests}/independent.elf"):
        run("memory", "simulate", f"{guests}/independent.elf", "--harts", "2", "--trace", "run.access")
    draw = random.Random(1)
    with open(f"{folder}/dense.fimi", "w") as file:
        for _ in range(400):
            file.write(" ".join(str(i) for i in range(60) if draw.random() < 0.8) + "\n")
    with open(f"{folder}/addresses.txt", "w") as file:
        file.writelines(f" L {draw.randrange(1 << 20):08x},4\n" for _ in range(400_000))
    with open(f"{folder}/program.c", "w") as file:
        file.write('#include "ypu.h"\nYPU_MAIN { ypu_put32(ypu_io(0)); }\n')
    with open(f"{folder}/measured.csv", "w") as file:
        file.write("gpu,m,n,k,dtype,latency_us\n")
        file.writelines(f"h100,{64 * i},{64 * i},{64 * i},bf16,{i}\n" for i in range(1, 200))


def cpu_of(pid):
    """With the children that it has waited for: wait4 counts those too."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return sum(map(int, fields[11:15])) / TICK


def ready(process):
    """Waits until the handlers are there: before that nothing has been done and nothing can be left."""
    mask = (1 << (signal.SIGTERM - 1)) | (1 << (signal.SIGINT - 1))
    while process.poll() is None:
        try:
            with open(f"/proc/{process.pid}/status") as file:
                caught = next(line for line in file if line.startswith("SigCgt"))
        except (OSError, StopIteration):
            return
        if int(caught.split()[1], 16) & mask == mask:
            return
        time.sleep(0.001)


def once(program, arguments, folder, which, wait, ends_on_hangup):
    """One start; '' or what was wrong, and the seconds it took."""
    before = set(os.listdir(folder))
    # Standard input is a pipe that nobody writes to.
    process = subprocess.Popen([program, *arguments], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    ready(process)
    time.sleep(wait)
    wall = cpu = 0.0
    fault = ""
    if process.poll() is None:
        spent = cpu_of(process.pid)
        begin = time.monotonic()
        os.kill(process.pid, which)  # send_signal would reap a process that has just ended
        if not ends_on_hangup and which == signal.SIGHUP:
            time.sleep(0.3)
            with open(f"/proc/{process.pid}/stat") as file:
                gone = file.read().rsplit(")", 1)[1].split()[0] == "Z"
            if gone and wait > 1.5:  # before that it may not have been watching yet
                fault = "SIGHUP should have reloaded"
            os.kill(process.pid, signal.SIGTERM)
        while time.monotonic() - begin < 20:
            done, status, usage = os.wait4(process.pid, os.WNOHANG)
            if done:
                break
            time.sleep(0.002)
        else:
            process.kill()
            process.wait()
            process.stdin.close()
            return "did not end in 20 s", 20.0, 0.0
        wall = time.monotonic() - begin
        cpu = max(0.0, usage.ru_utime + usage.ru_stime - spent)
        process.returncode = os.waitstatus_to_exitcode(status)
        # Ended by itself in the same moment: as good.
        if process.returncode not in (130, 0):
            fault = fault or f"status {process.returncode}"
        if wall > MOST_WALL_S + (0.3 if not ends_on_hangup else 0):
            fault = fault or f"{wall:.2f} s of wall"
        if cpu > MOST_CPU_S:
            fault = fault or f"{cpu:.2f} s of processor"
    process.stdin.close()
    left = set(os.listdir(folder)) - before
    temporary = [name for name in left if ".lento-" in name or ".tmp" in name]
    if temporary:
        fault = fault or f"left {temporary}"
    if process.returncode == 130:
        for name in left:  # a journal and a page with the best so far are whole by themselves
            path = pathlib.Path(folder) / name
            if name in ("out.access", "out.probe", "out.csv.gz", "out.ypu"):
                whole = whole_file(program, tuple(arguments), folder, name)
                fault = fault or ("" if path.read_bytes() == whole else f"left {name}, and not whole")
            if name == "out.map.json":  # the best mapping so far, whole
                json.loads(path.read_text())
            if path.is_file() and name == "out.html" and not path.read_text().rstrip().endswith("</html>"):
                fault = fault or "left half a page"
    remove(folder, left)
    return fault, wall, cpu


@functools.cache
def whole_file(program, arguments, folder, name):
    """What the command writes when nobody disturbs it."""
    with tempfile.TemporaryDirectory() as other:
        for entry in os.listdir(folder):
            if not entry.startswith("out."):
                os.symlink(os.path.join(folder, entry), os.path.join(other, entry))
        subprocess.run([program, *arguments], cwd=other, stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=True)
        return (pathlib.Path(other) / name).read_bytes()


def remove(folder, names):
    for name in names:
        path = pathlib.Path(folder) / name
        if path.is_file():
            path.unlink()
        else:
            shutil.rmtree(path)


def missing(arguments, folder):
    """The first input that is not here: measured tables that are not shipped, guests where no RISC-V compiler is."""
    paths = [a for a in arguments if a.startswith("/") or a == "run.access"]
    return next((a for a in paths if not os.path.exists(os.path.join(folder, a))), None)


def fault_of(program, arguments, folder):
    """'' for a command that works, so that a signal meets it at work."""
    before = set(os.listdir(folder))
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen([program, *arguments], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                   stderr=said)
        try:
            status = process.wait(timeout=3)
        except subprocess.TimeoutExpired:
            status = 0
        process.kill()
        process.wait()
        process.stdin.close()
        remove(folder, set(os.listdir(folder)) - before)
        said.seek(0)
        return said.read().strip() or f"status {status}" if status else ""


def in_a_folder(free, *job):
    folder = free.get()
    try:
        return signalled(folder, *job)
    finally:
        free.put(folder)


def signalled(folder, name, program, arguments, waits):
    """Row of the table and faults of one command, signalled after each of `waits`."""
    absent = missing(arguments, folder)
    if absent:
        print(f"{name}: left out, {absent} is not here")
        return None, []
    refused = fault_of(program, arguments, folder)
    if refused:
        return None, [f"{name} does not run: {refused}"]
    faults, slowest, alive = [], [0.0, 0.0], 0
    for n, wait in enumerate(waits):
        which = SIGNALS[n * len(SIGNALS) // len(waits)]
        fault, wall, cpu = once(program, arguments, folder, which, wait, name != "fleet watch")
        slowest = [max(slowest[0], wall), max(slowest[1], cpu)]
        alive += wall > 0
        if fault:
            faults.append(f"{name}, {which.name} after {wait:.2f} s: {fault}")
    return [name, len(waits), alive, f"{slowest[0]:.3f}", f"{slowest[1]:.3f}"], faults


def main():
    # A shell starts what runs in the background with SIGINT ignored, and nohup with SIGHUP: commands would inherit it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    programs = [os.path.abspath(p) for p in sys.argv[1:3]]
    source = os.path.abspath(sys.argv[3])
    moments = int(sys.argv[4]) if len(sys.argv) > 4 else 2
    guests = pathlib.Path(programs[0]).parent.parent / "guests"
    draw = random.Random(16)
    only = sys.argv[6].split(",") if len(sys.argv) > 6 else None
    with tempfile.TemporaryDirectory() as scratch, socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(64)  # takes connections and never answers
        folders = [os.path.join(scratch, str(n)) for n in range(SIDE_BY_SIDE)]
        os.mkdir(folders[0])
        prepare(programs[0], source, folders[0], guests)
        free = queue.SimpleQueue()
        for other in folders[1:]:
            shutil.copytree(folders[0], other)
        for folder in folders:
            free.put(folder)
        jobs = []
        for name, (which_program, arguments) in commands(source, folders[0], guests).items():
            waits = [draw.uniform(0, LONGEST_WAIT_S) * draw.random() for _ in range(moments * len(SIGNALS))]
            arguments = [a.replace("{silent}", str(silent.getsockname()[1])) for a in arguments]
            if not only or name in only:
                jobs.append((name, programs[which_program], arguments, waits))
        with concurrent.futures.ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
            results = list(pool.map(lambda job: in_a_folder(free, *job), jobs))
    rows = [row for row, _ in results if row]
    faults = [fault for _, each in results for fault in each]
    if len(sys.argv) > 5:
        with open(sys.argv[5], "w", newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(["command", "signals", "running when signalled", "slowest wall s", "slowest cpu s"])
            table.writerows(rows)
    print("\n".join(faults))
    print(f"{len(rows)} commands, {sum(r[1] for r in rows)} signals, {sum(r[2] for r in rows)} met a running command, "
          f"{len(faults)} faults")
    return 1 if faults else 0


sys.exit(main())
