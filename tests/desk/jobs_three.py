"""A third set of what jobs write: step lines of TRL, Caffe, Darknet, MXNet, TensorFlow's hooks, Stable-Baselines3, XGBoost, HOOMD-blue, WRF and
OpenFOAM, benchmarks host by host (ab, k6, CUDA's bandwidthTest, sockperf, mdtest) and dcgmproftester's lines of each GPU, and failures as
MVAPICH, Hydra, srun and Cray's PALS report them. Formats as these programs print them. Values are drawn."""
from desk.benchmarks import on_each_host
from desk.cluster import HEALTHY, OPEN, hosts
from desk.job import slowed
from desk.more import steps
from desk.trainers import clock


def trl(draw, fault):
    base = draw.uniform(8, 60)
    return steps(draw, fault, lambda at, f: f"{{'loss': {draw.uniform(-0.01, 0.02):.4f}, 'grad_norm': {draw.uniform(0.1, 0.9):.6f}, 'learning_rate': 1e-06, 'num_tokens': {at * 412000 + 398211}.0, 'completions/mean_length': {draw.uniform(310, 330):.3f}, 'rewards/accuracy/mean': {0.2 + at * 0.003:.5f}, 'step_time': {base * f:.6f}, 'entropy': {draw.uniform(0.2, 0.4):.6f}, 'epoch': {at * 0.01:.2f}}}", 90)


def caffe(draw, fault):
    base = draw.uniform(0.1, 0.9)
    return steps(draw, fault, lambda at, f: f"I1120 {clock(at, 60)}.{draw.randint(100000, 999999)}  4711 solver.cpp:239] Iteration {at * 100} ({1 / (base * f):.6g} iter/s, {100 * base * f:.6g}s/100 iters), loss = {2 - at * 0.005:.6g}")


def darknet(draw, fault):
    base = draw.uniform(1.5, 6)
    return steps(draw, fault, lambda at, f: f"{at + 1}: {900 - at * 3:.6f}, {920 - at * 3:.6f} avg loss, 0.001000 rate, {base * f:.6f} seconds, {(at + 1) * 64} images, {draw.uniform(4, 9):.6f} hours left", 150)


def mxnet(draw, fault):
    top = draw.uniform(900, 9000)
    return steps(draw, fault, lambda at, f: f"INFO:root:Epoch[0] Batch [{at * 20}-{at * 20 + 20}]\tSpeed: {top / f:.2f} samples/sec\taccuracy={0.01 + at * 0.001:.6f}")


def tf_global_step(draw, fault):
    base, lines = draw.uniform(0.2, 1.4), []
    for at, f in enumerate(slowed(draw, 120, fault)):
        lines += [f"INFO:tensorflow:global_step/sec: {1 / (base * f):.6g}", f"I1120 {clock(at)}.{draw.randint(100000, 999999)} 140211 basic_session_run_hooks.py:260] loss = {5 - at * 0.01:.6f}, step = {at * 100 + 100} ({100 * base * f:.3f} sec)"]
    return {"tf.log": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def sb3(draw, fault):
    """The rate is a mean over the last rollout only where the logger is reset, as here."""
    top, lines, total = draw.uniform(600, 4000), [], 0
    for at, f in enumerate(slowed(draw, 70, fault)):
        total += 16384
        lines += ["-" * 40, "| rollout/                |             |", f"|    ep_len_mean          | {draw.uniform(190, 210):<11.0f} |", f"|    ep_rew_mean          | {at * 2.1:<11.3g} |", "| time/                   |             |", f"|    fps                  | {top / f:<11.0f} |", f"|    iterations           | {at + 1:<11} |", f"|    total_timesteps      | {total:<11} |", "| train/                  |             |", f"|    approx_kl            | {draw.uniform(0.004, 0.009):<11.6f} |", f"|    loss                 | {40 - at * 0.1:<11.3g} |", "-" * 40]
    return {"ppo.log": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def xgboost(draw, fault):
    base, now, lines = draw.uniform(3, 20), 9 * 3600.0, []
    for at, f in enumerate(slowed(draw, 160, fault)):
        now += base * f
        lines.append(f"[{int(now) // 3600:02d}:{int(now) // 60 % 60:02d}:{int(now) % 60:02d}] [{at}]\ttrain-rmse:{0.9 - at * 0.002:.5f}\ttest-rmse:{0.95 - at * 0.002:.5f}")
    return {"xgb.log": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def hoomd(draw, fault):
    top = draw.uniform(300, 4000)
    return steps(draw, fault, lambda at, f: f"Time 00:{(at * 10 + 10) // 60:02d}:{(at * 10 + 10) % 60:02d} | Step {int((at + 1) * 10 * top)} / 10000000 | TPS {top / f:.3f} | ETA 01:{draw.randint(10, 59)}:11", 100)


def wrf(draw, fault):
    base = draw.uniform(0.2, 3)
    return steps(draw, fault, lambda at, f: f"Timing for main: time 2026-11-20_{9 + at * 18 // 3600:02d}:{at * 18 // 60 % 60:02d}:{at * 18 % 60:02d} on domain   1:   {base * f:8.5f} elapsed seconds", 200)


def openfoam(draw, fault):
    """ExecutionTime and ClockTime are sums: only their differences show the time of a step."""
    base, cpu, wall, lines = draw.uniform(1, 9), 20.0, 22.0, []
    for at, f in enumerate(slowed(draw, 140, fault)):
        cpu, wall = cpu + base * f, wall + base * f * 1.02
        lines += [f"Time = {(at + 1) * 0.0005:.4f}", "", f"smoothSolver:  Solving for Ux, Initial residual = {draw.uniform(1e-5, 3e-5):.6g}, Final residual = {draw.uniform(1e-7, 3e-7):.6g}, No Iterations 2", f"ExecutionTime = {cpu:.2f} s  ClockTime = {int(wall)} s", ""]
    return {"log.simpleFoam": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def apache_bench(draw, fault):
    top = draw.uniform(200, 5000)
    return on_each_host(draw, fault, lambda s: f"This is ApacheBench, Version 2.3 <$Revision: 1913912 $>\n\nServer Hostname:        localhost\nServer Port:            8000\n\nConcurrency Level:      32\nTime taken for tests:   {20000 / (top * s):.3f} seconds\nComplete requests:      20000\nFailed requests:        0\nRequests per second:    {top * s:.2f} [#/sec] (mean)\nTime per request:       {32000 / (top * s):.3f} [ms] (mean)\nTime per request:       {1000 / (top * s):.3f} [ms] (mean, across all concurrent requests)\nTransfer rate:          {top * s * 3.1:.2f} [Kbytes/sec] received\n\nPercentage of the requests served within a certain time (ms)\n  50%   {int(31000 / (top * s)) + 1}\n  99%   {int(50000 / (top * s)) + draw.randint(1, 4)}\n 100%   {int(60000 / (top * s)) + draw.randint(3, 40)} (longest request)\n", ".ab.txt")


def k6(draw, fault):
    top = draw.uniform(100, 900)
    return on_each_host(draw, fault, lambda s: f"     checks.........................: 100.00% ✓ {int(top * s * 60)}      ✗ 0   \n     data_received..................: {top * s * 0.11:.1f} MB  {top * s * 1.9:.1f} kB/s\n     http_req_duration..............: avg={9000 / (top * s):.2f}ms min={3000 / (top * s):.2f}ms med={8900 / (top * s):.2f}ms max={draw.uniform(300, 900):.2f}ms p(90)={11000 / (top * s):.2f}ms p(95)={12000 / (top * s):.2f}ms\n     http_reqs......................: {int(top * s * 60)}  {top * s:.6f}/s\n     iteration_duration.............: avg={10000 / (top * s):.2f}ms min={3300 / (top * s):.2f}ms med={9900 / (top * s):.2f}ms max={draw.uniform(400, 900):.2f}ms p(90)={12000 / (top * s):.2f}ms p(95)={13000 / (top * s):.2f}ms\n     vus............................: 10     min=10      max=10\n", ".k6")


def bandwidth_test(draw, fault):
    top = draw.uniform(20000, 55000)
    return on_each_host(draw, fault, lambda s: f"[CUDA Bandwidth Test] - Starting...\nRunning on...\n\n Device 0: NVIDIA H100 80GB HBM3\n Quick Mode\n\n Host to Device Bandwidth, 1 Device(s)\n PINNED Memory Transfers\n   Transfer Size (Bytes)\tBandwidth(MB/s)\n   33554432\t\t\t{top * s * draw.gauss(1, 0.002):.1f}\n\n Device to Host Bandwidth, 1 Device(s)\n PINNED Memory Transfers\n   Transfer Size (Bytes)\tBandwidth(MB/s)\n   33554432\t\t\t{top * 0.97 * s:.1f}\n\nResult = PASS\n", ".bandwidthTest")


def dcgmproftester(draw, fault):
    bad, top, loss, lines = draw.randrange(8), draw.uniform(5e5, 9e5), draw.uniform(0.6, 0.85), []
    for at in range(6):
        for gpu in range(8):
            rate = top * draw.gauss(1, 0.004) * (loss if fault and gpu == bad else 1)
            lines.append(f"Worker {gpu}:0[1004]: TensorEngineActive: generated ???, dcgm {draw.uniform(0.97, 0.99):.3f} ({rate:.1f} gflops)")
    return {"tester.log": "\n".join(lines) + "\n"}, [f"{bad}$"] if fault else HEALTHY


def sockperf(draw, fault):
    base = draw.uniform(3, 40)
    return on_each_host(draw, fault, lambda s: f"sockperf: == version #3.10-0.git5ebd327da983 == \nsockperf[CLIENT] send on:sockperf: using recvfrom() to block on socket(s)\nsockperf: Starting test...\nsockperf: Test end (interrupted by timer)\nsockperf: ========= Printing statistics for Server No: 0\nsockperf: [Valid Duration] RunTime=9.550 sec; SentMessages=412000; ReceivedMessages=412000\nsockperf: ====> avg-latency={base / s:.3f} (std-dev={draw.uniform(0.4, 0.9):.3f}, mean-ad=0.210, median-ad=0.180, siqr=0.150, cv=0.041, std-error=0.001, 99.0% ci=[{base / s * 0.99:.3f}, {base / s * 1.01:.3f}])\nsockperf: # dropped messages = 0; # duplicated messages = 0; # out-of-order messages = 0\nsockperf: Summary: Latency is {base / s:.3f} usec\nsockperf: ---> <MAX> observation = {draw.uniform(90, 900):.3f}\nsockperf: ---> percentile 99.000 = {base / s * 1.3:.3f}\nsockperf: ---> percentile 50.000 = {base / s * 0.99:.3f}\n", ".sockperf")


def mdtest(draw, fault):
    top = draw.uniform(8000, 90000)

    def text(s):
        out = "-- started at 11/20/2026 09:31:07 --\n\nmdtest-4.0.0 was launched with 8 total task(s) on 1 node(s)\n\nSUMMARY rate (in ops/sec): (of 3 iterations)\n   Operation                     Max            Min           Mean        Std Dev\n   ---------                     ---            ---           ----        -------\n"
        for name, share in (("Directory creation", 0.5), ("Directory stat", 3), ("File creation", 1), ("File stat", 3.2), ("File read", 1.4), ("File removal", 0.9)):
            mean = top * share * s * draw.gauss(1, 0.003)
            out += f"   {name:<22} {mean * 1.01:>14.3f} {mean * 0.99:>14.3f} {mean:>14.3f} {mean * 0.008:>14.3f}\n"
        return out + "-- finished at 11/20/2026 09:33:07 --\n"

    return on_each_host(draw, fault, text, ".mdtest")


def mvapich(draw, fault):
    names = hosts(draw, 8)
    bad, lines = draw.randrange(8), [f"step {at} energy {-4000 + at:.3f}" for at in range(12)]
    for rank in [bad] if fault else range(8):
        lines.append(f"[{names[rank]}:mpi_rank_{rank}][error_sighandler] Caught error: {'Bus error (signal 7)' if fault else 'Segmentation fault (signal 11)'}")
    lines.append(f"[{names[0]}:mpispawn_0][readline] Unexpected End-Of-File on file descriptor 9. MPI process died?")
    return {"mv2.out": "\n".join(lines) + "\n"}, [f"{names[bad]}|rank {bad}$"] if fault else OPEN


def hydra(draw, fault):
    names = hosts(draw, 4)
    bad = draw.randrange(32)
    if fault:
        body = f"=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n=   RANK {bad} PID {draw.randint(2000, 90000)} RUNNING AT {names[bad // 8]}\n=   KILLED BY SIGNAL: 7 (Bus error)\n"
    else:
        body = "".join(f"=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n=   RANK {rank} PID {draw.randint(2000, 90000)} RUNNING AT {names[rank // 8]}\n=   EXIT STATUS: 255\n" for rank in range(32))
    return {"impi.out": "=" * 83 + "\n" + body + "=" * 83 + "\n"}, [f"rank {bad}$"] if fault else OPEN


def srun_signal(draw, fault):
    names = hosts(draw, 8)
    bad = draw.randrange(8)
    lines = [f"iter {at} time {draw.gauss(2, 0.01):.3f}s" for at in range(40)]
    if fault:
        lines += [f"srun: error: {names[bad]}: task {bad}: Bus error (core dumped)", f"srun: launch/slurm: _step_signal: Terminating StepId={draw.randint(4000, 9000)}.0", f"slurmstepd: error: *** STEP 4711.0 ON {names[0]} CANCELLED AT 2026-11-20T09:31:07 ***"] + [f"srun: error: {names[at]}: task {at}: Terminated" for at in range(8) if at != bad]
        return {"slurm-4711.out": "\n".join(lines) + "\n"}, [names[bad]]
    lines += [f"srun: error: {names[at]}: task {at}: Exited with exit code 1" for at in range(8)]
    return {"slurm-4711.out": "\n".join(lines) + "\n"}, OPEN


def cray_pals(draw, fault):
    names = [f"x1000c{draw.randrange(8)}s{at}b0n0" for at in range(8)]
    bad, lines = draw.randrange(8), [f"cycle {at} dt 0.001" for at in range(15)]
    if fault:
        lines += [f"{names[bad]}.hsn.cm.example: rank {bad} died from signal 9"]
        return {"pbs.o4711": "\n".join(lines) + "\n"}, [f"rank {bad}$"]
    lines += [f"{names[at]}.hsn.cm.example: rank {at} exited with code 1" for at in range(8)]
    return {"pbs.o4711": "\n".join(lines) + "\n"}, OPEN


SLOWER = r"\(x[1-9]"
FACTS = {"trl": SLOWER, "caffe": SLOWER, "darknet": SLOWER, "mxnet": SLOWER, "tf_global_step": SLOWER, "sb3": SLOWER, "xgboost": SLOWER, "hoomd": SLOWER,
         "wrf": SLOWER, "openfoam": SLOWER, "apache_bench": "(?i)request|sec", "k6": "(?i)req|duration", "bandwidth_test": "(?i)bandwidth", "dcgmproftester": "(?i)flop",
         "sockperf": "(?i)latency", "mdtest": "(?i)creation|stat|read|removal|mean", "mvapich": "Bus error", "hydra": "(?i)Bus error|signal", "srun_signal": "Bus error",
         "cray_pals": "signal"}
CASES = [trl, caffe, darknet, mxnet, tf_global_step, sb3, xgboost, hoomd, wrf, openfoam, apache_bench, k6, bandwidth_test, dcgmproftester, sockperf,
         mdtest, mvapich, hydra, srun_signal, cray_pals]
