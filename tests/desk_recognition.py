#!/usr/bin/env python3
"""Recognition by content: ten samples of every kind of file that tests/desk makes, under names that say nothing, must be read as
their kind, also packed (gzip, xz, zip, tar) and as UTF-16; fifty other files must be read as none. Prints a table.

usage: desk_recognition.py LENTO [SAMPLES]
"""
import collections
import gzip
import io
import json
import lzma
import pathlib
import random
import subprocess
import sys
import tarfile
import tempfile
import zipfile

from desk import cluster, gpu, job, network, other_files, runs, tools

# A part of the name of the format that reads each kind.
KINDS = {
    cluster.sinfo: "sinfo", cluster.srun: "launcher", cluster.kubectl_nodes: "kubectl get nodes", cluster.kubectl_describe: "kubectl describe", cluster.ipmi_sel: "ipmitool", cluster.nvme_smart: "nvme", cluster.lustre_import: "Lustre import",
    gpu.dcgm_health: "dcgmi health", gpu.dcgm_nvlink: "dcgmi nvlink", gpu.smi_page: "nvidia-smi", gpu.smi_xml: "nvidia-smi -q -x", gpu.rocm_smi: "rocm-smi", gpu.amd_metric: "amd-smi", gpu.nvbandwidth: "nvbandwidth",
    network.iblinkinfo: "iblinkinfo", network.opensm: "subnet manager", network.perftest: "perftest", network.nccl_closed: "NCCL debug", job.nanogpt: "nanoGPT", job.deepspeed: "timers of DeepSpeed", job.tqdm: "progress bars", job.jax_heartbeat: "MaxText",
    job.horovod: "ranks that have not come", job.torchrun: "launcher", job.vllm: "model server", job.sglang: "model server", job.llama_cpp: "llama.cpp",
    tools.xid: "kernel messages", tools.nccl_info: "NCCL debug", tools.gpu_burn: "gpu-burn", tools.smi_csv: "table of GPUs", tools.smi_query: "nvidia-smi -q", tools.smi_nvlink: "nvidia-smi nvlink", tools.dcgm_json: "dcgmi diag -j",
    tools.dcgm_dmon: "dmon", tools.rocm_csv: "table of GPUs", tools.amd_csv: "table of GPUs", tools.lspci: "lspci", tools.ibstatus: "ports", tools.ibstat: "ports", tools.ethtool: "port counters", tools.perfquery: "port counters",
    tools.nccl_tests: "nccl-tests", tools.nsys: "Nsight Systems", tools.metrics_page: "metrics", runs.watchdog: "PyTorch watchdog", runs.ras: "NCCL", runs.megatron: "Megatron", runs.torchtitan: "torchtitan", runs.nemo: "NeMo",
    runs.deepspeed_rate: "DeepSpeed log", runs.maxtext: "MaxText", runs.trainer: "Trainer", runs.mllog: "MLPerf", runs.serving_text: "serving benchmark", runs.serving_json: "serving benchmark", runs.genai_json: "serving benchmark",
    runs.rocprof: "rocprof", runs.ncu: "Nsight Compute", runs.sacct: "sacct", runs.scontrol_node: "scontrol show node", runs.scontrol_job: "scontrol show job", runs.kube_events: "Kubernetes",
}


def packed(text, way):
    data = text.encode()
    if way == "gzip":
        return gzip.compress(data)
    if way == "xz":
        return lzma.compress(data)
    if way == "UTF-16":
        return text.encode("utf-16")
    out = io.BytesIO()
    if way == "zip":
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("a", data)
    if way == "tar.gz":
        with tarfile.open(fileobj=out, mode="w:gz") as archive:
            member = tarfile.TarInfo("a")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return out.getvalue() if way else data


def formats(lento, data):
    """What the desk reads the bytes as: the names of its formats, or none."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "a")
        path.write_bytes(data)
        done = subprocess.run([lento, "diagnose", "--json", path], capture_output=True, text=True)
        try:
            got = json.loads(done.stdout)
        except ValueError:
            return "", "refused" if done.returncode == 2 else f"rc {done.returncode}"
    if got["scale"] != "desk":
        return "", f"{got['scale']}: {got['outcome']}"
    return ", ".join(one["role"] for one in got.get("inputs", [])), got["outcome"]


def main():
    lento = pathlib.Path(sys.argv[1]).resolve()
    samples = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    table = collections.defaultdict(lambda: [0, 0])
    for case, kind in KINDS.items():
        for seed in range(samples):
            files, _ = case(random.Random(f"kind {case.__name__} {seed}"), seed % 2 == 0)
            text = files[sorted(files)[seed % len(files)]]
            for way in ("", "gzip", "xz", "zip", "tar.gz", "UTF-16") if seed == 0 else ("",):
                found, outcome = formats(lento, packed(text, way))
                row = table[way or case.__name__]
                row[0] += 1
                row[1] += kind in found
                if kind not in found:
                    print(f"{case.__name__} {seed} {way}: '{found}' ({outcome}), right is {kind}")
    for name, data in other_files.files().items():
        found, outcome = formats(lento, data)
        table["other files"][0] += 1
        is_right = not found and "findings" not in outcome and "healthy" not in outcome
        table["other files"][1] += is_right
        if not is_right:
            print(f"other file {name}: '{found}' ({outcome})")
    print(f"{'kind':<20}{'files':>7}{'right':>7}")
    for name, (count, right) in table.items():
        print(f"{name:<20}{count:>7}{right:>7}")
    asked, right = (sum(row[at] for row in table.values()) for at in (0, 1))
    print(f"{right} of {asked} recognised, or known to be another file")
    sys.exit(right < asked)


if __name__ == "__main__":
    main()
