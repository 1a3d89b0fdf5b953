"""What jobs write, in dialects that no earlier set holds: step lines of CLU's metric writer (big_vision, T5X), InternEvo, OpenNMT-py,
Marian, DLRM, NeMo-RL, ModelCenter, of a loop that prints only times and steps, and of NVIDIA's HPL; Megatron's timers of all ranks;
p2pBandwidthLatencyTest, genai-perf, lmdeploy, SGLang's one-batch test, OSU bandwidth, BabelStream; py-spy dumps, Open MPI's signals,
JAX's barriers and the traceback of one rank. Formats as these programs print them. Values are drawn."""
from desk.benchmarks import on_each_host
from desk.cluster import HEALTHY, OPEN, hosts
from desk.job import slowed
from desk.more import steps
from desk.trainers import clock


def clu_writer(draw, fault):
    base, pid = draw.uniform(0.2, 3), draw.randint(10 ** 14, 10 ** 15)
    lines, seconds = [], 0.0
    for at, f in enumerate(slowed(draw, 120, fault)):
        seconds += 50 * base * f
        stamp = f"I1120 {clock(at)}.{draw.randint(100000, 999999)} {pid}"
        lines += [f"{stamp} logging_writer.py:48] [{at * 50 + 50}] steps_per_sec={1 / (base * f):.6g}", f"{stamp} logging_writer.py:48] [{at * 50 + 50}] uptime={seconds:.6g}", f"{stamp} logging_writer.py:48] [{at * 50 + 50}] l2_grads={draw.uniform(0.5, 0.9):.6g}, training_loss={7 - at * 0.02:.6g}"]
    return {"t5x.log": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def internevo(draw, fault):
    base = draw.uniform(3, 9)
    return steps(draw, fault, lambda at, f: f"2026-11-20 {clock(at)},{draw.randint(100, 999)}\tINFO train.py:323 in record_current_batch_training_metrics -- tflops={1190 / (base * f):.14f},step={at},loss={11.6 - at * 0.02:.15f},tgs (tokens/gpu/second)={26000 / (base * f):.2f},lr={at * 2e-07 + 4e-07:.17g},loss_scale=65536.0,grad_norm={draw.uniform(20, 60):.14f},micro_num=4,num_consumed_tokens={131072 * (at + 1)},inf_nan_skip_batches=0,num_samples_in_batch={draw.randint(14, 22)},largest_length=2048,largest_batch=5,smallest_batch={draw.randint(3, 4)},adam_beta2=0.95,fwd_bwd_time={base * f * 0.9:.2f}")


def opennmt(draw, fault):
    base = draw.uniform(9, 60)
    return steps(draw, fault, lambda at, f: f"[2026-11-20 {clock(at)},{draw.randint(100, 999)} INFO] Step {at * 100 + 100}/100000; acc: {draw.uniform(20, 60):.1f}; ppl: {900 - at * 4:.1f}; xent: {6.8 - at * 0.02:.1f}; lr: 0.{at + 1:05d}; sents:   {draw.randint(18000, 19000)}; bsz: 3{draw.randint(100, 200)}/3{draw.randint(200, 300)}/180; {320000 / (base * f):.0f}/{331000 / (base * f):.0f} tok/s; {int(base * (at + 1)):>6} sec;")


def marian(draw, fault):
    base = draw.uniform(60, 400)
    return steps(draw, fault, lambda at, f: f"[2026-11-20 {clock(at)}] Ep. 1 : Up. {at * 500 + 500} : Sen. {at * 96211 + 96211:,} : Cost {9 - at * 0.03:.8f} * {draw.randint(2400000, 2500000):,} @ {draw.randint(4000, 6000):,} after {at * 2450000 + 2450000:,} : Time {base * f:.2f}s : {2450000 / (base * f):.2f} words/s : gNorm {draw.uniform(0.3, 0.9):.4f}", 80)


def dlrm(draw, fault):
    base = draw.uniform(8, 90)
    return steps(draw, fault, lambda at, f: f"Finished training it {at * 1024 + 1024}/306969 of epoch 0, {base * f:.2f} ms/it, loss {0.69 - at * 0.001:.6f}, accuracy {draw.uniform(70, 79):.3f} %")


def timestamps_only(draw, fault):
    base, now, lines = draw.uniform(2, 9), 9 * 3600.0, []
    for at, f in enumerate(slowed(draw, 140, fault)):
        now += base * 10 * f
        lines.append(f"2026-11-20 {int(now) // 3600 % 24:02d}:{int(now) // 60 % 60:02d}:{int(now) % 60:02d},{int(now * 1000) % 1000:03d} - INFO - __main__ - step {at * 10 + 10}: loss = {4 - at * 0.01:.4f}, lr = 2.0e-05")
    return {"finetune.log": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def megatron_all_ranks(draw, fault):
    bad, base, lines = draw.randrange(8), draw.uniform(900, 4000), []
    since, loss = draw.randint(12, 22), draw.uniform(1.15, 1.6)
    for at in range(40):
        lines += [f" [2026-11-20 {clock(at, 30)}] iteration {at * 10 + 10:>8}/  500000 | consumed samples: {(at + 1) * 10240:>12} | learning rate: 1.2E-04 | global batch size:  1024 | lm loss: {9 - at * 0.02:.6E} | loss scale: 1.0 | grad norm: 0.712 | number of skipped iterations:   0 | number of nan iterations:   0 |", "times across ranks (ms):"]
        for name, share in (("forward-compute", 0.3), ("backward-compute", 0.6)):
            lines.append(f"  {name}:")
            lines += [f"     rank {rank:2d}: {base * share * draw.gauss(1, 0.004) * (loss if fault and rank == bad and at >= since else 1):.2f}" for rank in range(8)]
    return {"pretrain.log": "\n".join(lines) + "\n"}, [f"rank {bad}$"] if fault else HEALTHY


def nemo_rl(draw, fault):
    base, lines = draw.uniform(30, 200), []
    for at, f in enumerate(slowed(draw, 60, fault)):
        now = base * f
        lines += ["", f"========================= Step {at + 1}/1000000 =========================", "▶ Preparing batch...", "▶ Generating responses for batch of size 512...", "", "📊 Training Results:", f"  • Loss: {draw.uniform(-0.01, 0.01):.4f}", f"  • Avg Reward: {0.2 + at * 0.005:.4f}", f"  • Mean Generation Length: {draw.uniform(800, 840):.4f}", "", "⏱️  Timing:", f"  • Total step time: {now:.2f}s", f"  • generation: {now * 0.55:.2f}s (55.0%)", f"  • policy_training: {now * 0.28:.2f}s (28.0%)", f"  • policy_and_reference_logprobs: {now * 0.1:.2f}s (10.0%)"]
    return {"ray-driver.log": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def model_center(draw, fault):
    base = draw.uniform(0.6, 5)
    return steps(draw, fault, lambda at, f: f"| Iter: {at * 10:6d} | loss: {9 - at * 0.02:.4f} average_loss: {9.1 - at * 0.02:.4f} | lr: 1.00e-04 scale:  65536.0000 | time: {base * f:.4f} seconds | grad_norm: {draw.uniform(1, 2):.3f}")


def hpl_progress(draw, fault):
    top, lines, time = draw.uniform(1.2e5, 4e6), ["[HPL TRACE] cuda_nvshmem_init: max=1.8120 (0) min=1.8101 (5)", "2026-11-20 09:14:16.320"], 0.0
    done = 0.0
    for at, f in enumerate(slowed(draw, 80, fault)):
        rate = top / f
        time += 1.2e5 / rate * 100
        done += 1.2e5 * 100
        lines.append(f" Prog= {2.31 + at * 1.14:.2f}%\tN_left= {262144 - at * 1024}\tTime= {time:.2f}\tTime_left= {(80 - at) * 1.1:.2f}\tiGF= {rate:.2f}\tGF= {done / time:.2f}\tiGF_per= {rate / 8:.2f} \tGF_per= {done / time / 8:.2f} ")
    return {"hpl.out": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def p2p_matrix(draw, fault):
    bad, top, loss = draw.randrange(8), draw.uniform(230, 390), draw.uniform(0.4, 0.75)
    text = "[P2P (Peer-to-Peer) GPU Bandwidth Latency Test]\n" + "".join(f"Device: {at}, NVIDIA H100 80GB HBM3, pciBusID: {at + 0x18:x}, pciDeviceID: 0, pciDomainID:0\n" for at in range(8))
    for title, scale in (("Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)", 1), ("Bidirectional P2P=Enabled Bandwidth Matrix (GB/s)", 1.93)):
        text += title + "\n   D\\D     0      1      2      3      4      5      6      7 \n"
        for row in range(8):
            cells = [top * scale * draw.gauss(1, 0.003) * (loss if fault and bad in (row, col) else 1) if row != col else 2500 * draw.gauss(1, 0.004) for col in range(8)]
            text += f"{row:>6} " + " ".join(f"{cell:6.2f}" for cell in cells) + " \n"
    return {"p2p.txt": text}, [f"{bad}$"] if fault else HEALTHY


def genai_perf_table(draw, fault):
    first, each, rate = draw.uniform(20, 90), draw.uniform(4, 20), draw.uniform(900, 9000)

    def text(s):
        rows = [("Time to first token (ms)", first / s), ("Inter token latency (ms)", each / s), ("Request latency (ms)", 256 * each / s)]
        out = "                          NVIDIA GenAI-Perf | LLM Metrics\n┏━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┳━━━━━━━━━━┳━━━━━━━━━━┳━━━━━━━━━━┳━━━━━━━━━━┓\n┃                         Statistic ┃      avg ┃      min ┃      max ┃      p99 ┃\n┡━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━╇━━━━━━━━━━╇━━━━━━━━━━╇━━━━━━━━━━╇━━━━━━━━━━┩\n"
        for name, value in rows:
            out += f"│ {name:>33} │ {value:8,.2f} │ {value * 0.8:8,.2f} │ {value * draw.uniform(1.3, 1.9):8,.2f} │ {value * 1.2:8,.2f} │\n"
        out += f"│            Output sequence length │   256.00 │   256.00 │   256.00 │   256.00 │\n│ Output token throughput (per sec) │ {rate * s:8,.2f} │      N/A │      N/A │      N/A │\n│      Request throughput (per sec) │ {rate * s / 256:8,.2f} │      N/A │      N/A │      N/A │\n└───────────────────────────────────┴──────────┴──────────┴──────────┴──────────┘\n"
        return out

    return on_each_host(draw, fault, text, ".genai-perf.txt")


def lmdeploy(draw, fault):
    rate = draw.uniform(2000, 9000)
    return on_each_host(draw, fault, lambda s: "-" * 50 + f"\nconcurrency: 256\nelapsed_time: {2e6 / (rate * s):.3f}s\n\nfirst token latency(s)(min, max, ave): 0.0{draw.randint(50, 90)}, {draw.uniform(3, 6):.3f}, {0.28 / s:.3f}\nper-token latency(s) percentile(50, 75, 95, 99): [0, {0.09 / s:.3f}, {0.16 / s:.3f}, {0.22 / s:.3f}]\n\nnumber of prompt tokens: 2238364\nnumber of completion tokens: 2005448\ntoken throughput (completion token): {rate * s:.3f} token/s\ntoken throughput (prompt + completion token): {rate * s * 2.116:.3f} token/s\nRPS (request per second): {rate * s / 200:.3f} req/s\nRPM (request per minute): {rate * s * 0.3:.3f} req/min\n" + "-" * 50 + "\n", ".lmdeploy.txt")


def sglang_one_batch(draw, fault):
    first, each = draw.uniform(0.1, 0.6), draw.uniform(0.006, 0.03)

    def text(s):
        out = "max_total_num_tokens=399740\nWarmup ...\n"
        for part in ("", "Benchmark ...\n"):
            out += part + f"Prefill. latency: {first / s * (2.4 if not part else 1):6.5f} s, throughput: {4096 / (first / s):9.2f} token/s\n"
            out += "".join(f"Decode {at}. Batch size: 4, latency: {each / s * draw.gauss(1, 0.004):6.5f} s, throughput: {4 / (each / s):9.2f} token/s\n" for at in range(5))
            out += f"Decode.  median latency: {each / s:6.5f} s, median throughput: {4 / (each / s):9.2f} token/s\nTotal. latency: {(first + 511 * each) / s:6.3f} s, throughput: {4 * 1536 / ((first + 511 * each) / s):9.2f} token/s\n"
        return out

    return on_each_host(draw, fault, text, ".one_batch")


def osu_bw(draw, fault):
    top = draw.uniform(24000, 48000)
    return on_each_host(draw, fault, lambda s: "# OSU MPI-CUDA Bandwidth Test v7.3\n# Send Buffer on DEVICE (D) and Receive Buffer on DEVICE (D)\n# Size      Bandwidth (MB/s)\n" + "".join(f"{2 ** p:<10} {top * s * draw.gauss(1, 0.004) * min(1, 2 ** p / 2 ** 20):>17.2f}\n" for p in range(10, 23)), ".osu_bw")


def babelstream(draw, fault):
    top = draw.uniform(1.5e6, 4.5e6)

    def text(s):
        out = "BabelStream\nVersion: 5.0\nImplementation: CUDA\nRunning kernels 100 times\nPrecision: double\nArray size: 268.4 MB (=0.3 GB)\nTotal size: 805.3 MB (=0.8 GB)\nFunction    MBytes/sec  Min (sec)   Max         Average     \n"
        for name in ("Copy", "Mul", "Add", "Triad", "Dot"):
            rate = top * s * draw.gauss(1, 0.003)
            out += f"{name:<12}{rate:<12.3f}{537 / rate:<12.5f}{537 / rate * draw.uniform(1.05, 1.4):<12.5f}{540 / rate:<12.5f}\n"
        return out

    return on_each_host(draw, fault, text, ".babelstream")


def py_spy(draw, fault):
    """Seven ranks wait in a collective, one is elsewhere; or all wait in the same one: which is at fault is not to be seen."""
    bad, files = draw.randrange(8), {}
    waits = "    all_reduce (torch/distributed/distributed_c10d.py:2501)\n    wrapper (torch/distributed/c10d_logger.py:81)\n    reduce_gradients (train/engine.py:211)\n"
    other = draw.choice(["    wait (threading.py:320)\n    get (queue.py:171)\n    __next__ (torch/utils/data/dataloader.py:701)\n    next_batch (train/data.py:88)\n", "    read (fsspec/spec.py:1941)\n    load_shard (train/data.py:41)\n    next_batch (train/data.py:88)\n"])
    for rank in range(8):
        stack = other if fault and rank == bad else waits
        files[f"rank{rank}.pyspy"] = f"Process {draw.randint(2000, 90000)}: /usr/bin/python3 -u train.py --config large.yaml\nPython v3.11.9 (/usr/bin/python3.11)\n\nThread {draw.randint(2000, 90000)} ({draw.choice(['idle', 'active'])}): \"MainThread\"\n{stack}    train (train/main.py:301)\n    <module> (train.py:12)\nThread {draw.randint(2000, 90000)} (idle): \"Thread-1\"\n    wait (threading.py:324)\n    run (tqdm/_monitor.py:60)\n    _bootstrap (threading.py:1002)\n"
    return files, [f"rank {bad}$"] if fault else OPEN


def mpi_signal(draw, fault):
    names = hosts(draw, 6)
    bad, pid = draw.choice(names), draw.randint(2000, 90000)
    lines = [f"step {at} residual {10 - at * 0.1:.3e}" for at in range(20)]
    if fault:
        lines += [f"[{bad}:{pid:05d}] *** Process received signal ***", f"[{bad}:{pid:05d}] Signal: Bus error (7)", f"[{bad}:{pid:05d}] Signal code: Non-existant physical address (2)", f"[{bad}:{pid:05d}] Failing at address: 0x7f2a5c000000", f"[{bad}:{pid:05d}] [ 0] /lib/x86_64-linux-gnu/libc.so.6(+0x42520)[0x7f2a6e242520]", f"[{bad}:{pid:05d}] *** End of error message ***"]
        return {"mpi.out": "\n".join(lines) + "\n"}, [f"^{bad}"]
    for name in names:
        pid = draw.randint(2000, 90000)
        lines += [f"[{name}:{pid:05d}] *** Process received signal ***", f"[{name}:{pid:05d}] Signal: Segmentation fault (11)", f"[{name}:{pid:05d}] Signal code: Address not mapped (1)", f"[{name}:{pid:05d}] Failing at address: (nil)", f"[{name}:{pid:05d}] *** End of error message ***"]
    return {"mpi.out": "\n".join(lines) + "\n"}, OPEN


def jax_barrier(draw, fault):
    world = draw.choice([8, 16, 32])
    late = [draw.randrange(1, world)] if fault else sorted(draw.sample(range(1, world), world // 2))
    first = next(rank for rank in range(world) if rank not in late)
    names = "".join(f"/job:jax_worker/replica:0/task:{rank}\n" for rank in late)
    return {"worker0.log": f"I1120 09:12:01.100222 140 checkpointer.py:88] saving step 400\nTraceback (most recent call last):\n  File \"/opt/maxtext/train.py\", line 1004, in <module>\njaxlib.xla_extension.XlaRuntimeError: DEADLINE_EXCEEDED: Barrier timed out. Id: 0_async_write_complete.0.1. This usually happens because a task triggered the barrier too early or too slowly. Please look at the task logs (both timed out and first task) to debug further.\n# of tasks that reached the barrier: {world - len(late)}/{world}.\nThe first task at the barrier: /job:jax_worker/replica:0/task:{first}. Some timed out task names:\n{names}\n\nRPC: /tensorflow.CoordinationService/Barrier [type.googleapis.com/tensorflow.CoordinationServiceError='']\n"}, [f"rank {late[0]}$"] if fault else OPEN


def one_rank_traceback(draw, fault):
    """One rank ends by an error of its own and the others see its connections close; or all end by the same error of the program."""
    bad, lines = draw.randrange(8), [f"[rank{rank}]: step {step} loss {8 - step * 0.1:.3f}" for step in range(5) for rank in range(8)]
    own = draw.choice(["OSError: [Errno 5] Input/output error: '/data/shard-00112.tar'", "BlockingIOError: [Errno 11] write could not complete without blocking", "RuntimeError: DataLoader worker (pid 30211) is killed by signal: Bus error."])
    for rank in [bad] + [rank for rank in range(8) if rank != bad] if fault else range(8):
        text = own if rank == bad and fault else "torch.distributed.DistBackendError: NCCL communicator was aborted on rank %d." % rank if fault else "KeyError: 'optimizer_states'"
        lines += [f"[rank{rank}]: Traceback (most recent call last):", f"[rank{rank}]:   File \"/opt/train/main.py\", line 411, in <module>", f"[rank{rank}]:     main(args)", f"[rank{rank}]: {text}"]
    return {"job.log": "\n".join(lines) + "\n"}, [f"rank {bad}$"] if fault else OPEN


CASES = [clu_writer, internevo, opennmt, marian, dlrm, timestamps_only, megatron_all_ranks, nemo_rl, model_center, hpl_progress,
         p2p_matrix, genai_perf_table, lmdeploy, sglang_one_batch, osu_bw, babelstream, py_spy, mpi_signal, jax_barrier, one_rank_traceback]

# The answer on a fault must state the time and size of the slow-down, or what is wrong with the part.
SLOWER = r"\(x[1-9]"
FACTS = {"clu_writer": SLOWER, "internevo": SLOWER, "opennmt": SLOWER, "marian": SLOWER, "dlrm": SLOWER, "timestamps_only": SLOWER,
         "megatron_all_ranks": "compute", "nemo_rl": SLOWER, "model_center": SLOWER, "hpl_progress": SLOWER, "p2p_matrix": "GB/s",
         "genai_perf_table": "(?i)latency|throughput|first token", "lmdeploy": "(?i)throughput|latency|RPS", "sglang_one_batch": "(?i)latency|throughput",
         "osu_bw": "(?i)bandwidth", "babelstream": "MBytes|Copy|Mul|Add|Triad|Dot", "py_spy": "load_shard|__next__|next_batch", "mpi_signal": "Bus error",
         "jax_barrier": "(?i)barrier|come", "one_rank_traceback": "Error"}
