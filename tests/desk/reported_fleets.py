"""Metrics of many hosts after what operators report in public: a table, a file a host, or the answer of Prometheus's range query, of
8 to 24 hosts for one to three hours. The second value of each docstring is the thread. Values are drawn, levels and shapes are those
of the report. Inputs and right answers were written before the first run on them."""
import json
import math

from desk.cluster import HEALTHY, OPEN, hosts

START = 1795168800  # 2026-11-20 10:00 UTC


class Fleet:
    """Hosts, times and one series a metric and host; `level` is what a healthy host has."""

    def __init__(self, draw, count, seconds=3600, step=15):
        self.draw, self.names = draw, hosts(draw, count)
        self.times = list(range(START, START + seconds, step))
        self.metrics = {}
        self.bad = draw.choice(self.names)
        self.onset = draw.randint(len(self.times) // 3, len(self.times) * 2 // 3)

    def add(self, metric, level, noise, change=None, digits=3):
        """`change(host, i, value)` returns the value of one host at one time."""
        rows = self.metrics[metric] = {}
        for name in self.names:
            own = level * self.draw.gauss(1, noise / 3)
            values = [max(0.0, own * self.draw.gauss(1, noise)) for _ in self.times]
            rows[name] = [round(change(name, i, v) if change else v, digits) for i, v in enumerate(values)]
        return self

    def ill(self, factor, fault=True, since=None):
        """A change that multiplies the bad host's values from the onset on."""
        begin = self.onset if since is None else since
        return lambda name, i, v: v * factor if fault and name == self.bad and i >= begin else v

    def wide(self, host="host", time="time", stamp=str, name="metrics.csv", sep=","):
        lines = [sep.join([time, host, *self.metrics])]
        for i, t in enumerate(self.times):
            lines += [sep.join([stamp(t), n, *(f"{rows[n][i]:g}" for rows in self.metrics.values())]) for n in self.names]
        return {name: "\n".join(lines) + "\n"}

    def long(self, name="export.csv"):
        lines = ["timestamp,instance,metric,value"]
        for metric, rows in self.metrics.items():
            lines += [f"{t},{n}:9100,{metric},{rows[n][i]:g}" for n in self.names for i, t in enumerate(self.times)]
        return {name: "\n".join(lines) + "\n"}

    def per_host(self):
        head = ",".join(["timestamp", *self.metrics])
        return {f"{n}.csv": "\n".join([head, *(",".join([str(t), *(f"{rows[n][i]:g}" for rows in self.metrics.values())]) for i, t in enumerate(self.times))]) + "\n"
                for n in self.names}

    def matrix(self, port=9100):
        files = {}
        for metric, rows in self.metrics.items():
            result = [{"metric": {"__name__": metric, "instance": f"{n}:{port}", "job": "node"}, "values": [[t, f"{rows[n][i]:g}"] for i, t in enumerate(self.times)]}
                      for n in self.names]
            files[f"{metric}.json"] = json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}})
        return files

    def right(self, fault):
        return [f"^{self.bad}"] if fault else HEALTHY


def cpu_clock_floor(draw, fault):
    """A server whose clock falls to 800 MHz while it is busy and cool; erpalma/throttled/issues/163, intel/thermal_daemon/issues/449."""
    f = Fleet(draw, 12)
    f.add("cpu_busy_percent", 92, 0.02).add("cpu_mhz", 3100, 0.01, lambda n, i, v: 800 if fault and n == f.bad and i >= f.onset else v, 0)
    f.add("package_temp_c", 66, 0.01)
    return f.wide(), f.right(fault)


def clock_floor_from_boot(draw, fault):
    """The same since before the record began; omacom/omarchy/issues/6063."""
    f = Fleet(draw, 16)
    f.add("node_cpu_scaling_frequency_hertz", 2.9e9, 0.01, f.ill(0.14, fault, 0), 0)
    return f.matrix(), f.right(fault)


def disk_that_fails_slowly(draw, fault):
    """Latency of one host's disk, others unchanged; ceph/ceph/pull/69995, elastic/elasticsearch/issues/19333."""
    f = Fleet(draw, 10)
    f.add("disk_await_ms", 1.6, 0.15, f.ill(draw.uniform(40, 90), fault)).add("disk_util_percent", 22, 0.1, lambda n, i, v: 99.5 if fault and n == f.bad and i >= f.onset else v)
    f.add("write_mb_s", 310, 0.05, f.ill(0.3, fault))
    return f.per_host(), f.right(fault)


def waiting_everywhere(draw, fault):
    """Every host waits for the same storage; vitalif/vitastor/issues/77. No host is at fault."""
    f = Fleet(draw, 12)
    f.add("iowait_percent", 2, 0.2, lambda n, i, v: v + draw.gauss(46, 3) if fault and i >= f.onset else v)
    f.add("read_mb_s", 420, 0.05, lambda n, i, v: v * 0.2 if fault and i >= f.onset else v)
    return f.wide(), OPEN if fault else HEALTHY


def stolen_cpu(draw, fault):
    """A hypervisor that gives one machine's processors to another; prometheus-operator/kube-prometheus/pull/796."""
    f = Fleet(draw, 14)
    f.add("node_cpu_steal_percent", 0.4, 0.4, lambda n, i, v: draw.gauss(24, 4) if fault and n == f.bad and i >= f.onset else v)
    f.add("node_load1", 30, 0.08)
    return f.long(), f.right(fault)


def steal_of_a_kernel(draw, fault):
    """The kernel's counter of stolen time jumps by absurd amounts on one host; prometheus/node_exporter/issues/742. No host is slow."""
    f = Fleet(draw, 10)
    f.add("steps_per_second", 2.2, 0.02, f.ill(0.5, fault))
    f.add("steal_jiffies", 12, 0.3, lambda n, i, v: -draw.randint(3 * 10**8, 9 * 10**8) if n == f.names[0] and i % 37 == 5 else v, 0)
    return f.wide(), f.right(fault)


def interrupts_on_one_core(draw, fault):
    """All interrupts of a card go to one processor after a restart of the daemon; Irqbalance/irqbalance/issues/275, 125."""
    f = Fleet(draw, 8)
    f.add("softirq_percent_of_busiest_cpu", 18, 0.1, lambda n, i, v: min(100, draw.gauss(99, 0.5)) if fault and n == f.bad and i >= f.onset else v)
    f.add("network_receive_bytes_per_second", 9.1e9, 0.03, f.ill(0.42, fault), 0)
    return f.wide("node", "ts"), f.right(fault)


def half_the_bandwidth(draw, fault):
    """One host moves half of what its peers move; NVIDIA/nccl-tests/issues/106."""
    f = Fleet(draw, 16)
    f.add("ib_port_xmit_gbit_s", 188, 0.02, f.ill(0.5, fault)).add("gpu_util_percent", 97, 0.01)
    return f.wide("hostname", "time"), f.right(fault)


def two_groups_of_machines(draw, fault):
    """Two halves of a data centre with different cables, all along; NVIDIA/nccl-tests/issues/106, NVIDIA/nccl/issues/307. The faulty
    twin has a host that falls within its half."""
    f = Fleet(draw, 16)
    slow = set(f.names[:8])
    f.add("ib_port_xmit_gbit_s", 190, 0.02, lambda n, i, v: v * (0.5 if n in slow else 1) * (0.4 if fault and n == f.bad and i >= f.onset else 1))
    return f.wide(), f.right(fault)


def retransmits(draw, fault):
    """Half of a node's segments are sent again; kubernetes-sigs/kubernetes-mixin/pull/327."""
    f = Fleet(draw, 12)
    f.add("node_netstat_Tcp_RetransSegs_per_second", 3, 0.4, lambda n, i, v: draw.gauss(900, 120) if fault and n == f.bad and i >= f.onset else v)
    f.add("node_netstat_Tcp_OutSegs_per_second", 52000, 0.05, None, 0)
    return f.matrix(), f.right(fault)


def cyclic_peaks(draw, fault):
    """Every host has a peak of load each 105 minutes, each at its own time; prometheus/node_exporter/issues/1963."""
    f = Fleet(draw, 12, seconds=8 * 3600, step=60)
    phase = {n: draw.randrange(105) for n in f.names}
    f.add("node_load1", 1.2, 0.1, lambda n, i, v: (v + (7 if (i + phase[n]) % 105 < 9 else 0)) * (6 if fault and n == f.bad and i >= f.onset else 1))
    return f.matrix(), f.right(fault)


def counter_that_steps_back(draw, fault):
    """A counter of waiting time that falls by a hundredth now and then; prometheus/node_exporter/issues/1372."""
    f = Fleet(draw, 9)
    total = {n: draw.uniform(5000, 9000) for n in f.names}

    def counted(n, i, v):
        total[n] += 9.5 if fault and n == f.bad and i >= f.onset else max(0.0, draw.gauss(0.02, 0.02))
        return total[n] - (0.01 if i % 3 == 1 else 0)
    f.add("node_cpu_iowait_seconds_total", 1, 0, counted, 2)
    return f.matrix(), f.right(fault)


def leak_of_a_loader(draw, fault):
    """Memory of one host grows step by step until it swaps; pytorch/pytorch/issues/5812, huggingface/datasets/issues/5610."""
    f = Fleet(draw, 10, seconds=3 * 3600, step=30)
    f.add("node_memory_used_gib", 310, 0.004, lambda n, i, v: v + 1.1 * (i - f.onset) if fault and n == f.bad and i >= f.onset else v)
    f.add("step_time_s", 3.1, 0.01, None)
    return f.wide(), f.right(fault)


def leak_everywhere(draw, fault):
    """All hosts' memory grows alike, which is the program's; InternLM/InternEvo/issues/415. The faulty twin has one that grows faster."""
    f = Fleet(draw, 10, seconds=3 * 3600, step=30)
    f.add("node_memory_used_gib", 210, 0.004, lambda n, i, v: v + 0.25 * i + (1.2 * (i - f.onset) if fault and n == f.bad and i >= f.onset else 0))
    return f.wide(), f.right(fault)


def slow_pcie_link(draw, fault):
    """A card whose link stays at the second generation under load; local-inference-lab/rtx6kpro/pull/88."""
    f = Fleet(draw, 12)
    f.add("pcie_rx_gb_s", 41, 0.05, lambda n, i, v: draw.gauss(7.2, 0.2) if fault and n == f.bad and i >= f.onset else v)
    f.add("gpu_util_percent", 99.4, 0.003)
    return f.wide("node", "timestamp"), f.right(fault)


def link_that_sleeps(draw, fault):
    """Idle cards lower their link's generation, each when it likes; Syllo/nvtop/issues/6."""
    f = Fleet(draw, 8)
    f.add("pcie_link_gen_current", 1, 0, lambda n, i, v: draw.choice([1, 1, 1, 2, 4]), 0)
    f.add("gpu_clock_mhz", 1980, 0.004, f.ill(0.45, fault), 0)
    return f.wide(), f.right(fault)


def thermal_violation(draw, fault):
    """One GPU hotter than its peers, and slower; NVIDIA/DCGM/issues/270."""
    f = Fleet(draw, 8)
    f.add("DCGM_FI_DEV_GPU_TEMP", 63, 0.01, f.ill(1.38, fault), 0).add("DCGM_FI_DEV_SM_CLOCK", 1410, 0.004, f.ill(0.72, fault), 0)
    f.add("DCGM_FI_DEV_POWER_USAGE", 388, 0.02, f.ill(0.7, fault), 1)
    return f.matrix(9400), f.right(fault)


def hot_but_as_fast(draw, fault):
    """A whole rack that is warmer than the others, all along, with equal clocks. The faulty twin has one host that is throttled."""
    f = Fleet(draw, 16)
    rack = set(f.names[:4])
    f.add("gpu_temp_c", 60, 0.01, lambda n, i, v: v + (9 if n in rack else 0)).add("sm_clock_mhz", 1755, 0.004, f.ill(0.75, fault), 0)
    return f.wide(), f.right(fault)


def one_rank_waits_less(draw, fault):
    """Every rank but one waits at the barrier; ingero.hashnode.dev, Fleet 1.0: the slow one is the one that does not wait."""
    f = Fleet(draw, 16)
    f.add("step_compute_ms", 640, 0.01, f.ill(1.125, fault)).add("barrier_wait_ms", 30, 0.15, lambda n, i, v: v if not fault or i < f.onset else (4 if n == f.bad else v + 80))
    return f.wide("rank_host", "time"), f.right(fault)


def busier_by_schedule(draw, fault):
    """One node runs more pods than others: more work, not slower. The faulty twin's node is throttled with the same load."""
    f = Fleet(draw, 12)
    more = draw.choice([n for n in f.names if n != f.bad])
    f.add("cpu_seconds_per_second", 20, 0.05, lambda n, i, v: v * (1.12 if n == more else 1)).add("cpu_mhz", 2800, 0.01, f.ill(0.5, fault), 0)
    return f.wide("node"), f.right(fault)


def restart_of_an_exporter(draw, fault):
    """An exporter starts again: its counters begin at nought and some scrapes are missing."""
    f = Fleet(draw, 10)
    again = draw.choice(f.names)
    total = {n: draw.uniform(1e9, 9e9) for n in f.names}

    def counted(n, i, v):
        total[n] = 0 if n == again and i == 100 else total[n] + draw.gauss(1.2e8, 4e6) * (0.3 if fault and n == f.bad and i >= f.onset else 1)
        return total[n]
    f.add("node_network_transmit_bytes_total", 1, 0, counted, 0)
    files = f.matrix()
    answer = json.loads(files["node_network_transmit_bytes_total.json"])
    for series in answer["data"]["result"]:
        if series["metric"]["instance"].startswith(f"{again}:"):
            del series["values"][96:100]
    return {"transmit.json": json.dumps(answer)}, f.right(fault)


def day_and_night(draw, fault):
    """A service whose load follows the day, on all hosts alike."""
    f = Fleet(draw, 12, seconds=24 * 3600, step=300)
    f.add("requests_per_second", 800, 0.03, lambda n, i, v: v * (1.2 + math.sin(2 * math.pi * i / 288)) * (0.45 if fault and n == f.bad and i >= f.onset else 1))
    return f.wide(), f.right(fault)


def hosts_that_join(draw, fault):
    """Four hosts are added in the middle."""
    f = Fleet(draw, 12)
    late = [n for n in f.names if n != f.bad][:4]
    f.add("samples_per_second", 410, 0.02, f.ill(0.6, fault))
    text = f.wide()["metrics.csv"].splitlines()
    middle = f.times[len(f.times) // 3]
    kept = [text[0], *(line for line in text[1:] if line.split(",")[1] not in late or int(line.split(",")[0]) >= middle)]
    return {"metrics.csv": "\n".join(kept) + "\n"}, f.right(fault)


def power_supply_lost(draw, fault):
    """A supply fails and the server caps its power; clocks follow."""
    f = Fleet(draw, 20)
    f.add("node_power_watts", 6200, 0.02, f.ill(0.62, fault), 0).add("gpu_sm_clock_mhz", 1830, 0.006, f.ill(0.7, fault), 0)
    return f.per_host(), f.right(fault)


def links_down(draw, fault):
    """A GPU's links carry half of what they did."""
    f = Fleet(draw, 8)
    f.add("nvlink_tx_gb_s", 212, 0.04, f.ill(0.5, fault)).add("tensor_active", 0.55, 0.03)
    return f.wide("host", "time", lambda t: f"2026-11-20T{10 + (t - START) // 3600:02d}:{(t - START) // 60 % 60:02d}:{(t - START) % 60:02d}Z"), f.right(fault)


def spells(draw, fault):
    """Half a minute in every ten, one host is slow; choderalab/perses/issues/613."""
    f = Fleet(draw, 12, seconds=2 * 3600)
    f.add("iteration_s", 1.4, 0.02, lambda n, i, v: v * 2.2 if fault and n == f.bad and i % 40 < 3 else v)
    return f.wide(), f.right(fault)


def four_cards_of_a_box(draw, fault):
    """A fixed rate each a card, one lower from the first row on; kubeflow/kubeflow/issues/68."""
    f = Fleet(draw, 8)
    f.add("samples_per_second", 2010, 0.006, f.ill(0.35, fault, 0))
    return f.wide("node", "time"), f.right(fault)


def roles_of_servers(draw, fault):
    """Two hosts hold the parameters and send far more than the others, all along."""
    f = Fleet(draw, 14)
    servers = set(f.names[:2])
    if f.bad in servers:
        f.bad = f.names[5]
    f.add("transmit_mb_s", 240, 0.04, lambda n, i, v: v * (6 if n in servers else 1) * (0.3 if fault and n == f.bad and i >= f.onset else 1))
    return f.wide(), f.right(fault)


def deployed_everywhere(draw, fault):
    """A release with a limit on processors makes every host slower from one minute on. No host is at fault."""
    f = Fleet(draw, 12)
    f.add("requests_per_second", 950, 0.02, lambda n, i, v: v * 0.55 if fault and i >= f.onset else v)
    f.add("throttled_seconds_per_second", 0.05, 0.5, lambda n, i, v: v + 3.4 if fault and i >= f.onset else v)
    return f.wide("pod"), OPEN if fault else HEALTHY


def missing_values(draw, fault):
    """One host's exporter lacks the metric for a while, which says nothing about its speed."""
    f = Fleet(draw, 10)
    silent = draw.choice([n for n in f.names if n != f.bad])
    f.add("tokens_per_second", 3300, 0.015, f.ill(0.7, fault), 0)
    lines = f.wide()["metrics.csv"].splitlines()
    for k, line in enumerate(lines[1:], 1):
        t, n, v = line.split(",")
        if n == silent and 60 <= (int(t) - START) // 15 < 130:
            lines[k] = f"{t},{n},NaN"
    return {"metrics.csv": "\n".join(lines) + "\n"}, f.right(fault)


CASES = [cpu_clock_floor, clock_floor_from_boot, disk_that_fails_slowly, waiting_everywhere, stolen_cpu, steal_of_a_kernel, interrupts_on_one_core,
         half_the_bandwidth, two_groups_of_machines, retransmits, cyclic_peaks, counter_that_steps_back, leak_of_a_loader, leak_everywhere,
         slow_pcie_link, link_that_sleeps, thermal_violation, hot_but_as_fast, one_rank_waits_less, busier_by_schedule, restart_of_an_exporter,
         day_and_night, hosts_that_join, power_supply_lost, links_down, spells, four_cards_of_a_box, roles_of_servers, deployed_everywhere, missing_values]
