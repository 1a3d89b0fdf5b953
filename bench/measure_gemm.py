#!/usr/bin/env python3
"""Times matrix products on an NVIDIA GPU for `lento predict calibrate`. Needs PyTorch with CUDA, which Lento itself does not.

    bench/measure_gemm.py --precision bf16 fp32 --rows 400 > measured.csv
    lento predict calibrate measured.csv --system mine.yaml

Sizes are drawn log-uniformly (multiples of 8 above 64) under a limit of memory; each product runs until --seconds have passed, at least
ten times, after a warm-up, with its operands alternating between copies so that no run finds them in the cache.
"""
import argparse
import csv
import random
import sys

COLUMNS = ["device", "precision", "batch", "m", "n", "k", "measured_s"]
LARGEST_BYTES = 4 << 30
WIDTH = {"fp32": 4, "tf32": 4, "fp16": 2, "bf16": 2}


def draw(rng, low, high):
    size = round(2 ** rng.uniform(low, high))
    return size if size <= 64 else size // 8 * 8


def shapes(count, width, seed):
    rng = random.Random(seed)
    out = []
    while len(out) < count:
        m, n, k = draw(rng, 0, 15), draw(rng, 8, 16), draw(rng, 8, 16)
        if width * (m * k + k * n + m * n) <= LARGEST_BYTES:
            out.append((m, n, k))
    return out


def seconds_of(torch, run, least_s):
    """Median over batches of ten runs of the device time of one."""
    run(0)
    torch.cuda.synchronize()
    times, total = [], 0.0
    while not times or total < least_s:
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        for i in range(10):
            run(i)
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) / 1e4)  # milliseconds of ten
        total += times[-1] * 10
    return sorted(times)[len(times) // 2]


def measure(torch, precision, shape, least_s):
    m, n, k = shape
    dtype = {"fp32": torch.float32, "tf32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}[precision]
    torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
    bytes_once = WIDTH[precision] * (m * k + k * n)
    copies = max(1, min(8, (256 << 20) // bytes_once))
    a = [torch.randn(m, k, device="cuda", dtype=dtype) for _ in range(copies)]
    b = [torch.randn(k, n, device="cuda", dtype=dtype) for _ in range(copies)]
    c = torch.empty(m, n, device="cuda", dtype=dtype)
    return seconds_of(torch, lambda i: torch.mm(a[i % copies], b[i % copies], out=c), least_s)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--precision", nargs="+", choices=sorted(WIDTH), default=["bf16"])
    parser.add_argument("--rows", type=int, default=400, help="products a precision")
    parser.add_argument("--seconds", type=float, default=0.05, help="least device time a product")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    try:
        import torch
    except ImportError:
        sys.exit("PyTorch is not installed: see https://pytorch.org for a build with CUDA")
    if not torch.cuda.is_available():
        sys.exit("PyTorch sees no NVIDIA GPU")
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(COLUMNS)
    device = torch.cuda.get_device_name(0)
    for precision in options.precision:
        for m, n, k in shapes(options.rows, WIDTH[precision], options.seed):
            writer.writerow([device, precision, 1, m, n, k, f"{measure(torch, precision, (m, n, k), options.seconds):.9g}"])
            sys.stdout.flush()


if __name__ == "__main__":
    main()
