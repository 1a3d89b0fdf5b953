#!/usr/bin/env python3
"""Further ways to go wrong, each with the pattern that a clear answer matches; the list was written before it was first run.

A mistake is silent when the command ends well and no word of its answer names it, and unclear when it is refused in other words.
usage: further.py LENTO SOURCE [--show]. Exit 1 when one is silent or more than one in thirty is unclear.
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import zipfile

import run

MOST_UNCLEAR = 1 / 30
C2C = """=================================================
            Trace Event Information
=================================================
  Total records                     :     214881
  Locked Load/Store Operations      :        102
  Load Operations                   :      76801
  Loads - uncacheable               :          0
  Loads - no mapping                :         12
  Load Fill Buffer Hit              :      11021
  Load L1D hit                      :      41987
  Load L2D hit                      :        412
  Load LLC hit                      :      21104
  Load Local HITM                   :      19805
  Load Remote HITM                  :          0
  Load Remote HIT                   :          0
  Load Local DRAM                   :         96
  Load Remote DRAM                  :          0
  Store Operations                  :     138080
"""


def tables(folder):
    """Tables that no reader can take as they are."""
    rows = [f"{t},{m},{400 + t % 7 + len(m)}" for t in range(0, 300, 10) for m in ("a", "b", "cc", "d", "e")]
    written = {
        "two_columns.csv": "time,power_w\n" + "".join(f"{t},{400 + t % 7}\n" for t in range(60)),
        "semicolons_empty.csv": "time;node;power_w\n",
        "same_name_twice.csv": "time,node,power_w,power_w\n" + "".join(f"{row},{i}\n" for i, row in enumerate(rows)),
        "ragged.csv": "time,node,power_w\n" + "".join(row + ",9" * (i % 3) + "\n" for i, row in enumerate(rows)),
        "text_metrics.csv": "time,node,state\n" + "".join(re.sub(r"\d+$", "ok", row) + "\n" for row in rows),
        "one_machine.csv": "time,node,power_w\n" + "".join(f"{t},a,{400 + t % 7}\n" for t in range(60)),
        "constant.csv": "time,node,power_w\n" + "".join(re.sub(r"\d+$", "400", row) + "\n" for row in rows),
        "backwards.csv": "time,node,power_w\n" + "".join(row + "\n" for row in reversed(rows)),
        "no_time.csv": "node,power_w\n" + "".join(f"n{i},{400 + i % 7}\n" for i in range(12)),
        "nan_only.csv": "time,node,power_w\n" + "".join(re.sub(r"\d+$", "nan", row) + "\n" for row in rows),
        "page.html": "<!DOCTYPE html><html><body><p>502 Bad Gateway</p></body></html>\n",
        "notebook.ipynb": '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}\n',
        "script.py": "import torch\nprint(torch.cuda.is_available())\n",
        "config_text.json": '{"name": "a model", "layers": "many"}\n',
        "picture.png": b"\x89PNG\r\n\x1a\n" + bytes(64),
        "table.parquet": b"PAR1" + bytes(64) + b"PAR1",
    }
    for name, text in written.items():
        (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    with zipfile.ZipFile(folder / "excel.xlsx", "w") as book:
        book.writestr("xl/workbook.xml", "<workbook/>")


def fleets(folder):
    """One fleet of eight nodes, n03 with a slow clock in the second half, written as each office writes it."""
    nodes = [f"n{i:02d}" for i in range(8)]
    at = [(t, n, 1755 * (0.8 if n == "n03" and t > 600 else 1) + (t // 10 * 7 + i * 5) % 11, 500 + (t // 10 * 3 + i) % 9)
          for t in range(0, 1200, 10) for i, n in enumerate(nodes)]
    day = 1763625600
    table = {
        "nanoseconds.csv": ["ts,node,sm_clock_mhz,power_w"] + [f"{(day + t) * 10**9},{n},{c:.0f},{p}" for t, n, c, p in at],
        "comma.csv": ["time;node;sm_clock_mhz;power_w"] + [f"{t};{n};{c:.1f};{p},5".replace(".", ",") for t, n, c, p in at],
        "european.csv": ["datetime;node;sm_clock_mhz;power_w"] +
                        [f"20/11/2026 08:{t // 60:02d}:{t % 60:02d};{n};{c:.0f};{p}" for t, n, c, p in at],
        "server.csv": ["time,server_id,sm_clock_mhz,power_w"] + [f"{t},{n},{c:.0f},{p}" for t, n, c, p in at],
        "tidy.csv": ["time,node,metric,value"] +
                    [f"{t},{n},{m},{v:.0f}" for t, n, c, p in at for m, v in (("sm_clock_mhz", c), ("power_w", p))],
        "gpus.csv": ["time,node,gpu,sm_clock_mhz,power_w"] +
                    [f"{t},{n},{g},{c if g == 2 else 1755 + (t // 10 + g) % 11:.0f},{p}" for t, n, c, p in at for g in range(4)],
        "label.csv": ["time,node,sm_clock_mhz,power_w,label"] + [f"{t},{n},{c:.0f},{p},{int(n == 'n03')}" for t, n, c, p in at],
        "twins.csv": ["time,node,sm_clock_mhz"] + [f"{t},{n.upper() if t % 20 else n},{c:.0f}" for t, n, c, p in at],
    }
    for name, lines in table.items():
        (folder / name).write_text("\n".join(lines) + "\n")
    (folder / "utf16.csv").write_bytes((folder / "server.csv").read_text().encode("utf-16"))
    (folder / "c2c.txt").write_text(C2C)
    (folder / "slow_fault.json").write_text('{"faults": [{"type": "core", "id": 5, "times": 10, "start": 0, "end": 900}]}\n')
    (folder / "scrapes").mkdir()
    for n in range(8):
        (folder / f"scrapes/node{n}.prom").write_text("# TYPE DCGM_FI_DEV_SM_CLOCK gauge\n" + "".join(
            f'DCGM_FI_DEV_SM_CLOCK{{gpu="{g}"}} {345 if n == 5 and g == 3 else 1980}\n' for g in range(8)))


def changed(folder, source, target, *pairs):
    text = (folder / source).read_text()
    for old, new in pairs:
        assert re.search(old, text, re.M), (source, old)
        text = re.sub(old, new, text, count=1, flags=re.M)
    (folder / target).write_text(text)


def settings(folder, source):
    """Sheets, chips, workloads and faults with one number or word that cannot be meant."""
    (folder / "h100.yaml").write_text((source / "share/lento/systems/h100.yaml").read_text())
    (folder / "node.yaml").write_text((source / "examples/search/node.yaml").read_text())
    (folder / "8x8.yaml").write_text((source / "examples/chip/8x8.yaml").read_text())
    changed(folder, "h100.yaml", "mbs.yaml", (r"memory_bandwidth: (\d+) GB/s", r"memory_bandwidth: \1 MB/s"))
    changed(folder, "h100.yaml", "mhz.yaml", (r"clock: ([\d.]+) GHz", r"clock: \1 MHz"))
    changed(folder, "h100.yaml", "small.yaml", (r"memory: 81559 MiB\b", "memory: 80 MB"))
    for target, pair in {"huge": (r"^(\s*)m: .*", r"\1m: 8388608"), "negative": (r"^(\s*)m: .*", r"\1m: -4096"),
                         "words": (r"^(\s*)m: .*", r"\1m: many"), "typo": (r"^(\s*)k: ", r"\1kk: ")}.items():
        changed(folder, "gemm.yaml", f"{target}.yaml", pair)
    changed(folder, "huge.yaml", "huge.yaml", (r"^(\s*)n: .*", r"\1n: 8388608"))
    changed(folder, "huge.yaml", "huge.yaml", (r"^(\s*)k: .*", r"\1k: 8388608"))
    changed(folder, "4x4.yaml", "slow_clock.yaml", (r"([\d.]+) [GM]Hz", "1 Hz"))
    changed(folder, "4x4.yaml", "zero.yaml", (r"^width: .*", "width: 0"))
    changed(folder, "4x4.yaml", "wide.yaml", (r"^width: .*", "width: 100000"))
    (folder / "four_lines.yaml").write_text("schema: lento.chip/1\nname: mine\nwidth: 4\nheight: 4\nclock: 1 GHz\n")
    fault = "schema: lento.faults/1\nfaults:\n- {component: %s, factor: %s, start: %s, end: %s}\n"
    for name, values in {"faster": ("core5", "0.1", "0 ms", "9 ms"), "nounit": ("core5", "3", "5", "9 ms"),
                         "nowhere": ("core99", "3", "0 ms", "9 ms"), "backwards": ("core5", "3", "9 ms", "1 ms")}.items():
        (folder / f"{name}.yaml").write_text(fault % values)


def prepare(lento, source, folder):
    run.prepare(lento, source, folder)
    tables(folder)
    fleets(folder)
    settings(folder, source)
    built = source / "guests/built"
    for name in ("echo.ypu", "false_sharing.elf"):
        (folder / name).write_bytes((built / name).read_bytes())
    if not (folder / "false_sharing.access").exists():
        subprocess.run([lento, "memory", "simulate", "false_sharing.elf", "--harts", "4", "--trace", "false_sharing.access"], cwd=folder,
                       check=True, capture_output=True)
    (folder / "host_program").write_bytes(pathlib.Path("/bin/true").read_bytes())
    subprocess.run([lento, "fleet", "simulate-ranks", "--dp", "4", "--fault", "slow_nic", "--place", "2", "--out", "nic"], cwd=folder, check=True,
                   capture_output=True)


def main():
    lento, source = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    silent, unclear, count = [], [], 0
    with tempfile.TemporaryDirectory() as name:
        good = pathlib.Path(name) / "good"
        good.mkdir()
        prepare(lento, source, good)
        for line in (pathlib.Path(__file__).resolve().parent / "further.txt").read_text().splitlines():
            if line.startswith("#") or " => " not in line:
                continue
            command, pattern = line.split(" => ")
            folder = pathlib.Path(name) / "asked"
            subprocess.run(["cp", "-r", good, folder], check=True)
            count += 1
            try:
                done = subprocess.run([lento, *shlex.split(command)[1:]], cwd=folder, capture_output=True, text=True, timeout=60,
                                      stdin=subprocess.DEVNULL, errors="replace")
                code, said = done.returncode, done.stderr + done.stdout
            except subprocess.TimeoutExpired:
                code, said = 0, "(went on for a minute)"
            subprocess.run(["rm", "-rf", folder], check=True)
            clear = re.search(pattern, said)
            if "--show" in sys.argv:
                print(f"--- [{code}] {'' if clear else 'UNCLEAR '}{command}   => {pattern}\n{said[:600].rstrip()}")
            if code not in (0, 2, 4):
                unclear.append(f"{command}: exit {code}")
            elif not clear:
                (silent if code == 0 else unclear).append(f"{command}: not {pattern}\n    {said[:300]}")
    for title, lines in (("silent", silent), ("unclear", unclear)):
        for line in lines:
            print(f"{title}: {line}")
    print(f"{count} further mistakes: {len(silent)} silent, {len(unclear)} unclear")
    return bool(silent) or len(unclear) > MOST_UNCLEAR * count


if __name__ == "__main__":
    sys.exit(main())
