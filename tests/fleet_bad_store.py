#!/usr/bin/env python3
"""A watch in front of a store that fails in every way: it must go on, keep its state and raise no alarm.

usage: fleet_bad_store.py LENTO
The store here is a server that answers well, then refuses, stalls, breaks off, answers HTML, an error, numbers that
are none, times that run backwards and thousands of invented machines, then well again.
"""
import http.server
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

mode = "well"
alerts = []


def series(machine, samples):
    return {"metric": {"__name__": "load", "machine": machine}, "values": samples}


def answer(now):
    times = [now - 30 + i for i in range(30)]
    if mode == "backwards":
        return [series(f"m{i}", [[t, "1"] for t in reversed(times)]) for i in range(8)]
    if mode == "nonsense":
        return [series(f"m{i}", [[t, v] for t, v in zip(times, ["", "1e999", "x", "-", "NaN"] * 6)]) for i in range(8)]
    if mode == "crowd":
        return [series(f"ghost{random.random()}", [[t, "5"] for t in times]) for _ in range(20_000)]
    return [series(f"m{i}", [[t, str(10 + random.random())] for t in times]) for i in range(8)]


class Store(http.server.BaseHTTPRequestHandler):
    def do_POST(self):  # no remote read here
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_error(404)

    def do_GET(self):
        if mode == "refuses":
            self.connection.close()
            return
        if mode == "stalls":
            time.sleep(3)
            return
        body = json.dumps({"status": "success", "data": {"resultType": "matrix", "result": answer(time.time())}})
        if mode == "html":
            body = "<html>please log in</html>"
        self.send_response(503 if mode == "error" else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2].encode() if mode == "breaks off" else body.encode())

    def log_message(self, *args):
        pass


class Alertmanager(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        alerts.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *args):
        pass


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *args):
        pass  # a client that gives up is what this test is about


def serve(handler):
    server = Server(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}"


def metric(page_url, name):
    page = urllib.request.urlopen(page_url, timeout=5).read().decode()
    found = re.search(rf"^lento_fleet_{name}\{{.*\}} (\S+)$", page, re.M)
    return float(found[1]) if found else 0


def wait_for(condition, what):
    end = time.time() + 30
    while time.time() < end:
        if condition():
            return
        time.sleep(0.1)
    sys.exit(f"{mode}: {what} did not happen")


def trouble(watch, state):
    """Every trouble in turn while the watch runs, then good answers again and a polite stop."""
    global mode
    page = watch.stderr.readline().strip()
    threading.Thread(target=watch.stderr.read, daemon=True).start()
    wait_for(lambda: metric(page, "rows_total") > 40, "the first rows")
    for mode in ["refuses", "stalls", "breaks off", "html", "error", "crowd"]:
        failed = metric(page, "failed_pulls_total")
        wait_for(lambda: metric(page, "failed_pulls_total") >= failed + 2, "a failed pull")
    for mode in ["backwards", "nonsense"]:
        counted = metric(page, "skipped_samples_total") + metric(page, "failed_pulls_total")
        wait_for(lambda: metric(page, "skipped_samples_total") + metric(page, "failed_pulls_total") > counted + 1,
                 "a skipped sample or a refused answer")
    mode = "well"
    rows = metric(page, "rows_total")
    wait_for(lambda: metric(page, "rows_total") > rows + 3, "rows after the store recovered")
    assert metric(page, "machines") == 8, metric(page, "machines")
    assert watch.poll() is None, "the watch ended"
    watch.send_signal(signal.SIGTERM)
    assert watch.wait(20) == 130, watch.returncode  # as told to stop
    assert json.load(open(state)), "no state was kept"
    assert not alerts, f"an alarm was raised: {alerts[0][:300]}"


def main():
    with tempfile.TemporaryDirectory() as folder:
        state = os.path.join(folder, "state.json")
        watch = subprocess.Popen(
            [sys.argv[1], "fleet", "watch", "--prometheus", serve(Store), "--metric", "load", "--machine-label", "machine",
             "--interval", "0.2", "--lag", "1", "--timeout", "1", "--horizons", "20", "--alertmanager", serve(Alertmanager),
             "--serve-metrics", "0", "--state", state],
            stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            trouble(watch, state)
        finally:
            watch.kill()

main()
