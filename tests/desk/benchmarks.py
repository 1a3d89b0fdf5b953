"""Benchmarks that people run on each host by itself to find the slow one: HPL, STREAM, fio, iperf3, trtllm-bench, the summary of
MLPerf inference. Formats as these programs print them. One file a host, eight hosts, values drawn."""
from desk.cluster import HEALTHY, hosts


def on_each_host(draw, fault, text, ending, spread=0.008):
    """`text` makes the output of one host from the factor on its speed."""
    names = hosts(draw, 8)
    bad = draw.choice(names)
    loss = draw.uniform(0.55, 0.8)
    files = {f"{name}{ending}": text(draw.gauss(1, spread) * (loss if fault and name == bad else 1)) for name in names}
    return files, [f"^{bad}"] if fault else HEALTHY


def hpl(draw, fault):
    top = draw.uniform(3.5e4, 4.2e5)

    def text(speed):
        lines = ["=" * 80, "HPLinpack 2.3  --  High-Performance Linpack benchmark  --   December 2, 2018", "=" * 80, "T/V                N    NB     P     Q               Time                 Gflops", "-" * 80]
        for run in range(3):
            rate = top * speed * draw.gauss(1, 0.002)
            seconds = 2 / 3 * 92160 ** 3 / rate / 1e9
            lines += [f"WR03L2L2       92160  1024     4     2 {seconds:>18.2f} {rate:>22.4e}", f"HPL_pdgesv() start time Fri Nov 20 09:{run}1:12 2026", "", "-" * 80, f"||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)= {draw.uniform(1e-3, 4e-3):.8e} ...... PASSED", "=" * 80]
        return "\n".join(lines + ["Finished      3 tests with the following results:", "              3 tests completed and passed residual checks,", "End of Tests."]) + "\n"

    return on_each_host(draw, fault, text, ".hpl.out")


def stream(draw, fault):
    top = draw.uniform(2e5, 7e5)

    def text(speed):
        lines = ["-" * 61, "STREAM version $Revision: 5.10 $", "-" * 61, "Array size = 800000000 (elements), Offset = 0 (elements)", "Number of Threads requested = 112", "-" * 61, "Function    Best Rate MB/s  Avg time     Min time     Max time"]
        for name, share in (("Copy", 0.95), ("Scale", 0.94), ("Add", 1.0), ("Triad", 1.0)):
            rate = top * share * speed * draw.gauss(1, 0.002)
            size = 12800 if name in ("Copy", "Scale") else 19200
            lines.append(f"{name + ':':<11} {rate:>11.1f}     {size / rate * 1.02:.6f}     {size / rate:.6f}     {size / rate * 1.06:.6f}")
        return "\n".join(lines + ["-" * 61, "Solution Validates: avg error less than 1.000000e-13 on all three arrays"]) + "\n"

    return on_each_host(draw, fault, text, ".stream")


def fio(draw, fault):
    top = draw.uniform(3000, 6500)

    def text(speed):
        rate = top * speed
        return (f"seqwrite: (groupid=0, jobs=8): err= 0: pid={draw.randint(2000, 90000)}: Fri Nov 20 09:31:07 2026\n"
                f"  write: IOPS={rate:.0f}, BW={rate:.0f}MiB/s ({rate * 1.048576:.0f}MB/s)({rate * 60 / 1024:.0f}GiB/60002msec); 0 zone resets\n"
                f"    slat (usec): min=9, max={draw.randint(300, 900)}, avg={draw.uniform(20, 24):.2f}, stdev={draw.uniform(4, 6):.2f}\n"
                f"    clat (usec): min={draw.randint(200, 300)}, max={draw.randint(9000, 20000)}, avg={256e6 / 1000 / rate:.2f}, stdev={draw.uniform(90, 120):.2f}\n"
                f"  cpu          : usr=1.20%, sys={draw.uniform(3, 4):.2f}%, ctx={draw.randint(100000, 120000)}, majf=0, minf=120\n"
                "\nRun status group 0 (all jobs):\n"
                f"  WRITE: bw={rate:.0f}MiB/s ({rate * 1.048576:.0f}MB/s), {rate:.0f}MiB/s-{rate:.0f}MiB/s ({rate * 1.048576:.0f}MB/s-{rate * 1.048576:.0f}MB/s), io={rate * 60 / 1024:.0f}GiB ({rate * 62.9 / 1000:.0f}GB), run=60002-60002msec\n")

    return on_each_host(draw, fault, text, ".fio.txt", 0.015)


def iperf3(draw, fault):
    top = draw.uniform(80, 97)

    def text(speed):
        lines = ["Connecting to host 10.2.0.1, port 5201", f"[  5] local 10.2.0.{draw.randint(2, 99)} port {draw.randint(30000, 60000)} connected to 10.2.0.1 port 5201", "[ ID] Interval           Transfer     Bitrate         Retr  Cwnd"]
        for at in range(10):
            rate = top * speed * draw.gauss(1, 0.01)
            lines.append(f"[  5]   {at}.00-{at + 1}.00   sec  {rate / 8.59:.1f} GBytes  {rate:.1f} Gbits/sec    {draw.randint(0, 3)}   {draw.uniform(2, 4):.2f} MBytes")
        rate = top * speed
        lines += ["- - - - - - - - - - - - - - - - - - - - - - - - -", "[ ID] Interval           Transfer     Bitrate         Retr", f"[  5]   0.00-10.00  sec  {rate * 10 / 8.59:.0f} GBytes  {rate:.1f} Gbits/sec    {draw.randint(3, 20)}             sender",
                  f"[  5]   0.00-10.00  sec  {rate * 10 / 8.59:.0f} GBytes  {rate:.1f} Gbits/sec                  receiver", "", "iperf Done."]
        return "\n".join(lines) + "\n"

    return on_each_host(draw, fault, text, ".iperf")


def trtllm_bench(draw, fault):
    top = draw.uniform(4000, 9000)

    def text(speed):
        rate = top * speed
        line = "=" * 59
        return "\n".join([line, "= PYTORCH BACKEND", line, "Model:   meta-llama/Llama-3.1-8B-Instruct", "Dtype:   bfloat16", line, "= REQUEST DETAILS", line, "Number of requests:             3000", "Average Input Length (tokens):  1024.0000", "Average Output Length (tokens): 128.0000",
                          line, "= WORLD + RUNTIME INFORMATION", line, "TP Size:                1", "PP Size:                1", "Max Runtime Batch Size: 1024", line, "= PERFORMANCE OVERVIEW", line,
                          f"Request Throughput (req/sec):                     {rate / 128:.4f}", f"Total Output Throughput (tokens/sec):             {rate:.4f}", f"Total Token Throughput (tokens/sec):              {rate * 9:.4f}",
                          f"Total Latency (ms):                               {3000 * 128 / rate * 1000:.4f}", f"Average request latency (ms):                     {1500 * 128 / rate * 1000:.4f}", f"Per GPU Output Throughput (tps/gpu):              {rate:.4f}", line]) + "\n"

    return on_each_host(draw, fault, text, ".bench.log")


def mlperf_inference(draw, fault):
    top = draw.uniform(20, 24000)

    def text(speed):
        rate, line = top * speed, "=" * 48
        return "\n".join([line, "MLPerf Results Summary", line, "SUT name : BERT SERVER", "Scenario : Offline", "Mode     : PerformanceOnly", f"Samples per second: {rate:.6g}", "Result is : VALID", "  Min duration satisfied : Yes", "  Min queries satisfied : Yes",
                          "  Early stopping satisfied: Yes", "", line, "Additional Stats", line, f"Min latency (ns)                : {draw.randint(10**8, 2 * 10**8)}", f"Max latency (ns)                : {int(6.6e14 / rate / 1000) * 1000}", f"Mean latency (ns)               : {int(3.3e14 / rate / 1000) * 1000}", "", "No warnings encountered during test.", "", "No errors encountered during test."]) + "\n"

    return on_each_host(draw, fault, text, ".mlperf_log_summary.txt")


CASES = [hpl, stream, fio, iperf3, trtllm_bench, mlperf_inference]
