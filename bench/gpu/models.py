# Times training steps and generation of models with random weights on one GPU. Appends a JSON line a run to $OUT/runs.jsonl.
import json, os, sys, time, torch
from transformers import AutoModelForCausalLM, LlamaConfig, Qwen2Config, GPT2Config, Qwen3MoeConfig
torch.backends.cuda.matmul.allow_tf32 = True
out = open(os.environ["OUT"] + "/runs.jsonl", "a")
T0 = time.time(); LIMIT = float(sys.argv[1])
LLAMA1 = dict(hidden_size=2048, num_hidden_layers=16, num_attention_heads=32, num_key_value_heads=8, intermediate_size=8192, vocab_size=128256, tie_word_embeddings=True, head_dim=64, max_position_embeddings=8192)
LLAMA3 = dict(hidden_size=3072, num_hidden_layers=28, num_attention_heads=24, num_key_value_heads=8, intermediate_size=8192, vocab_size=128256, tie_word_embeddings=True, head_dim=128, max_position_embeddings=8192)
LLAMA8 = dict(hidden_size=4096, num_hidden_layers=32, num_attention_heads=32, num_key_value_heads=8, intermediate_size=14336, vocab_size=128256, tie_word_embeddings=False, max_position_embeddings=8192)
QWEN7 = dict(hidden_size=3584, num_hidden_layers=28, num_attention_heads=28, num_key_value_heads=4, intermediate_size=18944, vocab_size=152064, tie_word_embeddings=False, max_position_embeddings=8192)
def make(kind, attn="sdpa"):
    if kind == "gpt2": cfg = GPT2Config(n_positions=2048)
    elif kind == "gpt2-xl": cfg = GPT2Config(n_positions=2048, n_embd=1600, n_layer=48, n_head=25)
    elif kind == "llama-3.2-1b": cfg = LlamaConfig(**LLAMA1)
    elif kind == "llama-3.2-3b": cfg = LlamaConfig(**LLAMA3)
    elif kind == "llama-3.1-8b": cfg = LlamaConfig(**LLAMA8)
    elif kind == "qwen2.5-7b": cfg = Qwen2Config(**QWEN7)
    torch.set_default_dtype(torch.bfloat16)
    with torch.device("cuda"): m = AutoModelForCausalLM.from_config(cfg, attn_implementation=attn)
    torch.set_default_dtype(torch.float32)
    return m
def say(**k):
    k["peak_GiB"] = round(torch.cuda.max_memory_allocated() / 2**30, 2)
    out.write(json.dumps(k) + "\n"); out.flush(); print(json.dumps(k), flush=True)
    torch.cuda.reset_peak_memory_stats()
def train(kind, micro, seq, recompute=False, compiled=False, steps=8):
    if time.time() - T0 > LIMIT: return print("left out", kind, micro, seq)
    try:
        m = make(kind); m.config.use_cache = False; m.train()
        if recompute: m.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
        f = torch.compile(m) if compiled else m
        opt = torch.optim.AdamW(m.parameters(), lr=1e-5, fused=True)
        ids = torch.randint(0, 50000, (micro, seq), device="cuda")
        ts = []
        for k in range(steps + 3):
            torch.cuda.synchronize(); t = time.time()
            loss = f(input_ids=ids, labels=ids).loss
            loss.backward(); opt.step(); opt.zero_grad(set_to_none=True)
            torch.cuda.synchronize(); ts.append(time.time() - t)
        ts = sorted(ts[3:]); t = ts[len(ts) // 2]
        say(kind="train", model=kind, micro_batch=micro, sequence=seq, recompute="full" if recompute else "none", compiled=compiled, step_s=t, spread=[ts[0], ts[-1]], tokens_per_s=micro * seq / t, loss=float(loss))
    except Exception as e: print("failed", kind, micro, seq, repr(e)[:200])
    finally:
        m = f = opt = loss = None; torch.cuda.empty_cache()
def serve(m, kind, batch, n_in, n_out):
    if time.time() - T0 > LIMIT: return print("left out", kind, batch, n_in)
    try:
        ids = torch.randint(0, 50000, (batch, n_in), device="cuda"); mask = torch.ones_like(ids)
        def go(n):
            torch.cuda.synchronize(); t = time.time()
            with torch.no_grad(): m.generate(input_ids=ids, attention_mask=mask, max_new_tokens=n, min_new_tokens=n, do_sample=False, pad_token_id=0)
            torch.cuda.synchronize(); return time.time() - t
        go(2); first = min(go(1), go(1)); ts = [go(n_out)]
        if ts[0] < 6: ts.append(go(n_out))
        t = min(ts)
        say(kind="serve", model=kind, batch=batch, tokens_in=n_in, tokens_out=n_out, first_s=first, total_s=t, times=ts, tokens_per_s=batch * n_out / t, per_token_s=(t - first) / max(1, n_out - 1))
    except Exception as e: print("failed", kind, batch, n_in, repr(e)[:200]); torch.cuda.empty_cache()
for a in [("gpt2", 16, 1024), ("gpt2", 32, 1024, False, True), ("llama-3.2-1b", 4, 2048), ("llama-3.2-1b", 8, 2048), ("llama-3.2-1b", 4, 2048, False, True), ("llama-3.2-1b", 4, 4096, True), ("llama-3.2-3b", 2, 2048), ("llama-3.2-3b", 4, 2048, True), ("gpt2-xl", 4, 1024)]: train(*a)
for kind, rows in [("llama-3.2-1b", [(1, 128, 128), (16, 128, 128), (64, 512, 128)]), ("llama-3.1-8b", [(1, 128, 128), (8, 128, 128), (32, 512, 128), (64, 1024, 128)]), ("qwen2.5-7b", [(1, 128, 96), (16, 256, 96)])]:
    if time.time() - T0 > LIMIT: break
    m = make(kind).eval()
    for r in rows: serve(m, kind, *r)
    del m; torch.cuda.empty_cache()
