"""What a job writes: step lines, server logs, launchers, heartbeats, exports of dashboards. Formats after nanoGPT, DeepSpeed,
Lightning and tqdm, JAX's coordination service, Horovod's stall inspector, torchrun, vLLM, SGLang, llama.cpp and Grafana, as they are
quoted in public reports of these projects. Values are drawn. A job's own log shows that it became slower, and no rank."""
from desk.cluster import HEALTHY, OPEN, hosts


def slowed(draw, count, fault):
    """Factors on a time per step: noise, each fiftieth step slow, and from some step on a lasting loss where there is a fault."""
    since, loss = draw.randint(count // 3, count * 2 // 3), draw.uniform(1.15, 1.8)
    for at in range(count):
        yield draw.gauss(1, 0.006) * (2.2 if at % 50 == 49 else 1) * (loss if fault and at >= since else 1)


def nanogpt(draw, fault):
    base = draw.uniform(180, 900)
    lines = [f"iter {at * 10}: loss {8 - at * 0.01:.4f}, time {base * factor:.2f}ms, mfu {42 / factor:.2f}%" for at, factor in enumerate(slowed(draw, 160, fault))]
    return {"train.log": "tokens per iteration will be: 491,520\n" + "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def deepspeed(draw, fault):
    base, lines = draw.uniform(300, 900), []
    for at, factor in enumerate(slowed(draw, 120, fault)):
        stamp = f"[2026-11-20 {9 + at // 60:02d}:{at % 60:02d}:{draw.randint(0, 59):02d},{draw.randint(0, 999):03d}]"
        f, b, s = base * 0.3 * factor, base * 0.6 * factor, base * 0.1 * factor
        lines.append(f"{stamp} [INFO] [logging.py:96:log_dist] [Rank 0] time (ms) | fwd_microstep: {f:.2f} | bwd_microstep: {b:.2f} | bwd_inner_microstep: {b * 0.9:.2f} | bwd_allreduce_microstep: {b * 0.1:.2f} | step_microstep: {s:.2f}")
        lines.append(f"{stamp} [INFO] [logging.py:96:log_dist] [Rank 0] time (ms) | fwd: {f:.2f} | bwd: {b:.2f} | bwd_inner: {b * 0.9:.2f} | bwd_allreduce: {b * 0.1:.2f} | step: {s:.2f}")
    return {"train.log": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def tqdm(draw, fault):
    base, text, clock = draw.uniform(0.8, 2.5), "", 0.0
    for at, factor in enumerate(slowed(draw, 300, fault)):
        clock += base * factor
        done = at + 1
        text += f"\rEpoch 0: {done * 100 // 1000:>3}%|{'█' * (done // 100):<10}| {done}/1000 [{int(clock) // 60:02d}:{int(clock) % 60:02d}<{int((1000 - done) * base) // 60:02d}:11,  {base * factor:.2f}s/it, v_num=3, train_loss={5 - at * 0.01:.3f}]"
    return {"lightning.log": text + "\n"}, OPEN if fault else HEALTHY


def jax_heartbeat(draw, fault):
    bad = draw.randrange(1, 16)
    lines = [f"completed step: {at}, seconds: {draw.gauss(3.2, 0.01):.3f}, TFLOP/s/device: 410.2, Tokens/s/device: 5120.1, total_weights: 65536, loss: {4 - at * 0.01:.3f}" for at in range(40)]
    if fault:
        lines += [f"E1120 09:40:12.331212    4711 coordination_service.cc:1222] Unavailable: The following tasks are unhealthy (stopped sending heartbeats): /job:jax_worker/replica:0/task:{bad}. The tasks have crashed. Check the task logs for an earlier error to debug further.",
                  "F1120 09:40:13.002133    4811 client.h:77] Terminating process because the JAX distributed service detected fatal errors."]
        return {"coordinator.log": "\n".join(lines) + "\n"}, [f"rank {bad}$"]
    return {"coordinator.log": "\n".join(lines) + "\n"}, HEALTHY


def horovod(draw, fault):
    missing = [draw.randrange(16)] if fault else sorted(draw.sample(range(16), 8))
    names = [f"DistributedOptimizer.grad/layer{at}/kernel" for at in draw.sample(range(40), 4)]
    lines = ["[1,0]<stderr>:[2026-11-20 09:40:12.331212: W /tmp/horovod/common/stall_inspector.cc:107] One or more tensors were submitted to be reduced, gathered or broadcasted by subset of ranks and are waiting for remainder of ranks for more than 60 seconds. This may indicate that different ranks are trying to submit different tensors or that only subset of ranks is submitting tensors, which will cause deadlock. ",
             "[1,0]<stderr>:Missing ranks:"]
    lines += [f"[1,0]<stderr>:{rank}: [{', '.join(names)} ...]" for rank in missing]
    return {"mpirun.log": "\n".join(lines) + "\n"}, [f"rank {missing[0]}$"] if fault else OPEN


def torchrun(draw, fault):
    names = hosts(draw, 2)
    local = draw.randrange(8)
    stamp = "1120 09:40:12.331000 22561 torch/distributed/elastic/multiprocessing/api.py"
    if not fault:
        return {"torchrun.log": f"W{stamp}:900] Sending process 22600 closing signal SIGTERM\nW{stamp}:900] Sending process 22601 closing signal SIGTERM\n"
                "torch.distributed.elastic.multiprocessing.api.SignalException: Process 22561 got signal: 15\n"}, OPEN
    rule = "=" * 60
    return {"torchrun.log": f"W{stamp}:897] Sending process 22600 closing signal SIGTERM\nE{stamp}:869] failed (exitcode: -9) local_rank: {local} (pid: {22600 + local}) of binary: /usr/bin/python3\n"
            f"torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n{rule}\ntrain.py FAILED\n{'-' * 60}\nFailures:\n  <NO_OTHER_FAILURES>\n{'-' * 60}\n"
            f"Root Cause (first observed failure):\n[0]:\n  time      : 2026-11-20_09:40:12\n  host      : {names[1]}\n  rank      : {8 + local} (local_rank: {local})\n"
            f"  exitcode  : -9 (pid: {22600 + local})\n  error_file: <N/A>\n  traceback : Signal 9 (SIGKILL) received by PID {22600 + local}\n{rule}\n"}, [f"rank {8 + local}$"]


def vllm(draw, fault):
    """Less throughput with the same requests running is a fault, less throughput because fewer come is none."""
    each, lines, since = draw.uniform(25, 40), [], draw.randint(50, 90)
    for at in range(140):
        running = 64 if fault or at < since else draw.randint(20, 24)
        rate = each * running * draw.gauss(1, 0.01) * (draw.uniform(0.58, 0.6) if fault and at >= since else 1)
        lines.append(f"(APIServer pid=411) INFO 11-20 {9 + at // 360:02d}:{at // 6 % 60:02d}:{at % 6 * 10:02d} [loggers.py:257] Engine 000: Avg prompt throughput: {draw.uniform(900, 1100):.1f} tokens/s, Avg generation throughput: {rate:.1f} tokens/s, Running: {running} reqs, Waiting: 0 reqs, GPU KV cache usage: {draw.uniform(40, 45):.1f}%, Prefix cache hit rate: 12.1%")
    return {"server.log": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def sglang(draw, fault):
    each, lines, since = draw.uniform(25, 40), [], draw.randint(50, 90)
    for at in range(140):
        running = 32 if fault or at < since else draw.randint(8, 10)
        rate = each * running * draw.gauss(1, 0.01) * (draw.uniform(0.68, 0.7) if fault and at >= since else 1)
        lines.append(f"[2026-11-20 09:{at // 30:02d}:{at % 30 * 2:02d} TP0] Decode batch. #running-req: {running}, #token: {20000 + at}, token usage: 0.{draw.randint(30, 33)}, cuda graph: True, gen throughput (token/s): {rate:.2f}, #queue-req: 0, ")
    return {"sglang.log": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def llama_cpp(draw, _):
    tokens, ms = draw.randint(64, 512), draw.uniform(12, 60)
    return {"run.log": f"llama_perf_sampler_print:    sampling time =      11.10 ms /   {tokens + 20} runs   (    0.05 ms per token, 20000.00 tokens per second)\n"
            f"llama_perf_context_print:        load time =    1810.22 ms\nllama_perf_context_print: prompt eval time =     210.40 ms /    20 tokens (   10.52 ms per token,    95.06 tokens per second)\n"
            f"llama_perf_context_print:        eval time = {ms * tokens:>10.2f} ms / {tokens:>5} runs   ({ms:>8.2f} ms per token, {1000 / ms:>8.2f} tokens per second)\n"}, OPEN


def grafana(draw, fault):
    names = hosts(draw, 10)
    bad = draw.choice(names)
    since, loss = draw.randint(30, 80), draw.uniform(0.6, 0.8)
    lines = ['"Time",' + ",".join(f'"{name}"' for name in names)]
    for at in range(150):
        row = [f"{1755 * draw.gauss(1, 0.006) * (loss if fault and name == bad and at >= since else 1):.0f}" for name in names]
        lines.append(f"2026-11-20 {9 + at // 60:02d}:{at % 60:02d}:00," + ",".join(row))
    return {"SM clock-data-2026-11-20.csv": "\n".join(lines) + "\n"}, [bad] if fault else HEALTHY


CASES = [nanogpt, deepspeed, tqdm, jax_heartbeat, horovod, torchrun, vllm, sglang, llama_cpp, grafana]
