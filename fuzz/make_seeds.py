#!/usr/bin/env python3
"""First inputs of fuzz targets that keep none in fuzz/seeds: whole files of their formats, made or taken from the checkout.

usage: make_seeds.py LENTO FOLDER
Writes FOLDER/NAME/seed for each target NAME, or seed0, seed1 and so on where one format has several forms. A target that begins with an empty corpus spends its time before the magic
number, or the first check sum, of its format.
"""
import json
import pathlib
import pickle
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


def foreign():
    """One trace of each text form and of ChampSim's records; the first byte is the form's number in fuzz/memory/foreign.cc."""
    sample = "my prog  4711/4712 [003] 12.{:06d}: 1000 cpu/mem-loads,ldlat=30/P:     7f000000{:04x} 668100842 |OP LOAD|LVL L3 hit|   47   0  401156 main+0x16 (/bin/a)\n"
    perf = "".join(sample.format(i, 64 * i) for i in range(4)) + "a 5 [000] 1.5: mem:0x404080:rw: 404080 40115c main+0x6\na 5 [001] 1.0: page-faults: 7f00 40 x\n"
    axes = "time,cpu,latency,dataSource,addr,ip,variable,index,source,line,level,hit_type,op_type,node,tid\n" + "".join(
        f"{i:x},{i % 2},{5 * i},{i},{4096 + 64 * i},{16 * i},a,{i},f.cc,{i},{level},Hit,Load,{i % 2},7\n"
        for i, level in enumerate(["L1", "LFB", "L2", "L3", "Local RAM", "Remote RAM 1 Hop", "Remote Cache 1 Hops", "Uncached"]))
    records = b"".join(struct.pack("<Q8x2Q4Q", 0x400000 + 4 * i, 0x1000 * (i % 2), 0, 0x2000, 0x3000 * (i % 3), 0, 0) for i in range(5))
    paper = "".join(f"{i % 4} {100 + i} 0x{0x10009d60 + i:x} {kind} 0x{0x20000000 + 8 * i:x} {i}\n" for i, kind in enumerate(["load", "store", "fetch"] * 3))
    packets = b"gem5" + b"".join(varint(len(p)) + p for p in [
        message((1, "system.monitor"), (2, 1), (3, 1 << 30)), *(message((1, 100 * i), (2, 1 + i % 5), (3, 4096 + 64 * i), (4, 8), (5, 0), (6, i)) for i in range(8))])
    return [b"\0" + paper.encode(), b"\1" + perf.encode(), b"\2" + axes.encode(), b"\3" + packets, b"\6" + records]


def transfers():
    """Lento's own form, a table of single transfers, and a log of zones."""
    own = ('lento-records 2\n{"networks":["NOC_0"],"names":["","BRISC","BRISC-KERNEL","READ","READ_BARRIER_START"],"joints":[]}\n'
           "chip x y processor kind network peer_chip peer_x peer_y bytes begin end name sources\n"
           "0 1 2 1 zone 0 0 -1 -1 0 1000 - 2 1\n0 1 2 1 read 0 0 0 5 2048 1224 - 3 1\n0 1 2 1 read-group 0 0 -1 -1 0 1474 1790 4 2\n")
    table = "component,kind,peer,bytes,start,end,layer\n" + "".join(f"1-2,{kind},0-5,2048,{100 * i},{100 * i + 60},conv{i}\n" for i, kind in enumerate(["read", "write", "compute"]))
    log = ("ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000\nPCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], stat value, run ID, zone name, zone phase\n"
           + "".join(f"0, {x}, 2, BRISC, 7, {1000 + 500 * end + x}, 0, 0, BRISC-KERNEL, {'end' if end else 'begin'}\n" for x in (1, 2) for end in (0, 1)))
    return [own, table, log]


def tables():
    """Tables of metrics: wide with a unit in each value, tidy, dates, a decimal comma, a row per GPU."""
    return ["timestamp, index, clocks.sm [MHz], power.draw [W]\n" + "".join(f"2026/11/20 08:00:{i:02d}.000, {i % 2}, {1980 - i} MHz, {650 + i}.00 W\n" for i in range(6)),
            "node;time;metric;value\n" + "".join(f"n{i % 2};{i // 4};{'load' if i % 4 < 2 else 'temp'};{i},5\n" for i in range(12)),
            "datetime\tserver_id\tgpu\tutil %\n" + "".join(f"2026-11-20T08:00:{i:02d}Z\ts{i % 2}\t{i % 3}\t{90 + i}%\n" for i in range(6)),
            '"Time","n0","n1"\n' + "".join(f'{1700000000000 + 1000 * i},"1 {i}00.5",\n' for i in range(4))]


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
    subprocess.run([lento, "chip", "simulate", *chip, "-o", run], check=True, capture_output=True)
    image = (ROOT / "guests/built/echo.ypu").read_bytes()
    old = work / "v1.probe"
    subprocess.run([lento, "chip", "simulate", *chip, "--form", "unchecked", "-o", old], check=True, capture_output=True)
    dump = judged(damage_check.FlightRecorder, lento, work / "f")
    rng = random.Random(1)
    return {
        "access_codec": b"\x08" + accesses[64:1024], "access_file": accesses, "access_text": judged(damage_check.Access, lento, work / "a")[:4096],
        "c2c_report": C2C, "gpu_memory": COUNTERS, "memory_platform": (ROOT / "examples/memory/banked.yaml").read_bytes(),
        "memory_checkpoint": rng.randbytes(256), "recording": bytes([0, 1, 2, 3]) + accesses[:4096],
        "campaign": (ROOT / "campaigns/factors.yaml").read_bytes(),
        "campaign_results": '{"schema": "lento.run/1"}',
        "flight_recorder": [dump, pickle.dumps(json.loads(dump), 2), pickle.dumps(json.loads(dump), 4)],
        "foreign": foreign(), "transfers": transfers(), "fleet_csv": tables(), "probe_file": [run.read_bytes()[:1 << 14], old.read_bytes()[:1 << 13]], "inspector_log": judged(damage_check.Inspector, lento, work / "i"),
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
            several = isinstance(data, list)
            for n, one in enumerate(data if several else [data]):
                (out / name / f"seed{n if several else ''}").write_bytes(one.encode() if isinstance(one, str) else one)


main()
