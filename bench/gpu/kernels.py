# Times single kernels: matrix products, attention, rows and copies. Writes CSV: kernel, shape, us.
import os, torch, torch.nn.functional as F
out = open(os.environ["OUT"] + "/kernels.csv", "w"); out.write("kernel,a,b,c,d,dtype,us_median,us_p10,us_p90\n")
flush = torch.empty(2**28, dtype=torch.int8, device="cuda")
def clock(f, n=15):
    for _ in range(3): f()
    ts = []
    for _ in range(n):
        flush.zero_(); b, e = torch.cuda.Event(True), torch.cuda.Event(True)
        torch.cuda._sleep(200000); b.record(); f(); e.record(); torch.cuda.synchronize(); ts.append(b.elapsed_time(e) * 1e3)
    ts.sort(); return ts[n // 2], ts[n // 10], ts[n - 1 - n // 10]
def row(name, a, b, c, d, dt, f):
    try: out.write("%s,%s,%s,%s,%s,%s,%.2f,%.2f,%.2f\n" % (name, a, b, c, d, dt, *clock(f))); out.flush()
    except Exception as e: print(name, a, b, c, d, repr(e)[:100])
bf = torch.bfloat16
for m in (1, 8, 32, 128, 512, 2048, 8192):
    for n, k in ((4096, 4096), (28672, 4096), (4096, 14336), (6144, 4096), (128256, 4096), (3584, 18944)):
        x, w = torch.randn(m, k, device="cuda", dtype=bf), torch.randn(n, k, device="cuda", dtype=bf)
        row("linear", m, n, k, "", "bf16", lambda: F.linear(x, w))
for m in (128, 2048, 8192):
    for n, k in ((4096, 4096), (28672, 4096)):
        x = torch.randn(m, k, device="cuda").to(torch.float8_e4m3fn); w = torch.randn(n, k, device="cuda").to(torch.float8_e4m3fn); s = torch.ones((), device="cuda")
        row("linear", m, n, k, "", "fp8", lambda: torch._scaled_mm(x, w.t(), scale_a=s, scale_b=s, out_dtype=bf))
for b, s, h, d in ((1, 2048, 32, 128), (4, 2048, 32, 128), (1, 8192, 32, 128), (8, 1024, 32, 64), (2, 4096, 24, 128)):
    q, k, v = (torch.randn(b, h, s, d, device="cuda", dtype=bf) for _ in range(3))
    row("attention_causal", b, s, h, d, "bf16", lambda: F.scaled_dot_product_attention(q, k, v, is_causal=True))
for rows, w in ((2048, 4096), (16384, 4096), (8192, 8192)):
    x = torch.randn(rows, w, device="cuda", dtype=bf)
    row("layer_norm", rows, w, "", "", "bf16", lambda: F.layer_norm(x, (w,)))
    row("softmax", rows, w, "", "", "bf16", lambda: F.softmax(x, -1))
    row("gelu", rows, w, "", "", "bf16", lambda: F.gelu(x))
    row("add", rows, w, "", "", "bf16", lambda: x + x)
