#!/usr/bin/env python3
"""Real processes on hosts of their own network namespaces, slowed down for real while 'lento fleet watch --ranks' looks on.

usage: ranks_live.py LENTO [--runs N] [--healthy N] [--seed S] [--results FILE.csv] [--keep FOLDER]   (as root, with iproute2)

Each run starts eight ranks (TP 2 x PP 2 x DP 2, two a host, hosts joined by a bridge) that exchange buffers over TCP and append
to logs in the Inspector's layout, every host with a clock of its own; what a rank computes is done by a second process, its GPU. After some
healthy seconds a fault begins: a GPU, or all processes of a host, are stopped for a share of the time (SIGSTOP and SIGCONT), or
what a host sends is limited by a token bucket. It must
be named, with its host, within 30 s and nothing else ever; healthy runs are silent.
"""
import argparse
import csv
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

HOSTS, RANKS = 4, 8
HEALTHY_S, NAMED_WITHIN_S, HEALTHY_RUN_S = 25, 30, 60
GROUPS = {"TENSOR_MODEL_PARALLEL_GROUP": (1, 131_072), "DATA_PARALLEL_GROUP": (2, 1_048_576),
          "PIPELINE_MODEL_PARALLEL_GROUP": (4, 524_288)}
FAULTS = ["slow GPU", "slow host", "slow link"]


def host_of(rank):
    return rank // 2


# --- one rank ---------------------------------------------------------------------------------------------------------------

class Log:
    """Lines of the Inspector, by the clock of this host."""

    def __init__(self, path, rank, offset_us, drift_ppm):
        self.file = open(path, "a", buffering=1 << 16)
        self.rank, self.offset, self.drift = rank, offset_us, drift_ppm
        self.begun = time.time()
        self.numbers = {}
        self.flushed = 0.0

    def now(self):
        t = time.time()
        return int(t * 1e6 + self.offset + (t - self.begun) * self.drift)

    def add(self, group, member, what, size, begin, peer=None):
        end = self.now()
        kind = "coll" if peer is None else "p2p"
        number = self.numbers[group, what] = self.numbers.get((group, what), 0) + 1
        low = self.rank & ~GROUPS[group][0]
        record = {kind: what, f"{kind}_sn": number}
        if peer is not None:
            record["p2p_peer"] = peer
        rate = size / max(1, end - begin) / 1000
        record |= {f"{kind}_msg_size_bytes": size, f"{kind}_exec_time_us": end - begin, f"{kind}_timing_source": "kernel_gpu",
                   f"{kind}_algobw_gbs": round(rate, 6), f"{kind}_busbw_gbs": round(rate, 6),
                   "event_trace_sn": {f"{kind}_start_sn": 1, f"{kind}_stop_sn": 2,
                                      "kernel_events": [{"channel_id": 0, "kernel_start_sn": 3, "kernel_stop_sn": 5,
                                                         "kernel_record_sn": 4}]},
                   "event_trace_ts": {f"{kind}_start_ts": begin - 8, f"{kind}_stop_ts": begin - 4,
                                      "kernel_events": [{"channel_id": 0, "kernel_start_ts": begin, "kernel_stop_ts": end,
                                                         "kernel_record_ts": end}]}}
        inside = host_of(low) == host_of(low | GROUPS[group][0])
        line = {"header": {"id": f"0x{GROUPS[group][0] * 64 + low:012x}", "comm_name": group, "rank": member, "n_ranks": 2,
                           "nnodes": 1 if inside else 2},
                "metadata": {"inspector_output_format_version": "v4.0", "git_rev": "", "rec_mechanism": "nccl_profiler_interface",
                             "dump_timestamp_us": end, "hostname": f"host{host_of(self.rank)}", "pid": os.getpid()},
                f"{kind}_perf": record}
        self.file.write(json.dumps(line, separators=(",", ":")) + "\n")
        if time.monotonic() - self.flushed > 1:
            self.file.flush()
            self.flushed = time.monotonic()


def read_all(connection, size):
    while size > 0:
        size -= len(connection.recv(min(size, 1 << 18)) or exit_now())


def exit_now():
    os._exit(0)  # a peer has gone: the run is over


class Gpu:
    """A process that computes for a rank: slices of a millisecond, so that one that is stopped for a share of the time gets less done."""

    def __init__(self, path):
        self.mine, its = socket.socketpair()
        pid = os.fork()
        if pid == 0:
            self.mine.close()
            try:
                while asked := its.recv(4):
                    self.work(0.001 * struct.unpack("i", asked)[0])
                    its.sendall(b"d")
            finally:
                os._exit(0)  # its rank has gone: the run is over
        its.close()
        pathlib.Path(path).write_text(str(pid))

    @staticmethod
    def work(seconds):
        """What a slice takes over its millisecond counts as work while it is a late timer, not where the process was stopped."""
        now = time.monotonic()
        while seconds > 0:
            time.sleep(min(seconds, 0.001))
            before, now = now, time.monotonic()
            seconds -= min(now - before, 0.002)

    def compute(self, slices):
        self.mine.sendall(struct.pack("i", slices))
        read_all(self.mine, 1)


class Rank:
    def __init__(self, rank, log, noise, gpu):
        self.rank, self.log, self.noise, self.gpu = rank, log, noise, gpu
        self.peers = {group: self.connect(distance) for group, (distance, _) in GROUPS.items()}
        self.buffers = {group: b"x" * size for group, (_, size) in GROUPS.items()}

    def connect(self, distance):
        """The lower rank of a pair listens, on an address of its host."""
        low = self.rank & ~distance
        port = 20_000 + low * 8 + distance
        if self.rank == low:
            with socket.create_server((f"10.77.0.{host_of(low) + 1}", port)) as server:
                connection, _ = server.accept()
        else:
            for _ in range(400):
                try:
                    connection = socket.create_connection((f"10.77.0.{host_of(low) + 1}", port), timeout=60)
                    break
                except OSError:
                    time.sleep(0.05)
        connection.settimeout(60)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def compute(self, ms):
        self.gpu.compute(round(ms * (1 + 0.05 * self.noise.gauss(0, 1))))

    def meet(self, connection):
        """Nothing moves before both are there, as in NCCL."""
        connection.sendall(b"r")
        read_all(connection, 1)

    def all_reduce(self, group):
        connection, data = self.peers[group], self.buffers[group]
        begin = self.log.now()
        self.meet(connection)
        sender = threading.Thread(target=connection.sendall, args=(data,))
        sender.start()
        read_all(connection, len(data))
        sender.join()
        connection.sendall(b"e")
        read_all(connection, 1)
        distance = GROUPS[group][0]
        self.log.add(group, int(self.rank & distance > 0), "AllReduce", len(data), begin)

    def point(self, what, group="PIPELINE_MODEL_PARALLEL_GROUP"):
        connection, data = self.peers[group], self.buffers[group]
        begin = self.log.now()
        self.meet(connection)
        if what == "Send":
            connection.sendall(data)
            read_all(connection, 1)
        else:
            read_all(connection, len(data))
            connection.sendall(b"e")
        member = int(self.rank & GROUPS[group][0] > 0)
        self.log.add(group, member, what, len(data), begin, 1 - member)

    def step(self):
        first = self.rank < RANKS // 2
        for _ in range(2):
            if not first:
                self.point("Recv")
            self.compute(8)
            self.all_reduce("TENSOR_MODEL_PARALLEL_GROUP")
            if first:
                self.point("Send")
        for _ in range(2):
            if first:
                self.point("Recv")
            self.compute(8)
            self.all_reduce("TENSOR_MODEL_PARALLEL_GROUP")
            if not first:
                self.point("Send")
        self.all_reduce("DATA_PARALLEL_GROUP")


def work(folder, rank, seed):
    # The ranks of a host never share a core where there are two: that would be slow links inside of some hosts.
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[rank % len(cores)]})
    clock = random.Random(seed * 100 + host_of(rank))
    log = Log(f"{folder}/host{host_of(rank)}-pid{os.getpid()}.log", rank, clock.uniform(-50_000, 50_000), clock.uniform(-20, 20))
    me = Rank(rank, log, random.Random(seed * 1000 + rank), Gpu(f"{folder}/gpu{rank}"))
    try:
        while True:
            me.step()
    except OSError:
        exit_now()


# --- the hosts --------------------------------------------------------------------------------------------------------------

def ip(*words):
    subprocess.run(["ip", *words], check=True, capture_output=True)


class Network:
    """Namespaces as hosts around a bridge; what a host sends to others has a rate."""

    made = 0

    def __init__(self, rate):
        self.rate = rate
        Network.made += 1

    def __enter__(self):
        # Names of their own: the kernel takes down what a run leaves while the next one begins.
        self.name = f"lt{os.getpid() % 10_000}n{Network.made}"
        ip("link", "add", self.name, "type", "bridge")
        ip("link", "set", self.name, "up")
        for host in range(HOSTS):
            space = self.space(host)
            ip("netns", "add", space)
            ip("link", "add", f"{self.name}p{host}", "type", "veth", "peer", "name", "eth0", "netns", space)
            ip("link", "set", f"{self.name}p{host}", "master", self.name, "up")
            ip("-n", space, "addr", "add", f"10.77.0.{host + 1}/24", "dev", "eth0")
            ip("-n", space, "link", "set", "eth0", "up")
            ip("-n", space, "link", "set", "lo", "up")
            if self.rate:
                self.limit(host, self.rate)
        return self

    def __exit__(self, *_):
        for host in range(HOSTS):
            subprocess.run(["ip", "netns", "del", self.space(host)], capture_output=True)
        subprocess.run(["ip", "link", "del", self.name], capture_output=True)

    def space(self, host):
        return f"{self.name}h{host}"

    def limit(self, host, mbit):
        subprocess.run(["ip", "netns", "exec", self.space(host), "tc", "qdisc", "replace", "dev", "eth0", "root", "tbf", "rate",
                        f"{mbit}mbit", "burst", "32kb", "latency", "200ms"], check=True)


class Duty(threading.Thread):
    """Stops processes for a share of each 20 ms."""

    def __init__(self, pids, share):
        super().__init__(daemon=True)
        self.pids, self.share, self.over = pids, share, threading.Event()

    def run(self):
        while not self.over.is_set():
            for which, part in ((signal.SIGSTOP, self.share), (signal.SIGCONT, 1 - self.share)):
                for pid in self.pids:
                    try:
                        os.kill(pid, which)
                    except ProcessLookupError:
                        return
                time.sleep(0.02 * part)


# --- one run ----------------------------------------------------------------------------------------------------------------

class Watch:
    """The watch and the lines it tells, with their times."""

    def __init__(self, lento, folder):
        self.process = subprocess.Popen([lento, "fleet", "watch", "--ranks", folder, "--interval", "1", "--job", "live"],
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.told = []
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.told.append((time.monotonic(), line.strip()))

    def end(self):
        self.process.terminate()
        self.process.wait(timeout=10)


def right(fault, place, line):
    named = {"slow GPU": f"pid {place_pid[place]},", "slow host": f"host{host_of(place)} ", "slow link": f"NIC of host{host_of(place)}"}
    return f" {fault}: " in line and named[fault] in line


place_pid = {}


def run(lento, network, fault, seed, keep):
    """(verdict, seconds from the onset to the line, what was told)"""
    draw = random.Random(seed)
    folder = tempfile.mkdtemp(prefix="ranks_live_")
    ranks, watch, duty = [], None, None
    try:
        for rank in range(RANKS):
            ranks.append(subprocess.Popen(["ip", "netns", "exec", network.space(host_of(rank)), sys.executable, __file__, "--work",
                                           folder, str(rank), str(seed)]))
        place_pid.clear()
        place_pid.update({rank: process.pid for rank, process in enumerate(ranks)})
        watch = Watch(lento, folder)
        time.sleep(HEALTHY_S if fault else HEALTHY_RUN_S)
        early = len(watch.told)
        if not fault:
            return ("silent" if not early else "false", None, [line for _, line in watch.told])
        place = draw.randrange(RANKS)
        onset = time.monotonic()
        if fault == "slow link":
            network.limit(host_of(place), round((network.rate or 1000) * draw.choice([0.3, 0.45, 0.6])))
        else:
            gpus = {r: int(pathlib.Path(f"{folder}/gpu{r}").read_text()) for r in range(RANKS)}
            host = [r for r in range(RANKS) if host_of(r) == host_of(place)]
            stopped = [gpus[place]] if fault == "slow GPU" else [pid for r in host for pid in (gpus[r], ranks[r].pid)]
            duty = Duty(stopped, draw.choice([0.35, 0.5, 0.65]))
            duty.start()
        while time.monotonic() - onset < NAMED_WITHIN_S and len(watch.told) == early:
            time.sleep(0.1)
        time.sleep(3)  # what else is told
        lines = [line for _, line in watch.told]
        if early:
            return "false", None, lines
        if not lines:
            return "missed", None, lines
        if not all(right(fault, place, line) for line in lines):
            return f"wrong, was rank {place} (pid {place_pid[place]}, host{host_of(place)})", watch.told[0][0] - onset, lines
        return "right", watch.told[0][0] - onset, lines
    finally:
        if duty:
            duty.over.set()
            duty.join()
        for process in ranks:
            process.kill()
            process.wait()
        if watch:
            watch.end()
        if keep:
            shutil.move(folder, f"{keep}/{seed}-{(fault or 'healthy').replace(' ', '_')}")
        else:
            shutil.rmtree(folder)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lento")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--healthy", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=int, default=400, help="Mbit/s of a link; 0: as fast as the machine")
    parser.add_argument("--results")
    parser.add_argument("--keep", help="a folder for the logs of every run")
    parser.add_argument("--only", help="this kind of fault only")
    o = parser.parse_args()
    if os.geteuid() != 0 or not shutil.which("tc"):
        print("skipped: network namespaces need root and iproute2")
        return 77
    rows = []
    faults = [o.only] if o.only else FAULTS
    plan = [faults[n % len(faults)] for n in range(o.runs)]
    for n in range(o.healthy):
        plan.insert(min(len(plan), 3 * n + 2), None)
    for n, fault in enumerate(plan):
        with Network(o.rate) as network:
            verdict, took, lines = run(os.path.abspath(o.lento), network, fault, o.seed * 1000 + n, o.keep)
        rows.append([n, fault or "none", verdict, "" if took is None else f"{took:.1f}", " | ".join(lines)])
        print(*rows[-1], flush=True)
    if o.results:
        with open(o.results, "w", newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(["run", "fault", "verdict", "seconds after onset", "told"])
            table.writerows(rows)
    good = sum(row[2] in ("right", "silent") for row in rows)
    print(f"{good} of {len(rows)} as they should be")
    return 0 if good >= 0.95 * len(rows) else 1


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] == "--work":
        work(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    sys.exit(main())
