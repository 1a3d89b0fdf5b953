"""Twenty-three kinds more from the same list as public_one, drawn by the same seed and written before the readers that public_one led to had run on any of
them: benchmarks host by host (rocblas-bench, iperf2, oha, iozone, hccl_demo, SuperBench), a matrix with one slow pair, step lines of NAMD, LLaMA-Factory
and Kaldi, a flops profiler's report of each rank, states of Ray, Google Cloud, Azure, Kubeflow and Lustre, memory and clocks of hosts, settings of network
cards, a kernel log with dates of dmesg -T, pages and tables that decide nothing. Forms after the manual pages and documentation of these programs. Values are drawn."""
import json

from desk.benchmarks import on_each_host
from desk.cluster import HEALTHY, OPEN
from desk.job import slowed
from desk.more import steps
from desk.systems import CHATTER, bus, one_of


def rocblas_bench(draw, fault):
    top = draw.uniform(4e5, 6e5)
    return on_each_host(draw, fault, lambda s: f"Query device success: there are 8 devices\n-------------------------------------------------------------------------------\nDevice ID 0 : AMD Instinct MI300X gfx942:sramecc+:xnack-\nwith 192.0 GB memory, max. SCLK 2100 MHz, max. MCLK 1300 MHz, compute capability 9.4\n-------------------------------------------------------------------------------\ntransA,transB,M,N,K,alpha,lda,beta,ldb,ldc,ldd,batch_count,rocblas-Gflops,us\nN,T,8192,8192,8192,1,8192,0,8192,8192,8192,1,{top * s:.2f},{2 * 8192 ** 3 / (top * s) / 1e3:.2f}\n", ".rocblas")


def deepspeed_flops(draw, fault):
    """The report of each of eight ranks; one rank computes slowly."""
    bad, base, files = draw.randrange(8), draw.uniform(90, 300), {}
    for rank in range(8):
        slow = draw.gauss(1, 0.005) * (draw.uniform(1.3, 1.7) if fault and rank == bad else 1)
        row = lambda key, value: f"{key:<72}{value}\n"
        files[f"flops.rank{rank}.txt"] = "\n-------------------------- DeepSpeed Flops Profiler --------------------------\nProfile Summary at step 10:\nNotations:\ndata parallel size (dp_size), model parallel size(mp_size),\n\n" + row("world size:", 8) + row("data parallel size:", 8) + row("params per GPU:", "6.74 B") + row("fwd MACs per GPU:", "27.5 TMACs") + row("fwd latency:", f"{base * slow:.2f} ms") + row("fwd FLOPS per GPU = fwd flops per GPU / fwd latency:", f"{55e3 / (base * slow):.2f} TFLOPS") + row("bwd latency:", f"{2 * base * slow:.2f} ms") + row("iter latency:", f"{3.2 * base * slow:.2f} ms")
    return files, [f"rank {bad}$"] if fault else HEALTHY


def kubectl_top(draw, _):
    """What nodes use at this moment decides nothing."""
    return {"top.txt": "NAME       CPU(cores)   CPU%   MEMORY(bytes)   MEMORY%   \n" + "".join(f"gpu{at:03}     {draw.randint(9000, 60000)}m       {draw.randint(5, 40)}%    {draw.randint(200000, 900000)}Mi        {draw.randint(10, 60)}%     \n" for at in range(8))}, OPEN


def vllm_page(draw, fault):
    rows = [("gauge", "vllm:num_requests_running", draw.randint(10, 200)), ("gauge", "vllm:num_requests_waiting", draw.randint(200, 900) if fault else 0), ("gauge", "vllm:gpu_cache_usage_perc", draw.uniform(0.2, 0.99)), ("counter", "vllm:num_preemptions_total", draw.randint(0, 90)), ("counter", "vllm:generation_tokens_total", draw.randint(10**6, 10**8))]
    return {"vllm.metrics": "".join(f'# HELP {name} {name}\n# TYPE {name} {kind}\n{name}{{engine="0",model_name="llama"}} {value}\n' for kind, name, value in rows)}, OPEN


def oom_killer(draw, fault):
    names, bad = one_of(draw, 3, fault)
    files = {}
    for name in names:
        at, lines = draw.uniform(8e4, 9e4), []
        for i in range(25):
            at += draw.uniform(1, 90)
            lines.append(f"[{at:12.6f}] {draw.choice(CHATTER)}")
            if name == bad and i == 18:
                pid = draw.randint(10000, 99999)
                lines += [f"[{at + 0.1:12.6f}] python invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP), order=0, oom_score_adj=0", f"[{at + 0.2:12.6f}] Out of memory: Killed process {pid} (python) total-vm:912345678kB, anon-rss:498765432kB, file-rss:1234kB, shmem-rss:0kB, UID:1000 pgtables:1234kB oom_score_adj:0"]
        files[f"{name}.dmesg"] = "\n".join(lines) + "\n"
    return files, [f"^{bad}"] if fault else HEALTHY


def ray_status(draw, fault):
    bad = f"10.0.{draw.randint(1, 9)}.{draw.randint(2, 250)}"
    nodes = "".join(f" 1 node_{draw.getrandbits(224):056x}\n" for _ in range(4))
    failed = f" {bad}: worker_node, raylet died\n" if fault else " (no failures)\n"
    return {"status.txt": f"======== Autoscaler status: 2026-11-20 09:12:33.123456 ========\nNode status\n---------------------------------------------------------------\nActive:\n{nodes}Pending:\n (no pending nodes)\nRecent failures:\n{failed}\nResources\n---------------------------------------------------------------\nUsage:\n 96.0/768.0 CPU\n 32.0/32.0 GPU\n 0B/7.21TiB memory\n\nDemands:\n (no resource demands)\n"}, [bad.replace(".", r"\.")] if fault else HEALTHY


def mlxconfig(draw, fault):
    """Settings of a card; one host has another, and whether that is slow is not stated."""
    names, bad = one_of(draw, 6, fault)
    files = {}
    for name in names:
        order = "force_relax(1)" if name != bad else "per_mkey(0)"
        files[f"{name}.mlxconfig"] = f"\nDevice #1:\n----------\n\nDevice type:        ConnectX7           \nName:               MCX755106AS-HEA_Ax  \nDevice:             /dev/mst/mt4129_pciconf0\n\nConfigurations:                                          Next Boot\n        MEMIC_BAR_SIZE                              0                   \n        NUM_OF_VFS                                  0                   \n        SRIOV_EN                                    False(0)            \n        PCI_WR_ORDERING                             {order:<20}\n        LINK_TYPE_P1                                IB(1)               \n        ATS_ENABLED                                 False(0)            \n"
    return files, OPEN if fault else HEALTHY


def hccl_demo(draw, fault):
    top = draw.uniform(200, 280)
    return on_each_host(draw, fault, lambda s: f"Affinity: NUMA nodes are bound\n[BENCHMARK] hcclAllReduce(dataSize=268435456, count=67108864, dtype=float, iterations=10)\n[BENCHMARK]     NW Bandwidth   : {top * s:.6f} GB/s\n[BENCHMARK]     Algo Bandwidth : {top * s / 1.75:.6f} GB/s\n", ".hccl")


def gcloud_list(draw, fault):
    bad, rows = draw.randrange(6), []
    for at in range(6):
        state = "TERMINATED" if fault and at == bad else "RUNNING"
        rows.append(f"a3-{at}   us-central1-a  a3-highgpu-8g               10.128.0.{at + 10}   {'34.1.2.' + str(at + 3) if state == 'RUNNING' else '':<12} {state}")
    return {"instances.txt": "NAME   ZONE           MACHINE_TYPE   PREEMPTIBLE  INTERNAL_IP   EXTERNAL_IP  STATUS\n" + "\n".join(rows) + "\n"}, [f"a3-{bad}$"] if fault else HEALTHY


def rocm_bandwidth_test(draw, fault):
    """One pair of GPUs is slow, and each of the two is fast with all others."""
    pair, top, loss = sorted(draw.sample(range(8), 2)), draw.uniform(45, 60), draw.uniform(0.3, 0.6)
    lines = ["", "          RocmBandwidthTest Version: 2.6.0", "", "          Unidirectional copy peak bandwidth GB/s", "", "          D/D       " + "".join(f"{at:<12}" for at in range(8)), ""]
    for one in range(8):
        lines.append(f"          {one:<10}" + "".join(f"{top * draw.gauss(1, 0.004) * (loss if fault and sorted((one, other)) == pair else 1):<12.3f}" if one != other else f"{draw.gauss(2000, 5):<12.3f}" for other in range(8)))
        lines.append("")
    return {"rbt.txt": "\n".join(lines) + "\n"}, [f"gpu{pair[0]}.*gpu{pair[1]}"] if fault else HEALTHY


def ntpq(draw, fault):
    names, bad = one_of(draw, 5, fault)
    files = {}
    for name in names:
        ill = name == bad
        files[f"{name}.ntpq"] = f"     remote           refid      st t when poll reach   delay   offset  jitter\n==============================================================================\n{' ' if ill else '*'}10.0.0.1        .GPS.            1 u   {draw.randint(10, 60)}   64  {'0' if ill else '377'}    {draw.uniform(0.1, 0.2):.3f}  {draw.uniform(40, 90) if ill else draw.gauss(0, 0.02):+8.3f}   {draw.uniform(0.01, 0.05):.3f}\n"
    return files, [f"^{bad}"] if fault else HEALTHY


def namd(draw, fault):
    base, wall, lines = draw.uniform(0.01, 0.08), 12.0, []
    for at, f in enumerate(slowed(draw, 110, fault)):
        wall += 500 * base * f
        lines += [f"TIMING: {at * 500 + 500}  CPU: {wall * 0.99:.4f}, {base * f * 0.99:.6f}/step  Wall: {wall:.4f}, {base * f:.6f}/step, {base * f * (200 - at) * 500 / 3600:.5f} hours remaining, 1342.312500 MB of memory in use.", f"ENERGY:  {at * 500 + 500}   {draw.gauss(20000, 90):.4f}  {draw.gauss(11000, 90):.4f}  {draw.gauss(-290000, 300):.4f}"]
    return {"namd.log": "Info: NAMD 3.0b6 for Linux-x86_64-multicore-CUDA\n" + "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def iperf2(draw, fault):
    top = draw.uniform(20, 90)
    return on_each_host(draw, fault, lambda s: f"------------------------------------------------------------\nClient connecting to 10.0.0.1, TCP port 5001 with pid 8123 (1 flows)\nTCP window size: 16.0 KByte (default)\n------------------------------------------------------------\n[  1] local 10.0.0.7%eth0 port 41822 connected with 10.0.0.1 port 5001\n[ ID] Interval            Transfer    Bandwidth\n[  1] 0.0000-10.0{draw.randint(100, 199)} sec  {top * s * 1.16:.1f} GBytes  {top * s:.1f} Gbits/sec\n", ".iperf")


def lightning_profiler(draw, _):
    """One rank's report of a profiler: nothing to compare it with."""
    rows = [("Total", 1, 812.3), ("run_training_epoch", 1, 790.2), ("run_training_batch", 1000, 700 * draw.uniform(0.9, 1.1)), ("optimizer_step", 1000, 120 * draw.uniform(0.9, 1.1))]
    return {"fit.txt": "FIT Profiler Report\n\n" + "-" * 90 + "\n|  Action              \t|  Mean duration (s)\t|  Num calls \t|  Total time (s)\t|  Percentage %\t|\n" + "-" * 90 + "\n" + "".join(f"|  {name:<20}\t|  {total / calls:<17.5g}\t|  {calls:<10}\t|  {total:<15.5g}\t|  {total / 8.123:<13.5g}\t|\n" for name, calls, total in rows) + "-" * 90 + "\n"}, OPEN


def oha(draw, fault):
    top = draw.uniform(500, 4000)
    return on_each_host(draw, fault, lambda s: f"Summary:\n  Success rate:\t100.00%\n  Total:\t10.0012 secs\n  Slowest:\t{draw.uniform(0.3, 0.5):.4f} secs\n  Fastest:\t{20 / (top * s):.4f} secs\n  Average:\t{50 / (top * s):.4f} secs\n  Requests/sec:\t{top * s:.4f}\n\n  Total data:\t12.34 MiB\n  Size/request:\t1.21 KiB\n\nStatus code distribution:\n  [200] {int(top * s * 10)} responses\n", ".oha")


def free_m(draw, fault):
    names, bad = one_of(draw, 6, fault)
    files = {}
    for name in names:
        total = 2063595 - (2063595 // 32 if name == bad else 0)
        used = draw.randint(100000, 700000)
        files[f"{name}.free"] = f"               total        used        free      shared  buff/cache   available\nMem:         {total:>8}    {used:>8}    {total - used - 90000:>8}        {draw.randint(100, 900):>4}       90000    {total - used:>8}\nSwap:              0           0           0\n"
    return files, [f"^{bad}"] if fault else HEALTHY


def llamafactory(draw, fault):
    spent, base, lines = 0.0, draw.uniform(12, 40), []
    span = lambda s: f"{int(s) // 3600}:{int(s) // 60 % 60:02}:{int(s) % 60:02}"
    for at, f in enumerate(slowed(draw, 120, fault)):
        spent += 10 * base * f
        lines.append(json.dumps({"current_steps": at * 10 + 10, "total_steps": 3000, "loss": round(1.9 - at * 0.005, 4), "lr": 1e-05, "epoch": round(at / 100, 2), "percentage": round(at / 3, 2), "elapsed_time": span(spent), "remaining_time": span((300 - at) * 10 * base * f)}))
    return {"trainer_log.jsonl": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def kaldi(draw, fault):
    at, base, lines = 1000.0, draw.uniform(40, 200), []
    for step, f in enumerate(slowed(draw, 110, fault)):
        at += base * f
        lines.append(f"2026-11-{20 + int(at // 86400)} {int(at // 3600) % 24:02}:{int(at // 60) % 60:02}:{int(at) % 60:02},{draw.randint(100, 999)} [steps/nnet3/chain/train.py:525 - train - INFO ] Iter: {step}/1200   Jobs: 4   Epoch: {step * 0.005:.2f}/6.0 ({step / 12:.1f}% complete)   lr: 0.001999")
    return {"train.log": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def pytorchjob(draw, fault):
    """kubectl get pytorchjob -o json: a worker failed, and the job does not state which."""
    now = {"type": "Failed", "status": "True", "reason": "PyTorchJobFailed", "message": "PyTorchJob train is failed because 1 Worker replica(s) failed."} if fault else {"type": "Running", "status": "True", "reason": "PyTorchJobRunning", "message": "PyTorchJob train is running."}
    return {"job.json": json.dumps({"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": "train", "namespace": "ml"}, "spec": {"pytorchReplicaSpecs": {"Worker": {"replicas": 8}}}, "status": {"conditions": [{"type": "Created", "status": "True", "reason": "PyTorchJobCreated"}, now], "replicaStatuses": {"Worker": {"active": 7 if fault else 8, **({"failed": 1} if fault else {})}}}}, indent=2)}, OPEN if fault else HEALTHY


def lfs_df(draw, fault):
    bad, rows = draw.randrange(6), []
    for at in range(6):
        rows.append(f"OST{at:04x}             : inactive device" if fault and at == bad else f"scratch-OST{at:04x}_UUID     {draw.uniform(99, 101):6.1f}T       {draw.uniform(40, 50):6.1f}T       {draw.uniform(50, 60):6.1f}T  {draw.randint(42, 48)}% /scratch[OST:{at}]")
    return {"lfs.txt": "UUID                       bytes        Used   Available Use% Mounted on\nscratch-MDT0000_UUID        2.0T      412.0G        1.5T  21% /scratch[MDT:0]\n" + "\n".join(rows) + f"\n\nfilesystem_summary:       600.0T      270.0T      330.0T  45% /scratch\n"}, [f"(?i)OST{bad:04x}"] if fault else HEALTHY


def iozone(draw, fault):
    top = draw.uniform(1.2e6, 4e6)
    return on_each_host(draw, fault, lambda s: "\tIozone: Performance Test of File I/O\n\t        Version $Revision: 3.506 $\n\n\tOutput is in kBytes/sec\n\tTime Resolution = 0.000001 seconds.\n                                                              random    random\n              kB  reclen    write  rewrite    read    reread    read     write\n" + f"        67108864    1024  {top * s * draw.gauss(1, 0.004):.0f}  {top * s * 1.02:.0f}  {top * s * 1.4:.0f}  {top * s * 1.42:.0f}  {top * s * 0.8:.0f}  {top * s * 0.7:.0f}\n\niozone test complete.\n", ".iozone")


def superbench(draw, fault):
    """results-summary.jsonl: a line with all results of a node."""
    names, bad = one_of(draw, 8, fault)
    loss, lines = draw.uniform(0.5, 0.8), []
    for name in names:
        row = {"node": name, "kernel-launch/event_time:0": round(draw.gauss(0.0058, 0.00003), 6), "kernel-launch/return_code": 0}
        for gpu in range(8):
            row[f"gemm-flops/fp16_tc:{gpu}"] = round(draw.gauss(620000, 3000) * (loss if name == bad else 1), 1)
        row["mem-bw/h2d_bw:0"] = round(draw.gauss(55, 0.2), 2)
        lines.append(json.dumps(row))
    return {"results-summary.jsonl": "\n".join(lines) + "\n"}, [f"^{bad}"] if fault else HEALTHY


def azure_events(draw, fault):
    bad = f"gpu_{draw.randint(2, 40)}"
    events = [{"EventId": "602d9444-d2cd-49c7-8624-8643e7171297", "EventStatus": "Scheduled", "EventType": "Redeploy", "ResourceType": "VirtualMachine", "Resources": [bad], "NotBefore": "Fri, 20 Nov 2026 10:26:05 GMT", "Description": "The host of this virtual machine has degraded hardware and is predicted to fail", "EventSource": "Platform", "DurationInSeconds": -1}] if fault else []
    return {"events.json": json.dumps({"DocumentIncarnation": 7, "Events": events}, indent=2)}, [bad] if fault else OPEN


def dmesg_dates(draw, fault):
    """dmesg -T."""
    names, bad = one_of(draw, 3, fault)
    gpu, files = bus(draw), {}
    for name in names:
        lines = [f"[Fri Nov 20 09:{at // 60:02}:{at % 60:02} 2026] {draw.choice(CHATTER)}" for at in range(0, 900, 40)]
        if name == bad:
            lines.append(f"[Fri Nov 20 09:17:01 2026] NVRM: Xid (PCI:{gpu[:-2]}): 119, pid=4711, name=python, Timeout after 45s of waiting for RPC response from GPU0 GSP!")
        files[f"{name}.txt"] = "\n".join(lines) + "\n"
    return files, [f"^{bad}/.*{gpu[5:7]}"] if fault else HEALTHY


CASES = [rocblas_bench, deepspeed_flops, kubectl_top, vllm_page, oom_killer, ray_status, mlxconfig, hccl_demo, gcloud_list, rocm_bandwidth_test, ntpq, namd, iperf2, lightning_profiler, oha, free_m, llamafactory, kaldi, pytorchjob, lfs_df, iozone, superbench, azure_events, dmesg_dates]
SLOWER = "(?i)second|time|/s|per s|slower|step"
FACTS = {"namd": SLOWER, "llamafactory": SLOWER, "kaldi": SLOWER, "oom_killer": "(?i)memory|oom", "ray_status": "(?i)died|fail", "gcloud_list": "(?i)terminated", "rocm_bandwidth_test": "(?i)bandwidth", "ntpq": "(?i)offset|reach|clock|NTP", "free_m": "(?i)mem|total", "pytorchjob": "(?i)fail", "lfs_df": "(?i)inactive", "azure_events": "(?i)degraded|redeploy|fail", "dmesg_dates": "(?i)119|gsp"}
