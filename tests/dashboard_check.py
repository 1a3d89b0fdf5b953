#!/usr/bin/env python3
"""The Grafana dashboard asks for metrics that `lento fleet watch` publishes, all of them and no others.

usage: dashboard_check.py LENTO
The watch is pointed at a port where nobody answers: it goes on, and says so in its metrics and its diagnosis.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent


def scrape(url):
    for _ in range(100):
        page = urllib.request.urlopen(url, timeout=5).read().decode()
        if "lento_fleet_failed_pulls_total" in page:
            return page
        time.sleep(0.1)
    sys.exit("the watch publishes nothing")


def main():
    board = json.loads((ROOT / "share/lento/fleet/grafana/dashboard.json").read_text())
    asked = set(re.findall(r"lento_fleet_\w+", json.dumps(board)))
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "watch.json")
        watch = subprocess.Popen([sys.argv[1], "fleet", "watch", "--prometheus", "http://127.0.0.1:9", "--serve-metrics", "0",
                                  "--metric", "power_w", "--interval", "0.2", "--timeout", "1", "--diagnosis", str(file)],
                                 stderr=subprocess.PIPE, text=True)
        try:
            page = scrape(watch.stderr.readline().strip())
        finally:
            watch.terminate()
            watch.wait(20)
        assert json.loads(file.read_text())["verdict"] == "Cannot judge: no sample was seen", file.read_text()
    published = set(re.findall(r"^# TYPE (\w+)", page, re.M))
    assert re.search(r'lento_fleet_failed_pulls_total\{task="job"\} [1-9]', page), page
    assert asked == published, f"only in the dashboard: {asked - published}; only published: {published - asked}"


main()
