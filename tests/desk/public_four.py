"""Twenty-six kinds of what operators of AI clusters hold that no earlier set has. Seventy-nine names were written down and put in an order by seed, and the first
twenty-six whose form is public and whose right answer can be stated are here: collectives and products host by host (HCCL's test, nccom-test, NVSHMEM, all_reduce_bench,
mamf-finder), states of fabrics (IMEX, nvidia-smi's Fabric, XGMI links, UFM, WEKA), counters (neuron-monitor, PCIe replays, Weights & Biases), checks (nvidia-healthmon, conditions
of EKS), times of ranks (HTA, Ray Train, srun --label), step lines (RETURNN, a dated loop), and failures as HCCL, HSA, CUDA, vLLM, TensorRT-LLM, NCCL and milabench print them.
Forms after hiascend.com (HCCL test, EI0002), docs.nvidia.com (IMEX guide, healthmon guide, UFM manual), awsdocs-neuron, HTA's tutorial, Amazon EKS's guide, and
github.com: stas00/ml-engineering/pull/60, rwth-i6/returnn/issues/1485, cBio/cbio-cluster/issues/342, ROCm/legacy-rocm-build/issues/4021, mila-iqia/milabench/pull/269,
NVIDIA/nccl/issues/905, NVIDIA/gpu-operator/issues/2511, NVIDIA/NVSentinel/issues/883, OpenRLHF/OpenRLHF/issues/949. Values are drawn."""
import json

from desk.benchmarks import on_each_host
from desk.cluster import HEALTHY, OPEN, hosts
from desk.job import slowed
from desk.more import steps
from desk.systems import bus, one_of


def hccl_test(draw, fault):
    """HCCL's all_reduce_test of the eight NPUs of each host."""
    top = draw.uniform(120, 160)

    def text(f):
        rows = [(2 ** p, top * share * f) for p, share in ((23, 0.3), (25, 0.6), (27, 0.85), (29, 0.97), (30, 1))]
        return ("the minbytes is 8388608, maxbytes is 1073741824, iters is 20, warmup_iters is 5\ndata_size(Bytes): |   aveg_time(us): | alg_bandwidth(GB/s): | check_result:\n"
                + "".join(f"{size:<17} | {size / rate / 1e3:>12.2f}     | {rate:>14.5f}       | success\n" for size, rate in rows))
    return on_each_host(draw, fault, text, ".txt")


def smi_fabric(draw, fault):
    """nvidia-smi -q of four hosts, of which one has a GPU that the fabric manager has not registered."""
    names, bad = one_of(draw, 4, fault)
    late, files = draw.randrange(8), {}
    for name in names:
        page = "\n==============NVSMI LOG==============\n\nTimestamp                                              : Fri Nov 20 09:31:44 2026\nDriver Version                                         : 580.95.05\nCUDA Version                                           : 13.0\n\nAttached GPUs                                          : 8\n"
        for gpu in range(8):
            stuck = name == bad and gpu == late
            page += (f"GPU 00000000:{(0x19 + gpu * 0x11):02X}:00.0\n    Product Name                                       : NVIDIA H100 80GB HBM3\n    Fabric\n"
                     f"        State                                          : {'In Progress' if stuck else 'Completed'}\n        Status                                         : {'N/A' if stuck else 'Success'}\n"
                     f"        CliqueId                                       : {'N/A' if stuck else '0'}\n        ClusterUUID                                    : {'N/A' if stuck else '00000000-0000-0000-0000-000000000000'}\n"
                     f"    Temperature\n        GPU Current Temp                               : {draw.randint(31, 38)} C\n\n")
        files[f"{name}.smi"] = page
    return files, [f"^{bad}/"] if fault else HEALTHY


def neuron_monitor(draw, fault):
    """The stream of neuron-monitor of one host: sixteen devices, of which one counts uncorrected errors."""
    bad, count, lines = draw.randrange(16), 0, []
    for at in range(20):
        count += fault and at > 8 and draw.randint(0, 3)
        devices = [{"neuron_device_index": d, "mem_ecc_corrected": 0, "mem_ecc_uncorrected": int(count) if d == bad else 0, "sram_ecc_uncorrected": 0, "sram_ecc_corrected": 0} for d in range(16)]
        cores = {str(core): {"neuroncore_utilization": round(draw.uniform(93, 97), 2)} for core in range(32)}
        lines.append(json.dumps({"neuron_runtime_data": [{"pid": 4711, "address": "4711", "neuron_runtime_tag": "train", "error": "", "report": {"neuroncore_counters": {"period": 5.0, "neuroncores_in_use": cores, "error": ""}}}],
                                 "system_data": {"memory_info": {"period": 5.0, "memory_total_bytes": 2112000000000, "memory_used_bytes": 91000000000 + at, "error": ""}, "neuron_hw_counters": {"period": 5.0, "neuron_devices": devices, "error": ""}},
                                 "instance_info": {"instance_name": "", "instance_id": "i-0a1b2c3d4e5f60718", "instance_type": "trn1.32xlarge", "error": ""}, "neuron_hardware_info": {"neuron_device_count": 16, "neuroncore_per_device_count": 2, "error": ""}}))
    return {"neuron-monitor.jsonl": "\n".join(lines) + "\n"}, [f"(neuron|device).?{bad}$"] if fault else HEALTHY


def ufm_events(draw, fault):
    """Events that the page of UFM exports as CSV: one port of a host goes down and comes back again and again."""
    names, bad = one_of(draw, 6, fault)
    rows, at = ["Severity,Date/Time,Event Name,Source,Source Type,Category,Description"], 0
    for _ in range(14):
        at += draw.randint(20, 400)
        rows.append(f"Info,2026-11-20 {9 + at // 3600:02d}:{at // 60 % 60:02d}:{at % 60:02d},{draw.choice(['Logical Server State Change', 'Report completed successfully', 'User Connected', 'Telemetry session started'])},Grid,Grid,Fabric Notification,ok")
        if fault:
            port = f"(Switch:leaf2 / 17) - (Computer:{bad} HCA-3 / 1)"
            rows += [f"Warning,2026-11-20 {9 + at // 3600:02d}:{at // 60 % 60:02d}:{(at + 3) % 60:02d},Link is down,{bad} HCA-3 / 1,IBPort,Communication Error,Link went down: {port}",
                     f"Info,2026-11-20 {9 + at // 3600:02d}:{at // 60 % 60:02d}:{(at + 9) % 60:02d},Link is up,{bad} HCA-3 / 1,IBPort,Communication Error,Link went up: {port}"]
    return {"events.csv": "\n".join(rows) + "\n"}, [f"{bad}"] if fault else HEALTHY


def healthmon(draw, fault):
    bad = draw.randrange(8)
    text = "Loading Config: SUCCESS\nGlobal Tests\n   Black-Listed Drivers: SUCCESS\n   Load NVML: SUCCESS\n   NVML Sanity: SUCCESS\n   Tesla Devices Count: SUCCESS\n   Result: 4 success, 0 errors, 0 warnings, 0 did not run\n"
    for gpu in range(8):
        wrong = fault and gpu == bad
        text += (f"-----------------------------------------------------------\nGPU 0000:{(0x19 + gpu * 0x11):02X}:00.0 #{gpu} : NVIDIA A100-SXM4-80GB (Serial: 13225210{draw.randint(10000, 99999)})\n   NVML Sanity: SUCCESS\n   InfoROM: SUCCESS\n   ECC: SUCCESS\n   CUDA Sanity\n      Result: SUCCESS\n"
                 "   PCIe Maximum Link Generation: SUCCESS\n" + (f"   PCIe Maximum Link Width: ERROR: The maximum link width is 16x but the current one is {draw.choice([4, 8])}x\n" if wrong else "   PCIe Maximum Link Width: SUCCESS\n")
                 + f"   PCI Seating: SUCCESS\n   PCI Bandwidth: SUCCESS\n   Memory: SUCCESS\n   Result: {8 if wrong else 9} success, {int(wrong)} errors, 0 warnings, 0 did not run\n")
    return {"healthmon.txt": text}, [f"gpu.?{bad}$|{(0x19 + bad * 0x11):02X}:00.0"] if fault else HEALTHY


def hta_breakdown(draw, fault):
    """HTA's temporal breakdown as CSV: the rank that computes longer waits less for the collectives."""
    bad, total = draw.randrange(16), draw.randint(9000000, 12000000)
    rows = [",rank,idle_time(us),compute_time(us),non_compute_time(us),kernel_time(us),idle_time_pctg,compute_time_pctg,non_compute_time_pctg"]
    for rank in range(16):
        compute = total * 0.52 * draw.gauss(1, 0.004) * (1.35 if fault and rank == bad else 1)
        idle = total * 0.08 * draw.gauss(1, 0.03)
        rest = total - compute - idle
        rows.append(f"{rank},{rank},{int(idle)},{int(compute)},{int(rest)},{total},{100 * idle / total:.2f},{100 * compute / total:.2f},{100 * rest / total:.2f}")
    return {"temporal_breakdown.csv": "\n".join(rows) + "\n"}, [f"rank ?{bad}$"] if fault else HEALTHY


def mamf_finder(draw, fault):
    """mamf-finder on each GPU of a host, one file each."""
    bad, top, files = draw.randrange(8), draw.uniform(740, 790), {}
    for gpu in range(8):
        f = draw.gauss(1, 0.004) * (draw.uniform(0.7, 0.82) if fault and gpu == bad else 1)
        lines = [f"{i:>6} | {top * f * share:6.1f}(mean) {top * f * share * 1.002:6.1f}(median) {top * f * share * 1.01:6.1f}(max) @ {m}x{n}x{k:<10} | best: {top * f * best:6.1f}(mean) TFLOPS @ {m}x{n}x{k}" for i, (share, best, m, n, k) in enumerate([(0.71, 0.71, 4096, 4096, 4096), (0.88, 0.88, 4096, 8192, 4096), (0.97, 0.97, 8192, 8192, 4096), (1, 1, 10240, 15360, 4096), (0.93, 1, 2048, 10240, 8192)])]
        files[f"gpu{gpu}.txt"] = "Benchmark started on 2026-11-20 09:11:04\n\n** Dtype: torch.bfloat16\n\n" + "\n".join(lines) + f"\n\nTried 5 shapes => the best outcomes were:\nmean:   {top * f:.1f} TFLOPS @ 10240x15360x4096 (MxNxK)\nmedian: {top * f * 1.002:.1f} TFLOPS @ 10240x15360x4096 (MxNxK)\nmax:    {top * f * 1.01:.1f} TFLOPS @ 10240x15360x4096 (MxNxK)\n\nElapsed time: 0:03:11\n"
    return files, [f"gpu{bad}$"] if fault else HEALTHY


def xgmi_links(draw, fault):
    """amd-smi's table of XGMI links: all links of one GPU are down, and so is the link of each other GPU to it."""
    bad, slots = draw.randrange(8), ["05", "15", "65", "75", "85", "95", "e5", "f5"]
    text = "XGMI LINK STATUS:\n       bdf           link_status\n"
    for gpu in range(8):
        peers = [peer for peer in range(8) if peer != gpu]
        text += f"GPU{gpu}   0000:{slots[gpu]}:00.0  " + "  ".join("D" if fault and bad in (gpu, peer) else "U" for peer in peers) + "\n"
    return {"xgmi.txt": text + "\n* U:Up D:Down X:Disabled\n"}, [f"gpu{bad}$"] if fault else HEALTHY


def hccl_timeout(draw, fault):
    """A collective of HCCL that timed out: with the device whose heartbeat was lost, or with nothing but the time-out."""
    ip, gone = f"10.90.{draw.randint(1, 99)}.{draw.randint(1, 250)}", draw.randrange(8)
    lines = [f"[rank0] iteration {at} / 5000, loss {9 - at * 0.01:.3f}" for at in range(6)]
    for rank in range(8):
        if fault and rank == gone:
            continue
        lines += ["[Error]: The execution of the internal task times out.\n        Rectify the fault based on the error information in the ascend log.",
                  f"EI0002: [PID: {72700 + rank}] 2026-11-20-09:40:1{rank}.645.648 The wait execution of the Notify register times out. Reason: The Notify register has not received the Notify record from remote rank [unknown]. base information: [streamID:[{2282987520 + rank}], taskID[5], tag[AllReduce_{ip}%enp189s0f0_60000_0_1795167067], AlgType(level 0-1-2):[fullmesh-ring-ring].] task information: ["]
        if fault:
            lines.append(f"there are(is) 1 abnormal device(s):\nCluster Exception Location[IP/ID]:[{ip}/{gone}], Arrival Time:[Fri Nov 20 09:37:34 2026], Discoverer:[{ip}/{rank}], ExceptionType:[Heartbeat Lost Occurred], Possible Reason:1. Process has exited, 2. Network Disconnected")
        lines.append("]")
    return {"train.log": "\n".join(lines) + "\n"}, [f"{gone}$"] if fault else OPEN


def pcie_replay(draw, fault):
    """rocm-smi --showreplaycount: one GPU's link replays packets."""
    bad = draw.randrange(8)
    rule = "=" * 26
    text = f"\n{rule} ROCm System Management Interface {rule}\n{rule}== PCIe Replay Counter {rule}\n" + "".join(f"GPU[{gpu}]\t\t: PCIe Replay Count: {draw.randint(9000, 90000) if fault and gpu == bad else 0}\n" for gpu in range(8)) + f"{'=' * 80}\n{rule} End of ROCm SMI Log {rule}\n"
    return {"replay.txt": text}, [f"gpu{bad}$"] if fault else HEALTHY


def imex_status(draw, fault):
    """nvidia-imex-ctl -N of the eighteen nodes of a rack; one is not reachable."""
    bad, base = draw.randrange(18), f"172.16.{draw.randint(1, 9)}"
    text = "Connectivity Table Legend:\nI - Invalid - Node wasn't reachable, no connection status available\nN - Never Connected\nR - Recovering - Connection was lost, but clean up has not yet been triggered.\nD - Disconnected - Connection was lost, and clean up has been triggered.\nC - Connected - Ready for operation\n\n11/20/2026 09:31:10.580\nNodes:\n"
    for node in range(18):
        gone = fault and node == bad
        text += f"Node #{node:<3} - {base}.{node + 11:<12} - {'UNAVAILABLE' if gone else 'READY':<20} - Version: {'N/A' if gone else '580.95.05'}\n"
    text += "\n Nodes From\\To  " + "".join(f"{node:<4}" for node in range(18)) + "\n"
    for node in range(18):
        text += f"       {node:<9}" + "".join(f"{'I' if fault and node == bad else 'D' if fault and peer == bad else 'C':<4}" for peer in range(18)) + "\n"
    return {"imex.txt": text + f"Domain State: {'DEGRADED' if fault else 'UP'}\n"}, [f"{base}.{bad + 11}$|node.?#?{bad}$"] if fault else HEALTHY


def milabench(draw, fault):
    """What milabench prints: the name of benchmark and node and the stream stand before every line."""
    bad, work, lines = draw.randrange(8), draw.randint(1000, 9000), []
    name = f"dinov2-giant-nodes.cn-d00{draw.randint(1, 9)}.nolog"
    lines += [f"{name} [stdout] step {at} loss {8 - at * 0.01:.3f}" for at in range(20)]
    if fault:
        order = list(range(8))
        draw.shuffle(order)
        for rank in order:
            if rank == bad:
                lines.append(f"{name} [stderr] [rank{rank}]:[E909 09:56:46.{draw.randint(10**8, 10**9 - 1)} ProcessGroupNCCL.cpp:1709] [PG 0 (default_pg) Rank {rank}] Exception (either an error or timeout) detected by watchdog at work: {work - 1}, last enqueued NCCL work: {work - 1}, last completed NCCL work: {work - 1}.")
            else:
                lines += [f"{name} [stderr] [rank{rank}]:[E909 09:55:46.{draw.randint(10**8, 10**9 - 1)} ProcessGroupNCCL.cpp:607] [Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={work}, OpType=ALLREDUCE, NumelIn=1048576, NumelOut=1048576, Timeout(ms)=600000) ran for 600{draw.randint(10, 99)} milliseconds before timing out.",
                          f"{name} [stderr] [rank{rank}]:[E909 09:55:46.{draw.randint(10**8, 10**9 - 1)} ProcessGroupNCCL.cpp:1709] [PG 0 (default_pg) Rank {rank}] Timeout at NCCL work: {work}, last enqueued NCCL work: {work + 12}, last completed NCCL work: {work - 1}."]
        return {"milabench.log": "\n".join(lines) + "\n"}, [f"rank {bad}$"]
    return {"milabench.log": "\n".join(lines + [f"{name} [stdout] step {at} loss {8 - at * 0.01:.3f}" for at in range(20, 90)] + [f"{name} [end] (0)"]) + "\n"}, OPEN


def hsa_exception(draw, fault):
    """A job on AMD's GPUs in which the runtime reports a GPU that hangs, once for each process that uses it."""
    node, lines = draw.randint(2, 9), []
    base = draw.uniform(20, 50)
    for at in range(60):
        lines.append(f" {at * 100 // 903:>2}%|{'█' * (at // 10):<10}| {at}/903 [{int(at * base) // 3600}:{int(at * base) // 60 % 60:02d}:{int(at * base) % 60:02d}<6:53:09, {base * draw.gauss(1, 0.006):.2f}s/it]")
    if fault:
        lines += [f"HW Exception by GPU node-{node} (Agent handle: 0x{draw.getrandbits(44):x}) reason :GPU Hang" for _ in range(12)] + ["Aborted (core dumped)"]
    return {"train.log": "\n".join(lines) + "\n"}, [f"node-{node}|gpu.?{node}"] if fault else HEALTHY


def eks_conditions(draw, fault):
    """kubectl describe of three nodes that EKS's node monitoring agent watches."""
    names, bad = one_of(draw, 3, fault)
    text = ""
    for name in names:
        ill = name == bad
        text += f"Name:               {name}\nRoles:              <none>\nTaints:             <none>\nUnschedulable:      false\nConditions:\n  Type                       Status  LastHeartbeatTime                 LastTransitionTime                Reason                           Message\n  ----                       ------  -----------------                 ------------------                ------                           -------\n"
        rows = [("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"), ("Ready", "True", "KubeletReady", "kubelet is posting ready status"), ("KernelReady", "True", "KernelIsReady", "Monitoring for the Kernel system is active"), ("NetworkingReady", "True", "NetworkingIsReady", "Monitoring for the Networking system is active"), ("StorageReady", "True", "DiskIsReady", "Monitoring for the Disk system is active"),
                ("AcceleratedHardwareReady", "False" if ill else "True", "NvidiaDoubleBitError" if ill else "NvidiaAcceleratedHardwareIsReady", "DCGM detected an NVIDIA GPU double bit error" if ill else "Monitoring for the Nvidia AcceleratedHardware system is active")]
        text += "".join(f"  {kind:<26} {status:<7} Fri, 20 Nov 2026 09:31:10 +0000   Fri, 20 Nov 2026 09:1{draw.randint(0, 9)}:07 +0000   {reason:<32} {message}\n" for kind, status, reason, message in rows) + "Capacity:\n  nvidia.com/gpu:     8\nAllocatable:\n  nvidia.com/gpu:     8\n\n\n"
    return {"nodes.txt": text}, [bad] if fault else HEALTHY


def ray_train(draw, fault):
    """Lines of workers behind Ray's prefix, which names the host alone; one host computes longer from some step on."""
    ips = [f"10.81.10.{draw.randint(10, 29) + 30 * at}" for at in range(6)]
    bad, since, lines = draw.choice(ips), draw.randint(15, 25), []
    for step in range(50):
        for at, ip in enumerate(draw.sample(ips, 6)):
            f = draw.gauss(1, 0.006) * (1.4 if fault and ip == bad and step >= since else 1)
            lines.append(f"(RayTrainWorker pid={41000 + ips.index(ip)}, ip={ip}) step {step} forward_ms={210 * f:.1f} loss={4 - step * 0.01:.3f}")
    return {"driver.log": "\n".join(lines) + "\n"}, [f"{bad}"] if fault else HEALTHY


def nvshmem_put(draw, fault):
    """NVSHMEM's shmem_put_bw between two GPUs of each host."""
    top = draw.uniform(340, 380)

    def text(f):
        rule = "+------------------------+----------------------+"
        return f"Runtime options after parsing command line arguments \nmin_size: 4096, max_size: 33554432, step_factor: 4, iterations: 200, warmup iterations: 20\nmype: 0 mype_node: 0 device name: NVIDIA H100 80GB HBM3 bus id: 25 \n{rule}\n|     shmem_put_bw       |        None          |\n{rule}\n|     size (Bytes)       |    BW (GB/sec)       |\n{rule}\n" + "".join(f"| {2 ** p:<22} | {top * share * f:<20.6f} |\n{rule}\n" for p, share in ((18, 0.5), (20, 0.8), (22, 0.95), (24, 1)))
    return on_each_host(draw, fault, text, ".log")


def all_reduce_bench(draw, fault):
    """all_reduce_bench.py on the eight GPUs of each host."""
    top = draw.uniform(430, 470)
    return on_each_host(draw, fault, lambda f: "Environment:\n- software: torch=2.8.0+cu128, cuda=12.8, nccl=(2, 27, 3)\n- hardware: _CudaDeviceProperties(name='NVIDIA H100 80GB HBM3', major=9, minor=0, total_memory=81090MB, multi_processor_count=132)\n\nThe average bandwidth of all_reduce over 8 ranks (5 warmups / 20 trials):\n\n| payload |    busbw   |    algbw   |\n| ------: | ---------: | ---------: |\n" + "".join(f"| {size:>7} | {top * share * f:6.2f}GBps | {top * share * f / 1.75:6.2f}GBps |\n" for size, share in (("32MB", 0.6), ("128MB", 0.8), ("512MB", 0.93), ("2GB", 0.99), ("8GB", 1))), ".txt")


def returnn(draw, fault):
    """RETURNN on four GPUs: lines of all of them, all at the speed of the slowest."""
    base, lines = draw.uniform(0.6, 3), []
    for at, f in enumerate(slowed(draw, 120, fault)):
        for gpu in draw.sample(range(4), 4):
            lines.append(f"ep 27 train, step {at}, ce {5 - at * 0.01 + draw.uniform(0, 0.2):.3f}, ctc_17 {6.8 - at * 0.01:.3f}, fer 0.8{draw.randint(10, 99)}, mem_usage:cuda:{gpu} 6.{draw.randint(6, 8)}GB, {base * f * draw.gauss(1, 0.004):.3f} sec/step")
    return {"returnn.log": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def weka_status(draw, fault):
    up = draw.randint(12, 30)
    return {"weka.txt": f"WekaIO v4.4.2 (CLI build 4.4.2)\n\n       cluster: train01 (3fa0b1c2-6d1e-4d7c-9a55-1b2c3d4e5f60)\n        status: {f'DEGRADED ({up - 1} backends UP, 1 DOWN, {up * 6 - 6} drives UP, 6 DOWN)' if fault else f'OK ({up} backend containers UP, {up * 6} drives UP)'}\n    protection: 5+2 ({'Rebuilding' if fault else 'Fully protected'})\n     hot spare: 1 failure domains ({draw.randint(10, 30)}.1 TiB)\n drive storage: 611.20 TiB total\n         cloud: connected\n\n     io status: STARTED {draw.randint(2, 90)} days ago ({up * 19} io-nodes UP, 64 Buckets UP)\n    link layer: Infiniband + Ethernet\n       clients: {draw.randint(64, 128)} connected\n         reads: {draw.uniform(20, 80):.2f} GiB/s ({draw.randint(100000, 900000)} IO/s)\n        writes: {draw.uniform(2, 9):.2f} GiB/s ({draw.randint(10000, 90000)} IO/s)\n    operations: {draw.randint(100000, 900000)} ops/s\n        alerts: {3 if fault else 0} active alerts\n"}, OPEN if fault else HEALTHY


def shm_broadcast(draw, fault):
    """A server of vLLM that produces tokens, and one whose workers have not taken a message for minutes."""
    lines, each = [], draw.uniform(25, 40)
    for at in range(60):
        running = 64 if not fault or at < 30 else 64
        rate = each * running * draw.gauss(1, 0.01)
        stuck = fault and at >= 30
        lines.append(f"(APIServer pid=411) INFO 11-20 09:{at // 6:02d}:{at % 6 * 10:02d} [loggers.py:257] Engine 000: Avg prompt throughput: {0.0 if stuck else draw.uniform(900, 1100):.1f} tokens/s, Avg generation throughput: {0.0 if stuck else rate:.1f} tokens/s, Running: {running} reqs, Waiting: 0 reqs, GPU KV cache usage: {draw.uniform(40, 45):.1f}%, Prefix cache hit rate: 12.1%")
        if stuck and at % 6 == 5:
            lines.append(f"(EngineCore_DP0 pid=502) INFO 11-20 09:{at // 6:02d}:51 [shm_broadcast.py:501] No available shared memory broadcast block found in 60 seconds. This typically happens when some processes are hanging or doing some time-consuming work (e.g. compilation, weight/kv cache quantization).")
    return {"server.log": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def nccom_test(draw, fault):
    """nccom-test of the thirty-two cores of each host."""
    top = draw.uniform(80, 110)

    def text(f):
        rows = [(2 ** p, top * share * f) for p, share in ((25, 0.5), (27, 0.8), (29, 0.96), (30, 1))]
        return "     size(B)    count(elems)     type    time(us)    algbw(GB/s)    busbw(GB/s)\n" + "".join(f"{size:>12}{size // 4:>16}{'fp32':>9}{size / rate / 1e3:>12.0f}{rate:>15.2f}{rate * 1.9375:>15.2f}\n" for size, rate in rows) + f"Avg bus bandwidth:      {top * 0.815 * f * 1.9375:.4f}GB/s\n"
    return on_each_host(draw, fault, text, ".txt")


def srun_label(draw, fault):
    """A loop of one's own under srun --label: the rank stands in front alone, the time of the work before the collective behind it."""
    bad, since, lines = draw.randrange(16), draw.randint(15, 25), []
    for step in range(45):
        for rank in draw.sample(range(16), 16):
            f = draw.gauss(1, 0.006) * (1.4 if fault and rank == bad and step >= since else 1)
            lines.append(f"{rank:>2}: step {step:04d} fwd+bwd {0.412 * f:.4f} s")
    return {"slurm-48211.out": "\n".join(lines) + "\n"}, [f"rank {bad}$"] if fault else HEALTHY


def cuda_802(draw, fault):
    """The first program on each of five hosts: on one the fabric manager has not initialised the GPUs."""
    names, bad = one_of(draw, 5, fault)
    files = {}
    for name in names:
        files[f"{name}.log"] = ("Traceback (most recent call last):\n  File \"/opt/check/check.py\", line 12, in <module>\n    torch.cuda.init()\n  File \"/usr/lib/python3/dist-packages/torch/cuda/__init__.py\", line 319, in _lazy_init\n    torch._C._cuda_init()\nRuntimeError: Unexpected error from cudaGetDeviceCount(). Did you run some cuda functions before calling NumCudaDevices() that might have already set an error? Error 802: system not yet initialized\n" if name == bad
                                else f"8 devices, {draw.uniform(3200, 3230):.1f} GB/s of memory bandwidth\ncheck passed\n")
    return files, [f"^{bad}"] if fault else HEALTHY


def trtllm_hang(draw, fault):
    """The hang detector of TensorRT-LLM's executor speaks up on every rank, which names none."""
    lines = [f"[11/20/2026-09:31:{at // 4 + 10:02d}] [TRT-LLM] [RANK 0] [I] iter = {at + 1}, global_rank = 0, rank = 0, currank_total_requests = 0/0, host_step_time = {draw.gauss(42, 0.4):.4f}ms, timestamp = 2026-11-20 09:31:{at // 4 + 10:02d}, num_scheduled_requests: 64, states = {{'num_ctx_requests': 0, 'num_ctx_tokens': 0, 'num_generation_tokens': 64}}" for at in range(80)]
    if fault:
        lines += [f"[11/20/2026-09:37:{draw.randint(10, 59)}] [TRT-LLM] [RANK {rank}] [E] Hang detected on rank {rank} in PyExecutor." for rank in range(8)]
    return {"server.log": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def wandb_system(draw, fault):
    """System metrics of a run as Weights & Biases exports them: a column for each GPU."""
    bad, since = draw.randrange(8), draw.randint(40, 80)
    rows = ['"Relative Time (Process)",' + ",".join(f'"train-7b - system/gpu.{gpu}.smClock"' for gpu in range(8))]
    for at in range(150):
        rows.append(f"{at * 15 + 2.1:.1f}," + ",".join(f"{1755 * draw.gauss(1, 0.005) * (0.7 if fault and gpu == bad and at >= since else 1):.0f}" for gpu in range(8)))
    return {"wandb_export_2026-11-20.csv": "\n".join(rows) + "\n"}, [f"gpu.?{bad}"] if fault else HEALTHY


def nccl_async_event(draw, fault):
    """NCCL's warnings of a host whose port reports errors, among the lines of start of six hosts."""
    names, bad = one_of(draw, 6, fault)
    lines = []
    for at, name in enumerate(names):
        pid = draw.randint(10000, 90000)
        lines += [f"{name}:{pid + gpu}:{pid + gpu + 90} [{gpu}] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [2]mlx5_2:1/IB [3]mlx5_3:1/IB [RO]; OOB eth0:10.0.0.{at + 1}<0>" for gpu in range(8)]
        lines += [f"{name}:{pid + gpu}:{pid + gpu + 90} [{gpu}] NCCL INFO Connected all rings" for gpu in range(8)]
        if name == bad:
            tail = [f"\n{name}:{pid + 3}:{pid + 301} [3] transport/net_ib.cc:94 NCCL WARN NET/IB : Got async event : port error" for _ in range(draw.randint(4, 9))]
    draw.shuffle(lines)
    return {"nccl.log": "\n".join(lines + (tail if fault else [])) + "\n"}, [f"^{bad}"] if fault else HEALTHY


CASES = [hccl_test, smi_fabric, neuron_monitor, ufm_events, healthmon, hta_breakdown, mamf_finder, xgmi_links, hccl_timeout, pcie_replay, imex_status, milabench, hsa_exception, eks_conditions, ray_train, nvshmem_put, all_reduce_bench, returnn, weka_status, shm_broadcast, nccom_test, srun_label, cuda_802, trtllm_hang, wandb_system, nccl_async_event]
