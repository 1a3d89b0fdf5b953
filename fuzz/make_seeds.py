#!/usr/bin/env python3
"""First inputs of fuzz targets that keep none in fuzz/seeds: whole files of their formats, made or taken from the checkout.

usage: make_seeds.py LENTO FOLDER
Writes FOLDER/NAME/seed for each target NAME. A target that begins with an empty corpus spends its time before the magic
number, or the first check sum, of its format.
"""
import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import damage_check  # noqa: E402

PAGE = """nccl_collective_exec_time_microseconds{version="5.0",slurm_job_id="1",node="n0",gpu="GPU0",comm_name="tp",n_nodes="1",nranks="8",\
collective="AllReduce",message_size="64-65MB",algo_proto="RING_SIMPLE"} 812.5 1780000000
"""
C2C = """=================================================
          Shared Cache Line Distribution Pareto
=================================================
  ----------------------------------------------------------------------
      0        0      252     2024      470        0      0x55c8971f0080
  ----------------------------------------------------------------------
     0.00%   12.30%    0.00%    0.00%    0.00%   0x0   0   1   0x55c8971ed3e9   0   1313   863   1222   3  [.] work  prog  prog.c:12  0
"""
COUNTERS = """"ID","Kernel Name","l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum","l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"
"","","",""
"0","transpose(float*)","1,024","2,048"
"""
RAS = {"timestamp": "2026-01-01 00:00:00", "communicators": [
    {"hash": "0x1", "size": 2, "ranks": [{"rank": r, "host": f"n{r}", "pid": 10 + r, "cuda_dev": 0, "status": {}, "collective_counts": {"AllReduce": 5 - r}}
                                         for r in range(2)], "missing_ranks": []}]}


def message(*fields):
    """A message of protobuf: (number, value) pairs of integers, text and bytes."""
    out = b""
    for number, value in fields:
        if isinstance(value, int):
            out += bytes([number << 3]) + varint(value)
        else:
            data = value.encode() if isinstance(value, str) else value
            out += bytes([number << 3 | 2]) + varint(len(data)) + data
    return out


def varint(value):
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def network():
    """An ONNX model of one layer: y = relu(x * w), w of 4 x 2 weights."""
    def value(name, *extents):
        shape = message(*((1, message((1, e))) for e in extents))
        return message((1, name), (2, message((1, message((1, 1), (2, shape))))))

    weights = message((1, 4), (1, 2), (2, 1), (8, "w"), (9, struct.pack("<8f", *range(8))))
    product = message((1, "x"), (1, "w"), (2, "p"), (4, "MatMul"))
    relu = message((1, "p"), (2, "y"), (4, "Relu"))
    graph = message((1, product), (1, relu), (2, "g"), (5, weights), (11, value("x", 1, 4)), (12, value("y", 1, 2)))
    return message((1, 8), (7, graph), (8, message((1, ""), (2, 13))))


def jitdump():
    head = struct.pack("<IIIIIIQQ", 0x4A695444, 1, 40, 62, 0, 7, 1, 0)
    body = struct.pack("<IIQQQQ", 7, 7, 0x1000, 0x1000, 16, 1) + b"work\0" + b"\x90" * 16
    return head + struct.pack("<IIQ", 0, 16 + len(body), 2) + body


def elf():
    """A 32-bit RISC-V program of three instructions, with one segment."""
    code = struct.pack("<III", 0x00500513, 0x00150513, 0x0000006F)
    head = b"\x7fELF\x01\x01\x01" + bytes(9) + struct.pack("<HHIIIIIHHHHHH", 2, 243, 1, 0x1000, 52, 0, 0, 52, 32, 1, 0, 0, 0)
    return head + struct.pack("<IIIIIIII", 1, 84, 0x1000, 0x1000, len(code), len(code), 5, 4) + code


def judged(kind, lento, folder):
    """A file that damage_check.py makes, at most 64 KiB of it."""
    folder.mkdir()
    case = kind(lento, 1, folder)
    case.build()
    return damage_check.open_bytes(case.files("planted")[0])[:1 << 16]


def seeds(lento, work):
    trace = work / "t.access"
    subprocess.run([lento, "memory", "simulate", ROOT / "guests/built/false_sharing.elf", "--harts", "2", "--trace", trace], check=True, capture_output=True)
    accesses = trace.read_bytes()[:1 << 16]
    run = work / "run.probe"
    chip = ["--chip", ROOT / "examples/chip/4x4.yaml", "--mapping", ROOT / "examples/chip/tiny.map.json"]
    for words in (["simulate", *chip, "-o", run], ["calibrate", run, *chip, "-o", work / "fit.json"]):
        subprocess.run([lento, "chip", *words], check=True, capture_output=True)
    image = (ROOT / "guests/built/echo.ypu").read_bytes()
    rng = random.Random(1)
    return {
        "access_codec": b"\x08" + accesses[64:1024], "access_file": accesses, "access_text": judged(damage_check.Access, lento, work / "a")[:4096],
        "c2c_report": C2C, "gpu_memory": COUNTERS, "memory_platform": (ROOT / "examples/memory/banked.yaml").read_bytes(),
        "memory_checkpoint": rng.randbytes(256), "recording": bytes([0, 1, 2, 3]) + accesses[:4096],
        "campaign": (ROOT / "campaigns/factors.yaml").read_bytes(),
        "campaign_results": '{"schema": "lento.run/1"}', "chip_fit": (work / "fit.json").read_bytes(),
        "flight_recorder": judged(damage_check.FlightRecorder, lento, work / "f"), "inspector_log": judged(damage_check.Inspector, lento, work / "i"),
        "kineto_collectives": judged(damage_check.Kineto, lento, work / "k"), "nsight": (ROOT / "examples/nsight/rank0.sqlite").read_bytes(),
        "inspector_prom": PAGE, "ras_answer": json.dumps(RAS), "machine_names": "# names\n10.0.0.1,node1\nnode1.cluster.local,node1\n",
        "fleet_chunk": b"\x00\x05\x80\x90\xa0\x01" + struct.pack(">d", 1.5) + rng.randbytes(32), "fleet_model": '{"schema": "lento.fleet-model/1", "metrics": []}',
        "watch_state": '{"schema": "lento.watch/1", "machines": ["a"], "metrics": ["step_time_s"]}',
        "questions": "m,n,k,precision\n4096,4096,4096,bf16\n", "system": (ROOT / "share/lento/systems/a100.yaml").read_bytes(),
        "workload": (ROOT / "examples/predict/mixture.yaml").read_bytes(), "onnx": network(), "tile_neural": network(),
        "elf": elf(), "jitdump": jitdump(), "perf_map": "1000 40 work\n1040 20 read\n", "journal": "lento.journal/1 squares 1\n",
        "tile_block": (ROOT / "examples/tile/bus.map.yaml").read_bytes(), "tile_seal": b"\x00" + image, "tile_verify": image[:4096],
        "vcd": "$timescale 1ns $end\n$scope module soc $end\n$var wire 1 c clk $end\n$var wire 1 f fast $end\n$scope module bus $end\n"
               "$var wire 8 d data [7:0] $end\n$var wire 1 v valid $end\n$var wire 8 a addr [7:0] $end\n$var wire 4 q q[1] [3:0] $end\n$var wire 4 n noise [3:0] $end\n"
               "$upscope $end\n$upscope $end\n$enddefinitions $end\n" + "".join(f"#{10 * t}\n1c\nb{t:b} d\n1v\nb11 q\n#{10 * t + 5}\n0c\n1f\n" for t in range(1, 20)),
    }


def main():
    lento, out = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as work:
        for name, data in seeds(lento, pathlib.Path(work)).items():
            (out / name).mkdir(parents=True, exist_ok=True)
            (out / name / "seed").write_bytes(data.encode() if isinstance(data, str) else data)


main()
