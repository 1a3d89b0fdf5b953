#!/usr/bin/env python3
"""kill -9 around alerts: no hook runs twice, none is lost without a word, and no alert is lost.

usage: fleet_kill.py LENTO [TRIALS] [SEED]
A store answers ten minutes of a job in which one machine fell silent five minutes ago. One or two watches that share a
ledger are killed at a random moment, started again, and left to run. A hook may run once; when it was cut off before it
ran, its outcome must have been announced as unknown.
"""
import http.server
import json
import os
import random
import stat
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

alerts = []
lock = threading.Lock()
MACHINES = [f"n{i}" for i in range(10)]
begun = time.time()


def noise(machine, t):
    return 100 + (hash((machine, int(t))) % 1000) / 500


class Store(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if not self.path.startswith("/api/v2/alerts"):
            return self.answer(404, "{}")
        with lock:
            alerts.extend(json.loads(body))
        self.answer(200, "{}")

    def do_GET(self):
        query = urllib.parse.parse_qs(urllib.parse.urlparse(self.path).query).get("query", [""])[0]
        now = time.time()
        if query == "time()":
            return self.success([now, str(now)])
        if query.startswith("up"):
            return self.success([{"metric": {"job": "j", "instance": m}, "value": [now, "0" if m == "n3" else "1"]}
                                 for m in MACHINES])
        if not query.startswith("load"):
            return self.success([])
        seconds = int(query.split("[")[1].split("s]")[0])
        end = float(urllib.parse.parse_qs(urllib.parse.urlparse(self.path).query)["time"][0])
        result = []
        for m in MACHINES:
            last = min(end, now, begun - 300 if m == "n3" else end)
            times = range(int(end - seconds) + 1, int(last) + 1)
            result.append({"metric": {"job": "j", "instance": m, "machine": m},
                           "values": [[t, f"{noise(m, t):.3f}"] for t in times]})
        self.success([r for r in result if r["values"]])

    def success(self, result):
        self.answer(200, json.dumps({"status": "success", "data": {"resultType": "x", "result": result}}))

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *args):
        pass


class Quiet(http.server.ThreadingHTTPServer):
    def handle_error(self, *args):
        pass


def trial(lento, url, folder, moment, watches):
    hook, ran, said = (os.path.join(folder, name) for name in ("hook", "ran", "said"))
    with open(hook, "w") as f:
        f.write(f"#!/bin/sh\necho $2 >> {ran}\nsleep 0.1\n")
    os.chmod(hook, stat.S_IRWXU)

    def start(i):
        return subprocess.Popen(
            [lento, "fleet", "watch", "--prometheus", url, "--metric", "load", "--machine-label", "machine", "--interval",
             "0.2", "--alertmanager", url, "--state", f"{folder}/state{i}", "--hook", hook, "--hook-live", "--hook-ledger",
             f"{folder}/ledger"],
            stdout=open(said, "a"), stderr=open(said, "a"))

    with lock:
        alerts.clear()
    running = [start(i) for i in range(watches)]
    time.sleep(moment)
    for watch in running:
        watch.kill()
        watch.wait()
    before = runs(ran)
    running = [start(i) for i in range(watches)]
    end = time.time() + 30
    while time.time() < end and not (told("LentoSilentMachine") and (runs(ran) or told("LentoHookUnknown"))):
        time.sleep(0.05)
    time.sleep(0.3)
    for watch in running:
        watch.kill()
        watch.wait()
    text = open(said).read()
    assert runs(ran) <= 1, f"the hook ran {runs(ran)} times\n{text}"
    assert runs(ran) == 1 or told("LentoHookUnknown"), f"the hook was lost without a word\n{text}"
    assert told("LentoSilentMachine"), f"no alert\n{text}"
    return before


def runs(path):
    return len(open(path).read().split()) if os.path.exists(path) else 0


def told(name):
    with lock:
        return any(a["labels"]["alertname"] == name for a in alerts)


def main():
    trials = int(sys.argv[2]) if len(sys.argv) > 2 else 6
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    server = Quiet(("127.0.0.1", 0), Store)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_address[1]}"
    cut, unknown = 0, 0
    for i in range(trials):
        with tempfile.TemporaryDirectory() as folder:
            ran_before = trial(os.path.abspath(sys.argv[1]), url, folder, rng.uniform(0.02, 1.2), 1 + i % 2)
            cut += not ran_before
            unknown += told("LentoHookUnknown")
    print(f"{trials} kills, {cut} before the hook ran, {unknown} unknown outcomes announced: "
          "0 doubled hooks, 0 lost alerts")


main()
