#!/usr/bin/env python3
"""Incidents as somebody brings them home in one folder: four hosts, each with its job log, kernel log, nvidia-smi, ethtool -S, and
Slurm's view of the nodes. One cause by seed and two decoys: the first finding must be the cause, whatever else is named.

usage: desk_incidents.py LENTO [SEEDS] [FIRST_SEED]
"""
import pathlib
import random
import re
import sys
import tempfile

import desk_fresh

START = 9 * 3600  # of the day, when the files begin; the fault comes 20 minutes later


def clock(seconds, form="2026-11-20 {:02d}:{:02d}:{:02d}"):
    return form.format(int(seconds) // 3600, int(seconds) // 60 % 60, int(seconds) % 60)


def kernel(host, seconds, text, day=20):
    return f"Nov {day:2d} {clock(seconds, '{:02d}:{:02d}:{:02d}')} {host} kernel: {text}"


class Folder:
    """Healthy files of four hosts with two GPUs' ranks each; a cause and decoys write into them."""

    def __init__(self, draw):
        self.draw = draw
        self.hosts = [f"gpu{number:03d}" for number in draw.sample(range(1, 90), 4)]
        self.at = START + 1200 + draw.randint(0, 60)
        self.kernel = {host: [kernel(host, START + 60 * at, "nvidia-uvm: Loaded the UVM driver") for at in range(10)] for host in self.hosts}
        self.job = {host: [] for host in self.hosts}
        self.clocks = {}  # (host, gpu) -> (since, MHz, reason)
        self.counters = {host: {"tx_prio3_pause": draw.randint(3, 15), "rx_prio3_pause": draw.randint(50, 900), "rx_discards_phy": 0} for host in self.hosts}
        self.nodes = {host: ("IDLE", "") for host in self.hosts}

    def others(self, host):
        return [other for other in self.hosts if other != host]

    def hang(self, late, seq):
        """Eight ranks, two a host; those of `late` have not come. None: all have."""
        for index, host in enumerate(self.hosts):
            for rank in (2 * index, 2 * index + 1):
                stamp = f"[rank{rank}]:[E1120 {clock(self.at + 600, '{:02d}:{:02d}:{:02d}')}.{rank:03d} ProcessGroupNCCL.cpp:"
                gone = late == (host, rank % 2)
                if not gone:
                    self.job[host].append(f"{stamp}616] [Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={seq}, OpType=ALLREDUCE, NumelIn=8388608, NumelOut=8388608, Timeout(ms)=600000) ran for 600070 milliseconds before timing out.")
                self.job[host].append(f"{stamp}1785] [PG ID 0 PG GUID 0(default_pg) Rank {rank}] Exception (either an error or timeout) detected by watchdog at work: {seq}, last enqueued NCCL work: {seq - gone}, last completed NCCL work: {seq - 1}.")

    def files(self):
        out = {}
        for host in self.hosts:
            out[f"{host}/job.log"] = "\n".join(self.job[host] or ["step 1 done"]) + "\n"
            out[f"{host}/dmesg.txt"] = "\n".join(self.kernel[host]) + "\n"
            rows = ["timestamp, index, clocks.current.sm [MHz], temperature.gpu, clocks_event_reasons.active"]
            for at in range(60):
                for gpu in range(2):
                    since, mhz, reason = self.clocks.get((host, gpu), (1e9, 0, 0))
                    ill = START + at * 30 >= since
                    rows.append(f"{clock(START + at * 30, '2026/11/20 {:02d}:{:02d}:{:02d}')}.{gpu:02d}0, {gpu}, {mhz if ill and mhz else 1980 - 15 * self.draw.randint(0, 1)} MHz, {self.draw.randint(60, 66)}, 0x{reason if ill else 0:016x}")
            out[f"{host}/smi.csv"] = "\n".join(rows) + "\n"
            out[f"{host}/ethtool.txt"] = "NIC statistics:\n" + "".join(f"     {name}: {value}\n" for name, value in self.counters[host].items())
        text = ""
        for host, (state, reason) in self.nodes.items():
            text += f"NodeName={host} Arch=x86_64 CoresPerSocket=56\n   CPUTot=224 CPULoad=0.31\n   State={state} ThreadsPerCore=2 TmpDisk=0\n" + (f"   Reason={reason} [root@2026-11-20T09:45:00]\n" if reason else "") + "\n"
        out["slurm/scontrol.txt"] = text
        return out


def gpu_off(f, host):
    """A GPU falls off the bus, its rank hangs, Slurm drains the node."""
    gpu = f.draw.randrange(2)
    f.kernel[host].append(kernel(host, f.at, f"NVRM: Xid (PCI:0000:{0x18 + gpu * 0x33:02x}:00): 79, pid=4711, name=python3, GPU has fallen off the bus."))
    f.hang((host, gpu), f.draw.randint(1000, 9000))
    f.nodes[host] = ("IDLE+DRAIN", "gres/gpu count reported lower than configured (7 < 8)")
    return f"^{host}/0000:{0x18 + gpu * 0x33:02x}:00"


def bad_memory(f, host):
    """A memory row waits for its replacement, then an uncorrected error ends a process."""
    gpu = f.draw.randrange(2)
    place = f"NVRM: Xid (PCI:0000:{0x18 + gpu * 0x33:02x}:00):"
    f.kernel[host] += [kernel(host, f.at - 300, f"{place} 63, pid='<unknown>', name=<unknown>, Row Remapper: New row marked for remapping"), kernel(host, f.at, f"{place} 48, pid=4711, name=python3, DBE (double bit error)")]
    f.hang((host, gpu), f.draw.randint(1000, 9000))
    return f"^{host}/0000:{0x18 + gpu * 0x33:02x}:00"


def throttled(f, host):
    """A GPU becomes too hot, the job slower."""
    gpu = f.draw.randrange(2)
    f.clocks[host, gpu] = (f.at, 1005, 0x40)
    for at in range(60):
        ms = 5200 * f.draw.gauss(1, 0.004) * (1.5 if START + at * 30 >= f.at else 1)
        f.job[f.hosts[-1]].append(f" [{clock(START + at * 30)}] iteration {at * 5 + 5:>8}/  500000 | consumed samples: {at} | elapsed time per iteration (ms): {ms:.1f} | global batch size:  1024 | lm loss: 2.1E+00 |")
    return f"^{host}/gpu{gpu}$"


def network_card(f, host):
    """A port goes down and comes back, the collective never ends though every rank has come."""
    f.kernel[host].append(kernel(host, f.at, "mlx5_core 0000:5e:00.0 ens3f0np0: Link down"))
    f.counters[host]["rx_discards_phy"] = f.draw.randint(90000, 400000)
    f.hang(None, f.draw.randint(1000, 9000))
    return f"^{host}"


def node_lost(f, host):
    """A node dies: its peers see their connections closed, Slurm lists it as down."""
    f.nodes[host] = ("DOWN*", "Not responding")
    for other in f.others(host):
        f.job[other].append(f"{other}:411:455 [0] misc/socket.cc:49 NCCL WARN socketProgress: Connection closed by remote peer {host}<41233>")
    return f"^{host}"


CAUSES = [gpu_off, bad_memory, throttled, network_card, node_lost]


def program_fault_before(f, host):
    f.kernel[host].insert(0, kernel(host, START, "NVRM: Xid (PCI:0000:18:00): 31, pid=99, name=notebook, MMU Fault", 18))


def corrected_errors(f, host):
    f.kernel[host] += [kernel(host, START + at * 60, "pcieport 0000:00:03.0: AER: Corrected error received: 0000:03:00.0") for at in range(20)]


def victim(f, host):
    f.counters[host]["rx_prio3_pause"] = f.draw.randint(200000, 900000)


def maintenance(f, host):
    f.nodes[host] = ("IDLE+DRAIN", "firmware update on Monday")


def power_capped(f, host):
    f.clocks[host, 1] = (START, 0, 0x4)


DECOYS = [program_fault_before, corrected_errors, victim, maintenance, power_capped]


def main():
    lento = pathlib.Path(sys.argv[1]).resolve()
    seeds = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    right = 0
    for seed in range(first, first + seeds):
        draw = random.Random(f"incident {seed}")
        f = Folder(draw)
        cause, host = CAUSES[seed % len(CAUSES)], draw.choice(f.hosts[:3])
        part = cause(f, host)
        decoys = draw.sample(DECOYS, 2)
        for decoy, other in zip(decoys, draw.sample(f.others(host), 2)):
            decoy(f, other)
        with tempfile.TemporaryDirectory() as folder:
            for name, text in f.files().items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(exist_ok=True)
                path.write_text(text)
            got = desk_fresh.answer(lento, folder)
        subjects = [finding["subject"] for finding in got["findings"]]
        ok = bool(subjects) and re.search(part, subjects[0]) is not None
        right += ok
        print(f"{'right' if ok else 'WRONG'} seed {seed}: {cause.__name__} at {part} with {[decoy.__name__ for decoy in decoys]}: {got['outcome']} {subjects}: {got.get('verdict', '')[:170]}")
    print(f"{right} of {seeds} incidents with the cause first")
    sys.exit(right < seeds)


if __name__ == "__main__":
    main()
