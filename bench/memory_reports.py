#!/usr/bin/env python3
"""Public reports of memory contention and of GPU memory access, each as a small program or profile with its right answer.

memory_reports.py LENTO [--repeat N] [--only NAME] [RESULTS.csv]: programs in bench/memory_reports state in their head what must be found
("expect: false sharing|lock, VARIABLE", "quiet", or "cannot judge"), what the next step must and must not speak of ("advice:",
"never:"), and which next step of a finding on handed-on data is no accusation ("allow:"). "fixed: quiet" says the same of the program
compiled with -DFIXED. Profiles of GPU kernels are written below, from
what their report says of lanes, strides and counters. Prints right, helps, refuses or wrong for each.
"""
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent
FLAGS = ["-std=c++17", "-g", "-O1", "-fsanitize=thread", "-fno-ipa-reference-addressable"]


def rows(op, address, lanes=32, requests=8):
    """So many requests of a warp: address(lane, request)."""
    return "kernel case\n" + "\n".join(f"case.cu:1 {op} " + " ".join(hex(0x1000 + address(l, r)) for l in range(lanes)) for r in range(requests)) + "\n"


def section(kernel, metrics):
    """A launch as ncu prints the metrics that it was asked for."""
    line = "    " + "-" * 56 + " " + "-" * 11 + " " + "-" * 12
    table = "\n".join(f"    {name:56} {'':11} {value:>12}" for name, value in metrics)
    return (f"==PROF== Connected to process 4211\n  {kernel} (64, 1, 1)x(128, 1, 1), Context 1, Stream 7, Device 0, CC 8.0\n"
            f"    Section: Command line profiler metrics\n{line}\n    {'Metric Name':56} {'Metric Unit':>11} {'Metric Value':>12}\n{line}\n{table}\n{line}\n")


BANKS = "l1tex__data_bank_conflicts_pipe_lsu"
# name: source, expectation, file
PROFILES = {
    "transposed_tile": ("github.com/deepspeedai/DeepSpeed/pull/8055: 16 rows of 17 floats, used as 16 of 16", "bank conflicts, case",
                        rows("LDS.32", lambda l, r: 4 * (l % 16 * 16 + l // 16 + 2 * r))),
    "transposed_tile_mended": ("the same, rows of 17", "quiet", rows("LDS.32", lambda l, r: 4 * (l % 16 * 17 + l // 16 + 2 * r))),
    "every_fourth": ("github.com/NVIDIA-developer-blog/code-samples/issues/48: lane i reads word 4 i", "bank conflicts, case",
                     rows("LDS.32", lambda l, r: 16 * l)),
    "tiled_elements": ("github.com/modular/mojo-gpu-puzzles/pull/93: each thread walks a tile of 16 floats of its own", "uncoalesced access, case",
                       rows("LDG.E.32", lambda l, r: 64 * l + 4 * r)),
    "vector_loads": ("github.com/vllm-project/vllm/pull/23182: four floats a lane, one after another", "quiet",
                     rows("LDG.E.128", lambda l, r: 16 * l + 512 * r)),
    "first_cache_only": ("github.com/NVIDIA/Fuser/issues/2263: conflicts of the first cache, none of shared memory", "quiet",
                         section("block_reduction", [(f"{BANKS}.sum", "131,072"), (f"{BANKS}_mem_shared.sum", "0"),
                                                     ("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "4,096")])),
    "tile_store": ("github.com/TiledTensor/TiledCUDA/pull/145: eight conflicts of one tile, without the wavefronts", "cannot judge",
                   section("store_tile", [(f"{BANKS}_mem_shared.sum", "8"), (f"{BANKS}_mem_shared_op_ld.sum", "0"),
                                          (f"{BANKS}_mem_shared_op_st.sum", "8")])),
    "lds_count_alone": ("github.com/ROCm/rocm-libraries/pull/940: conflicts without the cycles of LDS", "cannot judge",
                        '"Dispatch_Id","Kernel_Name","Counter_Name","Counter_Value"\n1,"gemm_fp4","SQ_LDS_BANK_CONFLICT",780288\n'),
    "reduction_stores": ("github.com/NVIDIA/Fuser/pull/2203: half the sectors of few stores, beside loads that fill the memory", "quiet",
                         '"ID","Kernel Name","memory_l2_theoretical_sectors_global","memory_l2_theoretical_sectors_global_ideal",'
                         '"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed","lts__throughput.avg.pct_of_peak_sustained_elapsed",'
                         '"l1tex__throughput.avg.pct_of_peak_sustained_active","sm__throughput.avg.pct_of_peak_sustained_elapsed"\n'
                         '"","","","","%","%","%","%"\n"0","grid_reduction","4194304","4128768","92.4","41.0","33.5","21.2"\n'),
}


def stated(text, key):
    found = re.search(rf"^// {key}: (.*)$", text, re.M)
    return found.group(1) if found else ""


def grade(diagnosis, expect, text=""):
    findings, outcome = diagnosis["findings"], diagnosis["outcome"]
    if outcome == "refused":
        return "refuses"
    if expect == "cannot judge":
        return "right" if outcome == "cannot judge" else "wrong"
    if expect == "quiet":
        allow = stated(text, "allow")
        fair = all(allow and re.search(allow, f["next_step"]) for f in findings)
        return "helps" if outcome == "cannot judge" else "right" if fair else "wrong"
    causes, variable = expect.split(", ")
    if outcome == "cannot judge":
        return "helps"
    if not findings:
        return "wrong"
    first = findings[0]
    advice, never = stated(text, "advice"), stated(text, "never")
    if advice and not re.search(advice, first["next_step"]) or never and re.search(never, first["next_step"]):
        return "wrong"
    if first["category"] in causes.split("|") and variable in first["subject"]:
        return "right"
    return "helps" if any(variable in f["subject"] for f in findings) else "wrong"


def judged(words, folder):
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    at = done.stdout.find("{")
    return json.loads(done.stdout[at:]) if at >= 0 else {"outcome": "refused", "findings": [], "verdict": done.stderr.strip()}


def inputs(lento, folder, repeat, only):
    """Yields name, source, expectation, head and the diagnosis of every input."""
    subprocess.run([lento, "memory", "record", "--runtime", "recorder.c"], cwd=folder, check=True)
    subprocess.run(["cc", "-O2", "-c", "recorder.c"], cwd=folder, check=True)
    for path in sorted((ROOT / "memory_reports").glob("*.cc")):
        text = path.read_text()
        if only not in path.stem:
            continue
        machine = ["--nodes", stated(text, "nodes")] if stated(text, "nodes") else []
        for define, key in (((), "expect"), (("-DFIXED",), "fixed")):
            if not stated(text, key):
                continue
            name = path.stem + "_fixed" * len(define)
            subprocess.run(["g++", *FLAGS, *define, "-c", str(path), "-o", "program.o"], cwd=folder, check=True)
            subprocess.run(["g++", "program.o", "recorder.o", "-o", name, "-ldl", "-pthread"], cwd=folder, check=True)
            words = [lento, "memory", "record", "-o", "run.access", "--json", *machine, "--repeat", repeat, "--", f"./{name}"]
            yield name, re.search(r"\S+\.\w+/\S+", text).group(), stated(text, key), text, judged(words, folder)
    for name, (source, expect, text) in PROFILES.items():
        if only not in name:
            continue
        (folder / f"{name}.txt").write_text(text)
        yield name, source.split(":")[0], expect, "", judged([lento, "memory", "diagnose", f"{name}.txt", "--json"], folder)


def main():
    words = sys.argv[1:]
    taken = {flag: words.pop(words.index(flag) + 1) for flag in ("--repeat", "--only") if flag in words}
    lento, *results = [w for w in words if w not in taken]
    out = csv.writer(open(results[0], "w") if results else sys.stdout)
    out.writerow(["input", "source", "expected", "grade", "outcome", "cause", "subject", "next step", "verdict"])
    counts = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, source, expect, text, d in inputs(str(pathlib.Path(lento).resolve()), pathlib.Path(folder), taken.get("--repeat", "1"),
                                                    taken.get("--only", "")):
            mark = grade(d, expect, text)
            counts[mark] = counts.get(mark, 0) + 1
            first = d["findings"][0] if d["findings"] else {}
            out.writerow([name, source, expect, mark, d["outcome"], first.get("category", ""), first.get("subject", ""),
                          first.get("next_step", ""), d.get("verdict", "")])
    print(", ".join(f"{n} {mark}" for mark, n in sorted(counts.items())), "of", sum(counts.values()))
    return counts.get("wrong", 0) + counts.get("refuses", 0) > 0


if __name__ == "__main__":
    sys.exit(main())
