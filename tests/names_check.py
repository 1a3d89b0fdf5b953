#!/usr/bin/env python3
"""Names from outside through every door: empty, like paths, with control characters, of 10 KB, alike but for case, odd but good.

usage: names_check.py LENTO [--names N] [--seed S] [--door NAME ...]
Each door gets N names made from the seed, half of which break the rule of src/evidence/names.h. The machine, host, model or file
that carries the name is the one with the planted fault. Wrong is a crash, a finding about another or about a name that is none,
a good name that is not found again, text that steers a terminal, markup that a page does not escape, a file outside of the
folder that was given, a hook or an alert for a name that is none.
"""
import argparse
import http.server
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

from damage_check import CHIP, EXAMPLES, make
from damage_check import run as run_plain

STEERS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u202a-\u202e\u2066-\u2069]")


def good(rng):
    n = rng.randrange(1000)
    return rng.choice([f"gpu-{n}", f"GPU-{n}", f"10.1.{n % 250}.7", f"fe80::{n:x}", f"rack 7 node {n}", f"узел-{n}", f"节点{n}", f"nœud-{n}", f"a{n}:9100",
                       f"dgx{n}.example.org", f"x&y<b>{n}</b>", f"$(id){n}", f"`id`{n}", f"%n%s{n}", f"o'neil{n}", f'say "{n}"', f"a;b|c{n}", f"-n{n}",
                       f"--help{n}", f"*{n}", f"~{n}", f"null{n}", f"NaN{n}", f"1e{n}", f"ns/pod-{n}", "h" * 200 + str(n), f"😀{n}", f"{{{{x}}}}{n}", f"=1+{n}"])


def bad(rng):
    n = rng.randrange(1000)
    return rng.choice(["", " ", "\t", ":9100", f"../../{n}", f"/etc/{n}", "..", ".", f"a//b{n}", f"..\\{n}", f"file:///{n}", f"https://x.org/{n}", f"a\x1b[2J{n}",
                       f"bell\x07{n}", f"nul\x00{n}", f"two\nlines{n}", f"cr\r{n}", f"del\x7f{n}", f"c1\x9b{n}", f"turn\u202e{n}", "k" * 10240, "ü" * 5000, f"\x1b]0;t\x07{n}"])


def is_bad(name):
    host = re.sub(r":\d*$", "", name) if name.count(":") == 1 else name
    steps = re.split(r"[/\\]", name)
    return (not host.strip() or len(name.encode()) > 255 or bool(STEERS.search(name)) or bool(re.search(r"[\t\n]", name))
            or any(s in ("", ".", "..") for s in steps))


class Door:
    """Judges one name. `wrong_in` returns what is wrong, or nothing."""

    def __init__(self, lento, folder, rng):
        self.lento, self.folder, self.rng = lento, folder, rng
        self.prepare()

    def prepare(self):
        pass

    def run(self, *words):
        """The diagnosis or None, and what is wrong with the text and the page."""
        out = self.folder / "out"
        before = {str(p) for p in self.folder.rglob("*")}
        text = subprocess.run([str(w) for w in [self.lento, *words, "--html", out / "page.html", "--figures", out / "figures", "--explain"]],
                              capture_output=True, timeout=60)
        shown = (text.stdout + text.stderr).decode("utf-8", "surrogateescape")
        if text.returncode < 0 or text.returncode == 3:
            return None, f"exit {text.returncode}: {shown[-200:]}"
        if STEERS.search(shown) or re.search(r"[\udc80-\udcff]", shown):
            return None, "text steers the terminal"
        page = (out / "page.html").read_text(errors="replace") if (out / "page.html").exists() else ""
        if re.search(r"<b>\d", page.split("<script", 1)[0]):
            return None, "markup in the page"
        if {p for p in map(str, self.folder.rglob("*")) if not p.startswith(str(out))} - before:
            return None, "a file outside of the folder"
        done = run_plain(self.lento, *words, "--json")
        try:
            return json.loads(done.stdout), ""
        except ValueError:
            return None, "" if done.returncode == 2 else f"exit {done.returncode}"

    def fresh(self):
        subprocess.run(["rm", "-rf", self.folder / "out"], check=True)
        (self.folder / "out").mkdir()


class FleetTable(Door):
    def wrong_in(self, name):
        self.fresh()
        cell = '"' + name.replace('"', '""') + '"'
        rows = ["machine,time,clock_mhz,power_w"]
        for step in range(100):
            for m in range(8):
                less = 0.6 if m == 3 and step >= 50 else 1
                rows.append(f"{cell if m == 3 else f'node{m}'},{step * 10},{1755 * less * self.rng.gauss(1, 0.008):.1f},{520 * less * self.rng.gauss(1, 0.01):.1f}")
        (self.folder / "t.csv").write_text("\n".join(rows) + "\n")
        d, wrong = self.run("fleet", "diagnose", "--csv", self.folder / "t.csv", "--machine-column", "machine")
        subjects = [f["subject"] for f in d["findings"]] if d else []
        if wrong or is_bad(name):
            return wrong or (f"finding about {subjects[0]!r:.60}" if subjects else "")
        return "" if subjects[:1] == [name] else f"{d and d['outcome']} {subjects[:1]}"


class Ranks(Door):
    def prepare(self):
        self.rows = {}
        made = self.folder / "made"
        made.mkdir()
        make(self.lento, "fleet", "simulate-ranks", "--seed", self.rng.randrange(1000), "--steps", 12, "--layout", "inspector", "--fault", "slow_gpu", "--factor", 3,
             "--place", 4, "--from-step", 2, "--out", made)
        self.rows = {f.name: f.read_text() for f in made.glob("*.log")}

    def wrong_in(self, name):
        self.fresh()
        logs = self.folder / "logs"
        logs.mkdir(exist_ok=True)
        for file, text in self.rows.items():
            (logs / file).write_text(text.replace('"hostname":"host2"', f'"hostname":{json.dumps(name)}'))
        d, wrong = self.run("fleet", "ranks", logs)
        subjects = [f["subject"] for f in d["findings"]] if d else []
        odd = [f for f in subjects if is_bad(f.partition("/pid")[0])]
        if wrong or is_bad(name):
            return wrong or (f"finding about {odd[0]!r:.60}" if odd else "")
        return "" if subjects[:1] in (["rank4"], [f"{name}/pid1004"]) else f"{d and d['outcome']} {subjects[:1]}"


class Chip(Door):
    """The name of an operator of the mapping, and of the recording's file where a file may be called so."""

    def prepare(self):
        faults = self.folder / "f.yaml"
        faults.write_text("schema: lento.faults/1\nfaults:\n  - component: core5\n    factor: 4\n    start: 0\n")
        make(self.lento, "chip", "simulate", *CHIP, "--faults", faults, "--inferences", 3, "-o", self.folder / "run.probe")
        self.map = (EXAMPLES / "chip/tiny.map.json").read_text()

    def wrong_in(self, name):
        self.fresh()
        mapping = json.loads(self.map)
        mapping["name"], mapping["layers"][0]["name"] = name, name
        (self.folder / "m.json").write_text(json.dumps(mapping))
        d, wrong = self.run("chip", "diagnose", self.folder / "run.probe", "--chip", CHIP[1], "--mapping", self.folder / "m.json")
        subjects = [f["subject"] for f in d["findings"]] if d else []
        return wrong or ("" if subjects[:1] == ["core5"] or (not d and is_bad(name)) else f"{d and d['outcome']} {subjects[:1]}")


class Desk(Door):
    """The host of a kernel log in which a GPU is lost: named, or the GPU alone, but never another host."""

    def wrong_in(self, name):
        self.fresh()
        lines = []
        for n in range(60):
            host = name if n % 3 == 0 else f"node{n % 3}"
            lines.append(f"2026-05-03T10:{n:02d}:00.000000+00:00 {host} kernel: usb 1-1: new device number {n}")
        lines.append(f"2026-05-03T10:59:00.000000+00:00 {name} kernel: NVRM: Xid (PCI:0000:41:00): 79, pid=123, GPU has fallen off the bus.")
        (self.folder / "kern.log").write_bytes("\n".join(lines).encode("utf-8", "surrogateescape") + b"\n")
        d, wrong = self.run("diagnose", self.folder / "kern.log")
        subjects = [f["subject"] for f in d["findings"]] if d else []
        if wrong or is_bad(name) or " " in name:
            steered = [s for s in subjects if STEERS.search(s) or not s.strip()]
            return wrong or (f"finding about {steered[0]!r:.60}" if steered else "")
        return "" if subjects and (subjects[0].startswith(name) or "/" not in subjects[0]) else f"{d and d['outcome']} {subjects[:1]}"


class Predict(Door):
    """The title of a data sheet and the framework of a workload's model."""

    def wrong_in(self, name):
        self.fresh()
        sheet = (EXAMPLES.parent / "share/lento/systems/a100.yaml").read_text()
        (self.folder / "s.yaml").write_text(re.sub(r"^title: .*$", lambda _: "title: " + json.dumps(name, ensure_ascii=False), sheet, flags=re.M))
        d, wrong = self.run("predict", EXAMPLES / "predict/gpt3_175b.yaml", "--system", self.folder / "s.yaml", "--measured", "60 s")
        subjects = [f["subject"] for f in d["findings"]] if d else []
        return wrong or ("" if subjects == ["step"] or (not d and is_bad(name)) else f"{d and d['outcome']} {subjects[:1]}")


class Pages(Door):
    """A diagnosis whose subject and, where a file may be called so, file carry the name, as `lento serve` shows it."""

    def prepare(self):
        self.runs = self.folder / "runs"
        self.runs.mkdir()
        table = FleetTable(self.lento, self.folder, self.rng)
        table.wrong_in("node3")
        self.text = run_plain(self.lento, "fleet", "diagnose", "--csv", self.folder / "t.csv", "--machine-column", "machine", "--json").stdout
        self.server = subprocess.Popen([self.lento, "serve", self.runs, "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.base = re.search(r"http://\S+?:\d+", self.server.stdout.readline())[0]

    def get(self, path):
        try:
            with urllib.request.urlopen(self.base + path, timeout=20) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def wrong_in(self, name):
        for old in self.runs.iterdir():
            old.unlink()
        d = json.loads(self.text)
        d["findings"][0]["subject"] = name
        file = name + ".json" if not is_bad(name) and "/" not in name else "run.json"
        (self.runs / file).write_text(json.dumps(d))
        status, listed = self.get("/api/diagnoses")
        if status != 200 or [e["name"] for e in json.loads(listed)] != [file] or "error" in json.loads(listed)[0]:
            return f"list: {status} {listed[:200]}"
        status, page = self.get("/report/" + urllib.parse.quote(file, safe=""))
        status_bad, _ = self.get("/report/" + urllib.parse.quote(name, safe="")) if is_bad(name) else (404, "")
        if status != 200 or status_bad not in (400, 404, 414, 431):
            return f"page: {status}, of the name itself: {status_bad}"
        return "markup in the page" if re.search(r"<b>\d", page.split("<script", 1)[0]) else "steers" if STEERS.search(page) else ""

    def end(self):
        self.server.terminate()
        self.server.wait(10)


class Store(http.server.BaseHTTPRequestHandler):
    """A store whose machines have the names; those of `silent` sent their last sample two minutes ago. It is the Alertmanager too."""

    names, silent, alerts, begun = [], set(), [], 0

    def reply(self, value):
        body = json.dumps(value).encode("utf-8", "surrogatepass")
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path.startswith("/api/v2/alerts"):
            Store.alerts += json.loads(body)
            return self.reply({})
        if self.path.startswith("/api/v1/read"):
            return self.send_error(404)
        return self.answer(body.decode())

    def do_GET(self):
        return self.answer(urllib.parse.urlparse(self.path).query)

    def answer(self, words):
        words = urllib.parse.parse_qs(words)
        query, now = words.get("query", [""])[0], time.time()
        data = {"resultType": "vector", "result": []}
        if query == "time()":
            data = {"resultType": "scalar", "result": [now, str(now)]}
        elif query.startswith("up"):
            data["result"] = [{"metric": {"job": "j", "instance": m}, "value": [now, "0" if m in Store.silent else "1"]} for m in Store.names]
        elif query.startswith("load"):
            seconds = int((re.search(r"\[(\d+)s\]", query) or [0, "60"])[1])
            end = float(words.get("time", [now])[0])
            data = {"resultType": "matrix", "result": []}
            for m in Store.names:
                last = Store.begun - 120 if m in Store.silent else min(end, now)
                values = [[t, f"{100 + random.Random(f'{m}{t}').random():.3f}"] for t in range(int(end - seconds) + 1, int(last) + 1)]
                if values:
                    data["result"].append({"metric": {"job": "j", "instance": m}, "values": values})
        self.reply({"status": "success", "data": data})

    def log_message(self, *args):
        pass


def watch(lento, folder, names, rng):
    """One watch over machines of all the names: which are alerted, and for which the hook runs. (name of door, names, wrong) each."""
    odd = [n for n in dict.fromkeys(names) if not is_bad(n)]
    Store.names = list(dict.fromkeys(names)) + [f"plain{n}" for n in range(60)]
    Store.silent = set(rng.sample(odd, 3)) | {n for n in names if is_bad(n)}
    Store.begun = time.time()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Store)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_address[1]}"
    hook = folder / "hook.sh"
    hook.write_text(f'#!/bin/sh\nprintf "%s\\0" "$LENTO_MACHINE" "$1" >>{folder}/hooked\n')
    hook.chmod(0o755)
    begun = subprocess.Popen([lento, "fleet", "watch", "--prometheus", base, "--metric", "load", "--interval", "1", "--run-for", "90", "--alertmanager", base,
                              "--hook", hook, "--hook-live", "--hook-per-hour", "1000", "--state", folder / "s.json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    runs = folder / "hooked"
    while begun.poll() is None and not (runs.exists() and runs.read_bytes().count(b"\0") >= 2 * len(Store.silent & set(odd))):
        time.sleep(0.5)  # a busy machine needs more seconds
    time.sleep(3)  # in which another machine would be alerted too
    begun.send_signal(signal.SIGINT)
    output, errors = begun.communicate(timeout=60)
    server.shutdown()
    shown = (output + errors).decode("utf-8", "surrogateescape")
    alerted = {a["labels"].get("machine", "") for a in Store.alerts}
    hooked = set(runs.read_bytes().decode().split("\0")[:-1:2]) if runs.exists() else set()
    expected = {re.sub(r":\d+$|\.example\.org$", "", n) for n in Store.silent & set(odd)}  # a machine's name has no port and no domain
    wrong = [f"watch: exit {begun.returncode}: {shown[-300:]}"] if begun.returncode not in (0, 1, 130) else []
    wrong += ["watch: text steers the terminal"] if STEERS.search(shown) else []
    yield "Alertmanager", names, wrong + [f"Alertmanager: {n!r:.60}" for n in alerted ^ expected]
    yield "hook", names, [f"hook: {n!r:.60}" for n in hooked - expected] + ([] if hooked else ["hook: never ran"])


DOORS = {"chip": Chip, "fleet": FleetTable, "ranks": Ranks, "desk": Desk, "predict": Predict, "pages": Pages}


def main():
    args = argparse.ArgumentParser()
    args.add_argument("lento", type=lambda p: pathlib.Path(p).resolve())
    args.add_argument("--names", type=int, default=50)
    args.add_argument("--seed", type=int, default=1)
    args.add_argument("--door", nargs="*", choices=[*DOORS, "watch"])
    args = args.parse_args()
    total, errors = 0, []
    print(f"seed {args.seed}\ndoor          names  bad  wrong")

    def show(door, names, wrong):
        print(f"{door:13} {len(names):5d} {sum(map(is_bad, names)):4d} {len(wrong):6d}", flush=True)
        errors.extend(f"  {w}" for w in wrong)
        return len(names)

    for door in args.door or [*DOORS, "watch"]:
        rng = random.Random(f"{args.seed}/{door}")
        names = [bad(rng) if n % 2 else good(rng) for n in range(args.names)]
        names[:2] = ["Node-X", "node-x"]  # alike but for case: two machines
        with tempfile.TemporaryDirectory() as folder:
            if door == "watch":
                total += sum(show(*row) for row in watch(args.lento, pathlib.Path(folder), names, rng))
                continue
            judge = DOORS[door](args.lento, pathlib.Path(folder), rng)
            wrong = [f"{door}, {n!r:.60}: {w}" for n in names if (w := judge.wrong_in(n))]
            if hasattr(judge, "end"):
                judge.end()
        total += show(door, names, wrong)
    print(f"{total} names, {len(errors)} wrong", *errors, sep="\n")
    sys.exit(1 if errors else 0)


if __name__ == "__main__":
    main()
