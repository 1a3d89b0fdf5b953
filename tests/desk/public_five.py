"""Twenty-two kinds that no earlier set has. Eighty names of public forms were written down and put in an order by seed (20261129), and the first
twenty-two whose form is public text and whose right answer can be stated are here. Passed over: names without a text form (Spark's executors, dask's workers, MLC's
bench), those whose right answer nobody can state (numastat -p, dcmi power, tegrastats), kinds that a set holds (kubectl get nodes, iblinkinfo), and ceph osd perf, which was
in view when words for members were added to the readers. An odd setting of one host is a question that names the host: nothing states that it is slow.
Forms after mcelog(8), perf-stat(1), gluster's CLI guide, mtr(8), vegeta's README, ibping(8), slurmstepd, sar(1), AMD SMI's CLI guide, ss(8), sysbench's README, autocannon's README,
df(1), Intel XPU Manager's CLI guide, ethtool(8), Quantum ESPRESSO's PWscf, torch.profiler's recipe, MinIO's warp, proc(5), NPB 3.4, sysctl(8), cxi_stat of libcxi. Values are drawn."""
from desk.benchmarks import on_each_host
from desk.cluster import HEALTHY, OPEN
from desk.systems import one_of


def mcelog(draw, fault):
    """Corrected errors are ordinary, also many of them on other hosts; one host had an uncorrected one."""
    names, bad = one_of(draw, 4, fault)

    def record(number, kind):
        return (f"Hardware event. This is not a software error.\nMCE {number}\nCPU {draw.randrange(64)} BANK {draw.choice([7, 8, 13])} TSC {draw.getrandbits(44):x}\nMISC {draw.getrandbits(44):x} ADDR {draw.getrandbits(36):x}\nTIME {1795000000 + draw.randrange(10**5)} Fri Nov 20 09:{draw.randint(10, 59)}:11 2026\nMCG status:\nMCi status:\n"
                + ("Uncorrected error\n" if kind else "Corrected error\n") + f"Error enabled\nMCi_MISC register valid\nMCi_ADDR register valid\nMCA: MEMORY CONTROLLER RD_CHANNEL{draw.randrange(4)}_ERR\nTransaction: Memory read error\nSTATUS {draw.getrandbits(60):x} MCGSTATUS 0\nMCGCAP f000c15 APICID 20 SOCKETID {draw.randrange(2)}\n")
    return {f"{name}.mcelog": "mcelog: failed to prefill DIMM database from DMI data\n" + "".join(record(i, False) for i in range(draw.randint(1, 4))) + (record(4, True) if name == bad else "") for name in names}, [f"^{bad}"] if fault else HEALTHY


def perf_stat(draw, fault):
    cycles = draw.uniform(2.9e11, 3.4e11)

    def text(f):
        seconds = cycles / 3.1e9 / f
        return (f"\n Performance counter stats for './gemm_cpu 8192':\n\n{seconds * 1000 * 0.998:>18,.2f} msec task-clock                #    0.998 CPUs utilized\n{draw.randint(100, 300):>18,}      context-switches          #    1.8 /sec\n{cycles * draw.gauss(1, 0.002):>18,.0f}      cycles                    #    {3.1 * f:.3f} GHz\n"
                f"{cycles * 2.4:>18,.0f}      instructions              #    2.40  insn per cycle\n\n      {seconds:.9f} seconds time elapsed\n\n      {seconds * 0.99:.9f} seconds user\n       0.112000000 seconds sys\n\n")
    return on_each_host(draw, fault, text, ".perf")


def gluster(draw, fault):
    names, bad = one_of(draw, 6, fault)
    text = "Status of volume: data01\nGluster process                             TCP Port  RDMA Port  Online  Pid\n------------------------------------------------------------------------------\n"
    for name in names:
        text += f"Brick {name}:/bricks/b1/data".ljust(44) + (f"{'N/A':<10}{'N/A':<11}{'N':<8}N/A\n" if name == bad else f"{49152:<10}{0:<11}{'Y':<8}{draw.randint(1000, 90000)}\n")
    for name in names:
        text += f"Self-heal Daemon on {name}".ljust(44) + f"{'N/A':<10}{'N/A':<11}{'Y':<8}{draw.randint(1000, 90000)}\n"
    return {"gluster.txt": text + "\nTask Status of Volume data01\n------------------------------------------------------------------------------\nThere are no active volume tasks\n\n"}, [f"^{bad}"] if fault else HEALTHY


def mtr(draw, fault):
    """From eight hosts to one file server; from one host packets are lost on every hop. A router that answers few pings loses nothing."""
    names, bad = one_of(draw, 8, fault)
    files = {}
    for name in names:
        loss = draw.uniform(18, 45) if name == bad else 0
        rows = [("10.0.0.1", loss), ("10.0.255.2", max(loss, 60)), ("10.9.1.20", loss)]
        files[f"{name}.mtr"] = f"Start: 2026-11-20T09:12:01+0000\nHOST: {name:<30} Loss%   Snt   Last   Avg  Best  Wrst StDev\n" + "".join(f"  {i}.|-- {ip:<27} {lost:>5.1f}%   100   {draw.uniform(0.1, 0.3):>5.1f} {0.2:>5.1f} {0.1:>5.1f} {draw.uniform(0.5, 0.9):>5.1f}   0.1\n" for i, (ip, lost) in enumerate(rows, 1))
    return files, [f"^{bad}"] if fault else HEALTHY


def vegeta(draw, fault):
    mean = draw.uniform(20, 60)

    def text(f):
        m = mean / f
        return (f"Requests      [total, rate, throughput]         3000, 50.02, {50 * min(1, f):.2f}\nDuration      [total, attack, wait]             1m0s, 59.98s, {m:.3f}ms\nLatencies     [min, mean, 50, 90, 95, 99, max]  {m * 0.7:.3f}ms, {m:.3f}ms, {m * 0.97:.3f}ms, {m * 1.2:.3f}ms, {m * 1.3:.3f}ms, {m * draw.uniform(1.5, 1.7):.3f}ms, {m * draw.uniform(2, 4):.3f}ms\n"
                "Bytes In      [total, mean]                     6183000, 2061.00\nBytes Out     [total, mean]                     0, 0.00\nSuccess       [ratio]                           100.00%\nStatus Codes  [code:count]                      200:3000  \nError Set:\n")
    return on_each_host(draw, fault, text, ".vegeta.txt")


def ibping(draw, fault):
    """From one host to seven others."""
    names, bad = one_of(draw, 7, fault)
    text = ""
    for i, name in enumerate(names):
        got = draw.randint(50, 80) if name == bad else 100
        text += f"--- {name}.(none) (Lid {20 + i}) ibping statistics ---\n100 packets transmitted, {got} received, {100 - got}% packet loss, time {draw.randint(99000, 99900)} ms\nrtt min/avg/max = 0.0{draw.randint(10, 14)}/0.0{draw.randint(20, 24)}/0.{draw.randint(100, 300)} ms\n\n"
    return {"ibping.txt": text}, [f"^{bad}"] if fault else HEALTHY


def slurmstepd_oom(draw, fault):
    names, bad = one_of(draw, 8, fault)
    rank = names.index(bad) * 8 + draw.randrange(8) if fault else 0
    lines = [f"step {at} loss {8 - at * 0.02:.3f} {draw.gauss(812, 5):.1f} ms/step" for at in range(60)]
    if fault:
        lines += ["slurmstepd: error: Detected 1 oom_kill event in StepId=48211.0. Some of the step tasks have been OOM Killed.", f"srun: error: {bad}: task {rank}: Out Of Memory", "srun: Terminating StepId=48211.0"]
        lines += [f"srun: error: {name}: tasks {at * 8}-{at * 8 + 7}: Terminated" for at, name in enumerate(names) if name != bad]
    return {"slurm-48211.out": "\n".join(lines) + "\n"}, [f"{bad}|rank {rank}$"] if fault else HEALTHY


def sar_edev(draw, fault):
    names, bad = one_of(draw, 6, fault)
    files = {}
    for name in names:
        rows = ["Linux 6.8.0-45-generic (" + name + ") \t11/20/26 \t_x86_64_\t(128 CPU)\n", "09:00:01        IFACE   rxerr/s   txerr/s    coll/s  rxdrop/s  txdrop/s  txcarr/s  rxfram/s  rxfifo/s  txfifo/s"]
        for minute in range(10, 60, 10):
            for port in ("lo", "eno1", "ens1f0np0"):
                drop = draw.uniform(900, 4000) if name == bad and port == "ens1f0np0" else 0
                rows.append(f"09:{minute}:01    {port:>9}" + "".join(f"{value:>10.2f}" for value in (0, 0, 0, drop, 0, 0, 0, 0, 0)))
        files[f"{name}.sar"] = "\n".join(rows) + "\n"
    return files, [f"^{bad}"] if fault else HEALTHY


def bad_pages(draw, fault):
    bad, text = draw.randrange(8), ""
    for gpu in range(8):
        none = "No bad pages found."
        text += f"GPU: {gpu}\n    RETIRED: {none}\n    PENDING: {none}\n"
        if fault and gpu == bad:
            text += "    UN_RES:\n" + "".join(f"        PAGE_ADDRESS: 0x{draw.getrandbits(36):x}\n        PAGE_SIZE: 4096\n        STATUS: UNRESERVABLE\n\n" for _ in range(draw.randint(2, 5)))
        else:
            text += f"    UN_RES: {none}\n\n"
    return {"bad_pages.txt": text}, [f"gpu{bad}$"] if fault else HEALTHY


def ss_retrans(draw, fault):
    """The connections of one host to seven others, two each."""
    base = f"10.{draw.randint(1, 9)}.0."
    bad = draw.randint(11, 17)
    text = "State  Recv-Q  Send-Q   Local Address:Port    Peer Address:Port  Process\n"
    for peer in range(11, 18):
        for _ in range(2):
            lost = draw.randint(8000, 60000) if fault and peer == bad else 0
            text += f"ESTAB  0       0        {base}10:{draw.randint(33000, 60000)}        {base}{peer}:{draw.randint(33000, 60000)}\n\t cubic wscale:9,9 rto:204 rtt:0.{draw.randint(110, 190)}/0.03 ato:40 mss:8948 pmtu:9000 rcvmss:8948 advmss:8948 cwnd:10 bytes_sent:{draw.randint(10**10, 9 * 10**10)} bytes_acked:{draw.randint(10**9, 9 * 10**9)} segs_out:{draw.randint(10**6, 9 * 10**6)} send 4.2Gbps lastsnd:4 lastrcv:4 lastack:4 pacing_rate 9.8Gbps delivery_rate 5.1Gbps busy:{draw.randint(100000, 900000)}ms{f' retrans:0/{lost}' if lost else ''} rcv_space:62720 minrtt:0.04\n"
    return {"ss.txt": text}, [f"{base}{bad}"] if fault else HEALTHY


def sysbench_memory(draw, fault):
    rate = draw.uniform(9000, 15000)

    def text(f):
        return (f"sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n\nRunning the test with following options:\nNumber of threads: 16\nInitializing random number generator from current time\n\n\nRunning memory speed test with the following options:\n  block size: 1024KiB\n  total size: 102400MiB\n  operation: write\n  scope: global\n\nInitializing worker threads...\n\nThreads started!\n\nTotal operations: 102400 ({rate * f:.2f} per second)\n\n102400.00 MiB transferred ({rate * f:.2f} MiB/sec)\n\n\n"
                f"General statistics:\n    total time:                          {102400 / (rate * f):.4f}s\n    total number of events:              102400\n\nLatency (ms):\n         min:                                    {draw.uniform(0.3, 0.4):.2f}\n         avg:                                    {16e3 / (rate * f):.2f}\n         max:                                    {draw.uniform(4, 30):.2f}\n         95th percentile:                        {draw.uniform(1.5, 1.9):.2f}\n         sum:                               {draw.randint(110000, 120000)}.12\n\nThreads fairness:\n    events (avg/stddev):           6400.0000/{draw.uniform(1, 90):.2f}\n    execution time (avg/stddev):   7.1/0.01\n\n")
    return on_each_host(draw, fault, text, ".txt")


def autocannon(draw, fault):
    """Each of eight servers on its own; boxes in Unicode."""
    rate = draw.uniform(900, 2600)

    def text(f):
        r, latency = rate * f, 10e3 / (rate * f)
        return (f"Running 30s test @ http://localhost:8000/v1/embed\n10 connections\n\n\n┌─────────┬──────┬──────┬───────┬──────┬─────────┬─────────┬──────────┐\n│ Stat    │ 2.5% │ 50%  │ 97.5% │ 99%  │ Avg     │ Stdev   │ Max      │\n├─────────┼──────┼──────┼───────┼──────┼─────────┼─────────┼──────────┤\n│ Latency │ {latency * 0.8:.0f} ms │ {latency:.0f} ms │ {latency * 1.6:.0f} ms  │ {latency * 1.9:.0f} ms │ {latency:.2f} ms │ {latency * draw.uniform(0.2, 0.3):.2f} ms │ {latency * draw.uniform(4, 9):.2f} ms │\n└─────────┴──────┴──────┴───────┴──────┴─────────┴─────────┴──────────┘\n"
                f"┌───────────┬─────────┬─────────┬─────────┬────────┬─────────┬───────┬─────────┐\n│ Stat      │ 1%      │ 2.5%    │ 50%     │ 97.5%  │ Avg     │ Stdev │ Min     │\n├───────────┼─────────┼─────────┼─────────┼────────┼─────────┼───────┼─────────┤\n│ Req/Sec   │ {r * 0.8:.0f}     │ {r * 0.85:.0f}     │ {r:.0f}     │ {r * 1.1:.0f}    │ {r:.2f} │ {r * 0.05:.2f} │ {r * draw.uniform(0.6, 0.8):.0f}     │\n├───────────┼─────────┼─────────┼─────────┼────────┼─────────┼───────┼─────────┤\n│ Bytes/Sec │ {r / 1000 * 0.8:.2f} MB │ {r / 1000 * 0.85:.2f} MB │ {r / 1000:.2f} MB │ {r / 1000 * 1.1:.2f} MB │ {r / 1000:.2f} MB │ 9 kB  │ {r / 1000 * 0.7:.2f} MB │\n└───────────┴─────────┴─────────┴─────────┴────────┴─────────┴───────┴─────────┘\n\nReq/Bytes counts sampled once per second.\n# of samples: 30\n\n{r * 30 / 1000:.0f}k requests in 30.03s, {r * 0.03:.1f} MB read\n")
    return on_each_host(draw, fault, text, ".txt")


def df_full(draw, fault):
    """The disk for checkpoints of one host is full; what the others use differs."""
    names, bad = one_of(draw, 6, fault)
    text = ""
    for name in names:
        for device, size, mount in (("/dev/nvme0n1p2", 880, "/"), ("/dev/md0", 28000, "/scratch")):
            used = 1 if name == bad and mount == "/scratch" else draw.uniform(0.1, 0.6)
            text += f"{name}: Filesystem      Size  Used Avail Use% Mounted on\n{name}: {device:<15} {size}G {size * used:.0f}G {size * (1 - used):.0f}G {100 * used:.0f}% {mount}\n"
    return {"df.txt": text}, [f"^{bad}"] if fault else HEALTHY


def xpu_diag(draw, fault):
    bad, text = draw.randrange(4), ""
    for device in range(4):
        wrong = fault and device == bad
        rule = "+------------------------+-------------------------------------------------------------+\n"
        rows = [("Device ID", str(device))], [("Level", "1"), ("Result", "Fail" if wrong else "Pass"), ("Items", "4")], [("Software Env Variables", "Result: Pass"), ("", "Message: Pass to check environment variables.")], [("Software Library", "Result: Pass"), ("", "Message: Pass to check libraries.")], [("Software Permission", "Result: Pass"), ("", "Message: Pass to check permission.")], [("Software Exclusive", f"Result: {'Fail' if wrong else 'Pass'}"), ("", "Message: " + (f"Fail to check the software exclusive. {draw.randint(2, 5)} process(es) are using the device." if wrong else "Pass to check the software exclusive."))]
        text += rule + "".join("".join(f"| {key:<22} | {value:<59} |\n" for key, value in group) + rule for group in rows)
    return {"diag.txt": text}, [f"{bad}$"] if fault else HEALTHY


def ethtool_pause(draw, fault):
    """One host does not take pauses: an odd setting, of which nobody states that it is slow."""
    names, bad = one_of(draw, 6, fault)
    return {f"{name}.pause": f"Pause parameters for ens1f0np0:\nAutonegotiate:\toff\nRX:\t\t{'off' if name == bad else 'on'}\nTX:\t\ton\n\n" for name in names}, OPEN if fault else HEALTHY, bad or ""


def espresso(draw, fault):
    """PWscf prints the time since the start after each iteration; from some iteration on they take longer."""
    base, since, loss, now, lines = draw.uniform(8, 30), draw.randint(20, 40), draw.uniform(1.3, 1.9), draw.uniform(20, 40), ["     Program PWSCF v.7.3.1 starts on 20Nov2026 at  9:12: 1", "     Parallel version (MPI & OpenMP), running on     512 processor cores"]
    for at in range(70):
        now += base * draw.gauss(1, 0.01) * (loss if fault and at >= since else 1)
        lines += [f"     iteration #{at % 14 + 1:>3}     ecut=    80.00 Ry     beta= 0.40", "     Davidson diagonalization with overlap", f"     ethr =  1.00E-06,  avg # of iterations =  4.{draw.randint(0, 4)}", "", f"     total cpu time spent up to now is {now:>12.1f} secs", "", f"     total energy              =   -1204.{draw.randint(10**7, 9 * 10**7)} Ry", "     estimated scf accuracy    <       0.00041 Ry", ""]
    return {"scf.out": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def profiler_tables(draw, fault):
    """key_averages().table() of each rank: one rank's matrix products take longer; the others wait in the all-reduce for it."""
    bad, files = draw.randrange(8), {}
    gemm, comm = draw.uniform(400, 700), draw.uniform(60, 90)
    for rank in range(8):
        mine = gemm * draw.gauss(1, 0.004) * (1.4 if fault and rank == bad else 1)
        wait = comm * draw.gauss(1, 0.02) + (gemm * 0.4 if fault and rank != bad else 0)
        total = mine + wait + 80
        rule = "  ".join("-" * width for width in (52, 12, 12, 12, 12, 12))
        rows = [("aten::mm", mine, 2400), ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKer...", wait, 300), ("aten::native_layer_norm", 80 * draw.gauss(1, 0.01), 640)]
        head = "  ".join(f"{name:>{width}}" for name, width in (("Name", 52), ("Self CPU %", 12), ("Self CPU", 12), ("Self CUDA", 12), ("Self CUDA %", 12), ("# of Calls", 12)))
        files[f"rank{rank}.txt"] = f"{rule}\n{head}\n{rule}\n" + "".join("  ".join((f"{name[:52]:>52}", f"{draw.uniform(1, 2):>11.2f}%", f"{draw.uniform(20, 22):>10.3f}ms", f"{value:>10.3f}ms", f"{100 * value / total:>11.2f}%", f"{calls:>12}")) + "\n" for name, value, calls in rows) + f"{rule}\nSelf CPU time total: {draw.uniform(900, 910):.3f}ms\nSelf CUDA time total: {total:.3f}ms\n\n"
    return files, [f"rank {bad}$"] if fault else HEALTHY


def warp(draw, fault):
    """One server of the object store gives less than the others."""
    rate, bad = draw.uniform(700, 1500), draw.randrange(8)
    rates = [rate * draw.gauss(1, 0.01) * (draw.uniform(0.5, 0.75) if fault and i == bad else 1) for i in range(8)]
    text = (f"Operation: GET. Concurrency: 64. Hosts: 8.\n* Average: {sum(rates):.2f} MiB/s, {sum(rates) / 10:.2f} obj/s\n\nThroughput by host:\n" + "".join(f" * http://10.4.0.{20 + i}:9000: Avg: {value:.2f} MiB/s, {value / 10:.2f} obj/s.\n" for i, value in enumerate(rates))
            + f"\nThroughput, split into 59 x 1s:\n * Fastest: {sum(rates) * 1.1:.1f}MiB/s, {sum(rates) * 0.11:.2f} obj/s\n * 50% Median: {sum(rates):.1f}MiB/s, {sum(rates) / 10:.2f} obj/s\n * Slowest: {sum(rates) * 0.8:.1f}MiB/s, {sum(rates) * 0.08:.2f} obj/s\n")
    return {"warp.txt": text}, [f"10\\.4\\.0\\.{20 + bad}"] if fault else HEALTHY


def proc_net_dev(draw, fault):
    """/proc/net/dev of six hosts: one port counts errors and drops; the loads differ."""
    names, bad = one_of(draw, 6, fault)
    files = {}
    for name in names:
        text = "Inter-|   Receive                                                |  Transmit\n face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed\n"
        for port in ("lo", "eno1", "ens1f0"):
            errors = draw.randint(20000, 900000) if name == bad and port == "ens1f0" else 0
            text += f"{port:>6}: {draw.randint(10**9, 9 * 10**13)} {draw.randint(10**6, 9 * 10**9)} {errors} {errors // 3} 0 {errors} 0 {draw.randint(10, 900)} {draw.randint(10**9, 9 * 10**13)} {draw.randint(10**6, 9 * 10**9)} 0 0 0 0 0 0\n"
        files[f"{name}.netdev"] = text
    return files, [f"^{bad}"] if fault else HEALTHY


def npb(draw, fault):
    mops = draw.uniform(40000, 90000)

    def text(f):
        return (f"\n\n NAS Parallel Benchmarks (NPB3.4-OMP) - CG Benchmark\n\n Size:      150000 (class C)\n Iterations:                   75\n Number of available threads:            64\n\n Initialization time =           0.{draw.randint(110, 190)} seconds\n\n Benchmark completed\n VERIFICATION SUCCESSFUL\n Zeta is     0.2897360559285E+02\n\n\n CG Benchmark Completed.\n Class           =                        C\n Size            =                   150000\n Iterations      =                       75\n"
                f" Time in seconds =             {143300 / (mops * f):>12.2f}\n Total threads   =                       64\n Avail threads   =                       64\n Mop/s total     =             {mops * f:>12.2f}\n Mop/s/thread    =             {mops * f / 64:>12.2f}\n Operation type  =           floating point\n Verification    =               SUCCESSFUL\n Version         =                    3.4.3\n Compile date    =              12 Nov 2026\n\n")
    return on_each_host(draw, fault, text, ".npb")


def sysctl_pdsh(draw, fault):
    names, bad = one_of(draw, 7, fault)
    lines = [f"{name}: {key} = {value}" for name in names for key, value in (("net.core.rmem_max", 212992 if name == bad else 536870912), ("net.core.wmem_max", 536870912), ("vm.zone_reclaim_mode", 0), ("kernel.numa_balancing", 0))]
    draw.shuffle(lines)
    return {"sysctl.txt": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY, bad or ""


def cxi_stat(draw, fault):
    """Slingshot's cards, four each host: the PCIe link of one is slower than those of its peers."""
    names, bad = one_of(draw, 5, fault)
    slow, files = draw.randrange(4), {}
    for name in names:
        files[f"{name}.cxi"] = "".join(f"Device: cxi{i}\n    Description: SS11 200Gb 2P NIC Mezz\n    Part Number: P48766-001\n    Serial Number: GB2308{draw.randint(1000, 9999)}\n    FW Version: 1.5.53\n    Network device: hsn{i}\n    MAC: 02:00:00:00:{draw.randrange(256):02x}:{draw.randrange(256):02x}\n    NID: {draw.randint(100, 4000)} (0x{draw.getrandbits(12):05x})\n    PID granule: 256\n    PCIE speed/width: {'8.0' if name == bad and i == slow else '16.0'} GT/s PCIe x16\n    PCIE slot: 0000:{0x21 + i * 0x20:x}:00.0\n        Link layer retry: on\n        Link loopback: off\n        Link media: electrical\n        Link MTU: 2112\n        Link speed: BS_200G\n        Link state: up\n" for i in range(4))
    return files, [f"^{bad}"] if fault else HEALTHY


CASES = [mcelog, perf_stat, gluster, mtr, vegeta, ibping, slurmstepd_oom, sar_edev, bad_pages, ss_retrans, sysbench_memory, autocannon, df_full, xpu_diag, ethtool_pause, espresso, profiler_tables, warp, proc_net_dev, npb, sysctl_pdsh, cxi_stat]
