#!/usr/bin/env python3
"""How long `lento serve` lets 64 readers wait while one of them opens a report of 160 MB.

usage: serve_load.py LENTO [CLIENTS] [SECONDS]
Each client opens a report, waits a second and opens the next. The same is measured without and with the large report, and the time
that the processor is taken from this machine's other work is shown beside it: under load from elsewhere the first figure says what
the machine itself costs.
"""
import asyncio
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

LENTO = os.path.abspath(sys.argv[1])
CLIENTS = int(sys.argv[2]) if len(sys.argv) > 2 else 64
SECONDS = float(sys.argv[3]) if len(sys.argv) > 3 else 20
BIG_BYTES = 160 << 20


def write_folder(folder):
    small = pathlib.Path(__file__).resolve().parent.parent / "fuzz/seeds/diagnosis/all_figures.json"
    text = small.read_text()
    for n in range(24):
        (folder / f"run{n:02d}.json").write_text(text)
    big = json.loads(text)
    points = 1_200_000
    line = {"name": "power", "x": list(range(points)), "y": [round(400 + n * 7 % 93 / 7, 3) for n in range(points)], "blamed": False, "dashed": False}
    series = {"x_name": "s", "y_name": "W", "log_x": False, "log_y": False, "bands": [], "lines": [line], "marks": []}
    one = len(json.dumps(series))
    big["figures"] = [{"title": f"figure {n}", "caption": "", "kind": "series", "data": series} for n in range(BIG_BYTES // one + 1)]
    (folder / "big.json").write_text(json.dumps(big))
    return (folder / "big.json").stat().st_size


async def get(port, path):
    begin = time.monotonic()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode())
    await writer.drain()
    status = await reader.readline()
    size = 0
    while chunk := await reader.read(1 << 20):
        size += len(chunk)
    writer.close()
    return time.monotonic() - begin, status.split()[1].decode(), size


async def client(port, number, until, waits):
    turn = number
    await asyncio.sleep(number / CLIENTS)
    while time.monotonic() < until:
        path = ["/", "/api/diagnoses", f"/report/run{turn % 24:02d}.json"][turn % 3]
        seconds, status, _ = await get(port, path)
        assert status == "200", (path, status)
        waits.append(seconds)
        turn += 1
        await asyncio.sleep(1)


async def load(port, with_big):
    waits, until = [], time.monotonic() + SECONDS
    jobs = [client(port, n, until, waits) for n in range(CLIENTS - with_big)]
    if with_big:
        jobs.append(get(port, "/report/big.json"))
    done = await asyncio.gather(*jobs)
    return sorted(waits), done[-1] if with_big else None


def main():
    with tempfile.TemporaryDirectory() as name:
        size = write_folder(pathlib.Path(name))
        server = subprocess.Popen([LENTO, "serve", name, "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            port = int(re.search(r":(\d+)/", server.stdout.readline())[1])
            asyncio.run(get(port, "/api/diagnoses"))
            for with_big in (0, 1):
                waits, big = asyncio.run(load(port, with_big))
                quantile = [1000 * waits[min(len(waits) - 1, int(q * len(waits)))] for q in (0.5, 0.95, 0.99, 1)]
                print(f"{CLIENTS} clients, {'one opens ' + str(size >> 20) + ' MiB' if with_big else 'no large report'}: {len(waits)} answers, "
                      f"p50 {quantile[0]:.1f} ms, p95 {quantile[1]:.1f} ms, p99 {quantile[2]:.1f} ms, longest {quantile[3]:.1f} ms" +
                      (f"; the large one took {big[0]:.1f} s, status {big[1]}, page of {big[2] >> 10} KiB" if big else "") +
                      f"; load of the machine {os.getloadavg()[0]:.1f}")
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
