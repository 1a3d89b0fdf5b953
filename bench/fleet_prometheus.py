#!/usr/bin/env python3
"""What a watch costs with the pull from a real Prometheus: share of a core, resident memory, rows.

usage: bench/fleet_prometheus.py LENTO MACHINES STEP_S [WARM_S RUN_S]
One exporter serves MACHINES x 7 gauges with noise of 2 %, Prometheus scrapes it every STEP_S seconds; after WARM_S (so
that there is a history to read) a watch with a state file runs for RUN_S. CPU of the watch alone is counted, its start
and the pull of the history apart from what follows.
"""
import http.server
import os
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

METRICS = [f"power{k}" for k in range(7)]
PAGES = 12  # served in turn


def page(machines, offsets, rng):
    lines = []
    for metric in METRICS:
        lines.append(f"# TYPE {metric} gauge")
        for m in range(machines):
            lines.append(f'{metric}{{machine="n{m}"}} {100 * offsets[m] * (1 + rng.gauss(0, 0.02)):.4f}')
    return ("\n".join(lines) + "\n").encode()


def serve(pages):
    class Exporter(http.server.BaseHTTPRequestHandler):
        served = 0

        def do_GET(self):
            body = pages[Exporter.served % len(pages)]
            Exporter.served += 1
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Exporter)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def cpu_s(pid):
    fields = open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_mb(pid):
    found = {}
    for line in open(f"/proc/{pid}/status"):
        if line.startswith(("VmRSS", "VmHWM")):
            found[line[:5]] = int(line.split()[1]) * 1024 / 1e6
    return found["VmRSS"], found["VmHWM"]


def samples(url):
    text = urllib.request.urlopen(url, timeout=10).read().decode()
    return {line.split()[0].partition("{")[0]: float(line.rsplit(" ", 1)[1]) for line in text.splitlines()
            if line and line[0] != "#"}


def main():
    lento, machines, step = os.path.abspath(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    warm, run = (float(x) for x in (sys.argv[4:6] or ("300", "300")))
    rng = random.Random(1)
    offsets = [1 + rng.gauss(0, 0.007) for _ in range(machines)]
    exporter = serve([page(machines, offsets, rng) for _ in range(PAGES)])
    print("# bench/fleet_prometheus.py", *sys.argv[2:], flush=True)
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/prometheus.yml", "w") as f:
            f.write(f"""global: {{scrape_interval: {step}s, scrape_timeout: {step}s}}
scrape_configs:
- {{job_name: fleet, honor_labels: true, static_configs: [{{targets: ["127.0.0.1:{exporter}"]}}]}}
""")
        port, listen = free_port(), free_port()
        log = open(f"{folder}/log", "w")
        store = subprocess.Popen(["prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
                                  f"--web.listen-address=127.0.0.1:{port}"], stderr=log, stdout=log)
        watch = None
        try:
            time.sleep(warm)
            watch = subprocess.Popen([lento, "fleet", "watch", "--prometheus", f"http://127.0.0.1:{port}", "--match", "job=fleet",
                                      "--machine-label", "machine", "--metric", *METRICS, "--state", f"{folder}/state.json",
                                      "--listen", f"127.0.0.1:{listen}"], stderr=log, stdout=log)
            begin = time.time()
            time.sleep(min(60, run / 3))
            first_cpu, first_at = cpu_s(watch.pid), time.time()
            print(f"start: {first_cpu:.2f} s of CPU in {first_at - begin:.0f} s, peak {memory_mb(watch.pid)[1]:.0f} MB", flush=True)
            time.sleep(run - (first_at - begin))
            span, spent = time.time() - first_at, cpu_s(watch.pid) - first_cpu
            resident, peak = memory_mb(watch.pid)
            print(f"then:  {100 * spent / span:.2f} % of a core over {span:.0f} s, resident {resident:.0f} MB, peak {peak:.0f} MB")
            own = samples(f"http://127.0.0.1:{listen}/metrics")
            for name, value in own.items():
                print(f"{name} {value:g}")
            print(f"Prometheus: {cpu_s(store.pid):.1f} s of CPU in all, resident {memory_mb(store.pid)[0]:.0f} MB")
        finally:
            for process in (watch, store):
                if process:
                    process.terminate()
                    process.wait(60)
            sys.stderr.write(open(f"{folder}/log").read()[-1500:] if "-v" in sys.argv else "")


if __name__ == "__main__":
    main()
