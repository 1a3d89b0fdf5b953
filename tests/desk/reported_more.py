"""A second set of what people paste into issues and forums: answers of NCCL's RAS, tables of dcgmi, nvidia-smi and amd-smi in forms that
no earlier set holds, kernel messages of PCIe, NVLink 5 and NVSwitch, events of node-problem-detector, states of trainers, summaries of
profilers, benchmarks host by host as JSON. Formats as these programs print them. Values are drawn."""
import json

from desk.benchmarks import on_each_host
from desk.cluster import HEALTHY, OPEN, hosts
from desk.more import steps
from desk.systems import bus, one_of
from desk.trainers import clock


def ras_page(status, warnings):
    return f"NCCL version 2.24.3 compiled with CUDA 12.6\nCUDA runtime version 12060, driver version 12060\n\nJob summary\n===========\n\n  Nodes  Processes         GPUs  Processes     GPUs\n(total)   per node  per process    (total)  (total)\n      4          8            1         32       32\n\nCommunicators... (0.00s)\n=============\n\nGroup     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors\n    #  in group  per comm  per node  per comm  in group\n    0         1         4         8        32        32   RUNNING  {status}\n\n{warnings}"


def ras_dead(draw, fault):
    """ncclras: a process that RAS cannot reach any more."""
    node = f"172.16.64.{draw.randint(210, 213)}"
    gpu, rank = draw.randrange(8), draw.randrange(32)
    text = f"Errors\n======\n\nDEAD\n  1 job process is considered dead (unreachable via the RAS network)\n  Process {draw.randint(10**5, 10**6)} on node {node} managing GPU {gpu}\n\n#0-0 (27a079b828ff1a75) INCOMPLETE\n  Missing communicator data from 1 rank\n  Rank {rank} -- GPU {gpu} managed by process {draw.randint(10**5, 10**6)} on node {node}\n\n"
    return {"ras.txt": ras_page("INCOMPLETE" if fault else "OK", text if fault else "")}, [f"rank {rank}$|{node}"] if fault else HEALTHY


def ethtool_ena(draw, fault):
    """ethtool -S of AWS's card: allowance counters rise on one host."""
    names, bad = one_of(draw, 5, fault)
    files = {}
    for name in names:
        ill = name == bad
        files[f"{name}.ena"] = f"NIC statistics:\n     tx_timeout: {draw.randint(4, 20) if ill else 0}\n     suspend: 0\n     resume: 0\n     wd_expired: 0\n     interface_up: 1\n     interface_down: 0\n     admin_q_pause: 0\n     bw_in_allowance_exceeded: 0\n     bw_out_allowance_exceeded: 0\n     queue_0_tx_cnt: {draw.randint(10**8, 2 * 10**8)}\n     queue_0_tx_missed_tx: {draw.randint(200, 9000) if ill else 0}\n     queue_0_rx_cnt: {draw.randint(10**8, 2 * 10**8)}\n     queue_0_rx_bad_csum: 0\n"
    return files, [f"^{bad}"] if fault else HEALTHY


def diag_table(draw, fault):
    """dcgmi diag -r 2 as a table: the failed GPU in the row's second line."""
    bad, line = draw.randrange(8), "+---------------------------+------------------------------------------------+"
    row = lambda left, right: f"| {left:<25} | {right:<46} |"
    lines = ["Successfully ran diagnostic for group.", line, row("Diagnostic", "Result"), line.replace("-", "="), "|-----  Metadata  ----------+------------------------------------------------|", row("DCGM Version", "3.3.7"), row("Driver Version Detected", "560.35.03"), "|-----  Deployment  --------+------------------------------------------------|", row("Denylist", "Pass"), row("NVML Library", "Pass"), row("Permissions and OS Blocks", "Pass"), "+-----  Integration  -------+------------------------------------------------+", row("PCIe", "Pass - All")]
    lines += ["+-----  Hardware  ----------+------------------------------------------------+", row("GPU Memory", f"Fail - GPU: {bad}" if fault else "Pass - All")]
    if fault:
        lines += [row("Warning", f"GPU {bad} GPU {bad} had uncorrectable memory errors"), row("", "Run a field diagnostic on the GPU.")]
    lines += [line, "+-----  Stress  ------------+------------------------------------------------+", line]
    return {"diag.txt": "\n".join(lines) + "\n"}, [f"gpu ?{bad}$"] if fault else HEALTHY


def smi_ecc(draw, fault):
    """nvidia-smi -q -d ECC."""
    bad = draw.randrange(4)
    text = "\n==============NVSMI LOG==============\n\nTimestamp                                 : Fri Nov 20 09:31:07 2026\nDriver Version                            : 550.127.08\nCUDA Version                              : 12.4\n\nAttached GPUs                             : 4\n"
    for gpu in range(4):
        ill = fault and gpu == bad
        text += f"GPU 00000000:{0x18 + gpu * 0x11:02X}:00.0\n    ECC Mode\n        Current                           : Enabled\n        Pending                           : Enabled\n    ECC Errors\n        Volatile\n            SRAM Correctable              : 0\n            SRAM Uncorrectable Parity     : 0\n            SRAM Uncorrectable SEC-DED    : {draw.randint(1, 4) if ill else 0}\n            DRAM Correctable              : {draw.choice([0, 0, 3])}\n            DRAM Uncorrectable            : {draw.randint(1, 4) if ill else 0}\n        Aggregate\n            SRAM Correctable              : 0\n            DRAM Correctable              : {draw.choice([0, 3])}\n            SRAM Threshold Exceeded       : No\n"
    return {"ecc.txt": text}, [f"{0x18 + bad * 0x11:02x}:00"] if fault else HEALTHY


def amd_monitor(draw, fault):
    bad = draw.randrange(8)
    text = "GPU  POWER   GPU_T   MEM_T   GFX_CLK   GFX%   MEM%   ENC%   DEC%      VRAM_USAGE\n"
    for gpu in range(8):
        ill = fault and gpu == bad
        text += f"{gpu:>3}  {draw.randint(300, 320) if ill else draw.randint(690, 740):>3} W   {draw.randint(60, 67):>2} °C   {draw.randint(55, 60):>2} °C  {draw.randint(700, 900) if ill else 2100:>4} MHz   {draw.randint(98, 100):>3} %   {draw.randint(40, 44):>2} %    N/A    0 %   150.2/192.0 GB\n"
    return {"monitor.txt": text}, [f"gpu ?{bad}$"] if fault else HEALTHY


def aer_fatal(draw, fault):
    names, bad = one_of(draw, 3, fault)
    files, slot = {}, bus(draw)
    for name in names:
        lines = ["[   10.1] pci 0000:00:00.0: AER: enabled with IRQ 24", "[   10.2] pcieport 0000:16:01.0: PME: Signaling with IRQ 125", "[   10.3] pcieport 0000:16:01.0: AER: enabled with IRQ 125"]
        if name == bad:
            lines += [f"[99120.112233] pcieport 0000:16:01.0: AER: Multiple Uncorrectable (Fatal) error message received from {slot}", f"[99120.112299] nvidia {slot}: PCIe Bus Error: severity=Uncorrectable (Fatal), type=Inaccessible, (Unregistered Agent ID)", f"[99121.300001] nvidia {slot}: AER: can't recover (no error_detected callback)", "[99121.300031] pcieport 0000:16:01.0: AER: device recovery failed"]
        files[f"{name}.dmesg"] = "\n".join(line.replace("[   10.", f"[   10.{draw.randint(10000, 99999)}") for line in lines) + "\n"
    return files, [f"^{bad}/?.*{slot[5:10]}"] if fault else HEALTHY


def xid_nvlink(draw, fault):
    """Xid 145 and 149 of NVLink 5, and on other hosts Xid 13, 31 or 43 of programs: those accuse no hardware."""
    names, bad = one_of(draw, 3, fault)
    files, slot = {}, bus(draw)[:-2]
    for name in names:
        lines = [f"Nov 20 09:0{at}:11 {name} kernel: NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  570.86.15" for at in range(3)]
        if name == bad:
            lines.append(f"Nov 20 09:41:52 {name} kernel: NVRM: Xid (PCI:{slot}): 149, NETIR Fatal XC0 i0 Link 09 (0x004a5483 0x00000000 0x00000000 0x00000000 0x00000000 0x00000000)")
        files[f"{name}.log"] = "\n".join(lines) + "\n"
    return files, [f"^{bad}/?.*{slot[5:]}"] if fault else HEALTHY


def sxid(draw, fault):
    names, bad = one_of(draw, 3, fault)
    files, switch = {}, draw.randrange(4)
    for name in names:
        lines = [f"[   20.11{at:04d}] nvidia-nvswitch{at}: open (major=510)" for at in range(4)]
        if name == bad:
            lines += [f"[7120.441122] nvidia-nvswitch{switch}: SXid (PCI:0000:c1:00.0): 20034, Fatal, Link 30 LTSSM Fault Up", f"[7120.441125] nvidia-nvswitch{switch}: SXid (PCI:0000:c1:00.0): 20034, Severity 1 Engine instance 30 Sub-engine instance 00"]
        files[f"{name}.dmesg"] = "\n".join(lines) + "\n"
    return files, [f"^{bad}"] if fault else HEALTHY


def npd_events(draw, fault):
    names, bad = one_of(draw, 4, fault)
    lines = ["LAST SEEN   TYPE      REASON                    OBJECT                MESSAGE"]
    for name in names:
        lines.append(f"{draw.randint(10, 50)}m         Normal    NodeHasSufficientMemory   node/{name:<16} Node {name} status is now: NodeHasSufficientMemory")
        if name == bad:
            lines.append(f"{draw.randint(2, 9)}m          Warning   GPUXidError               node/{name:<16} NVRM: Xid (PCI:0000:5e:00): 79, GPU has fallen off the bus.")
    return {"events.txt": "\n".join(lines) + "\n"}, [f"^{bad}"] if fault else HEALTHY


def trainer_state(draw, fault):
    """trainer_state.json of Hugging Face's Trainer with the step times that a callback adds."""
    since, base, loss = draw.randint(40, 80), draw.uniform(1, 9), draw.uniform(1.2, 1.7)
    history = [{"epoch": round(at / 120, 4), "learning_rate": 1e-5, "loss": round(3 - at * 0.01, 4), "step": (at + 1) * 10, "step_time": round(base * draw.gauss(1, 0.006) * (loss if fault and at >= since else 1), 4)} for at in range(120)]
    return {"trainer_state.json": json.dumps({"best_metric": None, "epoch": 1.0, "global_step": 1200, "is_local_process_zero": True, "log_history": history, "logging_steps": 10, "max_steps": 2000}, indent=2)}, OPEN if fault else HEALTHY


def nemo_two(draw, fault):
    base = draw.uniform(2, 14)
    return steps(draw, fault, lambda at, f: f"Training epoch 0, iteration {at}/999 | lr: {at * 1e-7:.3e} | global_batch_size: 512 | global_step: {at} | reduced_train_loss: {11 - at * 0.03:.3f} | train_step_timing in s: {base * f:.4g} | consumed_samples: {(at + 1) * 512}")


def lightning_bar(draw, fault):
    base = draw.uniform(0.3, 4)
    return steps(draw, fault, lambda at, f: f"Epoch 0: {at * 100 // 1000:>3}%|{'█' * (at // 100):<10}| {at}/1000 [{clock(at)[-5:]}<{clock(1000 - at)[-5:]}, {base / f:.2f}it/s, v_num=3, train_loss={3 - at * 0.01:.3f}, step_s={1 / base * f:.3f}]")


def vllm_throughput(draw, fault):
    rate = draw.uniform(5, 60)
    return on_each_host(draw, fault, lambda f: f"INFO 11-20 09:00:01 [loader.py:447] Loading weights took 12.41 seconds\nProcessed prompts: 100%|██████████| 1000/1000 [02:11<00:00, {rate * f:.2f}it/s, est. speed input: {rate * f * 512:.2f} toks/s, output: {rate * f * 128:.2f} toks/s]\nThroughput: {rate * f:.2f} requests/s, {rate * f * 640:.2f} total tokens/s, {rate * f * 128:.2f} output tokens/s\n", ".log")


def nsys_text(draw, fault):
    """nsys stats as text: one rank's all-reduce has a long tail."""
    tail = draw.randint(7, 12) * 10**6 if fault else 330000
    mean = 620000 if fault else 312000
    rows = [(41.2, 9120, 310000, 310000, 315000, "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64"), (38.1, 6144, mean, 310000, tail, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096>)"), (20.7, 12288, 88000, 87900, 90100, "void at::native::vectorized_elementwise_kernel<4>")]
    text = "\n ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):\n\n Time (%)  Total Time (ns)  Instances   Avg (ns)    Med (ns)    Min (ns)   Max (ns)   StdDev (ns)   Name\n --------  ---------------  ---------  ----------  ----------  ---------  ---------  -----------  ----------------\n"
    for share, count, average, median, most, name in rows:
        text += f"{share:>9}{count * average:>17,}{count:>11,}{average:>12,.1f}{median:>12,.1f}{int(median * 0.98):>11,}{most:>11,}{(most - median) / 9:>13,.1f}  {name}\n"
    return {"stats.txt": text}, OPEN if fault else HEALTHY


def rccl_pairs(draw, fault):
    """rccl-tests, pairs of four hosts."""
    names, files = hosts(draw, 4), {}
    bad, top = draw.choice(names), draw.uniform(80, 340)
    for at, one in enumerate(names):
        for other in names[at + 1:]:
            rate = top * draw.gauss(1, 0.01) * (0.5 if fault and bad in (one, other) else 1)
            lines = ["# nThread 1 nGpus 1 minBytes 1048576 maxBytes 1073741824 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0", "#", "rccl-tests: Version develop:448c4c7", "# Using devices"]
            lines += [f"#  Rank {rank:>2} Pid {1320 + rank:>6} on {(one if rank < 8 else other):>10} device {rank % 8:>2} [0000:{0x05 + rank % 8:02x}:00.0] AMD Instinct MI300X" for rank in range(16)]
            lines += ["#", "#                                                              out-of-place                       in-place          ", "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong", "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)       "]
            best = 0
            for size in (2**20, 2**24, 2**27, 2**30):
                bus_rate = rate / (1 + 2**24 / size)
                best += bus_rate / 4
                lines.append(f"{size:>12}{size // 4:>14}     float     sum      -1{size / (bus_rate * 1e3) * 1.875:>9.1f}{bus_rate / 1.875:>8.2f}{bus_rate:>8.2f}      0{size / (bus_rate * 1e3) * 1.875:>9.1f}{bus_rate / 1.875:>8.2f}{bus_rate * 1.002:>8.2f}      0")
            files[f"{one}_{other}.out"] = "\n".join(lines + ["# Errors with asterisks indicate errors that have exceeded the maximum threshold.", "# Out of bounds values : 0 OK", f"# Avg bus bandwidth    : {best:.4f}", "#"]) + "\n"
    return files, [f"^{bad}"] if fault else HEALTHY


def osu_allreduce(draw, fault):
    base = draw.uniform(6, 30)
    return on_each_host(draw, fault, lambda f: "\n# OSU MPI Allreduce Latency Test v7.4\n# Datatype: MPI_CHAR.\n# Size       Avg Latency(us)\n" + "".join(f"{size:<12}{base / f * (1 + size / 4096):>16.2f}\n" for size in (4, 64, 1024, 16384, 262144, 1048576)), ".osu")


def fio_json(draw, fault):
    top = draw.uniform(2e6, 7e6)
    return on_each_host(draw, fault, lambda f: json.dumps({"fio version": "fio-3.36", "timestamp": 1795000000, "jobs": [{"jobname": "read", "groupid": 0, "error": 0, "read": {"io_bytes": int(top * f * 60 * 1024), "bw": int(top * f), "iops": top * f / 1024, "runtime": 60001, "lat_ns": {"min": 90000, "max": 9000000, "mean": 4e6 / f, "stddev": 200000.1}}, "write": {"io_bytes": 0, "bw": 0, "iops": 0.0, "runtime": 0}}]}, indent=2), ".json")


def iperf3_json(draw, fault):
    top = draw.uniform(80e9, 98e9)

    def text(f):
        intervals = [{"sum": {"start": at, "end": at + 1, "seconds": 1.0, "bytes": int(top * f / 8), "bits_per_second": top * f * draw.gauss(1, 0.002), "retransmits": 0, "omitted": False}} for at in range(10)]
        return json.dumps({"start": {"version": "iperf 3.16", "test_start": {"protocol": "TCP", "num_streams": 8}}, "intervals": intervals, "end": {"sum_sent": {"seconds": 10.0, "bits_per_second": top * f, "retransmits": 3}, "sum_received": {"seconds": 10.0, "bits_per_second": top * f * 0.999}}}, indent=1)
    return on_each_host(draw, fault, text, ".json", 0.004)


def smi_noheader(draw, fault):
    """nvidia-smi --query-gpu=... --format=csv,noheader of one moment under load."""
    bad = draw.randrange(8)
    return {"gpus.csv": "".join(f"{gpu}, NVIDIA H100 80GB HBM3, {draw.randint(900, 1200) if fault and gpu == bad else draw.choice([1965, 1980])} MHz, {draw.randint(60, 66)}, {draw.uniform(280, 320) if fault and gpu == bad else draw.uniform(640, 690):.2f} W, {draw.randint(98, 100)} %\n" for gpu in range(8))}, [f"(gpu ?)?{bad}$"] if fault else HEALTHY


def describe_pod(draw, fault):
    """kubectl describe pod: its device could not be given to it on that node."""
    name = hosts(draw, 1)[0]
    state = "Pending" if not fault else "Failed"
    text = f"Name:             train-worker-3\nNamespace:        ml\nNode:             {name}/10.0.0.7\nStart Time:       Fri, 20 Nov 2026 09:00:01 +0000\nLabels:           job=train\nStatus:           {'Running' if not fault else state}\n"
    if fault:
        text += "Reason:           UnexpectedAdmissionError\nMessage:          Pod was rejected: Allocate failed due to no healthy devices present; cannot allocate unhealthy devices nvidia.com/gpu, which is unexpected\n"
    text += "Containers:\n  main:\n    Image:          train:1\n    Limits:\n      nvidia.com/gpu:  8\nConditions:\n  Type              Status\n  Initialized       True \n  PodScheduled      True \nEvents:\n  Type     Reason                    Age   From               Message\n  ----     ------                    ----  ----               -------\n"
    text += f"  Normal   Scheduled                 2m    default-scheduler  Successfully assigned ml/train-worker-3 to {name}\n"
    if fault:
        text += f"  Warning  UnexpectedAdmissionError  2m    kubelet            Allocate failed due to no healthy devices present; cannot allocate unhealthy devices nvidia.com/gpu, which is unexpected\n"
    return {"pod.txt": text}, [f"{name}|train-worker-3"] if fault else HEALTHY


CASES = [ras_dead, ethtool_ena, diag_table, smi_ecc, amd_monitor, aer_fatal, xid_nvlink, sxid, npd_events, trainer_state, nemo_two, lightning_bar, vllm_throughput, nsys_text, rccl_pairs, osu_allreduce, fio_json, iperf3_json, smi_noheader, describe_pod]
SLOWER = "(?i)second|time|/s|per s"
FACTS = {"ras_dead": "(?i)dead|missing|unreachable|answer", "ethtool_ena": "(?i)tx_timeout|missed", "diag_table": "(?i)memory", "smi_ecc": "(?i)uncorrect", "amd_monitor": "(?i)clk|clock|power", "aer_fatal": "(?i)uncorrect|fatal|PCIe", "xid_nvlink": "(?i)149|nvlink|netir", "sxid": "(?i)20034|nvswitch|link",
         "npd_events": "(?i)xid|bus", "trainer_state": SLOWER, "nemo_two": SLOWER, "lightning_bar": SLOWER, "vllm_throughput": "(?i)throughput|/s", "nsys_text": "(?i)allreduce", "rccl_pairs": "(?i)bandwidth", "osu_allreduce": "(?i)latency", "fio_json": "(?i)bw|iops|read", "iperf3_json": "(?i)bit", "smi_noheader": "(?i)MHz|W|clock|power",
         "describe_pod": "(?i)healthy device|admission|unhealthy|devices"}
