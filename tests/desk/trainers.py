"""Step lines of further training programs: mmdetection, timm, the ImageNet example of PyTorch, nanotron, fairseq, litgpt, OLMo,
torchtune, Keras, and the server of text-generation-inference. Formats as they are quoted in public reports of these projects
(nanotron 390, litgpt 1607, torchtune 1358). Values are drawn. A job's own log shows that it became slower, and no rank."""
from desk.cluster import HEALTHY, OPEN
from desk.job import slowed


def clock(at, seconds=7):
    return f"{9 + at * seconds // 3600:02d}:{at * seconds // 60 % 60:02d}:{at * seconds % 60:02d}"


def mmdetection(draw, fault):
    base, lines = draw.uniform(0.3, 0.9), []
    for at, factor in enumerate(slowed(draw, 140, fault)):
        step = 50 * (at + 1)
        lines.append(f"2026-11-20 {clock(at)},{draw.randint(100, 999)} - mmdet - INFO - Epoch [1][{step}/7330]\tlr: 2.000e-02, eta: {draw.randint(0, 1)} day, {draw.randint(1, 23)}:{draw.randint(10, 59)}:11, time: {base * factor:.3f}, data_time: {0.008 * draw.gauss(1, 0.1):.3f}, memory: {draw.randint(7890, 7899)}, loss_rpn_cls: {draw.uniform(0.05, 0.3):.4f}, loss_bbox: {draw.uniform(0.2, 0.5):.4f}, acc: {draw.uniform(90, 95):.4f}, loss: {3 - at * 0.01:.4f}")
    return {"20261120_090011.log": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def timm(draw, fault):
    base, lines = draw.uniform(0.25, 0.7), []
    mean, seen = 0.0, 0
    for at, factor in enumerate(slowed(draw, 120, fault)):
        seen += 1
        now = base * factor
        mean += (now - mean) / seen
        lines.append(f"Train: 0 [{at * 10:>4}/1251 ({at * 1000 // 1251:>3}%)]  Loss: {6.9 - at * 0.01:.3f} ({6.95 - at * 0.005:.2f})  Time: {now:.3f}s, {1024 / now:>7.2f}/s  ({mean:.3f}s, {1024 / mean:>7.2f}/s)  LR: 1.000e-06  Data: {0.012 * draw.gauss(1, 0.2):.3f} (0.013)")
    return {"train.out": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def imagenet(draw, fault):
    base, lines, mean = draw.uniform(0.15, 0.5), ["=> creating model 'resnet50'"], 0.0
    for at, factor in enumerate(slowed(draw, 150, fault)):
        now = base * factor
        mean += (now - mean) / (at + 1)
        lines.append(f"Epoch: [0][{at * 10 + 1:>4}/5005]\tTime {now:6.3f} ({mean:6.3f})\tData {0.01 * draw.gauss(1, 0.2):6.3f} ( 0.011)\tLoss {6.9 - at * 0.01:.4e} ({6.95:.4e})\tAcc@1 {draw.uniform(0, 9):6.2f} (  3.11)\tAcc@5 {draw.uniform(4, 20):6.2f} (  9.80)")
    return {"log.txt": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def nanotron(draw, fault):
    base, lines = draw.uniform(4000, 12000), []
    for at, factor in enumerate(slowed(draw, 110, fault)):
        now = base * factor
        lines.append(f"11/20/2026 {clock(at)} [INFO|DP=0|PP=0|TP=0|ip-26-0-160-225]: iteration: {at + 1} / 378950 | consumed_tokens: {(at + 1) * 0.262:.3g}M | elapsed_time_per_iteration_ms: {now / 1000:.3g}K | tokens_per_sec: {262144 / now:.3g}K | tokens_per_sec_per_gpu: {32768 / now:.3g}K | global_batch_size: 64 | lm_loss: {9 - at * 0.01:.3g} | lr: 1e-05 | model_tflops_per_gpu: {420 / (now / base):.3g} | hardware_tflops_per_gpu: {420 / (now / base):.3g} | grad_norm: {draw.uniform(1, 1.4):.3g}")
    return {"nanotron.log": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def fairseq(draw, fault):
    base, lines, wall = draw.uniform(0.4, 2.0), [], 30.0
    for at, factor in enumerate(slowed(draw, 120, fault)):
        now = base * factor
        wall += now * 100
        lines.append(f'2026-11-20 {clock(at)} | INFO | train_inner | {{"epoch": 1, "update": {at * 0.01:.3f}, "loss": "{9 - at * 0.02:.3f}", "nll_loss": "{8 - at * 0.02:.3f}", "ppl": "{300 - at:.2f}", "wps": "{58000 / now:.1f}", "ups": "{1 / now:.2f}", "wpb": "58000.2", "bsz": "2048", "num_updates": "{(at + 1) * 100}", "lr": "5e-05", "gnorm": "{draw.uniform(1, 2):.3f}", "train_wall": "{int(now * 100)}", "gb_free": "21.4", "wall": "{int(wall)}"}}')
    return {"fairseq.log": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def litgpt(draw, fault):
    base, lines = draw.uniform(90, 400), []
    for at, factor in enumerate(slowed(draw, 130, fault)):
        lines.append(f"Epoch 1 | iter {at * 50 + 50} step {at * 10 + 10} | loss train: {4 - at * 0.01:.3f}, val: n/a | iter time: {base * factor:.2f} ms (step) remaining time: 0:{59 - at // 3:02d}:{draw.randint(10, 59)}")
    return {"out.log": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def olmo(draw, fault):
    base, lines = draw.uniform(9000, 46000), []
    for at, factor in enumerate(slowed(draw, 110, fault)):
        lines += [f"[2026-11-20 {clock(at)}] INFO     [olmo.train:816, rank=0] [step={at + 1}/739328]", f"    train/CrossEntropyLoss={11 - at * 0.01:.2f}", f"    train/Perplexity={60000 - at * 100:,}",
                  f"    throughput/total_tokens={(at + 1) * 4194304:,}", f"    throughput/device/tokens_per_second={base / factor:,.0f}", f"    throughput/device/batches_per_second={0.0869 / factor:.4f}", "    System/Peak GPU Memory (MB)=43,309"]
    return {"olmo.log": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def torchtune(draw, fault):
    base = draw.uniform(500, 3000)
    lines = [f"Step {at + 1} | loss:{2.1 - at * 0.005} lr:2e-05 tokens_per_second_per_gpu:{base / factor} peak_memory_alloc:{24.5 + draw.random() * 0.01}" for at, factor in enumerate(slowed(draw, 120, fault))]
    return {"log_1723844072.txt": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def keras(draw, fault):
    base, lines = draw.uniform(80, 300), []
    factors = list(slowed(draw, 60, fault))
    for at, factor in enumerate(factors):
        ms = base * factor
        lines += [f"Epoch {at + 1}/60", f"391/391 [==============================] - {int(ms * 0.391)}s {ms:.0f}ms/step - loss: {2 - at * 0.02:.4f} - accuracy: {0.3 + at * 0.01:.4f} - val_loss: {2.1 - at * 0.02:.4f} - val_accuracy: {0.29 + at * 0.01:.4f}"]
    return {"fit.log": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


def tgi(draw, fault):
    base, lines = draw.uniform(18, 45), []
    for at, factor in enumerate(slowed(draw, 200, fault)):
        token, count = base * factor, draw.randint(60, 400)
        lines.append(f'2026-11-20T{clock(at)}.478010Z  INFO chat_completions{{total_time="{token * count / 1000 + 0.04:.9f}s" validation_time="{draw.randint(400, 900)}.{draw.randint(100, 999)}µs" queue_time="{draw.randint(60, 190)}.{draw.randint(100, 999)}µs" inference_time="{token * count / 1000:.9f}s" time_per_token="{token:.6f}ms" seed="None"}}: text_generation_router::server: router/src/server.rs:622: Success')
    return {"tgi.log": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY


CASES = [mmdetection, timm, imagenet, nanotron, fairseq, litgpt, olmo, torchtune, keras, tgi]
