"""A second set of what jobs write: step lines of XTuner, icefall and DeepSpeed-Chat, histories of Weights & Biases, TensorBoard and
Lightning's CSV logger, times of ranks as KEY=VALUE, logs of ranks that stop, nccl-tests host by host, gpu-fryer, ROCm's validation suite,
elbencho, vLLM's latency benchmark, hey, requests in Gin's log, and failures as Ray, PRRTE, glog, faulthandler, DeepSpeed's launcher and
Accelerate report them. Formats as these programs print them. Values are drawn."""
import json

from desk.benchmarks import on_each_host
from desk.cluster import HEALTHY, OPEN, hosts
from desk.job import slowed
from desk.more import steps
from desk.trainers import clock


def xtuner(draw, fault):
    base = draw.uniform(1, 9)
    return steps(draw, fault, lambda at, f: f"11/20 {clock(at)} - mmengine - INFO - Iter(train) [{at * 10 + 10:>5}/5000]  lr: 2.0000e-05  eta: {draw.randint(1, 9)}:{draw.randint(10, 59)}:11  time: {base * f:.4f}  data_time: {0.02 * draw.gauss(1, 0.2):.4f}  memory: {draw.randint(40000, 40200)}  loss: {3 - at * 0.01:.4f}  tflops: {190 / f:.4f}  tokens_per_sec: {4096 / (base * f):.4f}")


def icefall(draw, fault):
    """Only the times of the lines tell how long a batch takes; the rank in brackets is the one that writes."""
    base, now, lines = draw.uniform(0.3, 1.2), 10 * 3600.0, []
    for at, f in enumerate(slowed(draw, 150, fault)):
        now += base * 50 * f
        lines.append(f"2026-11-20 {int(now) // 3600 % 24:02d}:{int(now) // 60 % 60:02d}:{int(now) % 60:02d},{int(now * 1000) % 1000:03d} INFO [train.py:895] (0/8) Epoch 1, batch {at * 50}, loss[loss={0.9 - at * 0.003:.4f}, simple_loss={0.8 - at * 0.002:.4f}, over {draw.randint(20000, 26000)}.00 frames. ], tot_loss[loss={1 - at * 0.003:.4f}, over {draw.randint(2000000, 2600000)}.31 frames. ], batch size: {draw.randint(60, 90)}, lr: 4.41e-02, grad_scale: 16.0")
    return {"log-train-2026-11-20-10-00-00-0": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def deepspeed_chat(draw, fault):
    base, lines = draw.uniform(4, 30), []
    for at, f in enumerate(slowed(draw, 80, fault)):
        e2e, gen, train = base * f, base * f * 0.6, base * f * 0.35
        lines += [f"Epoch: 0 | Step: {at} | PPO Epoch: 1 | Actor Loss: {draw.uniform(-0.02, 0.02):.12f} | Critic Loss: {draw.uniform(0.01, 0.03):.12f} | Unsupervised Loss: 0.0", f"End-to-End => Latency: {e2e:.2f}s, TFLOPs: {300 / e2e:.2f}, Samples/sec: {64 / e2e:.2f}, Time/seq {e2e / 64:.2f}s, Batch Size: 64, Total Seq. Length: 512", f"Generation => Latency: {gen:.2f}s, Per-token Latency {gen / 0.256:.2f} ms, TFLOPs: {20 / gen:.2f}, BW: {3000 / gen:.2f} GB/sec, Answer Seq. Length: 256", f"Training   => Latency: {train:.2f}s, TFLOPs: {280 / train:.2f}", "Actor Model Parameters => 6.658 B, Critic Model Parameters => 0.331 B", f"Average reward score: {at * 0.05 - 2:.4f}", "-" * 85]
    return {"training.log": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def lightning_csv(draw, fault):
    base, rows = draw.uniform(0.3, 3), ["epoch,step,train_loss,train_step_time,lr-AdamW"]
    rows += [f"0,{at * 50 + 49},{4 - at * 0.01:.6f},{base * f:.6f},0.0003" for at, f in enumerate(slowed(draw, 120, fault))]
    return {"metrics.csv": "\n".join(rows) + "\n"}, OPEN if fault else HEALTHY


def wandb_history(draw, fault):
    base, seconds, rows = draw.uniform(1, 6), 40.0, []
    for at, f in enumerate(slowed(draw, 140, fault)):
        seconds += base * f * 10
        rows.append(json.dumps({"_step": at * 10, "_runtime": seconds, "_timestamp": 1795168000 + seconds, "train/loss": 5 - at * 0.01, "train/lr": 3e-4, "perf/tokens_per_sec_per_gpu": 60000 / (base * f), "perf/mfu": 0.41 / f, "train/grad_norm": draw.uniform(0.4, 0.8)}))
    return {"history.jsonl": "\n".join(rows) + "\n"}, OPEN if fault else HEALTHY


def tensorboard_csv(draw, fault):
    base, now, rows = draw.uniform(0.4, 4), 1795168000.0, ["Wall time,Step,Value"]
    for at, f in enumerate(slowed(draw, 150, fault)):
        now += base * 20 * f
        rows.append(f"{now:.6f},{at * 20},{6 - at * 0.01:.6f}")
    return {"run-loss.csv": "\n".join(rows) + "\n"}, OPEN if fault else HEALTHY


def kv_ranks(draw, fault):
    bad, base, wait, lines = draw.randrange(8), draw.uniform(200, 900), draw.uniform(40, 90), []
    since, loss = draw.randint(15, 25), draw.uniform(1.15, 1.5)
    for at in range(50):
        late = loss if fault and at >= since else 1
        for rank in draw.sample(range(8), 8):
            work = base * draw.gauss(1, 0.005) * (late if rank == bad else 1)
            lines.append(f"rank={rank} step={at} compute_ms={work:.2f} comm_ms={base * late + wait - work:.2f} loss={6 - at * 0.02:.4f}")
    return {"out.log": "\n".join(lines) + "\n"}, [f"rank {bad}$"] if fault else HEALTHY


def ranks_stop(draw, fault):
    """Logs of eight ranks: one ends a step before the others, which wait for it; or all end with their last step."""
    bad, last, files = draw.randrange(8), draw.randint(60, 90), {}
    for rank in range(8):
        now, lines = 9 * 3600.0, []
        for step in range(last + 1 - (fault and rank == bad)):
            now += 4 * draw.gauss(1, 0.004)
            lines.append(f"2026-11-20 {int(now) // 3600:02d}:{int(now) // 60 % 60:02d}:{int(now) % 60:02d} begin step {step}")
        if not fault:
            lines.append("2026-11-20 10:40:00 training finished")
        files[f"rank_{rank}.log"] = "\n".join(lines) + "\n"
    return files, [f"rank {bad}$"] if fault else HEALTHY


def nccl_per_host(draw, fault):
    top = draw.uniform(340, 480)

    def text(s):
        out = "# nThread 1 nGpus 8 minBytes 1048576 maxBytes 1073741824 step: 4(factor) warmup iters: 5 iters: 20 agg iters: 1 validate: 1 graph: 0\n#\n# Using devices\n" + "".join(f"#  Rank  {gpu} Group  0 Pid   4711 on       self device  {gpu} [0x{0x18 + gpu:x}] NVIDIA H100 80GB HBM3\n" for gpu in range(8))
        out += "#\n#                                                              out-of-place                       in-place          \n#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)       \n"
        for power in range(20, 31, 2):
            size, bus = 2 ** power, top * s * draw.gauss(1, 0.003) * min(1, 2 ** (power - 28) + 0.3)
            alg = bus / 1.75
            out += f"{size:>12} {size // 4:>13}     float     sum      -1 {size / alg / 1e3:>8.2f} {alg:>7.2f} {bus:>7.2f}      0 {size / alg / 1e3:>8.2f} {alg:>7.2f} {bus:>7.2f}      0\n"
        return out + f"# Out of bounds values : 0 OK\n# Avg bus bandwidth    : {top * s * 0.7:.4f} \n#\n"

    return on_each_host(draw, fault, text, ".nccl.txt")


def gpu_fryer(draw, fault):
    bad, top, loss, text = draw.randrange(8), draw.uniform(40000, 700000), draw.uniform(0.6, 0.85), "Using device 0: NVIDIA H100 80GB HBM3\n"
    for gpu in range(8):
        rate = top * draw.gauss(1, 0.004) * (loss if fault and gpu == bad else 1)
        text += f"GPU #{gpu}: {rate:6.0f} Gflops/s (min: {rate * 0.97:.2f}, max: {rate * 1.02:.2f}, dev: {rate:.2f})\n         Temperature: {draw.uniform(58, 66):.2f}°C (min: 47.00, max: 67.00)\n         Throttling HW: false, Thermal SW: false, Thermal HW: false\n"
    return {"fryer.log": text + ("Some GPUs are not healthy\n" if fault else "All GPUs seem healthy\n") + "Freeing GPUs...\n"}, [f"{bad}$"] if fault else HEALTHY


def rvs_gst(draw, fault):
    ids = draw.sample(range(2000, 65000), 8)
    bad, target = draw.choice(ids), draw.uniform(90000, 900000)
    lines = ["[RESULT] [ 81211.300112] Action name :gpustress-90000-sgemm-true", "[RESULT] [ 81211.311230] Module name :gst"]
    for gpu in ids:
        ill = fault and gpu == bad
        rate = target * (draw.uniform(0.5, 0.8) if ill else draw.uniform(1.02, 1.05))
        lines.append(f"[RESULT] [ 81{draw.randint(212, 299)}.{draw.randint(100000, 999999)}] [gpustress-90000-sgemm-true] gst {gpu} GFLOPS {rate:.0f} Target GFLOPS: {target:.6f} met: {'FALSE' if ill else 'TRUE'}")
    return {"rvs.log": "\n".join(lines) + "\n"}, [str(bad)] if fault else HEALTHY


def elbencho(draw, fault):
    top = draw.uniform(3000, 12000)

    def text(s):
        out = "OPERATION   RESULT TYPE         FIRST DONE   LAST DONE\n=========== ================    ==========   =========\n"
        for name, share in (("WRITE", 0.8), ("READ", 1.0)):
            rate = top * share * s * draw.gauss(1, 0.003)
            out += f"{name:<11} Elapsed time     : {60000 / rate * 950:>11.3f}s {60000 / rate * 1000:>10.3f}s\n            IOPS             : {rate * 1.01:>12.0f} {rate:>11.0f}\n            Throughput MiB/s : {rate * 1.01:>12.0f} {rate:>11.0f}\n            Total MiB        : {60000:>12} {60480:>11}\n"
        return out + "---\n"

    return on_each_host(draw, fault, text, ".elbencho")


def vllm_latency(draw, fault):
    base = draw.uniform(0.8, 6)
    return on_each_host(draw, fault, lambda s: f"INFO 11-20 09:12:11 [__init__.py:239] Automatically detected platform cuda.\nSamplingParams(n=1, temperature=1.0, max_tokens=128)\nWarming up...\nProfiling iterations: 100%|██████████| 30/30 [01:12<00:00,  2.41s/it]\nAvg latency: {base / s} seconds\n10% percentile latency: {base / s * 0.99} seconds\n25% percentile latency: {base / s * 0.995} seconds\n50% percentile latency: {base / s} seconds\n75% percentile latency: {base / s * 1.004} seconds\n90% percentile latency: {base / s * 1.01} seconds\n99% percentile latency: {base / s * draw.uniform(1.02, 1.3)} seconds\n", ".latency.txt")


def hey(draw, fault):
    top = draw.uniform(200, 3000)
    return on_each_host(draw, fault, lambda s: f"\nSummary:\n  Total:\t{5000 / (top * s):.4f} secs\n  Slowest:\t{draw.uniform(0.6, 1.9):.4f} secs\n  Fastest:\t{10 / (top * s):.4f} secs\n  Average:\t{50 / (top * s):.4f} secs\n  Requests/sec:\t{top * s:.4f}\n  \n  Total data:\t1260000 bytes\n  Size/request:\t252 bytes\n\nLatency distribution:\n  10% in {20 / (top * s):.4f} secs\n  50% in {48 / (top * s):.4f} secs\n  99% in {90 / (top * s) * draw.uniform(1, 1.2):.4f} secs\n\nStatus code distribution:\n  [200]\t5000 responses\n", ".hey")


def gin_log(draw, fault):
    base = draw.uniform(0.9, 5)
    return steps(draw, fault, lambda at, f: f"[GIN] 2026/11/20 - {clock(at)} | 200 |  {base * f:.9f}s |       10.2.0.{draw.randint(2, 40)} | POST     \"/api/generate\"", 120)


def ray_dead(draw, fault):
    names = [f"10.2.{draw.randint(0, 9)}.{at + 10}" for at in range(6)]
    bad, lines = draw.choice(names), [f"(TrainWorker pid={draw.randint(2000, 90000)}, ip={name}) step {at}: loss {5 - at * 0.1:.3f}" for at in range(6) for name in names]
    if fault:
        lines += [f"2026-11-20 09:53:00,741\tWARNING worker.py:1829 -- The node with node id: {draw.getrandbits(160):040x} and address: {bad} and node name: {bad} has been marked dead because the detector has missed too many heartbeats from it. This can happen when a \t(1) raylet crashes unexpectedly (OOM, preempted node, etc.) ", "\t(2) raylet has lagging heartbeats due to slow network or busy workload."]
        return {"driver.log": "\n".join(lines) + "\n"}, [bad]
    lines += ["2026-11-20 09:53:00,741\tERROR tune_controller.py:1331 -- Trial task failed for trial TorchTrainer_4a1b2_00000", "Traceback (most recent call last):", "  File \"/opt/ray/air/execution/_internal/event_manager.py\", line 110, in resolve_future", "ray.exceptions.RayTaskError(ValueError): ray::_Inner.train()", "ValueError: Expected input batch_size (16) to match target batch_size (12)."]
    return {"driver.log": "\n".join(lines) + "\n"}, OPEN


def prrte_lost(draw, fault):
    names = hosts(draw, 6)
    bad, job = draw.choice(names[1:]), draw.randint(1000, 90000)
    if fault:
        text = "-" * 74 + f"\nPRTE has lost communication with a remote daemon.\n\n  HNP daemon   : [prterun-{names[0]}-{job}@0,0] on node {names[0]}\n  Remote daemon: [prterun-{names[0]}-{job}@0,{names.index(bad)}] on node {bad}\n\nThis is usually due to either a failure of the TCP network\nconnection to the node, or possibly an internal failure of\nthe daemon itself. We cannot recover from this failure, and\ntherefore will terminate the job.\n\n" + "-" * 74 + "\n"
        return {"mpirun.err": text}, [f"^{bad}"]
    return {"mpirun.err": "-" * 74 + "\nThere are not enough slots available in the system to satisfy the 48\nslots that were requested by the application:\n\n  ./train\n\nEither request fewer procs for your application, or make more slots\navailable for use.\n" + "-" * 74 + "\nTraceback (most recent call last):\n  File \"launch.py\", line 20, in <module>\nsubprocess.CalledProcessError: Command returned non-zero exit status 1.\n"}, OPEN


def glog_crash(draw, fault):
    """A C++ program of each rank under srun --label: one crashes and the others see it go; or all crash at the same place."""
    bad, lines = draw.randrange(8), [f"{rank}: I1120 09:{at:02d}:01.{draw.randint(100000, 999999)} {4000 + rank} trainer.cc:88] iteration {at * 100} loss {3 - at * 0.1:.3f}" for at in range(8) for rank in range(8)]
    for rank in [bad] if fault else range(8):
        lines += [f"{rank}: *** Aborted at 1795168{draw.randint(100, 999)} (unix time) try \"date -d @1795168000\" if you are using GNU date ***", f"{rank}: PC: @     0x7f2a6e2425{draw.randint(10, 99)} (unknown)", f"{rank}: *** SIGBUS (@0x7f2a5c000000) received by PID {4000 + rank} (TID 0x7f2a6e000000) from PID 1543503872; stack trace: ***" if fault else f"{rank}: *** SIGSEGV (@0x0) received by PID {4000 + rank} (TID 0x7f2a6e000000) from PID 0; stack trace: ***"]
    if fault:
        lines += [f"{rank}: terminate called after throwing an instance of 'gloo::IoException'\n{rank}:   what():  [../gloo/transport/tcp/pair.cc:598] Connection closed by peer [10.2.0.{bad + 2}]:23456" for rank in range(8) if rank != bad]
    return {"srun.log": "\n".join(lines) + "\n"}, [f"rank {bad}$"] if fault else OPEN


def faulthandler(draw, fault):
    bad, files = draw.randrange(6), {}
    for rank in range(6):
        inner = "  File \"/opt/train/data.py\", line 88 in next_batch\n" if fault and rank == bad else "  File \"/usr/lib/python3/torch/distributed/distributed_c10d.py\", line 2501 in all_reduce\n  File \"/opt/train/engine.py\", line 211 in step\n"
        files[f"rank{rank}.stacks"] = f"Thread 0x00007f{draw.getrandbits(32):08x}00 (most recent call first):\n  File \"/usr/lib/python3.11/threading.py\", line 324 in wait\n  File \"/usr/lib/python3.11/threading.py\", line 1002 in _bootstrap\n\nThread 0x00007f{draw.getrandbits(32):08x}00 (most recent call first):\n{inner}  File \"/opt/train/main.py\", line 301 in main\n  File \"/opt/train/main.py\", line 410 in <module>\n"
    return files, [f"rank {bad}$"] if fault else OPEN


def deepspeed_launcher(draw, fault):
    """DeepSpeed's launcher on one host says that it killed its processes after one had ended, not which rank was at fault."""
    pids = [draw.randint(2000, 90000) for _ in range(8)]
    lines = [f"[2026-11-20 09:{at:02d}:11,{draw.randint(100, 999)}] [INFO] [logging.py:107:log_dist] [Rank 0] step={at * 10}, skipped=0, lr=[3e-05], mom=[(0.9, 0.95)]" for at in range(20)]
    lines += [f"[2026-11-20 09:20:22,{draw.randint(100, 999)}] [INFO] [launch.py:335:sigkill_handler] Killing subprocess {pid}" for pid in pids]
    lines.append(f"[2026-11-20 09:20:24,533] [ERROR] [launch.py:341:sigkill_handler] ['/usr/bin/python3', '-u', 'train.py', '--local_rank=7', '--deepspeed', 'ds.json'] exits with return code = {-9 if fault else 1}")
    return {"ds.log": "\n".join(lines) + "\n"}, OPEN


SLOWER = r"\(x[1-9]"
FACTS = {"xtuner": SLOWER, "icefall": SLOWER, "deepspeed_chat": SLOWER, "lightning_csv": SLOWER, "wandb_history": SLOWER, "tensorboard_csv": SLOWER,
         "kv_ranks": "compute", "ranks_stop": "step", "nccl_per_host": "(?i)bandwidth|busbw", "gpu_fryer": "FLOP|Gflops", "rvs_gst": "(?i)flops|met",
         "elbencho": "(?i)throughput|iops", "vllm_latency": "latency", "hey": "(?i)requests/s|average|req", "gin_log": SLOWER, "ray_dead": "(?i)heartbeat|dead",
         "prrte_lost": "(?i)lost|daemon", "glog_crash": "SIGBUS", "faulthandler": "next_batch", "deepspeed_launcher": "-9|(?i:killed)"}
CASES = [xtuner, icefall, deepspeed_chat, lightning_csv, wandb_history, tensorboard_csv, kv_ranks, ranks_stop, nccl_per_host, gpu_fryer,
         rvs_gst, elbencho, vllm_latency, hey, gin_log, ray_dead, prrte_lost, glog_crash, faulthandler, deepspeed_launcher]
