"""Logs and results of jobs that the desk was made with: watchdogs, step lines, straggler reports, serving benchmarks, tables of
schedulers. Formats as in docs/formats/desk-*.md. Values are drawn."""
import json

from desk.cluster import HEALTHY, OPEN, hosts
from desk.job import slowed


def watchdog(draw, fault):
    bad, seq = draw.randrange(8), draw.randint(100, 90000)
    files = {}
    for rank in range(8):
        stamp = f"[rank{rank}]:[E1120 09:40:{10 + rank}.{draw.randint(100, 999)} ProcessGroupNCCL.cpp:"
        text = "" if fault and rank == bad else f"{stamp}616] [Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={seq}, OpType=ALLREDUCE, NumelIn=8388608, NumelOut=8388608, Timeout(ms)=600000) ran for 600070 milliseconds before timing out.\n"
        last = seq - 1 if fault and rank == bad else seq
        files[f"rank{rank}.log"] = f"step {seq // 40} done\n" + text + f"{stamp}1785] [PG ID 0 PG GUID 0(default_pg) Rank {rank}] Exception (either an error or timeout) detected by watchdog at work: {last}, last enqueued NCCL work: {last}, last completed NCCL work: {seq - 1}.\n"
    return files, [f"rank {bad}$"] if fault else OPEN


def ras(draw, fault):
    ahead = draw.randint(1, 3)
    text = "NCCL version 2.24.3 compiled with CUDA 12.4\n\nCommunicators... (0.00s)\n=============\n\nErrors\n======\n\nWarnings\n========\n\n" if fault else ""
    if not fault:
        return {"nccl.log": "".join(f"n1:{100 + r}:{200 + r} [{r}] NCCL INFO Channel 00/0 : {r}[{r}] -> {(r + 1) % 8}[{(r + 1) % 8}] via P2P/CUMEM\n" for r in range(8))}, HEALTHY
    text += (f"#0-0 (8f2a11) MISMATCH\n  Communicator ranks have different collective operation counts\n  {32 - ahead} ranks have launched up to operation {640}\n  {ahead} ranks have launched up to operation {641}\n")
    return {"ras.txt": text}, None  # only recognition


def megatron(draw, fault, ranks=False):
    base, since, bad, lines = draw.uniform(3, 9), draw.randint(20, 30), draw.randrange(64), []
    loss = draw.uniform(1.2, 1.6)
    for at in range(48):
        time = base * draw.gauss(1, 0.004) * (loss if fault and at >= since else 1)
        lines.append(f" [2026-11-20 09:{at:02d}:11] iteration {at * 10 + 10:>8}/  500000 | consumed samples: {at * 10240} | elapsed time per iteration (ms): {time * 1000:.1f} | throughput per GPU (TFLOP/s/GPU): {2000 / time:.1f} | learning rate: 3.0E-05 | global batch size:  1024 | lm loss: {8 - at * 0.05:.6E} |")
        if ranks:
            slow = bad if fault and at >= since else draw.randrange(64)
            lines.append(f"[2026-11-20 09:{at:02d}:12] MnRtt/Rnk: 5.1ms/{draw.randrange(64)} | MxRtt/Rnk: {time * 1000 * 0.98:.2f}ms/{slow} | MnClk/Rnk: {1095 if fault and at >= since else 1965}.00MHz/{slow} | MxClk/Rnk: 1980.00MHz/{draw.randrange(64)}")
    return {"pretrain.log": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def torchtitan(draw, fault):
    base = draw.uniform(5000, 9000)
    lines = [f"[titan] 2026-11-20 09:{at // 60:02d}:{at % 60:02d},{draw.randint(0, 999):03d} - root - INFO - step: {at * 10 + 10:>4}  loss: {8 - at * 0.02:.4f}  memory: 47.52GiB(59.99%)  tps: {base / factor:,.0f}  tflops: {base / factor / 17:.2f}  mfu: {base / factor / 170:.2f}%" for at, factor in enumerate(slowed(draw, 120, fault))]
    return {"train.log": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def nemo(draw, fault):
    lines = [f"Training epoch 0, iteration {at}/400 | lr: 3e-05 | consumed_samples: {at * 512} | global_batch_size: 512 | global_step: {at} | reduced_train_loss: {8 - at * 0.01:.3f} | train_step_timing in s: {4.5 * factor:.3f}" for at, factor in enumerate(slowed(draw, 150, fault))]
    return {"nemo.log": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def deepspeed_rate(draw, fault):
    lines = [f"[2026-11-20 09:{at // 60:02d}:{at % 60:02d},{draw.randint(0, 999):03d}] [INFO] [timer.py:260:stop] epoch=0/micro_step={at * 10}/global_step={at * 10}, RunningAvgSamplesPerSec=58.7, CurrSamplesPerSec={61 / factor:.4f}, MemAllocated=6.01GB, MaxMemAllocated=19.5GB" for at, factor in enumerate(slowed(draw, 130, fault))]
    return {"ds.log": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def maxtext(draw, fault):
    lines = [f"completed step: {at}, seconds: {3.2 * factor:.3f}, TFLOP/s/device: {410 / factor:.3f}, Tokens/s/device: {5120 / factor:.3f}, total_weights: 65536, loss: {8 - at * 0.01:.3f}" for at, factor in enumerate(slowed(draw, 140, fault))]
    return {"maxtext.log": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def trainer(draw, fault):
    lines, clock = [], 0.0
    for at, factor in enumerate(slowed(draw, 140, fault)):
        clock += 10 * factor
        lines.append(f"2026-11-20T{9 + int(clock) // 3600:02d}:{int(clock) // 60 % 60:02d}:{int(clock) % 60:02d}.{int(clock % 1 * 1e9):09d}Z {{'loss': {4 - at * 0.01:.4f}, 'grad_norm': 1.2, 'learning_rate': 4.9e-05, 'epoch': {at * 0.02 + 0.02:.2f}}}")
    return {"trainer.log": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def mllog(draw, fault):
    clock, lines = 1760000000000, []
    for at, factor in enumerate(slowed(draw, 60, fault)):
        clock += int(10000 * factor)
        lines.append(':::MLLOG {"namespace": "", "time_ms": %d, "event_type": "POINT_IN_TIME", "key": "tracked_stats", "value": {"throughput": %.3f}, "metadata": {"file": "cb.py", "lineno": 90, "step": %d}}' % (clock, 1800 / factor, at * 10 + 10))
    return {"mlperf.log": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def serving_text(draw, _):
    return {"bench.log": "Traffic request rate: 10.0\n============ Serving Benchmark Result ============\nSuccessful requests:                     1000\nBenchmark duration (s):                  112.40\nTotal input tokens:                      1024000\nTotal generated tokens:                  128000\n"
            f"Request throughput (req/s):              8.90\nOutput token throughput (tok/s):         {draw.uniform(1100, 1200):.2f}\nMedian TTFT (ms):                        {draw.uniform(300, 500):.2f}\nMedian TPOT (ms):                        {draw.uniform(30, 40):.2f}\n==================================================\n"}, OPEN


def serving_json(draw, _):
    return {"bench.json": json.dumps({"date": "20261120-091500", "backend": "vllm", "model_id": "meta-llama/Llama-3.1-8B", "num_prompts": 500, "request_rate": "inf", "duration": 60.2, "completed": 500, "total_input_tokens": 512000, "total_output_tokens": 64000,
                                      "request_throughput": 8.3, "output_throughput": draw.uniform(1000, 1200), "median_ttft_ms": draw.uniform(100, 300), "median_tpot_ms": draw.uniform(10, 30)})}, OPEN


def genai_json(draw, _):
    def row(unit, value):
        return {"unit": unit, "avg": value, "p50": value, "p99": value * 2, "min": value / 2, "max": value * 3, "std": 1}
    return {"genai.json": json.dumps({"request_throughput": row("requests/sec", draw.uniform(5, 9)), "time_to_first_token": row("ms", draw.uniform(100, 300)), "inter_token_latency": row("ms", draw.uniform(10, 30)), "output_token_throughput": row("tokens/sec", draw.uniform(900, 1200))})}, OPEN


def rocprof(draw, _):
    return {"stats.csv": '"Name","Calls","TotalDurationNs","AverageNs","Percentage"\n' + "".join(f'"Cijk_Ailk_Bljk_HHS_BH_{draw.getrandbits(20)}",{100 + i},{(100 + i) * 90000},90000,{20 - i}\n' for i in range(8))}, OPEN


def ncu(draw, _):
    return {"ncu.csv": '"ID","Process ID","Process Name","Kernel Name","Metric Name","Metric Unit","Metric Value"\n' + "".join(f'"{i}","411","python3","gemm_{draw.getrandbits(16)}","gpu__time_duration.sum","nsecond","{90000 + i}"\n' for i in range(8))}, OPEN


def sacct(draw, fault):
    names = hosts(draw, 12)
    bad, lines = draw.choice(names), ["JobID|JobName|NodeList|State|ExitCode|Elapsed"]
    for job in range(12):
        members = draw.sample([name for name in names if name != bad], 3)
        fails = fault and job % 3 == 0
        lines.append(f"{700 + job}|train|{','.join(sorted(members + [bad]) if fails else sorted(members))}|{'NODE_FAIL' if fails else 'COMPLETED'}|{'1:0' if fails else '0:0'}|01:{job:02d}:00")
    return {"sacct.txt": "\n".join(lines) + "\n"}, [f"^{bad}$"] if fault else HEALTHY


def scontrol_node(draw, fault):
    names = hosts(draw, 4)
    bad, text = draw.choice(names), ""
    for name in names:
        down = fault and name == bad
        text += f"NodeName={name} Arch=x86_64 CoresPerSocket=56\n   CPUAlloc=0 CPUTot=224 CPULoad=0.31\n   State={'DOWN*' if down else 'IDLE'} ThreadsPerCore=2 TmpDisk=0 Weight=1\n" + ("   Reason=Not responding [slurm@2026-11-20T09:40:02]\n" if down else "") + "\n"
    return {"nodes.txt": text}, [f"^{bad}$"] if fault else HEALTHY


def scontrol_job(draw, _):
    return {"job.txt": f"JobId={draw.randint(100, 999)} JobName=pretrain\n   UserId=a(1000) GroupId=a(1000)\n   JobState=COMPLETED Reason=None Dependency=(null)\n   NodeList=gpu[001-004]\n   BatchHost=gpu001\n"}, HEALTHY


def kube_events(draw, fault):
    names = hosts(draw, 3)
    bad = draw.choice(names)
    lines = ["LAST SEEN   TYPE      REASON             OBJECT            MESSAGE"]
    lines += [f"{9 - at}m          Normal    Scheduled          pod/train-{at}       Successfully assigned default/train-{at} to {name}" for at, name in enumerate(names)]
    if fault:
        lines.append(f"2m          Normal    NodeNotReady       node/{bad}{' ' * max(1, 13 - len(bad))}Node {bad} status is now: NodeNotReady")
    return {"events.txt": "\n".join(lines) + "\n"}, [f"^{bad}$"] if fault else HEALTHY


LOGS = [watchdog, megatron, torchtitan, nemo, deepspeed_rate, maxtext, mllog]
TABLES = [trainer, serving_text, serving_json, genai_json, rocprof, ncu, sacct, scontrol_node, scontrol_job, kube_events]
