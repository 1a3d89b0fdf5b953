#!/usr/bin/env python3
"""Findings reach an OpenTelemetry collector whole, with the headers of its environment; one that refuses is an error.

usage: otlp_check.py LENTO
"""
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading

LENTO = os.path.abspath(sys.argv[1])
TAKEN = []


class Collector(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        TAKEN.append((self.path, dict(self.headers), json.loads(body)))
        self.send_response(503 if self.path == "/refuses" else 200)
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *words):
        pass


def ask(target, folder, **environment):
    return subprocess.run([LENTO, "fleet", "diagnose", "--csv", "job.csv", "--machine-column", "machine", "--time-column", "time",
                           "--time-unit", "s", "--label", "stage", "--otlp", target],
                          cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True, timeout=120)


def values(attributes):
    return {a["key"]: next(iter(a["value"].values())) for a in attributes}


def check(holds, *more):
    if not holds:
        sys.exit(f"otlp_check: {more}")


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([LENTO, "fleet", "simulate", "--machines", "32", "--preset", "paper", "--seed", "8", "-o", "job.csv"],
                       cwd=folder, check=True, capture_output=True, timeout=120)
        whole(url, folder)
        refusals(url, folder)
    server.shutdown()


def whole(url, folder):
    done = ask(url, folder, OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer%20a%2Cb,x-team=chips")
    check(done.returncode == 0, done.returncode, done.stderr)
    check(len(TAKEN) == 1, "requests", len(TAKEN))
    path, headers, body = TAKEN[0]
    check(path == "/v1/logs" and headers["Content-Type"] == "application/json", path, headers)
    check(headers["Authorization"] == "Bearer a,b" and headers["x-team"] == "chips", headers)
    resource = body["resourceLogs"][0]
    check(values(resource["resource"]["attributes"])["service.name"] == "lento", resource["resource"])
    records = [r for scope in resource["scopeLogs"] for r in scope["logRecords"]]
    found = [values(r["attributes"]) for r in records]
    verdicts = [f for f in found if "lento.outcome" in f]
    check(len(verdicts) == 1 and verdicts[0]["lento.outcome"] == "findings", found)
    subjects = [f["lento.finding.subject"] for f in found if "lento.finding.subject" in f]
    check(subjects and all(s in done.stdout for s in subjects), subjects, done.stdout)
    check(all(int(r["observedTimeUnixNano"]) > 0 for r in records), records)


def refusals(url, folder):
    for target, words in ((url + "/refuses", "answers 503"), ("http://127.0.0.1:9", "127.0.0.1:9"),
                          (url.replace("http://", "http://user:secret@") + "/refuses", "answers 503")):
        done = ask(target, folder)
        check(done.returncode == 2 and words in done.stderr, target, done.returncode, done.stderr)
        check("machine-" in done.stdout, "the verdict is not lost", done.stdout)
        check("secret" not in done.stderr, done.stderr)
    done = ask(url, folder, OTEL_EXPORTER_OTLP_HEADERS="x-team=a%0d%0aHost: evil")
    check(done.returncode == 2 and "OTEL_EXPORTER_OTLP_HEADERS" in done.stderr, done.stderr)


main()
