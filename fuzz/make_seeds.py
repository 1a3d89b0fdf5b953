#!/usr/bin/env python3
"""First inputs of fuzz targets that keep none in fuzz/seeds: whole files of their formats, made or taken from the checkout.

usage: make_seeds.py LENTO FOLDER
Writes FOLDER/NAME/seed for each target NAME, or seed0, seed1 and so on where one format has several forms; FOLDER/desk is for all
targets desk_*. A target that begins with an empty corpus spends its time before the magic number, or the first check sum, of its
format.
"""
import base64
import io
import json
import pathlib
import pickle
import random
import re
import struct
import subprocess
import sys
import tarfile
import tempfile
import zipfile
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import damage_check  # noqa: E402
import desk_fresh  # noqa: E402
import desk_recognition  # noqa: E402

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
    """32-bit RISC-V programs of three instructions: one segment, and one that also names its function and uses short instructions."""
    code = struct.pack("<III", 0x00500513, 0x00150513, 0x0000006F)
    segment = struct.pack("<IIIIIIII", 1, 84, 0x1000, 0x1000, len(code), len(code), 5, 4)
    names = b"\0main\0"
    symbols = bytes(16) + struct.pack("<IIIBBH", 1, 0x1000, 12, 2, 0, 1)
    sections = bytes(40) + struct.pack("<10I", 0, 2, 0, 0, 96 + len(names), len(symbols), 2, 0, 4, 16) + struct.pack("<10I", 0, 3, 0, 0, 96, len(names), 0, 0, 1, 0)

    def head(table, flags):
        return b"\x7fELF\x01\x01\x01" + bytes(9) + struct.pack("<HHIIIIIHHHHHH", 2, 243, 1, 0x1000, 52, table, flags, 52, 32, 1, 40 if table else 0, 3 if table else 0, 0)

    body = segment + code + names + symbols
    return [head(0, 0) + segment + code, head(52 + len(body), 1) + body + sections]


def perf_data():
    """perf.data: an event with all fields that a sample may have, the records around samples, the form of a pipe."""
    def record(kind, body, misc=0):
        return struct.pack("<IHH", kind, misc, 8 + len(body)) + body

    def words(*values):
        return struct.pack(f"<{len(values)}Q", *values)

    def attribute(fields, kind=4):
        return struct.pack("<IIQQQQQ", kind, 112, 0, 1000, fields, 31, 0) + bytes(4) + struct.pack("<I", 2) + bytes(16) + words(1 << 17 | 1 << 19, 7) + bytes(24)

    few, many = 1 | 2 | 4 | 8 | 128 | 256 | 1 << 14 | 1 << 15, 0x1FFFF & ~(1 << 14) | 1 << 24
    ids = 8 << 32 | 7
    samples = b"".join(record(9, words(0x401000 + i, ids, 100 - i, 0x7000 + 64 * i, i % 2, 1000, 50, 0x10668100842)) for i in range(4))
    all_fields = words(5, 0x401000, ids, 100, 0x7000, 5, 6, 1, 1000, 1, 9, 9, 1, 1, 1, 2, 0x401000, 0x401001, 8, 0, 1, 7, 1, 2, 3, 4, 2, 1, 2, 3, 16, 1, 2, 16, 60, 0x1A29081042)
    around = (record(1, words(ids, 0x400000, 0x2000, 0) + b"/bin/a\0\0") + record(10, words(ids, 0x8000, 0x1000, 0, 20, 0, 0, 0) + b"/lib/b\0\0", 1 << 14)
              + record(3, words(7 << 32 | 7) + b"prog\0\0\0\0") + record(66, words(8)) + bytes(8) + record(71, words(16)) + bytes(16) + record(68, b""))
    whole = b""
    out = []
    for fields, body in ((few, around + samples + record(68, b"") + samples), (many, record(9, all_fields) * 2 + record(68, b""))):
        attrs = attribute(fields, 5) + words(240, 8)
        whole = b"PERFILE2" + words(104, len(attrs), 104, len(attrs), 104 + len(attrs) + 8, len(body)) + bytes(48) + attrs + words(5)
        out.append(whole + body)
    attr = attribute(few)
    return [*out, b"PERFILE2" + words(16) + record(64, attr + words(5)) + samples, out[0][:300], b"2ELIFREP" + bytes(8), whole[:104] + record(81, bytes(8))]


def drmemtrace():
    """Markers, instructions, loads, stores and prefetches of DynamoRIO in the members of a zip."""
    def entry(kind, size, address):
        return struct.pack("<HHQ", kind, size, address)

    def member(data):
        packed = zlib.compress(data)[2:-4]
        return b"PK\x03\x04" + struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 0, 0, len(packed), len(data), 1, 0) + b"a" + packed

    records = (entry(22, 4, 99) + entry(24, 4, 4711) + entry(28, 10, 128) + b"".join(entry(28, 2, 1000 + i) + entry(28, 3, i % 3) + entry(10, 4, 0x400000 + i) + entry(i % 2, 8, 0x7000 + 8 * i)
               for i in range(8)) + entry(2, 4, 0x7010) + entry(99, 4, 1) + entry(48, 300, 0x400010))
    return [member(records[:50]) + member(records[50:]), member(records + b"cut"), member(records)[:60]]


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
    others = [
        message((1, 5), (2, 40)), message((1, 900), (2, 2), (3, 64), (6, 9)), message((1, 7), (2, 4), (3, 128), (4, 300), (6, 1), (9, "text")) + b"\x51" + bytes(8) + b"\x5d" + bytes(4)]
    damaged = packets + b"".join(varint(len(p)) + p for p in others)
    unknown = "".join(f"==1== Lackey\nI  {i:08x},3\n L {i:08x},8\n S {i:08x},8\n M {i:08x},4\n" for i in range(4))
    return [b"\0" + paper.encode(), b"\1" + perf.encode(), b"\2" + axes.encode(), b"\3" + packets, b"\3" + damaged, b"\3" + packets + b"\x05ab", b"\6" + records, b"\6" + records[:100],
            b"\5" + unknown.encode(), *(b"\7" + p for p in perf_data()), *(b"\4" + z for z in drmemtrace()), b"\x08" + C2C.encode(),
            *(b"\x09" + s for s in (paper.encode(), perf.encode(), axes.encode(), packets, unknown.encode(), C2C.encode(), records, perf_data()[0], drmemtrace()[0], b"# a\nnothing\n", b"# lento.access/1\n"))]


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
            "date,host,watts\n" + "".join(f"{13 + i // 4}/01/2026 10:{i:02d}:00,n{i % 2},{600 + i}\n" for i in range(8)),
            "date,host,watts\n" + "".join(f"01-{13 + i // 4}-2026 10:{i:02d}:00,n{i % 2},{600 + i}\n" for i in range(8)),
            "date,host,watts\n" + "".join(f"0{1 + i // 4}.02.2026, 10:{i:02d}:00,n{i % 2},{600 + i}\n" for i in range(8)),
            "date,host,watts\n" + "".join(f"05/05/2026T10:{i:02d}:00,n{i % 2},{600 + i}\n" for i in range(8)), "date,host,watts\n31/02/2026 1:00,n0,1\n02/31/2026 1:00,n0,1\n",
            "time[us];host;power\n" + "".join(f"{10 ** 9 * i};n{i % 2};1.{i}55,{i} W\n" for i in range(8)), "step,rank,time_ms\n" + "".join(f"{i // 2},{i % 2},{100 + i}\n" for i in range(12)),
            "time_ns,machine,metric,value\n" + "".join(f"{i * 10**9},n{i % 2},rack,r1\n{i * 10**9},n{i % 2},power,{i} kW\n{i * 10**9},n{i % 2},note,x\n" for i in range(6)),
            "m,time,a\nn0,2026-11-20T08:00:00Z[UTC],1\nn0,2026-11-20T08:01:00Z[UTC],n/a\nn1,1,-\nn1,2026-11-20T08:01:00Z,1 W\nn1,2026-11-20T08:02:00Z,1 MHz\n",
            '"Time","n0","n1"\n' + "".join(f'{1700000000000 + 1000 * i},"1 {i}00.5",\n' for i in range(4))]


def access_texts():
    """Both forms of Lento's own text, with facts of the trace and each kind of field."""
    columns = "cpu cycle pc type address latency size flags culprit culprit_pc blamed cause"
    kinds = ["fetch", "load", "store", "prefetch", "atomic"]
    rows = [f"{i % 3} {100 + 7 * i} 0x{0x1000 + 4 * i:x} {kinds[i % 5]} 0x{0x20000 + 8 * i:x} {['-', 28][i % 2]} {4 + i % 2 * 4} {['k', '-', 'lks', 'fucd'][i % 4]} "
            + ("- - - -" if i % 4 else f"{(i + 1) % 3} 0x10016b50 17 interconnect") for i in range(24)]
    context = [f"{r} {10 + i % 2} {i % 2} {['-', '1'][i % 2]} {['-', 'remote_memory', 'local_memory', 'l1'][i % 4]}" for i, r in enumerate(rows)]
    facts = ("# line 64\n# period 1000\n# time ns\n# latency cycles\n# node 1 1\n# process 1 4711 prog\n# code 1 0x1000 0x1040 work\n# data 1 0x20000 0x20040 block main.c:3\n"
             "# program 00ff prog\n# map 1 0x400000 0x401000 0 - /none/such\n")
    return [f"# lento.access/1\n{facts}{columns}\n" + "\n".join(rows) + "\n", f"# lento.access/2\n{columns} thread process node service\n" + "\n".join(context) + "\nno record\n",
            f"# lento.access/1\nother columns\n{rows[0]}\n", "# lento.access/9\n"]


def access_columns():
    """The columns of a chunk of eight records of two CPUs, each field predicted wrongly once; before them the number of records."""
    tokens = bytes([127, 0, 31, 0, 127, 8, 2, 0])
    columns = [b"\x20\x40\x10", b"\1\x08\2\x04\1\x08\2\x04", b"\x80\x02\x10\x20", b"\x0a\x06\x0a\x06\x02", b"\x1c\x05\x1c\x05", b"\x03\x01\x03", b"\1\2\x11\x10\0\1\x11\x12"]
    head = varint(2) + b"".join(varint(n) for n in (0, 4, 1000, 1, 4, 1004)) + b"".join(varint(len(c)) for c in columns)
    body = head + tokens + b"".join(columns)
    apart = varint(1) + b"".join(varint(n) for n in (3, 2, 1 << 40)) + varint(0) * 3 + varint(9) + varint(0) * 3 + bytes([8, 0]) + varint(1 << 60)
    return [b"\x08" + body, b"\x08" + body + b"".join(varint(n) for n in (3, 77, 1)) + b"\1\2" + b"".join(varint(n) for n in (5, 78, 1)) + b"\xff\0", b"\x02" + apart]


def store_answers():
    """Answers of a store to each question of fuzz/fleet/prometheus_store.cc, whose number is the first byte."""
    def instant(*series):
        return json.dumps({"status": "success", "data": {"resultType": "vector", "result": [{"metric": m, "value": [1.7e9, v]} for m, v in series]}}).encode()

    targets = [({"job": "j", "instance": f"n{i}.a.b:9100", "machine": f"n{i}"}, str(i % 2)) for i in range(3)]
    hosts = [({"instance": f"10.0.0.{i}:9100", "nodename": f"n{i}.cluster.local"}, "1") for i in range(3)] + [({"instance": "localhost:1", "nodename": "n9"}, "x"), ({"instance": "a"}, "1")]
    values = [[1.7e9 - 15 * i, str(100 - i)] for i in range(20, 0, -1)] + [[1.7e9, "NaN"], [1.7e9], [1.7e9, "1e999"]]
    matrix = {"status": "success", "data": {"result": [{"metric": {"machine": f"n{i}", "gpu": str(g), "rack": "r"}, "values": values} for i in range(2) for g in range(2)] + [{"metric": {}, "values": []}]}}
    begin = 1_700_000_000_000 - 300_000
    chunk = b"\x00\x05" + varint(2 * begin) + struct.pack(">d", 1.5) + varint(15_000) + bytes(24)
    labels = b"".join(message((1, message((1, k), (2, v)))) for k, v in (("machine", "n1"), ("device", "0")))
    chunks = b"".join(message((2, message((1, begin), (2, begin + 60_000), (3, kind), (4, chunk)))) for kind in (1, 9))
    series = message((1, labels + chunks)) + message((1, chunks))
    frames = varint(len(series)) + struct.pack(">I", crc32c(series)) + series
    broken = b"\x04" + struct.pack(">I", crc32c(b"\x0f\xff\xff\xff")) + b"\x0f\xff\xff\xff"
    failed = b'{"status":"error","error":"x"}'
    return [b"\0" + instant(*targets), b"\1" + instant(*hosts), b'\2{"status":"success","data":{"result":[1700000000.5,"1700000000.5"]}}', b'\2{"status":"success","data":{"result":[1]}}',
            b'\3{"status":"success","data":["b","a"]}', b"\x83" + failed, b"\x80" + failed, b"\x84" + json.dumps(matrix).encode(), b"\x84" + failed, b"\4" + frames, b"\4" + frames + broken, b"\4" + frames[:30],
            b'\3{"status":"success","data":[' + b'"a",' * 10_000 + b'"b"]}']


def crc32c(data):
    value = 0xFFFFFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
    return value ^ 0xFFFFFFFF


METRICS = ['busy=sum(rate(node_cpu_seconds_total{mode!~"idle|iowait",job="a\\"b"}[5m]))', "mean( x:y.z )", "avg(up)", "a=b=c", "rate(a", "rate(b{c=\"d\"})", "sum by (x) (y)", "", "x=", "DCGM_FI_DEV_GPU_UTIL",
           "node_vmstat_pgfault", 'task=~"llm.*"', "a!b", "=x", "a!=b", 'a!~"b', "a{b}", "a{b=c,}", "dcgm", "amd", "dcgn", "card0"]
OPERATIONS = [b"AllGather", b"ReduceScatter", b"AllToAll", b"Broadcast", b"Reduce", b"Gather", b"Scatter", b"Barrier", b"Send", b"ncclRecv", b"other"]
LEDGER = '{"torn\n' + "".join(json.dumps({"time": 10**9 - 60_000 * i, "task": task, "machine": f"n{i % 3}", "event": event, "status": 1, "by": by}) + "\n" for i, (task, event, by) in enumerate(
    [("job", "started", "host:1:2"), ("job", "ended", "host:1:2"), ("job", "started", "other:1:2"), ("job", "cleared", "host:1:2"), ("job", "unknown", "x"), ("b", "started", "host"), ("job", "started", "host:1:2")]))
MAPS = ["00400000-00452000 r-xp 00000000 08:02 173521  /bin/a\n7f00-7f10 rw-p 00000010 00:00 0\n", "  7 [0x1000-0x2000): 0x10 08:02 5 6 r-xp /lib/b\n", "0 [k] 1-2\n",
        "line\t64\nusual_line\t64\ntime\tns\nlatency\tcycles\nperiod\t1000\nnode\t1\t1\nprocess\t1\t4711\tprog\ncode\t0\t0x1000\t0x1040\twork\ndata\t0\t0x1000\t0x1040\tblock\tmain.c:3\n"
        "data\t0\t0x2000\t0x2040\tcounters\nprogram\t00ff\tprog\nmap\t1\t4096\t8192\t0\tabcd\t/none/such\nmap\t1\t0x4000\t0x5000\t0\t-\t/none\n"]

LITERAL = re.compile(r'R"(\w*)\((.*?)\)\1"|"((?:[^"\\\n]|\\.)*)"', re.S)
ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]+)|([0-7]{1,3})|(.))", re.S)


def texts_of_tests(*patterns):
    """The texts of some length that unit tests feed to readers: string literals, those beside one another joined."""
    out = []
    for file in sorted(f for pattern in patterns for f in ROOT.glob(pattern)):
        code, end, texts = re.sub(r"^(#include|\s*//).*$", "", file.read_text(), flags=re.M), None, []
        for m in LITERAL.finditer(code):
            text = m[2] if m[2] is not None else ESCAPE.sub(lambda e: chr(int(e[1], 16) & 255) if e[1] else chr(int(e[2], 8)) if e[2] else {"n": "\n", "t": "\t", "r": "\r"}.get(e[3], e[3]), m[3])
            if end is not None and not code[end:m.start()].strip():
                texts[-1] += text
            else:
                texts.append(text)
            end = m.end()
        out += [text for text in texts if len(text) >= 40]
    return out


def desk_files():
    """The first lines of each kind of file that tests/desk makes, with a fault and without."""
    files = []
    for case in [*desk_fresh.CASES, *desk_recognition.KINDS]:
        for fault in (True, False):
            made, *_ = case(random.Random(f"{case.__name__} {fault}"), fault)
            files += [made[name] for name in sorted(made)[:2]]
    return [text[:4096].rpartition("\n")[0] or text[:4096] for text in files] + texts_of_tests("src/desk/**/*.test.cc") + FORMS


FORMS = [  # that the tests show in parts only
    "".join(f"[batch={b}/20]:\n\t MaxRoundTripTime/Rank: {5 + b}.9s/2\n\t MinRoundTripTime/Rank: 4.9s/1\n\t Train MinClock/Rank: {1980 - b}.00MHz/16\n\t Train MaxClock/Rank: 1980/3\n" for b in range(1, 8)),
    "".join(f"2026-11-20 09:{m:02d}:00 {{'loss': 2.{m}, 'train_tokens_per_second': 5{m}.5, 'epoch': {m / 10}}}\n" for m in range(8)) + "{'train_runtime': 100.5, 'train_samples_per_second': 50.1, 'train_steps_per_second': 1.5, 'train_loss': 2.0, 'epoch': 1.0}\n",
    "".join(f"NVRM: Xid (PCI:0000:{i:02x}:00): {code}, pid='<unknown>', name=<unknown>, GPU recovery action changed from 0x0 (None) to 0x{i % 2}\n" for i, code in enumerate((13, 31, 43, 48, 63, 64, 74, 79, 94, 95, 119, 154, 999)))
    + "nvidia-nvswitch0: SXid (PCI:0000:05:00.0): 12028, Non-fatal, Link 32 egress non-posted PRIV error (First)\nnvidia-nvswitch0: SXid (PCI:0000:05:00.0): 20034, Fatal, Link 30 LTSSM Fault Up\n"
    "NVRM: The NVIDIA GPU 0000:41:00.0\nNVRM: (PCI ID: 10de:2330) installed in this system has\nNVRM: fallen off the bus and is not responding to commands.\nNVRM: GPU at PCI:0000:41:00: has fallen off the bus.\n"
    "NVRM: RmInitAdapter failed! (0x62:0xffff:2477)\n",
    json.dumps([{"gpu": g, "usage": {"gfx_activity": {"value": 90 + g, "unit": "%"}, "umc_activity": "N/A"}, "power": {"socket_power": {"value": 700, "unit": "W"}, "throttle_status": "UNTHROTTLED"},
                 "clock": {"gfx_0": {"clk": {"value": 1980, "unit": "MHz"}, "max_clk": 2100}}, "temperature": {"edge": "N/A", "hotspot": {"value": 60, "unit": "C"}}, "ecc": {"total_correctable_count": g, "total_uncorrectable_count": 0},
                 "pcie": {"width": 16, "speed": {"value": 32, "unit": "GT/s"}}, "mem_usage": {"used_vram": {"value": 9, "unit": "MB"}}} for g in range(4)], indent=1),
    json.dumps({f"card{g}": {"GPU use (%)": "98", "Average Graphics Package Power (W)": "300.0", "sclk clock speed:": "(1700Mhz)", "Temperature (Sensor junction) (C)": "71.0", "Unique ID": "0x1"} for g in range(4)}),
    "".join(f"GPU {g}: NVIDIA H100 80GB HBM3 (UUID: GPU-{g})\n" + "".join(f"\t Link {n}: {'<inactive>' if n == g else '26.562 GB/s'}\n" for n in range(4)) for g in range(4)),
    "".join(f"GPU {g}: NVIDIA H100 80GB HBM3 (UUID: GPU-{g})\n" + "".join(f"\t Link {n}: {kind} Errors: {g * n}\n" for n in range(4) for kind in ("Replay", "Recovery", "CRC")) for g in range(4)),
    "\tGPU0\tGPU1\tNIC0\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tNV18\tPIX\t0-55\t0\nGPU1\tNV18\t X \tSYS\t56-111\t1\nNIC0\tPIX\tSYS\t X \n",
    "".join(f"Rank {r}: all-reduce bandwidth: {400 - 200 * (r == 3)} GB/s\n" for r in range(8)) + "Report at iteration 2000), 256 MiB\n" + "".join(f"rank {r}: step time {1.5 + r} ms\n" for r in range(8)),
]


def archives():
    """Zips and a tar with folders, long names and members of each form; one is encrypted, one has sizes of eight bytes."""
    members = {"job/": "", "job/train.log": FORMS[1], "job/" + "long" * 60 + ".log": FORMS[2]}
    out = []
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA):
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w", method) as archive:
            for name, text in members.items():
                archive.writestr(zipfile.ZipInfo(name), text, method)
            with archive.open("large.log", "w", force_zip64=True) as member:
                member.write(FORMS[2].encode())
        out.append(data.getvalue())

    class Stream(io.RawIOBase):  # cannot seek, so that sizes follow behind the data
        def writable(self):
            return True

        def write(self, data):
            out[-1] += bytes(data)
            return len(data)

    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        out.append(b"")
        with zipfile.ZipFile(Stream(), "w", method) as archive:
            archive.writestr("a.log", FORMS[2], method)
    encrypted = bytearray(out[0])
    encrypted[6] |= 1
    for form in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT, tarfile.USTAR_FORMAT):
        data = io.BytesIO()
        with tarfile.open(fileobj=data, mode="w", format=form) as archive:
            for name, text in members.items():
                member = tarfile.TarInfo(name if form != tarfile.USTAR_FORMAT else name[:80])
                member.type = tarfile.DIRTYPE if name.endswith("/") else tarfile.REGTYPE
                member.size = len(text.encode())
                archive.addfile(member, io.BytesIO(text.encode()))
            link = tarfile.TarInfo("link")
            link.type, link.linkname = tarfile.SYMTYPE, "train.log"
            archive.addfile(link)
        out += [data.getvalue(), data.getvalue()[:1000]]
    damaged = bytearray(out[-2])
    damaged[3] ^= 255
    return [*out, bytes(encrypted), bytes(damaged), out[1][:200]]


METRIC = re.compile(r'"((?:l1tex|lts|smsp|sm|dram|gpu|memory|TCC|TCP|TA|SQ|LDS)_[\w.\[\]]+)"')


def gpu_pages():
    """Counters of every name that the reader knows, with drawn values, in rows and in columns; a source page; traces of warps."""
    draw = random.Random(1)
    text = "".join(f.read_text() for f in sorted(ROOT.glob("src/memory/gpu/*.cc")))
    names = sorted(set(METRIC.findall(text)))
    pages = []
    for n in range(24):
        some = [name for name in names if draw.random() < (0.9, 0.5, 0.2)[n % 3]]
        values = [f"{draw.choice([0, 1, 20, 60, 95]) if 'pct' in name or 'ratio' in name else draw.randrange(10 ** draw.randint(1, 7)):,}" for name in some]
        pages.append('"ID","Kernel Name",' + ",".join(f'"{name}"' for name in some) + '\n"","",' + ",".join('""' for _ in some) + "\n" + '"0","f(float*)",' + ",".join(f'"{v}"' for v in values) + "\n")
        pages.append('"ID","Kernel Name","Section Name","Metric Name","Metric Unit","Metric Value","Rule Description"\n' + "".join(f'"0","f","s","{name}","","{v}",""\n' for name, v in zip(some, values)))
        pages.append("Kernel_Name,Counter_Name,Counter_Value\n" + "".join(f"f,{name},{v.replace(',', '')}\n" for name, v in zip(some, values) if name[0] in "TSL"))
    lines = "".join(f'"{i}","{op} R{i % 4}, [R{4 + i % 3}.64+0x{8 * i:x}]","{100 * i}","{3200 * i}","{900 * i % 700}","{100 * i}","{64 * i * (i % 4)}","{16 * i}"\n' for i, op in enumerate(["LDG.E", "STG.E", "LDS", "STS.128", "FADD", "LDG.E.64", "ATOMG", "LDSM"] * 4))
    pages.append('"Kernel Name","f(float*)"\n"#","Source","Instructions Executed","Thread Instructions Executed","L1 Wavefronts Shared","L1 Wavefronts Shared Ideal","L2 Theoretical Sectors Global","L2 Theoretical Sectors Global Ideal"\n' + lines)
    pages.append(pages[-1].replace(" Ideal", " (Ideal)").replace('"#"', '"Address"'))

    def lanes(start, step, count=32):
        return " ".join(f"0x{start + step * lane:x}" for lane in range(count))

    trace, plain = "CTX 0x1 - LAUNCH - Kernel pc 0x7f00 - Kernel name f(float*) - grid launch id 3 - grid size 1\n", "kernel f\n"
    for op, step in [("LDS.32", 128), ("LDS.64", 8), ("STS.128", 16), ("LDG.E.64", 512), ("STG.E", 4), ("LDGSTS.E", 1), ("LDSM.16", 128), ("LDG.E.U8", 1), ("FADD", 4), ("LDG.E.CONSTANT", 0)]:
        trace += "".join(f"CTX 0x1 - grid_launch_id 3 - CTA {i},0,0 - warp {i} - {op} - {lanes(0x400 * i if 'S.' in op or 'S' == op[2] else 0x7f0000000000 + 4096 * i, step)}\n" for i in range(5))
    for op, step in [("ds_read_b32", 256), ("ds_write_b64", 8), ("ds_read_b128", 16), ("ds_load_u8", 1), ("global_load_dwordx4", 16), ("flat_store_dwordx3", 4096), ("buffer_load_ushort", 2), ("global_store_dwordx2", 256)]:
        plain += "".join(f"reduce.hip:{41 + i % 2} {op} {lanes(0x100 if op[0] == 'd' else 0x7f0000000000 + (i << 12), step, 64)}\n" for i in range(4))
    return [*pages, trace, plain, trace + "nothing\n", "# a\nLDS.32 0x0 0x\n"]


def lines_of_json():
    """JSON Lines with nested members, texts, numbers of odd forms, and lines that are none."""
    rows = [{"m": f"n{i % 2}", "time": 1000 + i // 2, "gpu": {"power": 600 + i, "on": True}, "note": None, "list": [1, 2], "text": f"{i},5"} for i in range(8)]
    return "\ufeff" + "\n".join(json.dumps(r) for r in rows) + '\n\nno json\n{"m":"n0","time":-5.5e1,"gpu":{"power":"01"},"new":1}\n{"m":"n0","time":"1.","gpu":7}\n[1]\n'


PROGRAM = """struct Point { long x, y[3]; struct { char c; int d; } in[2]; };
namespace area { template <class T> struct List { T items[8]; int size; };  List<Point> list; Point points[4]; static int hidden; long* where; enum Kind { A } kind; union { int i; float f; } both; }
static inline __attribute__((always_inline)) long inner(Point& p) { return p.y[1] += area::hidden++; }
template <class T> long outer(T& list, int n) { long sum = 0; for (int i = 0; i < n; ++i) sum += inner(list.items[i]); return sum; }
extern "C" long run(int n) { return outer(area::list, n) + inner(area::points[n & 3]); }
"""
MANGLED = ["_ZN4area3runEv", "_ZNSt6vectorIiSaIiEE9push_backERKi", "_RNvNtCs1234_7mycrate3foo3bar", "_ZN7mycrate3foo17h0123456789abcdefE", "_RINvNtC3std3mem4swapmE", "_ZN3foo3barEi.constprop.0", "_RNvXs_NtC1a1bINtB2_1cpENtC1d1e1f",
           "_RNCNvC1a1b0", "_RNvMNtC1a1bNtB2_1c1d", "_RINvC1a1bKj2a_E", "_RNvYNtC1a1bNtC1c1d1e", "_RINvC1a1bTlmEE", "_RINvC1a1bRe_E", "_RINvC1a1bAlj3_E", "_RINvC1a1bFUKCEuE", "_RNvNtC1au9gdel_5qa6x", "_RINvC1a1bDNtC1c1dEL_E", "_R"]


def programs(work):
    """A program of the simulated harts; C++ with debug information of two versions, where a compiler is installed; mangled names."""
    out = [(ROOT / "guests/built/false_sharing.elf").read_bytes(), *(name.encode() for name in MANGLED)]
    for version in (4, 5):
        done = subprocess.run(["c++", f"-gdwarf-{version}", "-O1", "-shared", "-fPIC", "-nostdlib", "-Wl,--build-id", "-x", "c++", "-", "-o", work / "program"], input=PROGRAM.encode(), capture_output=True)
        out += [(work / "program").read_bytes()] if done.returncode == 0 else []
    return out


def sealed(lento, work):
    """An image and each document about it; the first byte is the document's number in fuzz/tile/tile_seal.cc."""
    tile = ROOT / "examples/tile"
    image = work / "echo.ypu"
    image.write_bytes((ROOT / "guests/built/echo.ypu").read_bytes())
    for words in (["certify", tile / "keys/developer.pub", "--owner", tile / "keys/owner.key", "--subject", "Acme", "--block", "7", "--until", "2099-01-01", "-o", work / "c"],
                  ["sign", image, "--key", tile / "keys/developer.key"]):
        subprocess.run([lento, "tile", *words], check=True, capture_output=True)
    digest, key = "0a" * 32, (tile / "keys/owner.pub").read_text().split("\n")[1]
    approval = json.dumps({"schema": "lento.tile-approval/1", "image": digest, "source": digest, "report": digest})
    certificate = {"schema": "lento.tile-certificate/1", "subject": "Acme \"x\"\n", "key": key, "blocks": [7, 8], "policies": ["closed", "permissive"], "not_before": "2026-01-31", "not_after": "2099-01-31T12:00:00Z"}
    revocation = {"schema": "lento.tile-revocation/1", "number": 3, "keys": [key], "images": [digest]}
    rules = {"schema": "lento.tile-block/1", "owner": key, "block": 7, "abi": 1, "policy": "restrictive", "rollback": 2, "counters": [{"developer": "Acme\n", "program": "echo", "counter": 4}],
             "revocation": 3, "revoked_keys": [key], "revoked_images": [digest]}
    odd = {"subject": "", "key": "none", "blocks": [-1], "policies": ["any"], "not_before": "2026-02-31", "counter": 1, "images": ["0"]}
    documents = [(b"\1", certificate), (b"\3", rules), (b"\x08", revocation)]
    signature = (work / "echo.ypu.minisig").read_bytes()
    secret, line = (tile / "keys/developer.key").read_bytes(), signature.split(b"\n")
    protected = [b"untrusted comment: x\n" + base64.b64encode(b"Ed" + kind + b"B2" + bytes(32) + struct.pack("<QQ", *limits) + bytes(104)) + b"\n"
                 for kind, limits in ((b"Sc", (1 << 19, 1 << 24)), (b"Sc", (1 << 40, 1)), (b"XX", (0, 0)), (b"\0\0", (0, 0)))]
    return [*(b"\x09" + p for p in (secret, secret[:-9], *protected)), b"\x0acomment\nmessage", *(head + json.dumps(d).encode() for head, d in documents),
            *(head + json.dumps(d | {k: v for k, v in odd.items() if k in d}).encode() for head, d in documents), *(head + json.dumps(d | {k: v}).encode() for head, d in documents for k, v in odd.items() if k in d),
            *(b"\4" + b"\n".join(line[:n] + [b"x"] + line[n + 1:]) for n in range(4)), b"\5untrusted comment: x\n" + base64.b64encode(bytes(42)) + b"\n",
            b"\0" + image.read_bytes(), b"\1" + (work / "c").read_bytes(), b"\2" + (work / "c").read_bytes(), b"\2" + approval.encode(), b"\3" + (tile / "rules.yaml").read_bytes(),
            b"\4" + signature, b"\4" + (work / "c").read_bytes(), b"\5" + (tile / "keys/owner.pub").read_bytes(), b"\6" + json.dumps({"index": 0, "name": "echo", "digest": "0" * 128}).encode(), b"\7" + signature]


def judged(kind, lento, folder):
    """A file that damage_check.py makes, at most 64 KiB of it."""
    folder.mkdir()
    case = kind(lento, 1, folder)
    case.build()
    return damage_check.open_bytes(case.files("planted")[0])[:1 << 16]


def seeds(lento, work):
    trace = work / "t.access"
    subprocess.run([lento, "memory", "simulate", ROOT / "guests/built/false_sharing.elf", "--harts", "2", "--trace", trace], check=True, capture_output=True)
    accesses = trace.read_bytes()[:1 << 14]
    text = work / "t.txt"
    text.write_text(access_texts()[0])
    subprocess.run([lento, "memory", "replay", text, "--harts", "4", "-o", trace], check=True, capture_output=True)
    small = trace.read_bytes()
    run = work / "run.probe"
    chip = ["--chip", ROOT / "examples/chip/4x4.yaml", "--mapping", ROOT / "examples/chip/tiny.map.json"]
    subprocess.run([lento, "chip", "simulate", *chip, "-o", run], check=True, capture_output=True)
    image = (ROOT / "guests/built/echo.ypu").read_bytes()
    old = work / "v1.probe"
    subprocess.run([lento, "chip", "simulate", *chip, "--form", "unchecked", "-o", old], check=True, capture_output=True)
    dump = judged(damage_check.FlightRecorder, lento, work / "f")
    inspector = judged(damage_check.Inspector, lento, work / "i")
    operations = [inspector[:4096].replace(b"AllReduce", name) for name in OPERATIONS]
    rng = random.Random(1)
    return {
        "access_codec": access_columns(), "access_file": [accesses, small, small[:-40], small.replace(b"LENTOEND", b"LENTOENX")], "access_text": [judged(damage_check.Access, lento, work / "a")[:4096], *access_texts()],
        "c2c_report": C2C, "gpu_memory": [COUNTERS, *texts_of_tests("src/memory/gpu/*.test.cc"), *gpu_pages()],
        "desk_archive": archives(), "symbols": programs(work), "csv": lines_of_json(), "desk": desk_files(),
        "prometheus_store": store_answers(), "metric_names": METRICS, "hook_ledger": LEDGER, "memory_platform": (ROOT / "examples/memory/banked.yaml").read_bytes(),
        "memory_checkpoint": rng.randbytes(256), "recording": bytes([0, 1, 2, 3]) + accesses[:4096],
        "campaign": (ROOT / "campaigns/factors.yaml").read_bytes(),
        "campaign_results": '{"schema": "lento.run/1"}',
        "flight_recorder": [dump, pickle.dumps(json.loads(dump), 2), pickle.dumps(json.loads(dump), 4)],
        "foreign": foreign(), "transfers": transfers(), "fleet_csv": [*tables(), lines_of_json()], "probe_file": [run.read_bytes()[:1 << 14], old.read_bytes()[:1 << 13]], "inspector_log": [inspector, *operations],
        "kineto_collectives": judged(damage_check.Kineto, lento, work / "k"), "nsight": (ROOT / "examples/nsight/rank0.sqlite").read_bytes(),
        "inspector_prom": PAGE, "ras_answer": json.dumps(RAS), "machine_names": "# names\n10.0.0.1,node1\nnode1.cluster.local,node1\n",
        "fleet_chunk": b"\x00\x05\x80\x90\xa0\x01" + struct.pack(">d", 1.5) + rng.randbytes(32), "fleet_model": '{"schema": "lento.fleet-model/1", "metrics": []}',
        "watch_state": '{"schema": "lento.watch/1", "machines": ["a"], "metrics": ["step_time_s"]}',
        "questions": "m,n,k,precision\n4096,4096,4096,bf16\n", "system": (ROOT / "share/lento/systems/a100.yaml").read_bytes(),
        "workload": (ROOT / "examples/predict/mixture.yaml").read_bytes(), "onnx": network(), "tile_neural": network(),
        "elf": elf(), "jitdump": jitdump(), "perf_map": ["1000 40 work\n1040 20 read\n", *MAPS], "journal": "lento.journal/1 squares 1\n",
        "tile_block": (ROOT / "examples/tile/bus.map.yaml").read_bytes(), "tile_seal": sealed(lento, work), "tile_verify": image[:4096],
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
