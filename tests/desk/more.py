"""A second set of kinds for which no reader was made: step lines of detectron2, open_clip, Composer, ColossalAI and two loops of one's
own, benchmarks run host by host (HPCG, IOR, netperf, GROMACS, LAMMPS, sysbench, perf_analyzer, a GEMM loop), tables and states of
xpu-smi, mthreads-gmi, sensors, iostat, zpool, mdadm, ceph and nvsm. Formats as these programs print them. Values are drawn."""
from desk.benchmarks import on_each_host
from desk.cluster import HEALTHY, OPEN, hosts
from desk.job import slowed
from desk.trainers import clock


def steps(draw, fault, line, count=130):
    lines = [line(at, factor) for at, factor in enumerate(slowed(draw, count, fault))]
    return {"job.log": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def detectron2(draw, fault):
    base = draw.uniform(0.2, 0.7)
    return steps(draw, fault, lambda at, f: f"[11/20 {clock(at)} d2.utils.events]:  eta: {draw.randint(1, 23)}:{draw.randint(10, 59)}:11  iter: {at * 20 + 19}  total_loss: {4 - at * 0.01:.3f}  loss_cls: {2 - at * 0.01:.3f}  loss_box_reg: 0.41  time: {base * f:.4f}  data_time: {0.004 * draw.gauss(1, 0.2):.4f}  lr: 0.00039962  max_mem: 3128M")


def open_clip(draw, fault):
    base = draw.uniform(0.4, 1.2)
    return steps(draw, fault, lambda at, f: f"2026-11-20,{clock(at)} | INFO | Train Epoch: 0 [{at * 409600:>9}/400000000 ({at // 10}%)] Data (t): {0.01 * draw.gauss(1, 0.2):.3f} Batch (t): {base * f:.3f}, {32768 / (base * f):#g}/s, {512 / (base * f):#g}/s/gpu LR: 0.000005 Logit Scale: 14.286 Contrastive_loss: {9 - at * 0.02:#.5g} ({9.1 - at * 0.01:#.5g}) Loss: {9 - at * 0.02:#.5g} ({9.1 - at * 0.01:#.5g})")


def composer_console(draw, fault):
    base, lines = draw.uniform(20000, 90000), []
    for at, factor in enumerate(slowed(draw, 110, fault)):
        lines += [f"[batch={at + 1}/4800]:", f"\t Train time/batch: {at}", f"\t Train time/token: {at * 2097152}", f"\t Train loss/train/total: {12 - at * 0.01:.4f}", f"\t Train throughput/batches_per_sec: {base / factor / 2097152 * 64:.4f}", f"\t Train throughput/device/tokens_per_sec: {base / factor:.1f}", f"\t Train lr-DecoupledAdamW/group0: {at * 1e-6:.6f}"]
    return {"train.txt": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def colossalai(draw, fault):
    base = draw.uniform(1, 6)
    return steps(draw, fault, lambda at, f: f"[11/20/26 {clock(at)}] INFO     colossalai - colossalai - INFO: step: {at}, loss: {11 - at * 0.02:.4f}, step_time: {base * f:.3f} s, TFLOPS per GPU: {180 / f:.2f}, throughput: {64 / (base * f):.3f} samples/s")


def own_loop(draw, fault):
    base = draw.uniform(0.8, 4)
    return steps(draw, fault, lambda at, f: f"[Step {at * 10:>6}] loss={8 - at * 0.01:.3f} | {base * f:.2f}s/step | {131072 / (base * f):,.0f} tok/s | mem 61.2GB")


def own_json(draw, fault):
    base = draw.uniform(0.8, 4)
    return steps(draw, fault, lambda at, f: f'INFO:root:{{"step": {at}, "loss": {8 - at * 0.01:.4f}, "step_time_ms": {1000 * base * f:.1f}, "tokens_per_second": {262144 / (base * f):.1f}, "lr": 0.0003}}')


def hpcg(draw, fault):
    top = draw.uniform(30, 900)
    return on_each_host(draw, fault, lambda s: f"HPCG-Benchmark\nversion=3.1\nRelease date=March 28, 2019\nMachine Summary=\nMachine Summary::Distributed Processes=8\nGlobal Problem Dimensions::Global nx=512\nBenchmark Time Summary::Optimization phase=0.31\nBenchmark Time Summary::DDOT={draw.uniform(10, 11):.3f}\nGFLOP/s Summary::Raw Total={top * s * 1.04:.3f}\nUser Optimization Overheads::Optimization phase time (sec)=0.31\nFinal Summary::HPCG result is VALID with a GFLOP/s rating of={top * s:.3f}\nFinal Summary::Results are valid but execution time (sec) is={draw.uniform(60.1, 60.9):.4f}\n", ".hpcg.txt")


def ior(draw, fault):
    top = draw.uniform(2000, 9000)

    def text(s):
        w, r = top * s * draw.gauss(1, 0.004), top * 1.3 * s * draw.gauss(1, 0.004)
        return (f"IOR-3.3.0: MPI Coordinated Test of Parallel I/O\nBegan               : Fri Nov 20 09:31:07 2026\nTestID              : 0\n\nResults: \n\naccess    bw(MiB/s)  IOPS       Latency(s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter\n------    ---------  ----       ----------  ---------- ---------  --------   --------   --------   --------   ----\n"
                f"write     {w:<9.2f}  {w / 4:<9.2f}  {0.9 / s:<10.6f}  1048576    4096.00    0.000{draw.randint(10, 99)}    {32768 / w:<9.2f}  0.000051   {32768 / w + 0.01:<9.2f}  0   \nread      {r:<9.2f}  {r / 4:<9.2f}  {0.7 / s:<10.6f}  1048576    4096.00    0.000{draw.randint(10, 99)}    {32768 / r:<9.2f}  0.000044   {32768 / r + 0.01:<9.2f}  0   \n\nMax Write: {w:.2f} MiB/sec ({w * 1.048576:.2f} MB/sec)\nMax Read:  {r:.2f} MiB/sec ({r * 1.048576:.2f} MB/sec)\n")

    return on_each_host(draw, fault, text, ".ior")


def netperf(draw, fault):
    top = draw.uniform(20000, 95000)
    return on_each_host(draw, fault, lambda s: f"MIGRATED TCP STREAM TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to 10.2.0.1 () port 0 AF_INET\nRecv   Send    Send                          \nSocket Socket  Message  Elapsed              \nSize   Size    Size     Time     Throughput  \nbytes  bytes   bytes    secs.    10^6bits/sec  \n\n131072  16384  16384    10.00    {top * s:.2f}   \n", ".netperf")


def gromacs(draw, fault):
    top = draw.uniform(60, 300)
    return on_each_host(draw, fault, lambda s: f"               Core t (s)   Wall t (s)        (%)\n       Time:    {32 * 8640 / (top * s) :.3f}      {8640 / (top * s):.3f}     3200.0\n                 (ns/day)    (hour/ns)\nPerformance:      {top * s:.3f}        {24 / (top * s):.3f}\nFinished mdrun on rank 0 Fri Nov 20 09:31:07 2026\n", ".md.log")


def lammps(draw, fault):
    top = draw.uniform(40, 400)
    return on_each_host(draw, fault, lambda s: f"LAMMPS (2 Aug 2023)\nLoop time of {100 / (top * s) * 100:.4f} on 64 procs for 10000 steps with 256000 atoms\n\nPerformance: {top * s * 4.32:.3f} ns/day, {24 / (top * s * 4.32):.3f} hours/ns, {top * s:.3f} timesteps/s, {top * s * 0.256:.3f} Matom-step/s\n99.5% CPU use with 64 MPI tasks x 1 OpenMP threads\n", ".lammps")


def sysbench(draw, fault):
    top = draw.uniform(8000, 20000)
    return on_each_host(draw, fault, lambda s: f"sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n\nRunning memory speed test with the following options:\n  block size: 1024KiB\n  total size: 102400MiB\n  operation: write\n\nTotal operations: 102400 ({top * s:.2f} per second)\n\n102400.00 MiB transferred ({top * s:.2f} MiB/sec)\n\n\nGeneral statistics:\n    total time:                          {102400 / (top * s):.4f}s\n    total number of events:              102400\n", ".sysbench")


def perf_analyzer(draw, fault):
    top = draw.uniform(100, 3000)
    return on_each_host(draw, fault, lambda s: f"*** Measurement Settings ***\n  Batch size: 1\n  Measurement window: 5000 msec\n\nRequest concurrency: 8\n  Client: \n    Request count: {int(top * s * 18)}\n    Throughput: {top * s:.3f} infer/sec\n    Avg latency: {8e6 / (top * s):.0f} usec (standard deviation {draw.randint(100, 900)} usec)\n    p99 latency: {1.2e7 / (top * s):.0f} usec\nInferences/Second vs. Client Average Batch Latency\nConcurrency: 8, throughput: {top * s:.3f} infer/sec, latency {8e6 / (top * s):.0f} usec\n", ".perf.txt")


def gemm_loop(draw, fault):
    top = draw.uniform(300, 800)
    return on_each_host(draw, fault, lambda s: "torch 2.6.0+cu124, NVIDIA H100 80GB HBM3\n" + "".join(f"matmul {n}x{n}x{n} bf16: {top * share * s * draw.gauss(1, 0.003):.1f} TFLOPS ({2 * n ** 3 / (top * share * s) / 1e9:.3f} ms)\n" for n, share in ((2048, 0.6), (4096, 0.9), (8192, 1.0))), ".gemm")


def xpu_smi(draw, fault):
    bad = draw.randrange(6)
    line = "+-----------------------------+--------------------------------------------------------------------+"
    rows = [line, "| Device ID                   | Health                                                             |", line.replace("-", "=")]
    for xpu in range(6):
        rows += [f"| {xpu:<27} | {draw.choice(['Critical', 'Error']) if fault and xpu == bad else 'OK':<66} |", line]
    return {"health.txt": "\n".join(rows) + "\n"}, [f"{bad}$"] if fault else HEALTHY


def mthreads(draw, fault):
    bad = draw.randrange(8)
    rows = ["Fri Nov 20 09:31:07 2026", "-" * 67, "    mthreads-gmi:1.14.0          Driver Version:2.7.0", "-" * 67, "GPU  ECC Errors  Name            Temp   Power   Util  Clock MHz  Status"]
    for gpu in range(8):
        ill = fault and gpu == bad
        rows.append(f"{gpu}    {0}           MTT S4000       {draw.randint(50, 60)}C    {draw.randint(200, 240)}W    {draw.randint(96, 99)}%   {draw.randint(800, 950) if ill else 1700 - draw.randint(0, 1) * 5}       OK")
    return {"gmi.txt": "\n".join(rows) + "\n"}, [f"gpu{bad}$"] if fault else HEALTHY


def sensors(draw, fault):
    names = hosts(draw, 5)
    bad, files = draw.choice(names), {}
    for name in names:
        hot = fault and name == bad
        files[f"{name}.sensors"] = f"coretemp-isa-0000\nAdapter: ISA adapter\nPackage id 0:  +{draw.randint(99, 103) if hot else draw.randint(50, 62)}.0°C  (high = +88.0°C, crit = +98.0°C){'  ALARM (CRIT)' if hot else ''}\nCore 0:        +{draw.randint(45, 58)}.0°C  (high = +88.0°C, crit = +98.0°C)\n\nnvme-pci-0100\nAdapter: PCI adapter\nComposite:    +{draw.randint(33, 44)}.9°C  (low  = -273.1°C, high = +81.8°C)\n"
    return files, [f"^{bad}"] if fault else HEALTHY


def iostat(draw, fault):
    names = hosts(draw, 8)
    bad, files = draw.choice(names), {}
    for name in names:
        ill = fault and name == bad
        lines = [f"Linux 5.15.0-127-generic ({name}) \t11/20/2026 \t_x86_64_\t(192 CPU)", ""]
        for _ in range(6):
            rate = draw.gauss(2.1e6, 2e4) * (0.5 if ill else 1)
            lines += ["Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz  aqu-sz  %util", f"nvme0n1       {rate / 512:8.2f} {rate:10.2f}     0.00   0.00 {draw.gauss(0.4, 0.006) * (9 if ill else 1):7.2f}   512.00   12.00    820.00     3.00  20.00    0.05    68.30    3.10  {draw.uniform(97, 99):.2f}", ""]
        files[f"{name}.iostat"] = "\n".join(lines) + "\n"
    return files, [f"^{bad}"] if fault else HEALTHY


def zpool(draw, fault):
    names = hosts(draw, 3)
    bad, files = draw.choice(names), {}
    for name in names:
        ill = fault and name == bad
        files[f"{name}.zpool"] = f"  pool: scratch\n state: {'DEGRADED' if ill else 'ONLINE'}\n  scan: scrub repaired 0B in 01:12:44 with 0 errors on Sun Nov 15 01:36:45 2026\nconfig:\n\n\tNAME        STATE     READ WRITE CKSUM\n\tscratch     {'DEGRADED' if ill else 'ONLINE'}     0     0     0\n\t  nvme0n1   ONLINE       0     0     0\n\t  nvme1n1   {'FAULTED' if ill else 'ONLINE'}       {draw.randint(3, 90) if ill else 0}     0     0\n\nerrors: No known data errors\n"
    return files, [f"^{bad}"] if fault else HEALTHY


def mdadm(draw, fault):
    names = hosts(draw, 3)
    bad, files = draw.choice(names), {}
    for name in names:
        ill = fault and name == bad
        files[f"{name}.mdadm"] = f"/dev/md0:\n           Version : 1.2\n     Creation Time : Fri Mar  6 10:01:02 2026\n        Raid Level : raid10\n      Raid Devices : 4\n             State : {'clean, degraded' if ill else 'clean'}\n    Active Devices : {3 if ill else 4}\n   Working Devices : {3 if ill else 4}\n    Failed Devices : {1 if ill else 0}\n     Spare Devices : 0\n"
    return files, [f"^{bad}"] if fault else HEALTHY


def ceph_osd(draw, fault):
    names = hosts(draw, 3)
    bad = draw.randrange(6)
    rows = ["ID  CLASS  WEIGHT    TYPE NAME        STATUS  REWEIGHT  PRI-AFF", "-1         41.91600  root default"]
    for at, name in enumerate(names):
        rows.append(f"-{at + 3}         13.97200      host {name}")
        rows += [f" {osd}    ssd   6.98600          osd.{osd}        {'down' if fault and osd == bad else 'up'}   1.00000  1.00000" for osd in (2 * at, 2 * at + 1)]
    return {"osd.txt": "\n".join(rows) + "\n"}, [f"osd.{bad}|{names[bad // 2]}"] if fault else HEALTHY


def nvsm(draw, fault):
    names = hosts(draw, 3)
    bad, files = draw.choice(names), {}
    for name in names:
        ill = fault and name == bad
        checks = ["Check for installed GPUs", "Check for running nvsm services", "Verify installed DIMM memory sticks", "PCIe link speed of GPUs", "Number of NVSwitches"]
        worst = draw.choice(checks)
        files[f"{name}.nvsm"] = "\n".join(["Info", "----", "Timestamp: Fri Nov 20 09:31:07 2026 +0000", "Version: 24.03.05", "", "Checks", "------"] + [f"{check}{'.' * (60 - len(check))} {'Unhealthy' if ill and check == worst else 'Healthy'}" for check in checks] + ["", "Health Summary", "--------------", f"{4 if ill else 5} out of 5 checks are healthy", f"Overall system status is {'unhealthy' if ill else 'healthy'}"]) + "\n"
    return files, [f"^{bad}"] if fault else HEALTHY


CASES = [detectron2, open_clip, composer_console, colossalai, own_loop, own_json, hpcg, ior, netperf, gromacs, lammps, sysbench, perf_analyzer, gemm_loop, xpu_smi, mthreads, sensors, iostat, zpool, mdadm, ceph_osd, nvsm]
