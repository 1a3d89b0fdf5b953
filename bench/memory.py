#!/usr/bin/env python3
"""Figures of `lento memory`, as CSV on stdout: bench/memory.py PART [--lento PROGRAM] [--guests FOLDER] [--data FOLDER]

platform   instructions a CPU second on 1 and 8 harts, without trace (best of 5)
paper      speed-up, third quartile, coverage, costliest pair of functions on 1, 4, 8 harts
planted    planted causes and lines named, and calm runs without findings, over 50 seeds each
itemsets   closed mining of every row of reference.csv: count, CPU seconds, memory, against the recorded peers
large      a trace of more than 5e8 accesses: CPU seconds and peak memory of its diagnosis
"""
import argparse
import csv
import json
import lzma
import os
import subprocess
import sys
import tempfile


def measure(command):
    """(stdout, CPU seconds, peak KiB) of a command that must succeed."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    out = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise RuntimeError(f"{command} ended with {status}")
    return out.decode(), usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def best(command, runs=5):
    results = [measure(command) for _ in range(runs)]
    return results[0][0], min(r[1] for r in results), min(r[2] for r in results)


def make_clip(path, frames, quality=75):
    """Frames of 128 x 64 with texture and motion, a restart marker after every row of blocks."""
    with open(path, "wb") as clip:
        for f in range(frames):
            noise, pixels = f + 1, bytearray()
            for y in range(64):
                for x in range(128):
                    noise = (noise * 1664525 + 1013904223) & 0xFFFFFFFF
                    wave = ((x + 3 * f) * 5 & 127) + (y * 7 & 63) // 2 + (noise >> 27)
                    pixels += bytes(max(0, min(255, 40 + wave + tint)) for tint in (0, 30, -20))
            image = b"P6\n128 64\n255\n" + bytes(pixels)
            cjpeg = ["cjpeg", "-restart", "1", "-quality", str(quality)]
            clip.write(subprocess.run(cjpeg, input=image, stdout=subprocess.PIPE, check=True).stdout)


def facts(text):
    return dict(json.loads(text)["facts"])


def platform(args, folder, out):
    clip = f"{folder}/clip.mjpeg"
    make_clip(clip, 192)
    out.writerow(["harts", "instructions", "cpu_s", "million_instructions_per_s"])
    for harts in (1, 8):
        run = [args.lento, "memory", "simulate", f"{args.guests}/mjpeg.elf", "--disk", clip, "--harts", str(harts), "--json"]
        text, seconds, _ = best(run)
        instructions = int(facts(text)["instructions"])
        out.writerow([harts, instructions, f"{seconds:.3f}", f"{instructions / seconds / 1e6:.1f}"])


def rows_of(diagnosis, title):
    return next(f for f in diagnosis["figures"] if f["title"] == title)["data"]["rows"]


def paper(args, folder, out):
    clip = f"{folder}/clip.mjpeg"
    make_clip(clip, 24)
    out.writerow(["harts", "cycles", "speed_up", "q3_nearest_linear_grouped", "windows", "coverage_time", "coverage_events",
                  "rank_1", "support", "lift", "excess_cycles", "largest_blame", "function_that_always_runs", "its_lift"])
    first = None
    for harts in (1, 4, 8):
        trace = f"{folder}/{harts}.access"
        run = [args.lento, "memory", "simulate", f"{args.guests}/mjpeg.elf", "--disk", clip, "--harts", str(harts),
               "--trace", trace, "--json"]
        cycles = int(facts(measure(run)[0])["cycles"])
        first = first or cycles
        diagnose = [args.lento, "memory", "diagnose", trace, "--elf", f"{args.guests}/mjpeg.elf", "--quantile", "linear", "--json"]
        text = measure(diagnose)[0]
        diagnosis, f = json.loads(text), facts(text)
        pattern = (rows_of(diagnosis, "Patterns") or [[""] * 7])[0]
        blame = (rows_of(diagnosis, "Who delays whom") or [[""] * 4])[0]
        function = max(rows_of(diagnosis, "Functions and their base rate"),
                       key=lambda row: float(row[2].rstrip(" %")), default=[""] * 5)
        out.writerow([harts, cycles, f"{first / cycles:.2f}", f["third quartile (nearest rank / linear / grouped)"],
                      f["contention windows"], f["coverage of time"], f["coverage of events"], pattern[0], pattern[2], pattern[3],
                      pattern[5], f"{blame[0]} waits for {blame[1]}: {blame[2]}", function[0], function[3]])


def random_after(state):
    state ^= state << 13 & 0xFFFFFFFF
    state ^= state >> 17
    return (state ^ state << 5) & 0xFFFFFFFF


def planted_place(guest, seed):
    """What the finding's subject must hold: the first draw of the guest places the fault."""
    draw = random_after((seed * 747796405 + 1) & 0xFFFFFFFF)
    if guest == "false_sharing":
        return f"shared_counters[{draw % 64 * 16}]"
    return f"locks[{draw % 32}]" if guest == "lock_convoy" else draw % 8


def is_named(guest, seed, finding):
    cause = {"false_sharing": "false sharing", "lock_convoy": "lock", "bank_conflict": "bank or set conflict"}[guest]
    if finding["category"] != cause:
        return False
    place = planted_place(guest, seed)
    if guest != "bank_conflict":
        return place in finding["subject"]
    distance = next((e["value"] for e in finding["evidence"] if e["text"] == "distance of the lines"), 0)
    last = int(finding["subject"].split(" to ")[1].split()[0], 16)
    return distance == 256 and last // 32 % 8 == place


def planted(args, folder, out):
    out.writerow(["guest", "seeds", "right", "wrong_seeds"])
    trace = f"{folder}/planted.access"
    for guest in ("false_sharing", "lock_convoy", "bank_conflict", "independent"):
        wrong = []
        for seed in range(1, args.seeds + 1):
            elf = f"{args.guests}/{guest}.elf"
            measure([args.lento, "memory", "simulate", elf, "--platform", "examples/memory/banked.yaml", "--seed", str(seed),
                     "--trace", trace])
            findings = json.loads(measure([args.lento, "memory", "diagnose", trace, "--elf", elf, "--json"])[0]).get("findings", [])
            right = not findings if guest == "independent" else bool(findings) and is_named(guest, seed, findings[0])
            wrong += [] if right else [str(seed)]
        out.writerow([guest, args.seeds, args.seeds - len(wrong), " ".join(wrong)])


def itemsets(args, folder, out):
    source = f"{args.data}/memory/itemsets"
    with open(f"{source}/reference.csv", newline="") as table:
        rows = [r for r in csv.DictReader(table) if r["kind"] == "closed" and r["itemsets_nonempty"]]
    empty = f"{folder}/empty.dat"
    with open(empty, "w") as one:
        one.write("1\n")
    _, start, base = best([args.lento, "memory", "itemsets", empty, "--support", "1", "--count"])
    peers = ("sec_lcm53", "sec_eclat", "sec_fpgrowth")
    out.writerow(["dataset", "support", "closed", "equal", "cpu_s", "best_peer_s", "ratio", "kib_above_empty", "kib_lcm53",
                  "wall_speedup_2_threads"])
    for row in rows:
        data = f"{folder}/{row['dataset']}.dat"
        if not os.path.exists(data):
            with lzma.open(f"{source}/{row['dataset']}.dat.xz") as packed, open(data, "wb") as plain:
                plain.write(packed.read())
        run = [args.lento, "memory", "itemsets", data, "--support", row["minsup_abs"], "--closed", "--count"]
        count, seconds, peak = best(run)
        seconds -= start
        peer = min((float(row[p]) for p in peers if row[p].replace(".", "").isdigit()), default=0)
        out.writerow([row["dataset"], row["minsup_abs"], row["itemsets_nonempty"], count.strip() == row["itemsets_nonempty"],
                      f"{seconds:.3f}", peer, f"{seconds / peer:.2f}" if peer else "", peak - base, row["kb_lcm53"],
                      f"{two_threads(run):.2f}" if seconds > 0.5 else ""])


def two_threads(run):
    def wall(command):
        before = os.times().elapsed
        measure(command)
        return os.times().elapsed - before
    return min(wall(run) for _ in range(3)) / min(wall(run + ["-j", "2"]) for _ in range(3))


def large(args, folder, out):
    clip, trace = f"{folder}/clip.mjpeg", f"{folder}/large.access"
    make_clip(clip, 24, quality=98)
    content = open(clip, "rb").read()
    with open(clip, "wb") as whole:
        whole.write(content * 10)
    elf = f"{args.guests}/mjpeg.elf"
    text, seconds, _ = measure([args.lento, "memory", "simulate", elf, "--disk", clip, "--trace", trace, "--json"])
    events = int(facts(text)["trace"].split()[0])
    out.writerow(["step", "accesses", "bytes", "cpu_s", "peak_mib", "million_accesses_per_s"])
    out.writerow(["simulate --trace", events, os.path.getsize(trace), f"{seconds:.1f}", "", f"{events / seconds / 1e6:.1f}"])
    _, seconds, peak = measure([args.lento, "memory", "diagnose", trace, "--elf", elf, "--json"])
    out.writerow(["diagnose", events, "", f"{seconds:.1f}", peak // 1024, f"{events / seconds / 1e6:.1f}"])


def main():
    parts = {f.__name__: f for f in (platform, paper, planted, itemsets, large)}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=parts)
    parser.add_argument("--lento", default="build/release/bin/lento")
    parser.add_argument("--guests", default="build/release/guests")
    parser.add_argument("--data", default=os.environ.get("LENTO_SHARED", "") + "/data", help="folder with memory/itemsets")
    parser.add_argument("--seeds", type=int, default=50)
    args = parser.parse_args()
    print(f"# python3 bench/memory.py {args.part}")
    with tempfile.TemporaryDirectory() as folder:
        parts[args.part](args, folder, csv.writer(sys.stdout, lineterminator="\n"))


if __name__ == "__main__":
    main()
