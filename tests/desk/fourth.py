"""A fourth set of kinds, drawn up after the third was mended: step lines of apex's ImageNet example, GNMT, DLLogger, DGL and RecBole,
programs run host by host (trtexec, llama-bench, ollama, wrk, redis-benchmark, cpupower, dmidecode, turbostat, ping), and states of
mmhealth, etcdctl, Nomad, Consul, lfs check and pcs. Formats as these programs print them. Values are drawn."""
from desk.benchmarks import on_each_host
from desk.cluster import HEALTHY, hosts
from desk.more import steps
from desk.trainers import clock


def apex_imagenet(draw, fault):
    base = draw.uniform(0.2, 0.8)
    return steps(draw, fault, lambda at, f: f"Epoch: [0][{at * 10 + 10}/2502]\tTime {base * f:.3f} ({base:.3f})\tSpeed {2048 / (base * f):.3f} ({2048 / base:.3f})\tLoss {6.9 - at * 0.01:.10f} (6.9501)\tPrec@1 {draw.uniform(0, 9):.3f} (3.114)\tPrec@5 {draw.uniform(4, 20):.3f} (9.801)")


def gnmt(draw, fault):
    base = draw.uniform(0.2, 0.9)
    return steps(draw, fault, lambda at, f: f"0: TRAIN [0][{at * 10}/3880]\tTime {base * f:.3f} ({base:.3f})\tData {0.0001 * draw.gauss(2, 0.3):.2e} (2.10e-04)\tTok/s {52000 / (base * f):.0f} ({52000 / base:.0f})\tLoss/tok {9 - at * 0.02:.4f} (8.5)\tLR 2.000e-03")


def dllogger(draw, fault):
    base = draw.uniform(0.2, 0.9)
    return steps(draw, fault, lambda at, f: f"DLL 2026-11-20 {clock(at)}.{draw.randint(100000, 999999)} - Epoch: 0 Iteration: {at * 10 + 10}  train.loss : {6.9 - at * 0.01:.5f} train.compute_ips : {2048 / (base * f):.2f} images/s train.total_ips : {2040 / (base * f):.2f} images/s train.lr : 0.0{at}")


def dgl(draw, fault):
    base = draw.uniform(0.4, 3)
    return steps(draw, fault, lambda at, f: f"Part 0 | Epoch {at // 20:05d} | Step {at * 20:05d} | Loss {4 - at * 0.01:.4f} | Train Acc {0.1 + at * 0.002:.4f} | Speed (samples/sec) {64000 / (base * f):.4f} | GPU {9021.3:.1f} MB | time {base * f:.3f} s")


def recbole(draw, fault):
    base = draw.uniform(20, 90)
    return steps(draw, fault, lambda at, f: f"20 Nov {clock(at)}    INFO  epoch {at} training [time: {base * f:.2f}s, train loss: {400 - at * 0.8:.4f}]", 70)


def trtexec(draw, fault):
    top = draw.uniform(300, 4000)
    return on_each_host(draw, fault, lambda s: f"&&&& RUNNING TensorRT.trtexec [TensorRT v100300] # trtexec --loadEngine=a.plan\n[11/20/2026-09:31:07] [I] === Performance summary ===\n[11/20/2026-09:31:07] [I] Throughput: {top * s:.2f} qps\n[11/20/2026-09:31:07] [I] Latency: min = {990 / (top * s):.5f} ms, max = {draw.uniform(1100, 1900) / top:.5f} ms, mean = {1000 / (top * s):.5f} ms, median = {1000 / (top * s):.5f} ms, percentile(99%) = {1080 / (top * s):.5f} ms\n[11/20/2026-09:31:07] [I] GPU Compute Time: min = {900 / (top * s):.5f} ms, max = {draw.uniform(1000, 1700) / top:.5f} ms, mean = {950 / (top * s):.5f} ms\n&&&& PASSED TensorRT.trtexec [TensorRT v100300]\n", ".trtexec.log")


def llama_bench(draw, fault):
    top = draw.uniform(3000, 9000)
    return on_each_host(draw, fault, lambda s: f"| model                          |       size |     params | backend    | ngl |          test |                  t/s |\n| ------------------------------ | ---------: | ---------: | ---------- | --: | ------------: | -------------------: |\n| llama 8B Q4_K - Medium         |   4.58 GiB |     8.03 B | CUDA       |  99 |         pp512 |     {top * s:.2f} ± {draw.uniform(5, 20):.2f} |\n| llama 8B Q4_K - Medium         |   4.58 GiB |     8.03 B | CUDA       |  99 |         tg128 |      {top * s / 50:.2f} ± {draw.uniform(0.1, 0.3):.2f} |\n\nbuild: 1e2f3a4b (4200)\n", ".bench.md")


def ollama(draw, fault):
    top = draw.uniform(40, 160)
    return on_each_host(draw, fault, lambda s: f"total duration:       {640 / (top * s):.9f}s\nload duration:        {draw.uniform(20, 60):.6f}ms\nprompt eval count:    26 token(s)\nprompt eval duration: {2 / (top * s) * 1000:.6f}ms\nprompt eval rate:     {top * s * 13:.2f} tokens/s\neval count:           512 token(s)\neval duration:        {512 / (top * s):.9f}s\neval rate:            {top * s:.2f} tokens/s\n", ".ollama")


def wrk(draw, fault):
    top = draw.uniform(20000, 90000)
    return on_each_host(draw, fault, lambda s: f"Running 30s test @ http://10.2.0.1:8000/\n  12 threads and 400 connections\n  Thread Stats   Avg      Stdev     Max   +/- Stdev\n    Latency   {400000 / (top * s):6.2f}ms    {draw.uniform(1, 2):.2f}ms {draw.randint(80, 300)}.11ms   {draw.uniform(85, 92):.2f}%\n    Req/Sec   {top * s / 12000:.2f}k   {draw.uniform(100, 300):.2f}     {top * s / 9000:.2f}k    {draw.uniform(65, 75):.2f}%\n  {int(top * s * 30)} requests in 30.10s, {top * s * 30 / 5e6:.2f}GB read\nRequests/sec:  {top * s:.2f}\nTransfer/sec:  {top * s / 6000:.2f}MB\n", ".wrk")


def redis_benchmark(draw, fault):
    top = draw.uniform(90000, 250000)
    return on_each_host(draw, fault, lambda s: f"PING_INLINE: {top * s * draw.gauss(1, 0.004):.2f} requests per second, p50=0.127 msec\nSET: {top * s * 0.98 * draw.gauss(1, 0.004):.2f} requests per second, p50=0.135 msec\nGET: {top * s * 1.01 * draw.gauss(1, 0.004):.2f} requests per second, p50=0.127 msec\n", ".redis")


def cpupower(draw, fault):
    return on_each_host(draw, fault, lambda s: f"analyzing CPU 0:\n  driver: intel_pstate\n  CPUs which run at the same hardware frequency: 0\n  hardware limits: 800 MHz - 3.80 GHz\n  available cpufreq governors: performance powersave\n  current policy: frequency should be within 800 MHz and 3.80 GHz.\n  current CPU frequency: {3.5 * s:.2f} GHz (asserted by call to hardware)\n  boost state support:\n    Supported: yes\n", ".cpupower", 0.004)


def dmidecode(draw, fault):
    names = hosts(draw, 6)
    bad, files = draw.choice(names), {}
    for name in names:
        text = ""
        for slot in range(8):
            text += f"Handle 0x{0x1100 + slot:04X}, DMI type 17, 92 bytes\nMemory Device\n\tSize: 64 GB\n\tLocator: DIMM_{'ABCDEFGH'[slot]}1\n\tType: DDR5\n\tSpeed: 4800 MT/s\n\tRank: 2\n\tConfigured Memory Speed: {3600 if fault and name == bad else 4800} MT/s\n\n"
        files[f"{name}.dmi"] = text
    return files, [f"^{bad}"] if fault else HEALTHY


def turbostat(draw, fault):
    return on_each_host(draw, fault, lambda s: "Core\tCPU\tAvg_MHz\tBusy%\tBzy_MHz\tTSC_MHz\tCoreTmp\tPkgWatt\n" + f"-\t-\t{3190 * s:.0f}\t99.{draw.randint(10, 90)}\t{3200 * s:.0f}\t2100\t{draw.randint(60, 70)}\t{draw.uniform(330, 340):.2f}\n" + "".join(f"{cpu}\t{cpu}\t{3190 * s * draw.gauss(1, 0.002):.0f}\t99.{draw.randint(10, 90)}\t{3200 * s * draw.gauss(1, 0.002):.0f}\t2100\t{draw.randint(60, 70)}\n" for cpu in range(4)), ".turbostat", 0.003)


def ping(draw, fault):
    names = hosts(draw, 8)
    bad, files = draw.choice(names), {}
    for name in names:
        lost = draw.randint(20, 45) if fault and name == bad else 0
        avg = draw.gauss(0.2, 0.004)
        files[f"{name}.ping"] = f"PING {name} (10.2.0.{draw.randint(2, 99)}) 56(84) bytes of data.\n\n--- {name} ping statistics ---\n100 packets transmitted, {100 - lost} received, {lost}% packet loss, time 20{draw.randint(100, 900)}ms\nrtt min/avg/max/mdev = {avg * 0.9:.3f}/{avg:.3f}/{avg * 1.2:.3f}/0.021 ms\n"
    return files, [f"^{bad}"] if fault else HEALTHY


def mmhealth(draw, fault):
    names = hosts(draw, 4)
    bad, files = draw.choice(names), {}
    for name in names:
        ill = fault and name == bad
        rows = [("GPFS", "HEALTHY"), ("NETWORK", "FAILED" if ill else "HEALTHY"), ("FILESYSTEM", "HEALTHY"), ("DISK", "HEALTHY"), ("PERFMON", "HEALTHY")]
        files[f"{name}.mmhealth"] = f"\nNode name:      {name}.cluster\nNode status:    {'FAILED' if ill else 'HEALTHY'}\nStatus Change:  3 days ago\n\nComponent      Status        Status Change     Reasons & Notices\n" + "-" * 68 + "\n" + "".join(f"{a:<14} {b:<13} 3 days ago        -\n" for a, b in rows)
    return files, [f"^{bad}"] if fault else HEALTHY


def etcdctl(draw, fault):
    names = hosts(draw, 5)
    bad = draw.choice(names)
    rows = [f"https://{name}:2379 is unhealthy: failed to commit proposal: context deadline exceeded" if fault and name == bad else f"https://{name}:2379 is healthy: successfully committed proposal: took = {draw.uniform(5, 9):.6f}ms" for name in names]
    return {"etcd.txt": "\n".join(rows) + "\n"}, [bad] if fault else HEALTHY


def nomad(draw, fault):
    names = hosts(draw, 7)
    bad = draw.choice(names)
    rows = ["ID        Node Pool  DC   Name      Class   Drain  Eligibility  Status"]
    rows += [f"{draw.getrandbits(32):08x}  default    dc1  {name:<9} <none>  false  eligible     {'down' if fault and name == bad else 'ready'}" for name in names]
    return {"nomad.txt": "\n".join(rows) + "\n"}, [bad] if fault else HEALTHY


def consul(draw, fault):
    names = hosts(draw, 7)
    bad = draw.choice(names)
    rows = ["Node      Address         Status  Type    Build   Protocol  DC   Partition  Segment"]
    rows += [f"{name:<9} 10.2.0.{at + 2}:8301   {'failed' if fault and name == bad else 'alive':<6}  client  1.17.0  2         dc1  default    <default>" for at, name in enumerate(names)]
    return {"consul.txt": "\n".join(rows) + "\n"}, [bad] if fault else HEALTHY


def lfs_check(draw, fault):
    names = hosts(draw, 4)
    bad, files = draw.choice(names), {}
    worst = draw.randrange(8)
    for name in names:
        files[f"{name}.lfs"] = "".join(f"scratch-OST{ost:04x}-osc-ffff9f1c2b3d4000: {'Resource temporarily unavailable (11)' if fault and name == bad and ost == worst else 'active.'}\n".replace(": active.", " active.") for ost in range(8))
    return files, [f"^{bad}"] if fault else HEALTHY


def pcs(draw, fault):
    names = hosts(draw, 4)
    bad = draw.choice(names)
    online = [name for name in names if not (fault and name == bad)]
    rows = ["Cluster name: storage", "Cluster Summary:", "  * Stack: corosync", f"  * Current DC: {online[0]} (version 2.1.5) - partition with quorum", f"  * {len(names)} nodes configured", "", "Node List:", f"  * Online: [ {' '.join(online)} ]"]
    rows += [f"  * OFFLINE: [ {bad} ]"] if fault else []
    return {"pcs.txt": "\n".join(rows) + "\n"}, [bad] if fault else HEALTHY


CASES = [apex_imagenet, gnmt, dllogger, dgl, recbole, trtexec, llama_bench, ollama, wrk, redis_benchmark, cpupower, dmidecode, turbostat, ping, mmhealth, etcdctl, nomad, consul, lfs_check, pcs]
