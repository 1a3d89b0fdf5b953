"""A fourth set of what jobs write: known programs behind other wrappers (kubectl logs --prefix, Docker's JSON lines, syslog, mpirun) and in
other dialects (Megatron-DeepSpeed, OLMo-core, Levanter, TensorRT-LLM's iterations, NVIDIA's HPL, evalscope, vLLM's benchmark host by host),
files of ranks without a column of ranks, and failures as PyTorch 2.7, the flight recorder's analyser, NCCL, the elastic agent and srun report
them. Formats as these programs print them. Values are drawn."""
import json

from desk.benchmarks import on_each_host
from desk.cluster import HEALTHY, OPEN, hosts
from desk.job import slowed
from desk.more import steps
from desk.trainers import clock


def kubectl_prefix(draw, fault):
    base, pod = draw.uniform(1, 5), f"llama-{draw.getrandbits(20):05x}-worker-0"
    return steps(draw, fault, lambda at, f: f"[pod/{pod}/pytorch] 2026-11-20T{clock(at)}.{draw.randint(100000000, 999999999)}Z [rank0]:[titan] 2026-11-20 {clock(at)},{draw.randint(100, 999)} - root - INFO - step: {at * 10 + 1:2}  loss: {9 - at * 0.02:7.4f}  grad_norm: {draw.uniform(1, 2):.4f}  memory: 47.52GiB(59.99%)  tps: {16384 / (base * f):,.0f}  tflops: {900 / (base * f):.2f}  mfu: {45 / f:.2f}%")


def docker_json(draw, fault):
    base = draw.uniform(2000, 9000)
    return steps(draw, fault, lambda at, f: json.dumps({"log": f" [2026-11-20 {clock(at)}] iteration {at * 5 + 5:>8}/  500000 | consumed samples: {at * 5120:>12} | elapsed time per iteration (ms): {base * f:.1f} | throughput per GPU (TFLOP/s/GPU): {410 / f:.1f} | learning rate: 1.2E-04 | global batch size:  1024 | lm loss: {9 - at * 0.02:.6E} |\n", "stream": "stdout", "time": f"2026-11-20T{clock(at)}.{draw.randint(100000000, 999999999)}Z"}))


def syslog_deepspeed(draw, fault):
    base, host, pid = draw.uniform(0.5, 4), hosts(draw, 1)[0], draw.randint(2000, 90000)
    return steps(draw, fault, lambda at, f: f"Nov 20 {clock(at)} {host} python3[{pid}]: [2026-11-20 {clock(at)},{draw.randint(100, 999)}] [INFO] [timer.py:264:stop] epoch=0/micro_step={at * 10}/global_step={at * 10}, RunningAvgSamplesPerSec={64 / base:.6f}, CurrSamplesPerSec={64 / (base * f):.6f}, MemAllocated=6.01GB, MaxMemAllocated=19.5GB")


def megatron_deepspeed(draw, fault):
    base = draw.uniform(3, 30)
    return steps(draw, fault, lambda at, f: f" iteration {at * 10 + 10:>8}/  100000 | consumed samples: {at * 5120 + 5120:>12} | consumed tokens: {at * 10485760:>14} | elapsed time per iteration (s): {base * f:.3f} | learning rate: 3.000E-04 | global batch size:   512 | lm loss: {9 - at * 0.02:.6E} | loss scale: 1.0 | grad norm: {draw.uniform(0.4, 0.9):.3f} | actual seqlen:  2048 | number of skipped iterations:   0 | samples per second: {512 / (base * f):.3f} | tokens per gpu per second (tgs): {20000 / (base * f):.3f} | TFLOPs: {900 / (base * f):.2f} |")


def olmo_core(draw, fault):
    top, lines = draw.uniform(6000, 20000), []
    for at, f in enumerate(slowed(draw, 80, fault)):
        lines += [f"2026-11-20 {clock(at)}.{draw.randint(100, 999)} node04:0 olmo_core.train.callbacks.console_logger:120 INFO [step={at * 10 + 10}/476837,epoch=1,eta=1 day, 2:{draw.randint(10, 59)}]", "    optim/LR (default)=3.0e-04", f"    optim/total grad norm={draw.uniform(0.5, 0.9):.4f}", f"    throughput/device/TPS={top / f:,.0f}", f"    throughput/device/TPS (actual avg)={top:,.0f}", f"    train/CE loss={9 - at * 0.02:.3f}"]
    return {"olmo.log": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def levanter(draw, fault):
    base = draw.uniform(1.2, 9)
    return steps(draw, fault, lambda at, f: f"2026-11-20T{clock(at)} - 0 - tqdm_loggable.tqdm_logging - tqdm_logging.py:145 - INFO :: Progress on:train {at * 10 + 10}it/50.0kit rate:{base * f:.2f}s/it remaining:{draw.randint(10, 29)}:{draw.randint(10, 59)}:11 elapsed:0{at // 60}:{at % 60:02d}:12 postfix:loss={9 - at * 0.02:.2f}")


def trtllm_iterations(draw, fault):
    base = draw.uniform(0.012, 0.06)
    return steps(draw, fault, lambda at, f: f"[11/20/2026-{clock(at)}] [TRT-LLM] [RANK 0] [I] iter = {at * 20}, global_rank = 0, rank = 0, currank_total_requests = 0/0, elapsed_time = {base * f}s, timestamp = 2026-11-20 {clock(at)}, num_scheduled_requests: 32, states = {{'num_ctx_requests': 0, 'num_ctx_tokens': 0, 'num_generation_tokens': 32}}", 150)


def hpl_nvidia(draw, fault):
    top = draw.uniform(2e5, 4.2e5)
    return on_each_host(draw, fault, lambda s: "=" * 105 + "\n" + "=" * 33 + "   NVIDIA HPC Benchmarks   " + "=" * 33 + "\nNVIDIA HPL 24.06.0\n" + "=" * 81 + "\nT/V                N    NB     P     Q         Time          Gflops (   per GPU)\n" + "-" * 81 + f"\nWC0            264192  1024     4     2 {1.2e7 / (top * s):>12.2f}       {top * s:.3e} ( {top * s / 8:.3e})\n\n||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=        0.0003211 ...... PASSED\n||Ax-b||_oo  . . . . . . . . . . . . . . . . . =           0.00000{draw.randint(100, 999)}\n" + "=" * 81 + "\nEnd of Tests.\n", ".hpl")


def evalscope(draw, fault):
    top = draw.uniform(400, 5000)

    def text(s):
        rows = [("Time taken for tests (s)", 200000 / (top * s)), ("Number of concurrency", 32), ("Total requests", 500), ("Succeed requests", 500), ("Failed requests", 0), ("Output token throughput (tok/s)", top * s), ("Request throughput (req/s)", top * s / 400), ("Average latency (s)", 12800 / (top * s)), ("Average time to first token (s)", 90 / (top * s)), ("Average time per output token (s)", 32 / (top * s))]
        return "Benchmarking summary:\n+-----------------------------------+-----------+\n| Key                               |     Value |\n+===================================+===========+\n" + "".join(f"| {name:<33} | {value:>9.4f} |\n+-----------------------------------+-----------+\n" for name, value in rows)

    return on_each_host(draw, fault, text, ".evalscope")


def vllm_serve_hosts(draw, fault):
    top = draw.uniform(900, 6000)
    return on_each_host(draw, fault, lambda s: f"============ Serving Benchmark Result ============\nSuccessful requests:                     500       \nMaximum request concurrency:             64        \nBenchmark duration (s):                  {110000 / (top * s):<10.2f}\nTotal input tokens:                      512000    \nTotal generated tokens:                  110000    \nRequest throughput (req/s):              {top * s / 220:<10.2f}\nOutput token throughput (tok/s):         {top * s:<10.2f}\nTotal Token throughput (tok/s):          {top * s * 5.65:<10.2f}\n---------------Time to First Token----------------\nMean TTFT (ms):                          {200000 / (top * s):<10.2f}\nMedian TTFT (ms):                        {190000 / (top * s):<10.2f}\nP99 TTFT (ms):                           {300000 / (top * s) * draw.uniform(1, 1.2):<10.2f}\n-----Time per Output Token (excl. 1st token)------\nMean TPOT (ms):                          {64000 / (top * s):<10.2f}\nMedian TPOT (ms):                        {63000 / (top * s):<10.2f}\nP99 TPOT (ms):                           {80000 / (top * s):<10.2f}\n==================================================\n", ".serve.txt")


def nccl_mpirun(draw, fault):
    """Runs on single hosts under mpirun --tag-output, whose device lines name the host."""
    top, names = draw.uniform(340, 480), hosts(draw, 8)
    bad, loss, files = draw.choice(names), draw.uniform(0.55, 0.8), {}
    for name in names:
        s = draw.gauss(1, 0.008) * (loss if fault and name == bad else 1)
        out = "[1,0]<stdout>:# nThread 1 nGpus 1 minBytes 8388608 maxBytes 8589934592 step: 4(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0\n[1,0]<stdout>:#\n[1,0]<stdout>:# Using devices\n" + "".join(f"[1,0]<stdout>:#  Rank {gpu:>2} Group  0 Pid {4711 + gpu} on {name} device {gpu:>2} [0000:{0x18 + gpu:02x}:00] NVIDIA H100 80GB HBM3\n" for gpu in range(8))
        for power in range(23, 34, 2):
            size, bus = 2 ** power, top * s * draw.gauss(1, 0.003) * (0.7 if power < 26 else 1)
            alg = bus / 1.75
            out += f"[1,0]<stdout>:{size:>12} {size // 4:>13}     float     sum      -1 {size / alg / 1e3:>8.2f} {alg:>7.2f} {bus:>7.2f}      0 {size / alg / 1e3:>8.2f} {alg:>7.2f} {bus:>7.2f}      0\n"
        files[f"run-{names.index(name)}.log"] = out + f"[1,0]<stdout>:# Avg bus bandwidth    : {top * s * 0.7:.4f} \n"
    return files, [f"^{bad}"] if fault else HEALTHY


def rank_csv_files(draw, fault):
    bad, base, files = draw.randrange(8), draw.uniform(200, 900), {}
    since, loss = draw.randint(20, 35), draw.uniform(1.15, 1.5)
    for rank in range(8):
        rows = ["step,compute_ms,loss"]
        rows += [f"{step},{base * draw.gauss(1, 0.005) * (loss if fault and rank == bad and step >= since else 1):.3f},{5 - step * 0.01:.4f}" for step in range(60)]
        files[f"rank_{rank}.csv"] = "\n".join(rows) + "\n"
    return files, [f"rank {bad}$"] if fault else HEALTHY


def watchdog_27(draw, fault):
    bad, seq, lines = draw.randrange(8), draw.randint(300, 9000), []
    for rank in range(8):
        if fault and rank == bad:
            continue
        lines += [f"[rank{rank}]:[E1120 09:12:{rank + 10}.{draw.randint(100000000, 999999999)} ProcessGroupNCCL.cpp:684] [Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={seq}, OpType=ALLREDUCE, NumelIn=1048576, NumelOut=1048576, Timeout(ms)=600000) ran for 600{draw.randint(10, 99)} milliseconds before timing out.",
                  f"[rank{rank}]:[E1120 09:12:{rank + 10}.{draw.randint(100000000, 999999999)} ProcessGroupNCCL.cpp:2241] [PG ID 0 PG GUID 0(default_pg) Rank {rank}]  failure detected by watchdog at work sequence id: {seq} PG status: last enqueued work: {seq + 2}, last completed work: {seq - 1}"]
    if fault:
        lines.append(f"[rank{bad}]:[E1120 09:12:30.{draw.randint(100000000, 999999999)} ProcessGroupNCCL.cpp:1895] [PG ID 0 PG GUID 0(default_pg) Rank {bad}] Received a dump signal due to a collective timeout from  rank 0 and we will try our best to dump the debug info. Last enqueued NCCL work: {seq - 1}, last completed NCCL work: {seq - 1}.This is most likely caused by incorrect usages of collectives, e.g., wrong sizes used across ranks")
    return {"job.err": "\n".join(lines) + "\n"}, [f"rank {bad}$"] if fault else OPEN


def fr_trace(draw, fault):
    world = draw.choice([8, 16, 32])
    missing = [draw.randrange(world)] if fault else sorted(draw.sample(range(world), world // 2))
    seq = draw.randint(100, 4000)
    return {"fr_trace.txt": f"loaded {world} files in 0.4{draw.randint(100, 999)}s\nbuilt groups, memberships\nNot all ranks joining collective, sequence number: {seq}\ninternal record id: {draw.randint(10, 900)}\ngroup info: 0:default_pg\ncollective: nccl:all_reduce\nmissing ranks: {{{', '.join(map(str, missing))}}}\ninput sizes: [[1048576]]\noutput sizes: [[1048576]]\nworld size: {world}\nexpected ranks: {{{', '.join(map(str, range(world)))}}}\ncollective state: scheduled\n"}, [f"rank {missing[0]}$"] if fault else OPEN


def nccl_cuda_failure(draw, fault):
    names = hosts(draw, 4)
    bad, gpu = draw.choice(names), draw.randrange(8)
    lines = [f"{name}:{22600 + at}:{22600 + at} [{at}] NCCL INFO comm 0x55d0 rank {n * 8 + at} nranks 32 cudaDev {at} busId {0x18 + at:x}000 commId 0x4f - Init COMPLETE" for n, name in enumerate(names) for at in range(8)]
    if fault:
        lines.append(f"{bad}:{22600 + gpu}:22690 [{gpu}] transport/p2p.cc:289 NCCL WARN Cuda failure 'uncorrectable ECC error encountered'")
        return {"nccl.log": "\n".join(lines) + "\n"}, [f"{bad}"]
    lines.append(f"{names[0]}:22600:22600 [0] bootstrap.cc:123 NCCL WARN Bootstrap : no socket interface found")
    return {"nccl.log": "\n".join(lines) + "\n"}, OPEN


def elastic_heartbeat(draw, fault):
    """The agent of one host cannot reach the rendezvous; or those of all cannot: then it is the store's host or the network."""
    names = hosts(draw, 6)
    bad, lines = draw.choice(names[1:]), []
    for name in [bad] if fault else names:
        lines.append(f"[{'rank0' if not fault else 'default0'}]:[W1120 09:14:{draw.randint(10, 59)}.{draw.randint(100000000, 999999999)} TCPStore.cpp:131] [c10d] recvValue failed on SocketImpl(fd=3, addr=[{name}]:41282, remote=[{names[0]}]:29500): failed to recv, got 0 bytes" if not fault else f"W1120 09:14:{draw.randint(10, 59)}.{draw.randint(100, 999)} 4711 torch/distributed/elastic/rendezvous/dynamic_rendezvous.py:1276] The node '{bad}_4711_0' has failed to send a keep-alive heartbeat to the rendezvous 'job-88' due to an error of type RendezvousConnectionError.")
    lines.append("torch.distributed.elastic.multiprocessing.api.SignalException: Process 4711 got signal: 15")
    return {"agents.log": "\n".join(lines) + "\n"}, [bad] if fault else OPEN


def srun_launch(draw, fault):
    names = hosts(draw, 8)
    bad = draw.choice(names)
    lines = [f"srun: error: Task launch for StepId=4711.0 failed on node {bad}: Communication connection failure", "srun: error: Application launch failed: Communication connection failure", "srun: Job step aborted: Waiting up to 32 seconds for job step to finish."] if fault else ["srun: error: Unable to create step for job 4711: Job/step already completing or completed"]
    return {"slurm-4711.out": "\n".join(["+ srun python3 train.py"] + lines) + "\n"}, [bad] if fault else OPEN


def gdb_stacks(draw, fault):
    bad, files = draw.randrange(6), {}
    for rank in range(6):
        inner = "#0  0x00007f11a2d1b9cf in poll () from /lib/x86_64-linux-gnu/libc.so.6\n#1  0x00007f11041a2c10 in nfs_wait_bit_killable () from /usr/lib/libnfs.so\n#2  0x00005588a1b0 in read_shard (path=0x7f) at loader.cc:88\n" if fault and rank == bad else "#0  0x00007f11a2c8f117 in sched_yield () from /lib/x86_64-linux-gnu/libc.so.6\n#1  0x00007f10ff2b3a11 in ncclGroupEnd () from /usr/lib/libnccl.so.2\n#2  0x00005588a1c0 in all_reduce_gradients (buf=0x7f) at engine.cc:211\n"
        files[f"rank{rank}.gdb"] = f"[New LWP {4712 + rank}]\n[Thread debugging using libthread_db enabled]\n\nThread 2 (Thread 0x7f0f2d7fe640 (LWP {4712 + rank}) \"cuda-EvtHandlr\"):\n#0  0x00007f11a2d1b9cf in poll () from /lib/x86_64-linux-gnu/libc.so.6\n#1  0x00007f1101b0 in ?? () from /lib/x86_64-linux-gnu/libcuda.so.1\n\nThread 1 (Thread 0x7f11a2a3c740 (LWP {4700 + rank}) \"train\"):\n{inner}#3  0x00005588a1d0 in main (argc=4, argv=0x7ffd) at main.cc:301\n"
    return files, [f"rank {bad}$"] if fault else OPEN


def mllog_throughput(draw, fault):
    base = draw.uniform(900, 9000)
    return steps(draw, fault, lambda at, f: f'0: :::MLLOG {{"namespace": "", "time_ms": {1795168000000 + at * 30000}, "event_type": "POINT_IN_TIME", "key": "tracked_stats", "value": {{"throughput": {base / f:.6f}, "reduced_train_loss": {2 - at * 0.005:.6f}}}, "metadata": {{"file": "/workspace/custom_callbacks.py", "lineno": 181, "step": {at * 32 + 32}}}}}', 70)


def torchrun_failed_rank_log(draw, fault):
    """A folder as torchrun --log-dir makes it: stderr of each rank. One ends by an error of its own; or all by the same."""
    bad, files = draw.randrange(8), {}
    for rank in range(8):
        own = "RuntimeError: CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling cublasGemmEx" if fault and rank == bad else "torch.distributed.DistBackendError: NCCL communicator was aborted on rank %d. Original reason for failure was: watchdog timeout" % rank if fault else "ValueError: loss is not finite"
        files[f"{rank}/stderr.log"] = f"Traceback (most recent call last):\n  File \"/opt/train/main.py\", line 411, in <module>\n    main(args)\n  File \"/opt/train/main.py\", line 300, in main\n    loss.backward()\n{own}\n"
    return files, [f"rank {bad}$"] if fault else OPEN


SLOWER = r"\(x[1-9]"
FACTS = {"kubectl_prefix": SLOWER, "docker_json": SLOWER, "syslog_deepspeed": SLOWER, "megatron_deepspeed": SLOWER, "olmo_core": SLOWER, "levanter": SLOWER,
         "trtllm_iterations": SLOWER, "hpl_nvidia": "(?i)gflops|time", "evalscope": "(?i)throughput|latency|token", "vllm_serve_hosts": "(?i)throughput|TTFT|TPOT|token",
         "nccl_mpirun": "(?i)bandwidth", "rank_csv_files": "compute", "watchdog_27": "(?i)enqueued|allreduce|512|operation", "fr_trace": "(?i)all_reduce|missing|come",
         "nccl_cuda_failure": "(?i)ECC", "elastic_heartbeat": "(?i)heartbeat|rendezvous", "srun_launch": "(?i)launch", "gdb_stacks": "read_shard|nfs_wait",
         "mllog_throughput": SLOWER, "torchrun_failed_rank_log": "CUBLAS"}
CASES = [kubectl_prefix, docker_json, syslog_deepspeed, megatron_deepspeed, olmo_core, levanter, trtllm_iterations, hpl_nvidia, evalscope,
         vllm_serve_hosts, nccl_mpirun, rank_csv_files, watchdog_27, fr_trace, nccl_cuda_failure, elastic_heartbeat, srun_launch, gdb_stacks,
         mllog_throughput, torchrun_failed_rank_log]
