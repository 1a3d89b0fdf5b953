#!/usr/bin/env python3
"""What a live watch of 1,024 ranks costs: logs of the Inspector grow at the pace of their own times while it looks on.

usage: ranks_live_speed.py LENTO [--dp N] [--steps N] [--folder FOLDER]

A job of TP 8 x DP x PP 4 with one slow GPU is simulated at 1,000 collectives a minute and rank, its logs are appended to copies as their times come, and every 20 s the
CPU time and the peak of the resident memory of 'lento fleet watch --ranks' are printed; at last what it told.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time


STAMP = re.compile(rb'(_ts":|timestamp_us":)(\d{16})')
DURATION = re.compile(rb'(exec_time_us":)(\d+)')


def stretch(path, factor):
    """The job that takes so many times as long for everything."""
    text = path.read_bytes()
    begin = int(STAMP.search(text)[2])
    text = STAMP.sub(lambda m: m[1] + str(begin + round((int(m[2]) - begin) * factor)).encode(), text)
    path.write_bytes(DURATION.sub(lambda m: m[1] + str(round(int(m[2]) * factor)).encode(), text))


def cut_by_second(path):
    """[(second, first byte after it)] of a log."""
    cuts, at, first = [], 0, None
    with open(path, "rb") as file:
        for line in file:
            at += len(line)
            stamp = json.loads(line)["metadata"]["dump_timestamp_us"] / 1e6
            first = stamp if first is None else first
            second = int(stamp - first)
            if cuts and cuts[-1][0] == second:
                cuts[-1] = (second, at)
            else:
                cuts.append((second, at))
    return cuts


def used(pid):
    """CPU seconds and peak resident MiB of a process."""
    stat = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    peak = next(line for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmHWM"))
    return (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK"), int(peak.split()[1]) / 1024


def feed(logs, cuts, target, second):
    """Appends what the logs hold up to this second."""
    for log in logs:
        done = cuts[log]["done"]
        until = done
        while cuts[log]["cuts"] and cuts[log]["cuts"][0][0] <= second:
            until = cuts[log]["cuts"].pop(0)[1]
        if until > done:
            with open(log, "rb") as source, open(target / log.name, "ab") as out:
                source.seek(done)
                out.write(source.read(until - done))
            cuts[log]["done"] = until


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lento")
    parser.add_argument("--dp", type=int, default=32)
    parser.add_argument("--steps", type=int, default=150)
    parser.add_argument("--folder", help="for the logs, some GB; default: a temporary one")
    o = parser.parse_args()
    root = pathlib.Path(tempfile.mkdtemp(prefix="ranks_live_speed_", dir=o.folder))
    try:
        ranks = 8 * o.dp * 4
        subprocess.run([o.lento, "fleet", "simulate-ranks", "--tp", "8", "--dp", str(o.dp), "--pp", "4", "--gpus-a-host", "8",
                        "--steps", str(o.steps), "--fault", "slow_gpu", "--place", str(ranks // 2 + 5), "--factor", "1.5",
                        "--from-step", str(o.steps // 2), "--layout", "inspector", "--out", str(root / "whole")],
                       check=True, stdout=subprocess.DEVNULL)
        logs = sorted((root / "whole").rglob("*.log"))
        for log in logs:
            stretch(log, 3.9)  # the simulated job does 3,900 a minute
        cuts = {log: {"cuts": cut_by_second(log), "done": 0} for log in logs}
        last = max(c["cuts"][-1][0] for c in cuts.values())
        target = root / "live"
        target.mkdir()
        watch = subprocess.Popen([o.lento, "fleet", "watch", "--ranks", str(target), "--interval", "1", "--job", "live"],
                                 stdout=open(root / "told", "w"), stderr=subprocess.DEVNULL)
        begin = time.monotonic()
        for second in range(last + 16):
            feed(logs, cuts, target, second)
            time.sleep(max(0, begin + second + 1 - time.monotonic()))
            if second % 20 == 19 or second == last + 15:
                cpu, peak = used(watch.pid)
                wall = time.monotonic() - begin
                print(f"{wall:.0f} s: {min(1, (second + 1) / (last + 1)):.0%} fed, CPU {cpu:.1f} s ({cpu / wall:.0%} of a core), "
                      f"peak {peak:.0f} MiB", flush=True)
        watch.terminate()
        watch.wait()
        print(f"{ranks} ranks, {sum(log.stat().st_size for log in logs) / 1e9:.2f} GB; told:")
        print((root / "told").read_text(), end="")
    finally:
        shutil.rmtree(root)


if __name__ == "__main__":
    sys.exit(main())
