"""Twenty-nine kinds of public forms that no earlier set holds, their names drawn by seed from a list of a hundred before any was written: step lines
of tf_cnn_benchmarks, Ignite, SpeechBrain, Nek5000 and dcp, benchmarks host by host (7-Zip, IMB, Amber, bonnie++, guidellm, SGLang, gdsio,
mpiGraph), lists of devices (tpu-info, neuron-ls, nvme), errors of UCX, libfabric, NFS and Megascale, states of racadm, EC2 and NVUE, pages of
Triton and Prometheus, a trainer's history, MLflow, strace. Forms after docs.cloud.google.com/tpu/docs/tpu-info-cli, awsdocs-neuron
(neuron-ls), github.com/openucx/ucx/issues/5199 and 9590, aws/aws-ofi-nccl/issues/346, AI-Hypercomputer/maxtext/pull/2490, forums of NVIDIA
(gdsio), manual pages elsewhere. Values are drawn."""
import json

from desk.benchmarks import on_each_host
from desk.cluster import HEALTHY, OPEN
from desk.job import slowed
from desk.more import steps
from desk.systems import CHATTER, bus, one_of
from desk.trainers import clock


def tf_cnn(draw, fault):
    base = draw.uniform(5000, 12000)
    return steps(draw, fault, lambda at, f: f"{at * 10 + 1}\timages/sec: {base / f:.1f} +/- {draw.uniform(2, 9):.1f} (jitter = {draw.uniform(10, 40):.1f})\t{8 - at * 0.01:.3f}")


def sevenzip(draw, fault):
    top = draw.uniform(1.2e5, 2.6e5)

    def text(speed):
        lines = ["", "7-Zip (z) 22.01 (x64) : Copyright (c) 1999-2022 Igor Pavlov : 2022-07-15", "", "RAM size:  515520 MB,  # CPU hardware threads:  64", "RAM usage:  14237 MB,  # Benchmark threads:     64", "", "                       Compressing  |                  Decompressing", "Dict     Speed Usage    R/U Rating  |      Speed Usage    R/U Rating", "         KiB/s     %   MIPS   MIPS  |      KiB/s     %   MIPS   MIPS", ""]
        for size in (22, 23, 24, 25):
            a, b = (top * speed * draw.gauss(1, 0.004) for _ in range(2))
            lines.append(f"{size}:    {a:>8.0f}  {draw.randint(4700, 5100)}   {a / 49:>4.0f} {a:>6.0f}  | {b * 10:>10.0f}  {draw.randint(6200, 6360)}   {b / 63:>4.0f} {b:>6.0f}")
        whole = top * speed
        lines += ["----------------------------------  | ------------------------------", f"Avr:    {whole:>8.0f}  4903   {whole / 49:>4.0f} {whole:>6.0f}  | {whole * 10:>10.0f}  6294   {whole / 63:>4.0f} {whole:>6.0f}", f"Tot:              5598   {whole / 56:>4.0f} {whole:>6.0f}"]
        return "\n".join(lines) + "\n"

    return on_each_host(draw, fault, text, ".7z")


def tpu_info(draw, fault):
    """A host shows three of its four chips."""
    names, bad = one_of(draw, 4, fault)
    files = {}
    for name in names:
        lost = draw.randrange(4) if name == bad else None
        chips = [chip for chip in range(4) if chip != lost]
        lines = ["TPU Chips", "┏━━━━━━━━━━━━━━┳━━━━━━━━━━━━━━┳━━━━━━━━━┳━━━━━━━━┓", "┃ Chip         ┃ Type         ┃ Devices ┃ PID    ┃", "┡━━━━━━━━━━━━━━╇━━━━━━━━━━━━━━╇━━━━━━━━━╇━━━━━━━━┩"]
        lines += [f"│ /dev/vfio/{chip}  │ TPU v6e chip │ 1       │ {draw.randint(900, 9000):<6} │" for chip in chips]
        lines += ["└──────────────┴──────────────┴─────────┴────────┘", "TPU Runtime Utilization", "┏━━━━━━━━┳━━━━━━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━━━┓", "┃ Chip   ┃ HBM usage                ┃ Duty cycle ┃", "┡━━━━━━━━╇━━━━━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━━━┩"]
        lines += [f"│ {chip}      │ {draw.uniform(18, 19):.2f} GiB / 31.25 GiB    │    100.00% │" for chip in chips] + ["└────────┴──────────────────────────┴────────────┘"]
        files[f"{name}.tpu"] = "\n".join(lines) + "\n"
    return files, [f"^{bad}"] if fault else HEALTHY


def imb_mpi1(draw, fault):
    top = draw.uniform(11000, 24000)

    def text(speed):
        lines = ["#----------------------------------------------------------------", "#    Intel(R) MPI Benchmarks 2021.7, MPI-1 part", "#----------------------------------------------------------------", "# Date                  : Fri Nov 20 09:31:07 2026", "# Machine               : x86_64", "", "#---------------------------------------------------", "# Benchmarking PingPong", "# #processes = 2", "#---------------------------------------------------", "       #bytes #repetitions      t[usec]   Mbytes/sec"]
        for power in range(0, 23, 2):
            size = 2 ** power
            seconds = (1.4 + size / top) / speed * draw.gauss(1, 0.004)
            lines.append(f"{size:>13}         1000 {seconds:>12.2f} {size / seconds:>12.2f}")
        return "\n".join(lines + ["", "# All processes entering MPI_Finalize", ""])

    return on_each_host(draw, fault, text, ".imb")


def amber_mdinfo(draw, fault):
    top = draw.uniform(120, 900)
    return on_each_host(draw, fault, lambda s: f"\n NSTEP =   250000   TIME(PS) =    2500.000  TEMP(K) =   {draw.uniform(299, 301):.2f}  PRESS =     0.0\n Etot   =   -{draw.randint(230000, 240000)}.1  EKtot   =     5{draw.randint(1000, 9999)}.7  EPtot      =   -29{draw.randint(1000, 9999)}.9\n ------------------------------------------------------------------------------\n\n\n| Current Timing Info\n| -------------------\n| Total steps :     500000 | Completed :    250000 ( 50.0%) | Remaining :    250000\n|\n| Average timings for last   25000 steps:\n|     Elapsed(s) =  {25000 * 0.004 * 86.4 / (top * s):>9.2f} Per Step(ms) = {4 * 86.4 / (top * s):>9.3f}\n|         ns/day =  {top * s:>9.2f}   seconds/ns = {86400 / (top * s):>9.2f}\n|\n", ".mdinfo")


def racadm_sel(draw, fault):
    names, bad = one_of(draw, 3, fault)
    files, slot = {}, draw.choice("AB") + str(draw.randint(1, 16))
    for name in names:
        rows = [("system", "Ok", "Log cleared."), ("system", "Ok", "C: boot completed.")]
        if name == bad:
            rows += [("system", "Critical", f"Multi-bit memory errors detected on a memory device at location(s) DIMM_{slot}.")]
        files[f"{name}.sel"] = "".join(f"Record:      {at + 1}\nDate/Time:   11/{at + 12:02}/2026 09:1{at}:33\nSource:      {source}\nSeverity:    {severity}\nDescription: {text}\n-------------------------------------------------------------------------------\n" for at, (source, severity, text) in enumerate(rows))
    return files, [f"^{bad}"] if fault else HEALTHY


def bonnie(draw, fault):
    top = draw.uniform(900, 1900)

    def text(speed):
        rate = lambda share: f"{top * share * speed * draw.gauss(1, 0.006):.0f}m"
        return f"Version  2.00       ------Sequential Output------ --Sequential Input- --Random-\n                    -Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--\nName:Size etc        /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP\nscratch       1031G  {rate(0.5)}  98 {rate(1)}  45  {rate(0.6)}  31 {rate(0.7)}  99 {rate(1.1)}  52 {draw.gauss(9000, 90) * speed:.0f}  88\n"

    return on_each_host(draw, fault, text, ".bonnie")


def dmesg_nodate(draw, fault):
    """dmesg -t: no time in front of the lines."""
    names, bad = one_of(draw, 3, fault)
    gpu, files = bus(draw), {}
    for name in names:
        lines = ["Linux version 5.15.0-122-generic (buildd@lcy02) #132-Ubuntu SMP", "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  550.127.08"] + [draw.choice(CHATTER) for _ in range(20)]
        if name == bad:
            lines.insert(draw.randint(5, 20), f"NVRM: Xid (PCI:{gpu[:-2]}): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.")
        files[f"{name}.dmesg"] = "\n".join(lines) + "\n"
    return files, [f"^{bad}/.*{gpu[5:7]}"] if fault else HEALTHY


def triton_page(draw, fault):
    """One scrape of one server with failed requests or without: counters of one moment."""
    names = [("nv_inference_request_success", "Number of successful inference requests, all batch sizes", draw.randint(10**5, 10**6)), ("nv_inference_request_failure", "Number of failed inference requests, all batch sizes", draw.randint(400, 9000) if fault else 0), ("nv_inference_queue_duration_us", "Cumulative inference queuing duration in microseconds", draw.randint(10**8, 10**9)), ("nv_inference_compute_infer_duration_us", "Cumulative compute inference duration in microseconds", draw.randint(10**9, 10**10))]
    text = "".join(f'# HELP {name} {what}\n# TYPE {name} counter\n{name}{{model="llama",version="1"}} {value}\n' for name, what, value in names)
    return {"metrics.txt": text}, OPEN


def nfs_not_responding(draw, fault):
    names, _ = one_of(draw, 4, fault)
    server, files = f"10.0.{draw.randint(1, 9)}.{draw.randint(2, 250)}", {}
    for name in names:
        at, lines = draw.uniform(9e4, 9.1e4), []
        for _ in range(20):
            at += draw.uniform(1, 40)
            lines.append(f"[{at:.6f}] {draw.choice(CHATTER)}")
        if fault:
            lines += [f"[{at + 9 + i:.6f}] nfs: server {server} not responding, {'timed out' if i % 2 else 'still trying'}" for i in range(6)]
        files[f"{name}.dmesg"] = "\n".join(lines) + "\n"
    return files, [server.replace(".", r"\.")] if fault else HEALTHY


def guidellm(draw, fault):
    top = draw.uniform(1000, 4000)

    def text(speed):
        v = lambda base: f"{base * draw.gauss(1, 0.004):.1f}"
        return f"Benchmarks Stats:\n{'=' * 160}\nMetadata   | Request Stats         || Out Tok/sec| Tot Tok/sec| Req Latency (ms)     ||| TTFT (ms)          ||| ITL (ms)       ||| TPOT (ms)      ||\n  Benchmark| Per Second| Concurrency|        mean|        mean|  mean| median|   p99|  mean| median|   p99| mean| median|  p99| mean| median|  p99\n-----------|-----------|------------|------------|------------|------|-------|------|------|-------|------|-----|-------|-----|-----|-------|-----\n throughput| {v(top * speed / 250):>10}| {v(64):>11}| {v(top * speed):>11}| {v(top * speed * 3):>11}| {v(9000 / speed)}| {v(8900 / speed)}| {v(12000 / speed)}| {v(400 / speed)}| {v(390 / speed)}| {v(600 / speed)}| {v(30 / speed)}| {v(29 / speed)}| {v(40 / speed)}| {v(31 / speed)}| {v(30 / speed)}| {v(41 / speed)}\n{'=' * 160}\n"

    return on_each_host(draw, fault, text, ".guidellm")


def ignite(draw, fault):
    at, lines = 1000.0, []
    base = draw.uniform(50, 90)
    for epoch, factor in enumerate(slowed(draw, 60, fault)):
        seconds = base * factor
        at += seconds + 2
        lines.append(f"2026-11-20 {int(at // 3600) + 1:02}:{int(at // 60) % 60:02}:{int(at) % 60:02},{draw.randint(100, 999)} ignite.engine.engine.Engine INFO: Epoch[{epoch + 1}] Complete. Time taken: 00:{int(seconds // 60):02}:{seconds % 60:06.3f}")
    return {"train.log": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def mlflow_metrics(draw, fault):
    """mlruns/*/metrics/m: time, value, step. The file states no name of what it holds."""
    base = draw.uniform(0.5, 3)
    return {"m": "".join(f"{1795000000123 + at * 9000} {base * f:.6f} {at * 10}\n" for at, f in enumerate(slowed(draw, 120, fault)))}, OPEN


def sglang_bench(draw, fault):
    top = draw.uniform(3000, 9000)

    def text(s):
        row = lambda label, value: f"{label:<40} {value:<10}"
        return "\n".join(["", "============ Serving Benchmark Result ============", row("Backend:", "sglang"), row("Traffic request rate:", "16.0"), row("Max request concurrency:", "not set"), row("Successful requests:", 1000), row("Benchmark duration (s):", f"{1000 * 250 / (top * s):.2f}"), row("Total input tokens:", 512000), row("Total generated tokens:", 250000), row("Request throughput (req/s):", f"{top * s / 250:.2f}"), row("Output token throughput (tok/s):", f"{top * s:.2f}"), "----------------End-to-End Latency----------------", row("Mean E2E Latency (ms):", f"{9000 / s:.2f}"), row("Median E2E Latency (ms):", f"{8800 / s:.2f}"), "---------------Time to First Token----------------", row("Mean TTFT (ms):", f"{210 / s:.2f}"), row("Median TTFT (ms):", f"{200 / s:.2f}"), row("P99 TTFT (ms):", f"{400 / s:.2f}"), "---------------Inter-Token Latency----------------", row("Mean ITL (ms):", f"{28 / s:.2f}"), row("Median ITL (ms):", f"{27 / s:.2f}"), "=" * 50]) + "\n"

    return on_each_host(draw, fault, text, ".bench")


def mpigraph(draw, fault):
    names, bad = one_of(draw, 8, fault)
    top, loss = draw.uniform(11000, 24000), draw.uniform(0.4, 0.7)
    lines = ["START mpiGraph v1.6", "MsgSize\t1048576", "Times\t100", "Window\t50", "Procs\t8", "", "", "Send Bandwidth", "\t" + "\t".join(f"{name}:0" for name in names)]
    for one in names:
        lines.append(f"{one}:0\t" + "\t".join("0.000000e+00" if one == other else f"{top * draw.gauss(1, 0.01) * (loss if bad in (one, other) else 1):.6e}" for other in names))
    return {"mpigraph.out": "\n".join(lines) + "\n\nEND mpiGraph\n"}, [f"^{bad}"] if fault else HEALTHY


def megascale(draw, fault):
    name = f"gke-tpu-{draw.choice('abcdef')}{draw.randint(1000, 9999)}-x{draw.randint(2, 9)}"
    head = [f"I1120 09:12:{draw.randint(10, 59)}.123456   1877 mxla_runtime.cc:412] Megascale launch 8123 started.", f"E1120 09:18:{draw.randint(10, 59)}.654321   1880 hang_detector.cc:310] "]
    told = f"Megascale detects a hang that is likely caused by bad TPU chips on the following hosts. Please remove the hosts from the fleet and restart the workload. The host that have bad TPUs are: {name}" if fault else "Megascale detects a hang but cannot determine the root cause. Please inspect the full digest below."
    return {"worker0.log": head[0] + "\n" + head[1] + told + "\n"}, [name] if fault else OPEN


def libfabric_error(draw, fault):
    """Three hosts name one peer, or one host another: then nobody can say which end it is."""
    host = lambda: f"i-0{draw.getrandbits(64):016x}"
    peer = host()
    lines = []
    for at in range(3 if fault else 1):
        lines.append(f"libfabric:{draw.randint(10**5, 10**6)}:17950{draw.randint(10000, 99999)}::efa:cq:efa_rdm_txe_handle_error():737<warn> err: 5, message: Unresponsive receiver (reachable by EFA device but handshake failed) My EFA addr: fi_addr_efa://[fe80::13:c2ff:fe6f:f0{at}d]:0:1072483550 My host id: {host()} Peer EFA addr: fi_addr_efa://[fe80::b8:aff:fe44:425]:0:947699476 Peer host id: {peer} (14)")
    return {"job.err": "\n".join(lines) + "\n"}, [peer] if fault else OPEN


def prometheus_api(draw, fault):
    """An answer of Prometheus to a range query."""
    names, bad = one_of(draw, 4, fault)
    gpu, result = draw.randrange(8), []
    for name in names:
        for one in range(8):
            ill = name == bad and one == gpu
            values = [[1795000000 + 15 * at, str((draw.randint(1100, 1300) if ill and at > 50 else draw.choice([1965, 1980, 1980])))] for at in range(120)]
            result.append({"metric": {"__name__": "DCGM_FI_DEV_SM_CLOCK", "Hostname": name, "gpu": str(one), "modelName": "NVIDIA H100 80GB HBM3"}, "values": values})
    return {"query.json": json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}})}, [f"^{bad}"] if fault else HEALTHY, f"device {gpu}\\)"


def nvme_list(draw, fault):
    names, bad = one_of(draw, 5, fault)
    files = {}
    for name in names:
        lost = draw.randrange(8) if name == bad else None
        rows = [f"/dev/nvme{at}n1          /dev/ng{at}n1            S6CKNE0T{draw.randint(100000, 999999)}       SAMSUNG MZWLJ3T8HBLS-00007               0x1          3.84  TB /   3.84  TB    512   B +  0 B   EPK9CB5Q" for at in range(8) if at != lost]
        files[f"{name}.nvme"] = "\n".join(["Node                  Generic               SN                   Model                                    Namespace  Usage                      Format           FW Rev  ", "--------------------- --------------------- -------------------- ---------------------------------------- ---------- -------------------------- ---------------- --------"] + rows) + "\n"
    return files, [f"^{bad}"] if fault else HEALTHY


def trainer_state_nan(draw, fault):
    """The history of a Hugging Face trainer whose loss is no number any more."""
    at = draw.randint(30, 60)
    rows = [{"epoch": round(i * 0.01, 2), "grad_norm": float("nan") if fault and i >= at else round(draw.gauss(0.9, 0.05), 4), "learning_rate": 1e-5, "loss": 0.0 if fault and i > at else float("nan") if fault and i == at else round(3 - i * 0.01 + draw.gauss(0, 0.01), 4), "step": i * 10, "step_time": round(draw.gauss(2.1, 0.02), 4)} for i in range(1, 100)]
    return {"trainer_state.json": json.dumps({"best_metric": None, "epoch": 1.0, "eval_steps": 500, "global_step": 1000, "log_history": rows, "max_steps": 1000, "num_train_epochs": 1}, indent=2)}, OPEN if fault else HEALTHY


def strace_summary(draw, fault):
    """Calls of one process: nothing to compare them with."""
    shares = [("futex", draw.uniform(60, 80)), ("epoll_wait", draw.uniform(10, 15)), ("ioctl", draw.uniform(2, 5)), ("read", draw.uniform(0.1, 1))]
    return {"strace.txt": "% time     seconds  usecs/call     calls    errors syscall\n------ ----------- ----------- --------- --------- ----------------\n" + "".join(f"{share:>6.2f} {share / 10:>11.6f} {draw.randint(20, 900):>11} {draw.randint(100, 90000):>9} {draw.randint(1, 99) if name == 'futex' else '':>9} {name}\n" for name, share in shares) + "------ ----------- ----------- --------- --------- ----------------\n100.00    9.812345                 91234        80 total\n"}, OPEN


def speechbrain(draw, fault):
    at, lines, base = 1000.0, [], draw.uniform(200, 400)
    for epoch, factor in enumerate(slowed(draw, 50, fault)):
        at += base * factor
        lines.append(f"2026-11-{20 + int(at // 86400)} {int(at // 3600) % 24:02}:{int(at // 60) % 60:02}:{int(at) % 60:02},{draw.randint(100, 999)} - speechbrain.utils.train_logger - INFO - epoch: {epoch + 1}, lr: 1.00e-03 - train loss: {3 - epoch * 0.03:.2f} - valid loss: {3.1 - epoch * 0.03:.2f}, valid WER: {90 - epoch:.2f}")
    return {"train_log.txt": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def ucx_error(draw, fault):
    """One host loses its way to many others, or many hosts lose one whose name is not stated."""
    names, bad = one_of(draw, 6, fault)
    lid, lines = draw.randint(500, 900), []
    for at in range(6):
        name = bad if fault else names[at]
        pid = draw.randint(10000, 99999)
        head = f"[{name}:{pid}:0:{pid}] ib_mlx5_log.c:177  "
        lines += [head + "Transport retry count exceeded on mlx5_0:1/IB (synd 0x15 vend 0x81 hw_synd 0/0)", head + f"DCI QP 0x{draw.randint(0xa00, 0xfff):x} wqe[{draw.randint(0, 900)}]: SEND s-e [rqpn 0x{draw.randint(0xa00, 0xfff):x} rlid {lid + 7 * at if fault else lid}] [inl len 18]"]
    return {"job.err": "\n".join(lines) + "\n"}, [f"^{bad}"] if fault else OPEN


def dcp(draw, fault):
    base, done, at, lines = draw.uniform(8, 20), 0.0, 0.0, []
    for factor in slowed(draw, 90, fault):
        at += 10 + draw.uniform(0, 0.1)
        done += 10 * base / factor
        lines.append(f"[2026-11-20T{9 + int(at // 3600):02}:{int(at // 60) % 60:02}:{int(at) % 60:02}] Copied {done / 1024:.3f} TiB ({done / 400:.0f}%) in {at:.3f} secs ({base / factor:.3f} GiB/s) {draw.randint(100, 900)} secs left ...")
    return {"dcp.log": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def aws_instance_status(draw, fault):
    names = [f"i-0{draw.getrandbits(64):016x}" for _ in range(5)]
    bad = draw.choice(names) if fault else None
    state = lambda ill: {"Details": [{"Name": "reachability", "Status": "failed" if ill else "passed"}], "Status": "impaired" if ill else "ok"}
    return {"status.json": json.dumps({"InstanceStatuses": [{"AvailabilityZone": "us-east-1a", "InstanceId": name, "InstanceState": {"Code": 16, "Name": "running"}, "InstanceStatus": state(False), "SystemStatus": state(name == bad)} for name in names]}, indent=4)}, [bad] if fault else HEALTHY


def gdsio(draw, fault):
    top = draw.uniform(5, 40)
    return on_each_host(draw, fault, lambda s: f"IoType: READ XferType: GPUD Threads: 16 DataSetSize: {draw.randint(10**8, 2 * 10**8)}/104857600(KiB) IOSize: 1024(KiB) Throughput: {top * s:.6f} GiB/sec, Avg_Latency: {16 / 1.024e-3 / (top * s) :.6f} usecs ops: {draw.randint(100000, 110000)} total_time {100 / (top * s):.6f} secs\n", ".gdsio")


def neuron_ls(draw, fault):
    names, bad = one_of(draw, 4, fault)
    files, rule = {}, "+--------+--------+--------+---------------+---------+"
    for name in names:
        lost = draw.randrange(16) if name == bad else None
        rows = [f"| {at:<6} | 8      | 96 GB  | {(at + 4) % 16:<2}, {(at + 12) % 16:<2}        | {0xa0 + at:x}:00.0 |" for at in range(16) if at != lost]
        files[f"{name}.neuron"] = "\n".join(["instance-type: trn2.48xlarge", f"instance-id: i-0{draw.getrandbits(64):016x}", rule, "| NEURON | NEURON | NEURON |   CONNECTED   |   PCI   |", "| DEVICE | CORES  | MEMORY |    DEVICES    |   BDF   |", rule] + rows + [rule]) + "\n"
    return files, [f"^{bad}"] if fault else HEALTHY


def nek(draw, fault):
    at, base, lines = 0.0, draw.uniform(0.8, 6), []
    for step, factor in enumerate(slowed(draw, 120, fault)):
        at += base * factor
        lines += [f"Step {step + 1:>6}, t= {(step + 1) * 1e-3:.7E}, DT= 1.0000000E-03, C=  {draw.uniform(0.5, 0.6):.3f} {at:.4E} {base * factor:.4E}", f"             {step + 1}   PRES gmres    {draw.randint(20, 30)}   {draw.uniform(1e-5, 2e-5):.4E}   1.0000E-05"]
    return {"logfile": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def cumulus_interface(draw, fault):
    bad, rows = draw.randrange(1, 17), []
    for port in range(1, 17):
        ill = fault and port == bad
        rows.append(f"swp{port:<8}  up            {'down' if ill else 'up':<11}  {'' if ill else '400G':<5}  9216   swp   {'' if ill else f'gpu{port:03}':<12}  {'' if ill else 'mlx5_0':<11}")
    return {"interfaces.txt": "Interface    Admin Status  Oper Status  Speed  MTU    Type  Remote Host   Remote Port  Summary\n-----------  ------------  -----------  -----  -----  ----  ------------  -----------  -------\n" + "\n".join(row.rstrip() for row in rows) + "\n"}, [f"swp{bad}$"] if fault else HEALTHY


CASES = [tf_cnn, sevenzip, tpu_info, imb_mpi1, amber_mdinfo, racadm_sel, bonnie, dmesg_nodate, triton_page, nfs_not_responding, guidellm, ignite, mlflow_metrics, sglang_bench, mpigraph, megascale, libfabric_error, prometheus_api, nvme_list, trainer_state_nan, strace_summary, speechbrain, ucx_error, dcp, aws_instance_status, gdsio, neuron_ls, nek, cumulus_interface]
SLOWER = "(?i)second|time|/s|per s|slower|epoch|step"
FACTS = {"tf_cnn": SLOWER, "ignite": SLOWER, "speechbrain": SLOWER, "dcp": SLOWER, "nek": SLOWER, "trainer_state_nan": "(?i)nan|no number|not a number|finite", "racadm_sel": "(?i)memory|DIMM|Critical", "dmesg_nodate": "(?i)xid|bus", "nfs_not_responding": "(?i)not responding|nfs", "cumulus_interface": "(?i)down", "aws_instance_status": "(?i)impaired|failed|reachab",
         "ucx_error": "(?i)retry|retri|IB|timed? ?out", "libfabric_error": "(?i)unresponsive|answer|receiver|reach", "megascale": "(?i)tpu|hang"}
