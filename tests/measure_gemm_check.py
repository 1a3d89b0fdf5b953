#!/usr/bin/env python3
"""bench/measure_gemm.py against a PyTorch that only keeps a clock: measure_gemm_check.py LENTO

The clock advances by a planted roofline; the table must hold it, and `lento predict calibrate` must take the table.
"""
import csv
import os
import pathlib
import subprocess
import sys
import tempfile

FAKE = '''
import types
clock = 0.0
float32, float16, bfloat16 = 4, 2, 2
class Matrix:
    def __init__(self, rows, columns, width): self.rows, self.columns, self.width = rows, columns, width
def randn(rows, columns, device, dtype): return Matrix(rows, columns, dtype)
empty = randn
def planted(m, n, k, width):
    return max(2 * m * n * k / 2e14, width * (m * k + k * n + m * n) / 1.5e12) + 4e-6
def mm(a, b, out):
    global clock
    assert a.columns == b.rows and (out.rows, out.columns) == (a.rows, b.columns)
    clock += planted(a.rows, b.columns, a.columns, a.width)
class Event:
    def __init__(self, enable_timing): self.at = None
    def record(self): self.at = clock
    def elapsed_time(self, other): return (other.at - self.at) * 1e3
cuda = types.SimpleNamespace(is_available=lambda: True, synchronize=lambda: None, Event=Event,
                             get_device_name=lambda i: "NVIDIA A100-SXM4-80GB")
backends = types.SimpleNamespace(cuda=types.SimpleNamespace(matmul=types.SimpleNamespace(allow_tf32=False)))
'''

root = pathlib.Path(__file__).resolve().parent.parent
with tempfile.TemporaryDirectory() as folder:
    pathlib.Path(folder, "torch.py").write_text(FAKE)
    table = pathlib.Path(folder, "measured.csv")
    with table.open("w") as out:
        subprocess.run([sys.executable, root / "bench/measure_gemm.py", "--rows", "120", "--seconds", "0.001"], check=True,
                       stdout=out, env={**os.environ, "PYTHONPATH": folder})
    rows = list(csv.DictReader(table.open()))
    assert len(rows) == 120, len(rows)
    for row in rows:
        m, n, k = (int(row[c]) for c in "mnk")
        planted = max(2 * m * n * k / 2e14, 2 * (m * k + k * n + m * n) / 1.5e12) + 4e-6
        assert abs(float(row["measured_s"]) / planted - 1) < 1e-6, row
    fit = subprocess.run([sys.argv[1], "predict", "calibrate", table, "--system", "a100"], check=True, capture_output=True, text=True)
    error = float(fit.stdout.split("hold_out_error:")[1].split()[0])
    assert error < 0.15, fit.stdout
    print("hold-out error on a planted roofline", error)
