"""Lines that people paste into issues when a job is slow or dead: time-outs behind a numbered prefix, lost heartbeats, transports of NCCL,
step lines of MaxText, MaxDiffusion, Megatron and TensorFlow, reports on slow ranks, and benchmarks host by host (SGLang, TensorRT-LLM,
AIPerf, perftest, nccl-tests of before 2022). docs/notes/2026-11-27-desk-reports.md lists the threads. Values are drawn."""
import json

from desk.benchmarks import on_each_host
from desk.cluster import HEALTHY, OPEN, hosts
from desk.job import slowed
from desk.more import steps
from desk.trainers import clock


def watchdog_numbered(draw, fault):
    """One file of all ranks, each line behind its number. The rank at fault finished what the others wait in, and was given no more."""
    ranks, work, bad = draw.choice([4, 8]), draw.randint(900, 90000), draw.randrange(4)
    at, lines = draw.randint(10000, 90000), []
    for rank in draw.sample(range(ranks), ranks):
        ill = fault and rank == bad
        stamp = f"[rank{rank}]:[E321 02:07:{draw.randint(8, 9):02d}.{draw.randint(10**8, 10**9 - 1)}"
        if not ill:
            lines.append(f"{stamp} ProcessGroupNCCL.cpp:607] [Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={work}, OpType=ALLREDUCE, NumelIn=466119168, NumelOut=466119168, Timeout(ms)=600000) ran for {draw.randint(600004, 600090)} milliseconds before timing out.")
        lines.append(f"{stamp} ProcessGroupNCCL.cpp:1664] [PG 1 Rank {rank}] Exception (either an error or timeout) detected by watchdog at work: {work}, last enqueued NCCL work: {work - 1 if ill else work + 2}, last completed NCCL work: {work - 1}.")
    return {"train.log": "".join(f"[{at + number}] {line}\n" for number, line in enumerate(lines))}, [f"rank {bad}$"] if fault else OPEN


def heartbeat_stuck(draw, fault):
    """Every rank lost its watchdog's heartbeat: nobody can be named. The twin is a log of the same start-up without it."""
    lines = [f"[rank{rank}]:[W626 04:10:0{rank % 10}.{draw.randint(10**8, 10**9 - 1)} ProcessGroupNCCL.cpp:4115] [PG ID 0 PG GUID 0 Rank {rank}]  using GPU {rank} to perform barrier as devices used by this process are currently unknown." for rank in range(8)]
    if fault:
        lines += [f"[rank{rank}]:[E626 05:14:36.{draw.randint(10**8, 10**9 - 1)} ProcessGroupNCCL.cpp:1743] [PG ID 0 PG GUID 0(default_pg) Rank {rank}] ProcessGroupNCCL's watchdog got stuck for 480 seconds without making progress in monitoring enqueued collectives. This typically indicates a NCCL/CUDA API (e.g., CudaEventDestroy) hang blocking the watchdog." for rank in draw.sample(range(8), 8)]
    else:
        lines += [f"[rank{rank}]:[E626 05:14:36.{draw.randint(10**8, 10**9 - 1)} ProcessGroupNCCL.cpp:632] [Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=120049, OpType=_ALLGATHER_BASE, NumelIn=16384000, NumelOut=131072000, Timeout(ms)=1800000) ran for 18000{draw.randint(10, 99)} milliseconds before timing out." for rank in draw.sample(range(8), 8)]
    return {"job.err": "\n".join(lines) + "\n"}, OPEN


def nccl_socket(draw, fault):
    """mpirun --tag-output of four hosts with NCCL_DEBUG=INFO: one host's plugin found no device, it goes over TCP."""
    names, lines = hosts(draw, 4), []
    bad = draw.choice(names)
    for node, name in enumerate(names):
        kind = "Socket" if fault and name == bad else "IB"
        for gpu in range(8):
            rank, pid = node * 8 + gpu, 48000 + gpu
            way = "NET/Socket/0" if kind == "Socket" else f"NET/IB/{gpu}/GDRDMA"
            lines.append(f"[1,{rank}]<stdout>:{name}:{pid}:{pid} [{gpu}] NCCL INFO Using network {kind}")
            lines += [f"[1,{rank}]<stdout>:{name}:{pid}:{pid + 90} [{gpu}] NCCL INFO Channel {channel:02d}/0 : {rank}[{gpu}] -> {(rank + 8) % 32}[{gpu}] [send] via {way}" for channel in range(2)]
            lines.append(f"[1,{rank}]<stdout>:{name}:{pid}:{pid + 90} [{gpu}] NCCL INFO Connected all rings")
    draw.shuffle(lines)
    return {"nccl.log": "\n".join(lines) + "\n"}, [f"^{bad}"] if fault else HEALTHY


def nccl_shm(draw, fault):
    """One host of four moves data between its GPUs through host memory where the others use NVLink."""
    names, files = hosts(draw, 4), {}
    bad = draw.choice(names)
    for name in names:
        way = "SHM/direct/direct" if fault and name == bad else "P2P/CUMEM/read"
        lines = [f"{name}:67395:67395 [0] NCCL INFO NCCL version 2.21.5+cuda12.4"]
        for gpu in range(8):
            lines += [f"{name}:{65958 + gpu}:{67394 + gpu} [{gpu}] NCCL INFO comm 0x5599f9cc8900 rank {gpu} nranks 8 cudaDev {gpu} nvmlDev {gpu} busId {(0x1b + gpu) << 12:x} commId 0x1ad9716b1600c155 - Init START", *[f"{name}:{65958 + gpu}:{67394 + gpu} [{gpu}] NCCL INFO Channel {channel:02d} : {gpu}[{gpu}] -> {(gpu + 1) % 8}[{(gpu + 1) % 8}] via {way}" for channel in range(4)], f"{name}:{65958 + gpu}:{67394 + gpu} [{gpu}] NCCL INFO Connected all rings"]
        files[f"{name}.log"] = "\n".join(lines) + "\n"
    return files, [f"^{bad}"] if fault else HEALTHY


def maxtext_absl(draw, fault):
    base, pid = draw.uniform(1, 12), draw.randint(10**14, 10**15)
    return steps(draw, fault, lambda at, f: f"I0811 {clock(at)}.{draw.randint(100000, 999999)} {pid} metric_logger.py:226] completed step: {at}, seconds: {base * f:.3f}, TFLOP/s/device: {350 / (f):.3f}, Tokens/s/device: {196608 / (base * f):.3f}, total_weights: 1572864, loss: {13 - at * 0.02:.3f}, lm_loss: {13 - at * 0.02:.3f}, perplexity: {draw.uniform(4e5, 5e5):.3f}")


def maxdiffusion(draw, fault):
    base = draw.uniform(2, 14)
    return steps(draw, fault, lambda at, f: f"completed step: {at}, seconds: {base * f:.3f}, TFLOP/s/device: {348.5 / f:.3f}, Samples/s/device: {1 / (base * f):.4f}, loss: {1.9 - at * 0.003:.3f}")


def megatron_undated(draw, fault):
    base, size = draw.uniform(4000, 130000), draw.choice([512, 1024])
    return steps(draw, fault, lambda at, f: f" iteration {at + 1:>8}/  250000 | consumed samples: {(at + 1) * size:>12} | elapsed time per iteration (ms): {base * f:.1f} | learning rate: {(at + 1) * 7.5e-08:.3E} | global batch size: {size:>5} | lm loss: {10 - at * 0.03:.6E} | loss scale: 1.0 | grad norm: {draw.uniform(0.1, 0.9):.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |")


def tf_examples(draw, fault):
    base = draw.uniform(0.2, 2)
    return steps(draw, fault, lambda at, f: f"2026-11-20 {clock(at)}.{draw.randint(100000, 999999)}: step {at * 10}, loss = {4.7 - at * 0.01:.2f} ({128 / (base * f):.1f} examples/sec; {base * f:.3f} sec/batch)")


def flagscale_report(draw, fault):
    """FlagScale's report of slow ranks: the sections' times of each rank, at several steps."""
    bad, lines = draw.randrange(8), []
    for step in range(10, 130, 10):
        lines += ["", f"=== Straggler Report at Step {step} ===", "", "Section Timings (ms):"]
        for section, base in (("forward", 212.0), ("backward", 431.0), ("optimizer", 9.5)):
            times = [base * draw.gauss(1, 0.012) * (1.5 if fault and rank == bad and section != "optimizer" else 1) for rank in range(8)]
            lines += ["", f"  {section}:", f"    Min: {min(times):.2f}ms, Max: {max(times):.2f}ms, Avg: {sum(times) / 8:.2f}ms, Slowdown: {max(times) / min(times):.2f}x", *[f"    Rank {rank}: {time:.2f}ms" for rank, time in enumerate(times)]]
    return {"output.log": "".join(f"[default0]:{line}\n" for line in lines)}, [f"rank {bad}$"] if fault else HEALTHY


def relative_scores(draw, fault):
    """Scores of GPUs that rank 0 prints: the share of the fastest peer's speed."""
    bad, lines = draw.randrange(8), []
    for _ in range(6):
        scores = {rank: round(draw.uniform(0.55, 0.62) if fault and rank == bad else draw.uniform(0.965, 1), 4) for rank in range(8)}
        lines += ["Rank 0 GPUs relative perf: " + str(scores), "Rank 0 GPUs individual perf: " + str({rank: round(draw.uniform(0.97, 1), 4) for rank in range(8)})]
    return {"train.out": "\n".join(lines) + "\n"}, [f"rank {bad}$"] if fault else HEALTHY


def sglang_hosts(draw, fault):
    rate, first, between = draw.uniform(8, 14), draw.uniform(300, 2500), draw.uniform(15, 30)

    def text(f):
        return "\n".join(["============ Serving Benchmark Result ============", "Backend:                                 sglang    ", "Traffic request rate:                    inf       ", "Max request concurrency:                 330       ", "Successful requests:                     660       ", f"Benchmark duration (s):                  {660 / (rate * f):.2f}     ",
                          "Total input tokens:                      675840    ", "Total generated tokens:                  675840    ", f"Request throughput (req/s):              {rate * f:.2f}     ", f"Input token throughput (tok/s):          {rate * f * 1024:.2f}  ", f"Output token throughput (tok/s):         {rate * f * 1024:.2f}  ", f"Total token throughput (tok/s):          {rate * f * 2048:.2f}  ", "Concurrency:                             315.98    ",
                          "----------------End-to-End Latency----------------", f"Mean E2E Latency (ms):                   {26530 / f:.2f}  ", "---------------Time to First Token----------------", f"Mean TTFT (ms):                          {first / f:.2f}   ", "---------------Inter-Token Latency----------------", f"Mean ITL (ms):                           {between / f:.2f}     ", "=================================================="]) + "\n"
    return on_each_host(draw, fault, text, ".txt")


def trtllm_overview(draw, fault):
    rate = draw.uniform(5, 250)

    def text(f):
        bar = "=" * 59
        return "\n".join([bar, "= PYTORCH BACKEND", bar, "Model:\t\t\tmeta-llama/Llama-3.1-8B-Instruct", "TensorRT-LLM Version:\t1.1.0rc1", "Dtype:\t\t\tbfloat16", "", bar, "= REQUEST DETAILS", bar, "Number of requests:             6144", f"Number of concurrent requests:  {draw.uniform(1010, 1020):.4f}", "Average Input Length (tokens):  1024.0000", "Average Output Length (tokens): 1024.0000", "", bar, "= WORLD + RUNTIME INFORMATION", bar, "TP Size:                4", "PP Size:                1", "Max Runtime Batch Size: 1024", "Issue Rate (req/sec):   1.1684E+17", "", bar, "= PERFORMANCE OVERVIEW", bar,
                          f"Request Throughput (req/sec):                     {rate * f:.4f}", f"Total Output Throughput (tokens/sec):             {rate * f * 1024:.4f}", f"Total Latency (ms):                               {6144e3 / (rate * f):.4f}", f"Average request latency (ms):                     {2900e3 / (rate * f):.4f}", f"Per GPU Output Throughput (tps/gpu):              {rate * f * 256:.4f}", bar]) + "\n"
    return on_each_host(draw, fault, text, ".txt")


def trtllm_benchmark(draw, fault):
    """The line of TensorRT-LLM's benchmark.py, host by host."""
    base = draw.uniform(200, 5000)
    return on_each_host(draw, fault, lambda f: "".join(f"[BENCHMARK] model_name llama_13b world_size 2 num_heads 40 num_kv_heads 40 num_layers 40 hidden_size 5120 vocab_size 32000 precision float16 batch_size {size} input_length 710 output_length 190 gpu_peak_mem(gb) 0.0 build_time(s) 116.39 tokens_per_sec {190e3 * size / (base / f):.2f} percentile95(ms) {base / f * 1.01:.3f} percentile99(ms) {base / f * 1.02:.3f} latency(ms) {base / f:.3f} compute_cap sm80\n" for size in (1, 8, 16)), ".log")


def aiperf_hosts(draw, fault):
    latency, first = draw.uniform(2000, 7000), draw.uniform(40, 400)

    def text(f):
        spread = lambda value: {"unit": "ms", "avg": value, "p50": value * 0.99, "p90": value * 1.02, "p99": value * 1.03, "min": value * 0.96, "max": value * 1.05, "std": value * 0.01}
        return json.dumps({"request_throughput": {"unit": "requests/sec", "avg": 1000 / latency * f}, "request_latency": spread(latency / f), "request_count": {"unit": "requests", "avg": 80.0}, "time_to_first_token": spread(first / f), "inter_token_latency": spread(latency / f / 256)}, indent=2)
    return on_each_host(draw, fault, text, ".json")


def write_bw(draw, fault):
    top = draw.uniform(11200, 11800)

    def text(f):
        line = "-" * 87
        return "\n".join([line, "                    RDMA_Write BW Test", " Dual-port       : OFF\t\tDevice         : mlx5_0", " Number of qps   : 1\t\tTransport type : IB", " Connection type : RC\t\tUsing SRQ      : OFF", " Mtu             : 4096[B]", " Link type       : Ethernet", line, f" local address: LID 0000 QPN 0x0108 PSN 0x{draw.getrandbits(24):06x}", line, " #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]",
                          *[f" {size:<11}{5000:<16}{top * f * share * 1.002:.2f}{'':<12}{top * f * share:.2f}{'':<12}{top * f * share * 1.048576 / size:.6f}" for size, share in ((65536, 0.97), (1048576, 0.999), (8388608, 1))], line]) + "\n"
    return on_each_host(draw, fault, text, ".bw", 0.003)


def nccl_tests_old(draw, fault):
    """Pairs of four hosts, in the columns of nccl-tests before 2022 (error for wrong, no root), hosts in the list of devices."""
    names, files = hosts(draw, 4), {}
    bad, top = draw.choice(names), draw.uniform(80, 380)
    for at, one in enumerate(names):
        for other in names[at + 1:]:
            rate = top * draw.gauss(1, 0.01) * (0.5 if fault and bad in (one, other) else 1)
            lines = ["# nThread 1 nGpus 1 minBytes 1048576 maxBytes 1073741824 step: 2(factor) warmup iters: 5 iters: 20 validation: 1", "#", "# Using devices"]
            lines += [f"#   Rank {rank:>2} Pid {1320 + rank:>6} on {(one if rank < 8 else other):>10} device {rank % 8:>2} [0x{0x18 + rank % 8:02x}] Tesla V100-SXM2-16GB" for rank in range(16)]
            lines += ["#", "#                                                       out-of-place                       in-place", "#       size         count      type   redop     time   algbw   busbw  error     time   algbw   busbw  error", "#        (B)    (elements)                       (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)"]
            best = 0
            for size in (2**20, 2**24, 2**27, 2**30):
                share = 1 / (1 + 2**24 / size)
                bus = rate * share
                best += bus / 4
                lines.append(f"{size:>12}{size // 4:>14}     float     sum{size / (bus * 1e3) * 1.875:>9.1f}{bus / 1.875:>8.2f}{bus:>8.2f}  2e-06{size / (bus * 1e3) * 1.875:>9.1f}{bus / 1.875:>8.2f}{bus * 1.002:>8.2f}  2e-06")
            files[f"{one}-{other}.txt"] = "\n".join(lines + ["# Out of bounds values : 0 OK", f"# Avg bus bandwidth    : {best:.4f}", "#"]) + "\n"
    return files, [f"^{bad}"] if fault else HEALTHY


CASES = [watchdog_numbered, heartbeat_stuck, nccl_socket, nccl_shm, maxtext_absl, maxdiffusion, megatron_undated, tf_examples, flagscale_report, relative_scores, sglang_hosts, trtllm_overview, trtllm_benchmark, aiperf_hosts, write_bw, nccl_tests_old]
SLOWER = "(?i)second|time|/s|per s"
FACTS = {"watchdog_numbered": "(?i)enqueued|allreduce", "heartbeat_stuck": "(?i)watchdog|heartbeat|allgather", "nccl_socket": "(?i)socket", "nccl_shm": "SHM", "maxtext_absl": SLOWER, "maxdiffusion": SLOWER,
         "megatron_undated": SLOWER, "tf_examples": SLOWER, "flagscale_report": "(?i)forward|backward", "relative_scores": "(?i)perf|score|speed", "sglang_hosts": "(?i)throughput|latency|TTFT|ITL|token",
         "trtllm_overview": "(?i)throughput|latency", "trtllm_benchmark": "(?i)latency|tokens", "aiperf_hosts": "(?i)latency|throughput|first token", "write_bw": "(?i)BW|bandwidth", "nccl_tests_old": "(?i)bandwidth"}
