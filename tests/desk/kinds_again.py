"""Kinds of the desk's table in layouts that no other set holds: other options of the same tools (journalctl -o short-precise, nvidia-smi stats, sacct --json,
scontrol -o, kubectl -o json, NCCL's times and its tests' JSON), values read from sysfs with grep, tables that people print or join themselves, and one file
a rank. Forms after the manual pages and documentation of these tools, NVIDIA-NeMo, ms-swift, open_clip and GenAI-Perf. Values are drawn."""
import json

from desk.cluster import HEALTHY, OPEN, hosts
from desk.job import slowed
from desk.systems import CHATTER, bus, one_of


def nccl_times(draw, fault):
    """NCCL_DEBUG=INFO with times in front, all hosts in one file; one host has no InfiniBand."""
    names, bad = one_of(draw, 5, fault)
    lines = []
    for at, name in enumerate(names):
        pid = draw.randint(10000, 90000)
        for gpu in range(8):
            way = "NET/Socket/0" if name == bad else "NET/IB/0/GDRDMA"
            lines += [f"[2026-11-20 09:16:{draw.randint(10, 59)}] {name}:{pid + gpu}:{pid + gpu + 90} [{gpu}] NCCL INFO Channel 0{c}/0 : {at * 8 + gpu}[{gpu}] -> {(at * 8 + gpu + 8) % 40}[{gpu}] [send] via {way}" for c in range(2)]
    draw.shuffle(lines)
    return {"nccl.log": "\n".join(lines) + "\n"}, [f"^{bad}"] if fault else HEALTHY


def journal_precise(draw, fault):
    """journalctl -k -o short-precise of four hosts, joined by time."""
    names, bad = one_of(draw, 4, fault)
    gpu, rows, at = bus(draw), [], 0.0
    for _ in range(60):
        at += draw.uniform(1, 50)
        rows.append((at, draw.choice(names), draw.choice(CHATTER)))
    if fault:
        rows += [(at + 3, bad, f"NVRM: Xid (PCI:{gpu[:-2]}): 119, pid={draw.randint(2000, 90000)}, name=python3, Timeout after 6s of waiting for RPC response from GPU{draw.randrange(8)} GSP! Expected function 76 (GSP_RM_CONTROL) (0x20802a02 0x4).")]
    return {"kernel.log": "".join(f"Nov 20 {9 + int(s) // 3600:02d}:{int(s) // 60 % 60:02d}:{s % 60:09.6f} {host} kernel: {text}\n" for s, host, text in rows)}, [f"^{bad}"] if fault else HEALTHY


def edac_ue(draw, fault):
    names, bad = one_of(draw, 4, fault)
    files = {}
    for name in names:
        lines = [f"[{1000 + at * 31}.{draw.randint(100000, 999999)}] {draw.choice(CHATTER)}" for at in range(20)]
        if name == bad:
            lines += [f"[91234.{draw.randint(100000, 999999)}] EDAC MC3: 1 UE memory read error on CPU_SrcID#1_MC#0_Chan#1_DIMM#0 (channel:1 slot:0 page:0x{draw.getrandbits(24):x} offset:0x40 grain:32 syndrome:0x0 -  err_code:0x00a0:0x0091 socket:1 imc:0 rank:0 bg:2 ba:1 row:0x1a2b col:0x3f8)"]
        files[f"{name}.dmesg"] = "\n".join(lines) + "\n"
    return files, [f"^{bad}"] if fault else HEALTHY


def smi_stats(draw, fault):
    """nvidia-smi stats -d: a row a sample, GPU, name, microseconds, value."""
    bad, rows = draw.randrange(8), []
    for at in range(30):
        for gpu in range(8):
            slow = fault and gpu == bad and at > 8
            rows += [f"{gpu}, procClk , {1795167067000000 + at * 1000000 + gpu}, {draw.randint(1190, 1230) if slow else draw.randint(1960, 1980)}",
                     f"{gpu}, pwrDraw , {1795167067000000 + at * 1000000 + gpu}, {draw.randint(640, 690)}"]
    return {"stats.txt": "\n".join(rows) + "\n"}, [f"gpu ?{bad}$"] if fault else HEALTHY


def smi_reordered(draw, fault):
    """A loop over nvidia-smi with the columns in another order and the reasons one by one."""
    bad, rows = draw.randrange(8), []
    for at in range(25):
        for gpu in range(8):
            slow = fault and gpu == bad and at > 6
            rows.append(f"{draw.randint(640, 690)}.{draw.randint(10, 99)} W, {draw.randint(1180, 1240) if slow else 1980} MHz, {'Active' if slow else 'Not Active'}, Not Active, {draw.randint(86, 90) if slow else draw.randint(58, 66)}, {draw.randint(98, 100)} %, {gpu}, 2026/11/20 09:{at // 6:02d}:{at % 6 * 10:02d}.123")
    return {"smi.log": "power.draw [W], clocks.current.sm [MHz], clocks_event_reasons.sw_thermal_slowdown, clocks_event_reasons.hw_power_brake_slowdown, temperature.gpu, utilization.gpu [%], index, timestamp\n" + "\n".join(rows) + "\n"}, [f"gpu{bad}$"] if fault else HEALTHY


def sysfs_width(draw, fault):
    """grep . over the files of sysfs of one host: eight GPUs, one at fewer lanes than it can do."""
    slots = ["17", "3d", "5e", "86", "9a", "ab", "c4", "d8"]
    bad = draw.choice(slots)
    lines = []
    for slot in slots:
        now = draw.choice([4, 8]) if fault and slot == bad else 16
        lines += [f"/sys/bus/pci/devices/0000:{slot}:00.0/current_link_width:{now}", f"/sys/bus/pci/devices/0000:{slot}:00.0/max_link_width:16", f"/sys/bus/pci/devices/0000:{slot}:00.0/current_link_speed:32.0 GT/s PCIe", f"/sys/bus/pci/devices/0000:{slot}:00.0/max_link_speed:32.0 GT/s PCIe"]
    return {"links.txt": "\n".join(lines) + "\n"}, [f"{bad}:00.0"] if fault else HEALTHY


def sysfs_rate(draw, fault):
    """The same for the ports of five hosts, through pdsh."""
    names, bad = one_of(draw, 5, fault)
    port = draw.randrange(8)
    lines = [f"{name}: /sys/class/infiniband/mlx5_{card}/ports/1/rate:{'200 Gb/sec (2X NDR)' if name == bad and card == port else '400 Gb/sec (4X NDR)'}" for name in names for card in range(8)]
    draw.shuffle(lines)
    return {"rates.txt": "\n".join(lines) + "\n"}, [f"^{bad}.*mlx5_{port}"] if fault else HEALTHY


def rdma_link(draw, fault):
    names, bad = one_of(draw, 4, fault)
    port, files = draw.randrange(8), {}
    for name in names:
        files[f"{name}.rdma"] = "".join(f"link mlx5_{card}/1 state {'DOWN physical_state DISABLED' if name == bad and card == port else 'ACTIVE physical_state LINK_UP'} netdev ens{card + 1}f0np0 \n" for card in range(8))
    return files, [f"^{bad}"] if fault else HEALTHY


def bridge_log(draw, fault):
    """Step lines of NeMo's Megatron-Bridge."""
    base, lines = draw.uniform(3, 9), []
    for at, f in enumerate(slowed(draw, 120, fault)):
        lines += [f"Step Time : {base * f:.2f}s GPU utilization: {410 / f:.1f}MODEL_TFLOP/s/GPU",
                  f" [2026-11-20 {9 + at // 60:02d}:{at % 60:02d}:11.{draw.randint(100000, 999999)}] iteration {at + 1:>8}/    1000 | consumed samples: {(at + 1) * 512:>12} | elapsed time per iteration (ms): {base * f * 1000:.1f} | learning rate: 3.000000E-05 | global batch size:   512 | lm loss: {8 - at * 0.01:.6E} | loss scale: 1.0 | grad norm: 0.612 | num zeros: 0 |"]
    return {"job.log": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def ms_swift(draw, fault):
    base, clock, rows = draw.uniform(2, 8), 0.0, []
    for at, f in enumerate(slowed(draw, 100, fault)):
        clock += base * f * 5
        rows.append(json.dumps({"loss": round(3 - at * 0.01, 5), "grad_norm": 1.2, "learning_rate": 1e-05, "token_acc": 0.61, "epoch": round(at * 0.01, 2), "global_step/max_steps": f"{(at + 1) * 5}/1000", "percentage": f"{(at + 1) * 0.5:.2f}%", "elapsed_time": f"{int(clock) // 60}m {int(clock) % 60}s", "train_speed(s/it)": round(base * f, 6)}))
    return {"logging.jsonl": "\n".join(rows) + "\n"}, OPEN if fault else HEALTHY


def space_table(draw, fault):
    """Times of each rank and step as people print them, columns set by blanks."""
    bad, since = draw.randrange(8), draw.randint(10, 16)
    lines = [f"{'step':>6} {'rank':>5} {'host':>8} {'fwd_ms':>9} {'bwd_ms':>9}"]
    for step in range(30):
        for rank in range(8):
            s = 1.4 if fault and rank == bad and step >= since else 1
            lines.append(f"{step:>6} {rank:>5} {f'n{rank // 4}':>8} {120 * s * draw.gauss(1, 0.006):>9.2f} {260 * s * draw.gauss(1, 0.006):>9.2f}")
    return {"times.txt": "\n".join(lines) + "\n"}, [f"rank {bad}$"] if fault else HEALTHY


def global_rank_lines(draw, fault):
    """One line a rank and step, the rank spelled with its node."""
    bad, since, lines = draw.randrange(8), draw.randint(15, 25), []
    for step in range(50):
        order = list(range(8))
        draw.shuffle(order)
        for rank in order:
            s = 1.5 if fault and rank == bad and step >= since else 1
            lines.append(f"2026-11-20,09:{step // 60 + 10:02d}:{step % 60:02d} | INFO | Global rank {rank} | step: {step} | forward time: {0.412 * s * draw.gauss(1, 0.006):.4f} s")
    return {"train.log": "\n".join(lines) + "\n"}, [f"rank {bad}$"] if fault else HEALTHY


def pair_csv(draw, fault):
    """One row a pair of hosts, as people join the results of nccl-tests."""
    names, bad = one_of(draw, 6, fault)
    top, rows = draw.uniform(340, 380), ["host_a,host_b,size_bytes,busbw_gbps"]
    for i, a in enumerate(names):
        rows += [f"{a},{b},8589934592,{top * (0.55 if bad in (a, b) else 1) * draw.gauss(1, 0.006):.2f}" for b in names[i + 1:]]
    return {"pairs.csv": "\n".join(rows) + "\n"}, [f"{bad}"] if fault else HEALTHY


def nccl_json(draw, fault):
    """nccl-tests --json of each host alone."""
    names, bad = one_of(draw, 5, fault)
    top, files = draw.uniform(440, 480), {}
    for name in names:
        s = draw.gauss(1, 0.004) * (0.6 if name == bad else 1)
        rows = [{"size": 2 ** p, "count": 2 ** (p - 2), "type": "float", "redop": "sum", "root": -1, "out_of_place": {"time": round(2 ** p / (top * share * s) / 1e3, 2), "alg_bw": round(top * share * s / 1.75, 2), "bus_bw": round(top * share * s, 2), "nwrong": 0}, "in_place": {"time": round(2 ** p / (top * share * s) / 1e3, 2), "alg_bw": round(top * share * s / 1.75, 2), "bus_bw": round(top * share * s, 2), "nwrong": 0}} for p, share in ((28, 0.9), (30, 0.97), (32, 1), (33, 1))]
        files[f"{name}.json"] = json.dumps({"version": 1, "start_time": "2026-11-20T09:16:47Z", "args": ["./all_reduce_perf", "-b", "256M", "-e", "8G"], "nccl_version": 22807, "devices": [{"group": 0, "rank": gpu, "host": name, "device": gpu, "device_name": "NVIDIA H100 80GB HBM3"} for gpu in range(8)], "results": rows, "average_bus_bandwidth": {"bandwidth": round(top * 0.96 * s, 2)}}, indent=2)
    return files, [f"^{bad}"] if fault else HEALTHY


def genai_csv(draw, fault):
    """The CSV of GenAI-Perf of one server a host."""
    names, bad = one_of(draw, 5, fault)
    files = {}
    for name in names:
        s = draw.gauss(1, 0.006) * (1.7 if name == bad else 1)
        row = lambda label, base: f"{label}," + ",".join(f"{base * s * share:,.2f}".replace(",", "") for share in (1, 0.8, 1.3, 1.25, 1.2, 1.15, 1.1, 1, 0.9))
        files[f"{name}.csv"] = "Metric,avg,min,max,p99,p95,p90,p75,p50,p25\n" + "\n".join([row("Time To First Token (ms)", 180), row("Inter Token Latency (ms)", 14.2), row("Request Latency (ms)", 3800)]) + f"\n\nMetric,Value\nOutput Token Throughput (tokens/sec),{5200 / s:.2f}\nRequest Throughput (per sec),{20 / s:.2f}\nRequest Count (count),512.00\n"
    return files, [f"^{bad}"] if fault else HEALTHY


def nsys_ranks(draw, fault):
    """nsys stats of each rank of a job; the products of one rank take longer, and the others wait for it in the collective."""
    bad, files = draw.randrange(8), {}
    for rank in range(8):
        slow = fault and rank == bad
        gemm = 410000 * (1.45 if slow else 1) * draw.gauss(1, 0.004)
        wait = (300000 if slow or not fault else 480000) * draw.gauss(1, 0.01)
        files[f"report_rank{rank}.csv"] = f"Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n62.1,{int(gemm * 4000)},4000,{gemm:.1f},{gemm * 0.999:.1f},{int(gemm * 0.97)},{int(gemm * 1.04)},3100.2,sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64\n30.2,{int(wait * 800)},800,{wait:.1f},{wait * 0.99:.1f},{int(wait * 0.8)},{int(wait * 1.3)},21000.5,ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<(unsigned long)4096>)\n"
    return files, [f"rank ?{bad}$"] if fault else HEALTHY


def rocprof_ranks(draw, fault):
    bad, files = draw.randrange(8), {}
    for rank in range(8):
        gemm = 512000 * (1.5 if fault and rank == bad else 1) * draw.gauss(1, 0.004)
        files[f"rank{rank}.stats.csv"] = f'"Name","Calls","TotalDurationNs","AverageNs","Percentage"\n"Cijk_Ailk_Bljk_BBS_BH_MT256x256x32_MI16x16x1",2000,{int(gemm * 2000)},{int(gemm)},71.2\n"void at::native::vectorized_elementwise_kernel",8000,{int(31000 * 8000 * draw.gauss(1, 0.004))},{int(31000 * draw.gauss(1, 0.004))},12.4\n'
    return files, [f"rank ?{bad}$"] if fault else HEALTHY


def sacct_json(draw, fault):
    names = hosts(draw, 8)
    bad, jobs = draw.choice(names), []
    for at in range(26):
        members = sorted(draw.sample(names, 2))
        failed = fault and bad in members
        state = "NODE_FAIL" if failed else "COMPLETED"
        jobs.append({"job_id": 48000 + at, "name": "train", "user": "abc", "nodes": ",".join(members), "state": {"current": [state], "reason": "None"}, "exit_code": {"status": ["SUCCESS" if not failed else "ERROR"], "return_code": {"set": True, "infinite": False, "number": 0 if not failed else 1}}, "time": {"elapsed": draw.randint(300, 9000), "start": 1795167067 + at * 600, "end": 1795168067 + at * 600}})
    return {"sacct.json": json.dumps({"jobs": jobs, "meta": {"plugin": {"type": "openapi/slurmdbd"}}}, indent=1)}, [bad] if fault else HEALTHY


def scontrol_oneline(draw, fault):
    names, bad = one_of(draw, 8, fault)
    lines = []
    for name in names:
        ill = name == bad
        lines.append(f"NodeName={name} Arch=x86_64 CoresPerSocket=48 CPUAlloc={0 if ill else 96} CPUEfctv=192 CPUTot=192 CPULoad={draw.uniform(1, 90):.2f} AvailableFeatures=h100 ActiveFeatures=h100 Gres=gpu:h100:8(S:0-1) NodeAddr={name} NodeHostName={name} Version=23.11.4 OS=Linux 5.15.0-127-generic RealMemory=2063937 AllocMem=0 FreeMem={draw.randint(900000, 1900000)} Sockets=2 Boards=1 State={'IDLE+DRAIN' if ill else draw.choice(['IDLE', 'MIXED', 'ALLOCATED'])} ThreadsPerCore=2 TmpDisk=0 Weight=1 Partitions=train BootTime=2026-11-01T08:11:02 SlurmdStartTime=2026-11-01T08:13:11" + (" Reason=gpu 5 fell off the bus [root@2026-11-20T09:12:33]" if ill else ""))
    return {"nodes.txt": "\n".join(lines) + "\n"}, [bad] if fault else HEALTHY


def events_json(draw, fault):
    names, bad = one_of(draw, 5, fault)
    items = [{"apiVersion": "v1", "kind": "Event", "involvedObject": {"kind": "Pod", "name": f"train-worker-{at}", "namespace": "ml"}, "reason": draw.choice(["Pulled", "Created", "Started", "Scheduled"]), "message": "Successfully assigned or started", "type": "Normal", "count": 1, "firstTimestamp": f"2026-11-20T09:0{at}:00Z", "lastTimestamp": f"2026-11-20T09:0{at}:00Z", "source": {"component": "kubelet", "host": names[at % 5]}} for at in range(9)]
    if fault:
        items.append({"apiVersion": "v1", "kind": "Event", "involvedObject": {"kind": "Node", "name": bad, "uid": bad}, "reason": "NodeNotReady", "message": f"Node {bad} status is now: NodeNotReady", "type": "Warning", "count": 1, "firstTimestamp": "2026-11-20T09:12:33Z", "lastTimestamp": "2026-11-20T09:12:33Z", "source": {"component": "node-controller"}})
    return {"events.json": json.dumps({"apiVersion": "v1", "kind": "List", "items": items}, indent=2)}, [bad] if fault else HEALTHY


def watchdog_files(draw, fault):
    """A file a rank, the rank in front of each line; one rank never enqueued the collective the others wait for."""
    bad, seq, files = draw.randrange(8), draw.randint(2000, 90000), {}
    for rank in range(8):
        lines = [f"[rank{rank}]: step {at * 10} loss {8 - at * 0.01:.3f}" for at in range(30)]
        if fault and rank != bad:
            lines.append(f"[rank{rank}]:[E1120 09:40:1{draw.randint(0, 9)}.{draw.randint(10**8, 10**9 - 1)} ProcessGroupNCCL.cpp:688] [Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={seq}, OpType=ALLREDUCE, NumelIn=8388608, NumelOut=8388608, Timeout(ms)=600000) ran for 600{draw.randint(10, 99)} milliseconds before timing out.")
            lines.append(f"[rank{rank}]:[E1120 09:40:19.{draw.randint(10**8, 10**9 - 1)} ProcessGroupNCCL.cpp:2252] [PG ID 0 PG GUID 0(default_pg) Rank {rank}]  failure detected by watchdog at work sequence id: {seq} PG status: last enqueued work: {seq + 2}, last completed work: {seq - 1}")
        elif fault:
            lines.append(f"[rank{rank}]:[E1120 09:40:19.{draw.randint(10**8, 10**9 - 1)} ProcessGroupNCCL.cpp:2252] [PG ID 0 PG GUID 0(default_pg) Rank {rank}]  failure detected by watchdog at work sequence id: {seq - 1} PG status: last enqueued work: {seq - 1}, last completed work: {seq - 1}")
        files[f"{rank}.log"] = "\n".join(lines) + "\n"
    return files, [f"rank {bad}$"] if fault else HEALTHY


def two_names_of_a_gpu(draw, fault):
    """The kernel names a GPU by its address and nvidia-smi by its number: one part, one finding."""
    name, bad = hosts(draw, 1)[0], draw.randrange(8)
    slots = ["17", "3d", "5e", "86", "9a", "ab", "c4", "d8"]
    rows = [f"{gpu}, 0000{'0000'}:{slots[gpu].upper()}:00.0, {draw.randint(1170, 1230) if fault and gpu == bad else 1980} MHz, {draw.randint(95, 100)} %, {draw.randint(86, 91) if fault and gpu == bad else draw.randint(58, 66)}" for gpu in range(8)]
    lines = [f"Nov 20 09:{at:02d}:11 {name} kernel: {draw.choice(CHATTER)}" for at in range(20)]
    if fault:
        lines.append(f"Nov 20 09:21:12 {name} kernel: NVRM: Xid (PCI:0000:{slots[bad]}:00): 63, pid='<unknown>', name=<unknown>, Row Remapper: New row marked for remapping, reset gpu to activate.")
    return {f"{name}.smi.csv": "index, pci.bus_id, clocks.current.sm [MHz], utilization.gpu [%], temperature.gpu\n" + "\n".join(rows) + "\n", f"{name}.messages": "\n".join(lines) + "\n"}, [f"^{name}/(gpu{bad}$|0000:{slots[bad]})"] if fault else HEALTHY


CASES = [nccl_times, journal_precise, edac_ue, smi_stats, smi_reordered, sysfs_width, sysfs_rate, rdma_link, bridge_log, ms_swift, space_table, global_rank_lines, pair_csv, nccl_json, genai_csv, nsys_ranks, rocprof_ranks, sacct_json, scontrol_oneline, events_json, watchdog_files, two_names_of_a_gpu]
