#!/usr/bin/env python3
"""A live fleet end to end with real parts: workers or a simulated job, Prometheus, watch, Alertmanager, webhook.

usage: fleet_live.py LENTO simulated|victoria|jobs|stop|delay|memory
  simulated   64 simulated machines with a planted fault behind one exporter
  victoria    the same behind VictoriaMetrics instead of Prometheus
  jobs        the same among two other jobs, found by their label and watched by two shards
  stop        10 local processes in a barrier-synchronised loop; one is stopped and continued by signals
  delay       the same; one takes longer for each step
  memory      the same; one hoards memory
Exit 77 (skipped) when a program it needs is not installed.
"""
import http.server
import json
import multiprocessing
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


KINDS = {"stop": "step_time_s", "delay": "step_time_s", "memory": "resident_mb"}


def worker(index, slow, barrier, pages, fault):
    """Compute, meet the others, publish own time of a step (mean of the last few) and resident memory."""
    mean, hoard = 0.0, []
    while True:
        begin = time.monotonic()
        sum(i * i for i in range(20_000))
        time.sleep(0.05)
        if index == slow and fault.value == b"delay":
            time.sleep(0.03)
        if index == slow and fault.value == b"memory" and len(hoard) < 100:
            hoard.append(bytearray(1 << 20))
        own = time.monotonic() - begin
        mean += (own - mean) / 5
        resident = int(open("/proc/self/statm").read().split()[1]) / 256
        pages[2 * index], pages[2 * index + 1] = mean, resident
        try:
            barrier.wait(timeout=60)
        except Exception:
            return


class Exporter(http.server.BaseHTTPRequestHandler):
    pages, count = None, 0

    def do_GET(self):
        machine = self.path.partition("machine=")[2]
        i = int(machine.removeprefix("worker"))
        text = f'step_time_s{{machine="{machine}"}} {Exporter.pages[2 * i]}\n'
        text += f'resident_mb{{machine="{machine}"}} {Exporter.pages[2 * i + 1]}\n'
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *args):
        pass


def serve(handler):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


class Webhook(http.server.BaseHTTPRequestHandler):
    alerts = []

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        Webhook.alerts += json.loads(body)["alerts"]
        self.send_response(200)
        self.end_headers()

    def log_message(self, *args):
        pass


class Fleet:
    """The processes of one run; everything started here is ended here."""

    def __init__(self, folder):
        self.folder, self.started = folder, []

    def start(self, *command, **kwargs):
        log = open(os.path.join(self.folder, os.path.basename(command[0]) + f"{len(self.started)}.log"), "w")
        process = subprocess.Popen(command, stderr=log, cwd=self.folder, **({"stdout": log} | kwargs))
        self.started.append(process)
        return process

    def end(self):
        for process in reversed(self.started):
            process.terminate()
        for process in self.started:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()

    def scrape_config(self, exporters):
        """exporters: {label `task`: (port, machines)}; every machine is a target of its own."""
        text = "global: {scrape_interval: 1s, scrape_timeout: 1s}\nscrape_configs:\n"
        for task, (exporter, machines) in exporters.items():
            targets = ", ".join(f'"{m}"' for m in machines)
            text += f"""- job_name: fleet-{task}
  honor_labels: true
  static_configs: [{{targets: [{targets}], labels: {{task: {task}, job: fleet}}}}]
  relabel_configs:
  - {{source_labels: [__address__], target_label: __param_machine}}
  - {{source_labels: [__address__], target_label: instance}}
  - {{target_label: __address__, replacement: "127.0.0.1:{exporter}"}}
"""
        with open(os.path.join(self.folder, "scrape.yml"), "w") as f:
            f.write(text)

    def prometheus(self, exporters):
        self.scrape_config(exporters)
        port = free_port()
        self.start("prometheus", "--config.file=scrape.yml", "--storage.tsdb.path=data",
                   f"--web.listen-address=127.0.0.1:{port}", "--storage.tsdb.retention.time=2h")
        return f"http://127.0.0.1:{port}"

    def victoria(self, exporters):
        self.scrape_config(exporters)
        port = free_port()
        self.start("victoria-metrics", "-promscrape.config=scrape.yml", "-storageDataPath=data",
                   f"-httpListenAddr=127.0.0.1:{port}", "-search.latencyOffset=1s")
        return f"http://127.0.0.1:{port}"

    def alertmanager(self, webhook):
        port = free_port()
        with open(os.path.join(self.folder, "alertmanager.yml"), "w") as f:
            f.write(f"""route: {{receiver: hook, group_wait: 1s, group_interval: 1s, repeat_interval: 1h, group_by: [machine]}}
receivers:
- name: hook
  webhook_configs: [{{url: "http://127.0.0.1:{webhook}/"}}]
""")
        self.start("prometheus-alertmanager", "--config.file=alertmanager.yml", "--storage.path=alerts",
                   f"--web.listen-address=127.0.0.1:{port}", "--cluster.listen-address=")
        return f"http://127.0.0.1:{port}"


def wait_for_alert(seconds):
    end = time.time() + seconds
    while time.time() < end and not Webhook.alerts:
        time.sleep(0.2)
    return Webhook.alerts


def watch(fleet, lento, store, alerts, metrics, horizons, seconds, *more):
    time.sleep(3)
    return fleet.start(lento, "fleet", "watch", "--prometheus", store, "--match", "job=fleet", "--machine-label", "machine",
                       "--metric", *metrics, "--horizons", *horizons, "--alertmanager", alerts,
                       "--interval", "2", "--resend", "5", "--run-for", str(seconds), *more)


def exporter(fleet, lento, index, *more):
    program = fleet.start(lento, "fleet", "simulate", "--preset", "paper", "--machines", "64", "--index", str(index),
                          "--serve", str(port := free_port()), "--speed", "3", *more, stdout=subprocess.PIPE, text=True)
    return program, port, json.loads(program.stdout.readline())


def faulty(fleet, lento):
    """Port and machine of the first job whose fault shows in the GPU metrics."""
    for index in range(100):
        program, port, truth = exporter(fleet, lento, index)
        if "GPU" in truth["shown"]:
            return port, truth["machine"]
        program.terminate()


MACHINES = [f"machine-{m:04}" for m in range(64)]


def simulated(fleet, lento, store=Fleet.prometheus, lag="3"):
    port, machine = faulty(fleet, lento)
    url = store(fleet, {"a": (port, MACHINES)})
    alerts = fleet.alertmanager(serve(Webhook))
    watch(fleet, lento, url, alerts, ["gpu_duty_cycle", "cpu_usage"], ["24"], 300, "--state", "state.json", "--lag", lag)
    return machine, wait_for_alert(300)


def victoria(fleet, lento):
    return simulated(fleet, lento, Fleet.victoria, "12")  # shows samples some seconds after it took them


def jobs(fleet, lento):
    port, machine = faulty(fleet, lento)
    exporters = {"a": (port, MACHINES)}
    for name in "bc":
        exporters[name] = (exporter(fleet, lento, ord(name), "--healthy")[1], MACHINES)
    url = fleet.prometheus(exporters)
    alerts = fleet.alertmanager(serve(Webhook))
    time.sleep(3)
    for shard in ("0/2", "1/2"):
        watch(fleet, lento, url, alerts, ["gpu_duty_cycle", "cpu_usage"], ["24"], 300, "--each", "task", "--shard", shard,
              "--state", "state" + shard[0], "--lag", "3")
    found = wait_for_alert(300)
    fleet.end()
    kept = sorted(os.listdir(os.path.join(fleet.folder, "state0")) + os.listdir(os.path.join(fleet.folder, "state1")))
    tasks = {a["labels"]["task"] for a in found}
    if kept != ["job-a.json", "job-b.json", "job-c.json"] or tasks - {"a"}:
        return f"only task a and one state a job, not {tasks} and {kept}", found
    return machine, found


def processes(fleet, lento, kind):
    count, slow = 10, 6
    barrier, fault = multiprocessing.Barrier(count), multiprocessing.Array("c", 16)
    Exporter.pages = multiprocessing.Array("d", 2 * count)
    workers = [multiprocessing.Process(target=worker, args=(i, slow, barrier, Exporter.pages, fault), daemon=True)
               for i in range(count)]
    for w in workers:
        w.start()
    store = fleet.prometheus({"a": (serve(Exporter), [f"worker{i}" for i in range(count)])})
    alerts = fleet.alertmanager(serve(Webhook))
    watch(fleet, lento, store, alerts, [KINDS[kind]], ["30"], 200, "--state", "state.json", "--lag", "3")
    time.sleep(75)
    if Webhook.alerts:
        return "nobody before the fault", list(Webhook.alerts)
    fault.value = kind.encode()
    end = time.time() + 110
    while time.time() < end and not Webhook.alerts:
        if kind == "stop":  # four fifths of the time
            os.kill(workers[slow].pid, signal.SIGSTOP)
            time.sleep(0.4)
            os.kill(workers[slow].pid, signal.SIGCONT)
        time.sleep(0.1)
    for w in workers:
        w.terminate()
    return f"worker{slow}", wait_for_alert(1)


def stop(fleet, lento):
    return processes(fleet, lento, "stop")


def delay(fleet, lento):
    return processes(fleet, lento, "delay")


def memory(fleet, lento):
    return processes(fleet, lento, "memory")


def main():
    store = "victoria-metrics" if sys.argv[2] == "victoria" else "prometheus"
    if not shutil.which(store) or not shutil.which("prometheus-alertmanager"):
        print(f"skipped: {store} and prometheus-alertmanager are not both installed")
        return 77
    lento = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        fleet = Fleet(folder)
        begin = time.time()
        try:
            expected, alerts = {f.__name__: f for f in (simulated, victoria, jobs, stop, delay, memory)}[sys.argv[2]](fleet, lento)
        finally:
            fleet.end()
        named = [a["labels"]["machine"] for a in alerts]
        print(f"expected {expected}, webhook received {named} after {time.time() - begin:.0f} s")
        if not named or named[0] != expected:
            for name in sorted(os.listdir(folder)):
                if name.startswith("lento") and name.endswith(".log"):
                    print(name, open(os.path.join(folder, name)).read()[-2000:])
        return 0 if named and set(named) == {expected} else 1


if __name__ == "__main__":
    sys.exit(main())
