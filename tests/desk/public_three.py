"""Twenty kinds more from the list of public_one, in the order of the same draw, those left out whose right answer nobody can state: benchmarks host by host
(clpeak, mixbench, openssl speed, locust, qperf, mbw, TransferBench), step lines of VASP and CP2K, stacks of pystack, processes that wait in the kernel, slurmd's
devices, states of HTCondor, Flux and Alertmanager, clocks of ptp4l, hl-smi as CSV, and tables that decide nothing. Forms after their manual pages and documentation.
Values are drawn."""
import json

from desk.benchmarks import on_each_host
from desk.cluster import HEALTHY, OPEN
from desk.job import slowed
from desk.systems import one_of


def sdiag(draw, _):
    return {"sdiag.txt": f"*******************************************************\nsdiag output at Fri Nov 20 09:31:07 2026 (1795167067)\nData since      Fri Nov 20 01:00:00 2026 (1795136400)\n*******************************************************\nServer thread count:  {draw.randint(1, 9)}\nAgent queue size:     0\nJobs submitted: {draw.randint(100, 999)}\nJobs started:   {draw.randint(100, 999)}\n\nMain schedule statistics (microseconds):\n\tLast cycle:   {draw.randint(1000, 90000)}\n\tMax cycle:    {draw.randint(100000, 900000)}\n\tMean cycle:   {draw.randint(1000, 90000)}\n"}, OPEN


def ps_dstate(draw, fault):
    """ps of four hosts; on one the processes of the job wait for a file server."""
    names, bad = one_of(draw, 4, fault)
    files = {}
    for name in names:
        ill = name == bad
        rows = [f"{draw.randint(10000, 99999):>7} {'D' if ill else 'Rl':<4} {'rpc_wait_bit_killable' if ill else '-':<22} python3" for _ in range(8)] + [f"{draw.randint(1000, 9999):>7} S    do_epoll_wait          sshd"]
        files[f"{name}.ps"] = "    PID STAT WCHAN                  COMMAND\n" + "\n".join(rows) + "\n"
    return files, [f"^{bad}"] if fault else OPEN


def clpeak(draw, fault):
    top = draw.uniform(2000, 3300)

    def text(s):
        v = lambda share: f"{top * share * s * draw.gauss(1, 0.003):.2f}"
        return f"\nPlatform: NVIDIA CUDA\n  Device: NVIDIA H100 80GB HBM3\n    Driver version  : 550.127.08 (Linux x64)\n    Compute units   : 132\n    Clock frequency : 1980 MHz\n\n    Global memory bandwidth (GBPS)\n      float   : {v(0.9)}\n      float2  : {v(0.95)}\n      float4  : {v(1)}\n\n    Single-precision compute (GFLOPS)\n      float   : {v(20)}\n      float2  : {v(20.1)}\n"

    return on_each_host(draw, fault, text, ".clpeak")


def mixbench(draw, fault):
    top = draw.uniform(20000, 60000)

    def text(s):
        rows = [f"{step:>9},{step / 4:>9.3f},{30 + step * 0.1 / s:>8.2f},{min(top, top * step / 64) * s * draw.gauss(1, 0.003):>9.2f},{3000 * s:>7.2f}" for step in (1, 8, 64, 128, 256)]
        return "mixbench/read-only (v0.04-14)\n------------------------ Device specifications ------------------------\nDevice:              NVIDIA H100 80GB HBM3\n-----------------------------------------------------------------------\nExperiment ID, Flops/byte, ex.time, GFLOPS, GB/sec\n" + "\n".join(rows) + "\n"

    return on_each_host(draw, fault, text, ".mixbench")


def slurmd_gres(draw, fault):
    names, bad = one_of(draw, 4, fault)
    files = {}
    for name in names:
        lines = [f"[2026-11-20T08:{at:02}:12.{draw.randint(100, 999)}] {draw.choice(['launch task StepId=4711.0 request from UID:1000 GID:1000 HOST:10.0.0.7 PORT:41822', 'done with job', 'task/affinity: lllp_distribution: JobId=4711 implicit auto binding'])}" for at in range(0, 50, 5)]
        if name == bad:
            lines += ["[2026-11-20T08:51:12.101] error: gres/gpu unable to set device file /dev/nvidia3: No such device", "[2026-11-20T08:51:12.102] error: Node configuration differs from hardware: gres/gpu count 7 reported, 8 configured"]
        files[f"slurmd.{name}.log"] = "\n".join(lines) + "\n"
    return files, [f"^{bad}"] if fault else HEALTHY


def vasp(draw, fault):
    base, lines = draw.uniform(20, 90), []
    for at, f in enumerate(slowed(draw, 80, fault)):
        lines += [f"      LOOP:  cpu time{base * f * 0.09:>12.4f}: real time{base * f * 0.091:>12.4f}", f"     LOOP+:  cpu time{base * f:>12.4f}: real time{base * f * 1.01:>12.4f}"]
    return {"OUTCAR": " vasp.6.4.2 20Jul23 (build Sep 12 2023) complex\n" + "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def pystack(draw, fault):
    """pystack remote on each of eight ranks: one still reads its data."""
    bad, files = draw.randrange(8), {}
    for rank in range(8):
        inner = ['    (Python) File "/app/data.py", line 88, in __next__', "        batch = self.reader.read(shard)"] if fault and rank == bad else ['    (Python) File "/usr/lib/python3.12/site-packages/torch/distributed/distributed_c10d.py", line 2501, in all_reduce', "        work.wait()"]
        files[f"pystack.rank{rank}.txt"] = "\n".join([f"Traceback for thread {draw.randint(10**5, 10**6)} (python3) [Has the GIL] (most recent call last):", '    (Python) File "/app/train.py", line 210, in <module>', "        main()", '    (Python) File "/app/train.py", line 171, in main', "        step(model, loader)"] + inner) + "\n"
    return files, [f"rank {bad}$"] if fault else OPEN


def squeue(draw, _):
    return {"squeue.txt": "             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n" + "".join(f"{48000 + at:>18}       gpu    train      abc {'R' if at % 3 else 'PD'} {'1-02:03:04' if at % 3 else '0:00':>10}      4 {f'gpu[{at * 4:03}-{at * 4 + 3:03}]' if at % 3 else '(Resources)'}\n" for at in range(draw.randint(6, 9)))}, OPEN


def openssl_speed(draw, fault):
    top = draw.uniform(1e6, 1.6e6)

    def text(s):
        v = lambda share: f"{top * share * s * draw.gauss(1, 0.003):.2f}k"
        return f"version: 3.0.13\nbuilt on: Mon Feb  5 10:00:00 2024 UTC\noptions: bn(64,64)\nThe 'numbers' are in 1000s of bytes per second processed.\ntype             16 bytes     64 bytes    256 bytes   1024 bytes   8192 bytes  16384 bytes\nAES-256-CBC     {v(0.7)}  {v(0.9)}  {v(0.95)}  {v(1)}  {v(1)}  {v(1)}\n"

    return on_each_host(draw, fault, text, ".openssl")


def locust(draw, fault):
    top = draw.uniform(100, 900)
    return on_each_host(draw, fault, lambda s: f"Type     Name                 # reqs      # fails |    Avg     Min     Max    Med |   req/s  failures/s\n--------|------------------|-------|-------------|-------|-------|-------|-------|--------|-----------\nPOST     /v1/completions      {top * s * 60:>6.0f}     0(0.00%) |  {6400 / (top * s):>5.0f}      {6400 / (top * s) * 0.4:>5.0f}   {draw.randint(300, 900)}    {6300 / (top * s):>5.0f} | {top * s:>7.2f}        0.00\n--------|------------------|-------|-------------|-------|-------|-------|-------|--------|-----------\n         Aggregated           {top * s * 60:>6.0f}     0(0.00%) |  {6400 / (top * s):>5.0f}      {6400 / (top * s) * 0.4:>5.0f}   {draw.randint(300, 900)}    {6300 / (top * s):>5.0f} | {top * s:>7.2f}        0.00\n", ".locust")


def condor_status(draw, _):
    """States of slots, all of them ordinary."""
    return {"condor.txt": "Name                  OpSys      Arch   State     Activity LoadAv Mem     ActvtyTime\n\n" + "".join(f"slot1@gpu{at:03}.cluster  LINUX      X86_64 {draw.choice(['Claimed   Busy    ', 'Unclaimed Idle    '])} {draw.uniform(0, 9):6.3f} 515520  0+0{draw.randint(1, 9)}:12:33\n" for at in range(8)) + "\n               Total Owner Claimed Unclaimed Matched Preempting  Drain\n\n  X86_64/LINUX     8     0       5         3       0          0      0\n"}, HEALTHY


def qperf(draw, fault):
    top = draw.uniform(10, 24)
    return on_each_host(draw, fault, lambda s: f"rc_bw:\n    bw  =  {top * s:.3g} GB/sec\nrc_lat:\n    latency  =  {1.9 / s:.4g} us\n", ".qperf", 0.003)


def alertmanager(draw, fault):
    name = f"gpu{draw.randint(1, 90):03}"
    alerts = [{"labels": {"alertname": "Watchdog", "severity": "none"}, "annotations": {"summary": "Ensure entire alerting pipeline is functional"}, "status": {"state": "active", "silencedBy": [], "inhibitedBy": []}, "startsAt": "2026-11-20T01:00:00.000Z"}]
    if fault:
        alerts.append({"labels": {"alertname": "GPUXidError", "severity": "critical", "instance": f"{name}:9400", "gpu": "3"}, "annotations": {"summary": "Xid 79: GPU has fallen off the bus"}, "status": {"state": "active", "silencedBy": [], "inhibitedBy": []}, "startsAt": "2026-11-20T09:12:33.123Z"})
    return {"alerts.json": json.dumps(alerts, indent=2)}, [name] if fault else OPEN


def flux_resource(draw, fault):
    bad = f"gpu{draw.randint(10, 40):03}"
    return {"flux.txt": f"     STATE NNODES   NCORES    NGPUS NODELIST\n      free      {14 if fault else 15}     1344      112 gpu[050-0{63 if fault else 64}]\n allocated      8      768       64 gpu[001-008]\n      down      {1 if fault else 0}       {96 if fault else 0}        {8 if fault else 0} {bad if fault else ''}\n"}, [bad] if fault else HEALTHY


def mbw(draw, fault):
    top = draw.uniform(9000, 16000)

    def text(s):
        rows = [f"{at}\tMethod: MEMCPY\tElapsed: {1024 / (top * s):.5f}\tMiB: 1024.00000\tCopy: {top * s * draw.gauss(1, 0.004):.3f} MiB/s" for at in range(5)]
        return "Long uses 8 bytes. Allocating 2*134217728 elements = 2147483648 bytes of memory.\nGetting down to business... Doing 5 runs per test.\n" + "\n".join(rows) + f"\nAVG\tMethod: MEMCPY\tElapsed: {1024 / (top * s):.5f}\tMiB: 1024.00000\tCopy: {top * s:.3f} MiB/s\n"

    return on_each_host(draw, fault, text, ".mbw")


def ptp4l(draw, fault):
    names, bad = one_of(draw, 5, fault)
    files = {}
    for name in names:
        scale = draw.uniform(2000, 9000) if name == bad else 4
        files[f"{name}.ptp"] = "".join(f"ptp4l[{81234 + at}.{draw.randint(100, 999)}]: rms {abs(draw.gauss(scale, scale / 10)):4.0f} max {2 * scale:4.0f} freq {draw.gauss(-8000, 9):+6.0f} +/- {draw.randint(3, 9)} delay {draw.randint(210, 225)} +/- 1\n" for at in range(40))
    return files, [f"^{bad}"] if fault else HEALTHY


def hl_csv(draw, fault):
    bad = draw.randrange(8)
    return {"hl.csv": "index, name, bus_id, temperature.aip [C], utilization.aip [%], memory.used [MiB], clocks.current.soc [MHz]\n" + "".join(f"{card}, HL-325L, 0000:{0x33 + card:02x}:00.0, {draw.randint(40, 50)} C, {draw.randint(95, 99)} %, {draw.randint(90000, 91000)} MiB, {draw.randint(800, 900) if fault and card == bad else 1650} MHz\n" for card in range(8))}, [rf"(aip ?|card ?|gpu ?)?{bad}$|{0x33 + bad:02x}:00"] if fault else HEALTHY


def top_batch(draw, _):
    return {"top.txt": f"top - 09:31:07 up 12 days,  3:04,  1 user,  load average: {draw.uniform(50, 90):.2f}, 60.10, 58.44\nTasks: 1812 total,   9 running, 1803 sleeping,   0 stopped,   0 zombie\n%Cpu(s): 31.2 us,  2.1 sy,  0.0 ni, 66.5 id,  0.1 wa,  0.0 hi,  0.1 si,  0.0 st\nMiB Mem : 2063595.0 total, 900123.4 free, 512345.6 used, 651126.0 buff/cache\n\n    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n" + "".join(f"{draw.randint(10000, 99999):>7} train     20   0  120.1g  40.2g   1.1g R {draw.uniform(90, 130):5.1f}   2.0 {draw.randint(10, 99)}:12.34 python3\n" for _ in range(8))}, OPEN


def cp2k(draw, fault):
    base, lines = draw.uniform(0.8, 4), []
    for at, f in enumerate(slowed(draw, 100, fault)):
        lines.append(f"{at + 1:>6} OT DIIS     0.15E+00 {base * f:>6.1f}     {0.1 / (at + 1):.8f} {-1234.5678 - at * 1e-4:>19.10f} -{1e-2 / (at + 1):.2E}")
    return {"cp2k.out": "  Step     Update method      Time    Convergence         Total energy    Change\n  ------------------------------------------------------------------------------\n" + "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def transferbench(draw, fault):
    top = draw.uniform(40, 60)

    def text(s):
        rows = [f" Executor: GPU 0{at} |{top * s * draw.gauss(1, 0.004):>9.3f} GB/s |{268 / (top * s):>9.3f} ms |    268435456 bytes" for at in range(4)]
        return "TransferBench v1.50\n===============================================================\nTest 1:\n" + "\n".join(rows) + f"\n Aggregate (CPU)  |{4 * top * s:>9.3f} GB/s |{268 / (top * s):>9.3f} ms |   1073741824 bytes\n"

    return on_each_host(draw, fault, text, ".tb")


CASES = [sdiag, ps_dstate, clpeak, mixbench, slurmd_gres, vasp, pystack, squeue, openssl_speed, locust, condor_status, qperf, alertmanager, flux_resource, mbw, ptp4l, hl_csv, top_batch, cp2k, transferbench]
SLOWER = "(?i)second|time|/s|per s|slower|step"
FACTS = {"vasp": SLOWER, "cp2k": SLOWER, "slurmd_gres": "(?i)gres|gpu|device|differs", "pystack": "(?i)data|__next__|read", "alertmanager": "(?i)xid|bus|critical", "flux_resource": "(?i)down", "ps_dstate": "(?i)wait|D$|state|D "}
