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
import sqlite3
import struct
import subprocess
import sys
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import damage_check  # noqa: E402
import desk_fresh  # noqa: E402
import desk_recognition  # noqa: E402
from seeds_memory import C2C, COUNTERS, access_columns, access_texts, elf, foreign, gpu_pages, jitdump, message, programs, varint  # noqa: E402

PAGE = """nccl_collective_exec_time_microseconds{version="5.0",slurm_job_id="1",node="n0",gpu="GPU0",comm_name="tp",n_nodes="1",nranks="8",\
collective="AllReduce",message_size="64-65MB",algo_proto="RING_SIMPLE"} 812.5 1780000000
"""
RAS = {"timestamp": "2026-01-01 00:00:00", "communicators": [
    {"hash": "0x1", "size": 2, "ranks": [{"rank": r, "host": f"n{r}", "pid": 10 + r, "cuda_dev": 0, "status": {}, "collective_counts": {"AllReduce": 5 - r}}
                                         for r in range(2)], "missing_ranks": []}]}


def network():
    """An ONNX model of one layer: y = relu(x * w), w of 4 x 2 weights."""
    def value(name, *extents):
        shape = message(*((1, message((1, e))) for e in extents))
        return message((1, name), (2, message((1, message((1, 1), (2, shape))))))

    weights = message((1, 4), (1, 2), (2, 1), (8, "w"), (9, struct.pack("<8f", *range(8))))
    product = message((1, "x"), (1, "w"), (2, "p"), (4, "MatMul"))
    relu = message((1, "p"), (2, "y"), (4, "Relu"))
    def model(*parts):
        graph = message((1, product), (1, relu), *parts, (2, "g"), (5, weights), (11, value("x", 1, 4)), (11, value("w", 4, 2)), (12, value("y", 1, 2)))
        return message((1, 8), (7, graph), (8, message((1, ""), (2, 13))))

    whole = message((1, 2), (2, 7), (8, "i"), (9, struct.pack("<2q", -1, 8)))
    return [model(), model((5, whole), (5, message((1, 0), (2, 7), (8, "none"))), (1, message((2, "c"), (4, "Constant"), (5, message((1, "value"), (5, whole)))))), model((1, message((2, "c"), (4, "Constant")))),
            model((5, message((1, 2), (2, 8), (8, "text")))), model((5, message((1, 2), (2, 1), (8, "short"), (9, "abc")))), message((7, message((2, "g")))), "no model"]


def pickles(dump):
    """The dump in the protocols, and each opcode that plain data may hold; then opcodes that would call something."""
    values = [{"a": [None, True, False, 0, 255, 65535, -1, 1 << 40, -(1 << 40), 1.5], "b": (1,), "c": (1, 2), "d": (1, 2, 3), "e": (1, 2, 3, 4), "f": (), "g": {}, "h": "x" * 300, "i": [[]], "j": [dump["version"]] * 2}]
    slots = b"\x80\x02](q\x01K\x01r\x02\0\0\0h\x01j\x02\0\0\0U\x02abT\x03\0\0\0abc\x8d\x01\0\0\0\0\0\0\0xlNa."
    pairs = b"\x80\x02(X\x01\0\0\0aK\x01d(U\x01bK\x02tX\x01\0\0\0kK\x010}X\x01\0\0\0aNs."
    forms = [slots, pairs, *(b"\x80\x02" + body for body in (b"}(U\x01aKu.", b"(U\x01ad.", b"l.", b"a.", b"q\x01.", b"h\x09.", b"\x8a\x09" + bytes(9) + b".", b"\x8a\0.", b"\x8a\x02\xff\xff.", b"\x86.", b"Z.", b"cos\nsystem\n.", b"NN."))]
    return [*(pickle.dumps(value, protocol) for value in (dump, *values) for protocol in (2, 3, 4, 5)), *forms]


def waves():
    """Recordings whose names are those of the map in fuzz/tile/vcd.cc in each form, and ones that the map cannot be resolved in."""
    top = "$timescale 1ns $end\n$scope module soc $end\n$var wire 1 c clk $end\n$var wire 1 f fast $end\n$scope module bus $end\n"
    usual = ["wire 8 d data [7:0]", "wire 1 v valid", "wire 8 a addr [7:0]", "wire 4 q q[1] [3:0]", "wire 4 n noise [3:0]"]
    changes = {0: [["wire 4 d data [7:4]", "wire 4 e data [3:0]"], ["wire 4 d data [0:3]", "wire 4 e data [4:7]"], ["wire 4 d data [7:4]", "wire 4 e data [2:0]"], ["wire 4 d data [7:4]", "wire 2 e data [1:0]"], ["real 64 d data"],
                   ["wire 8 d data [7:0]", "wire 8 e data [7:0]"], ["wire 8 d data", "wire 8 e data"], ["wire 8 d data [-1:6]"], ["wire 8 d data [x:0]"], ["wire 8 d dtaa [7:0]"], ["wire 8 d data[0] [7:0]", "wire 8 e data[1] [7:0]"]],
               3: [["wire 16 q q[1] [15:0]"], ["wire 16 q q[1] [0:15]"], ["wire 4 q \\q[1] [3:0]"], ["wire 4 q \\q[1][3:0]"], ["wire 2 q q[1] [3:2]", "wire 2 r q[1] [1:0]"], ["wire 4 q q[1][3:0]", "wire 4 r q[1] [7:4]"], ["wire 1 q q[1]"], ["wire 4 q q [1:4]"]]}
    steps = "$dumpvars\nx c\n$end\n" + "".join(f"#{10 * t}\n1c\nb{t:b} d\n1v\nb11 q\n#{10 * t + 5}\n0c\n1f\n" for t in range(1, 20))
    forms = [usual] + [usual[:place] + form + usual[place + 1:] for place, all_forms in changes.items() for form in all_forms]
    return [top + "".join(f"$var {v} $end\n" for v in form) + "$upscope $end\n$upscope $end\n$enddefinitions $end\n" + steps for form in forms]


def transfers():
    """Lento's own form, a table of single transfers, and a log of zones."""
    own = ('lento-records 2\n{"networks":["NOC_0"],"names":["","BRISC","BRISC-KERNEL","READ","READ_BARRIER_START"],"joints":[]}\n'
           "chip x y processor kind network peer_chip peer_x peer_y bytes begin end name sources\n"
           "0 1 2 1 zone 0 0 -1 -1 0 1000 - 2 1\n0 1 2 1 read 0 0 0 5 2048 1224 - 3 1\n0 1 2 1 read-group 0 0 -1 -1 0 1474 1790 4 2\n")
    table = "component,kind,peer,bytes,start,end,layer\n" + "".join(f"1-2,{kind},0-5,2048,{100 * i},{100 * i + 60},conv{i}\n" for i, kind in enumerate(["read", "write", "compute"]))
    log = ("ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000\nPCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], stat value, run ID, zone name, zone phase\n"
           + "".join(f"0, {x}, 2, BRISC, 7, {1000 + 500 * end + x}, 0, 0, BRISC-KERNEL, {'end' if end else 'begin'}\n" for x in (1, 2) for end in (0, 1)))
    event = '{"proc":"BRISC","sx":1,"sy":2,"dx":3,"dy":4,"num_bytes":64,"type":"RE\\u0041D","timestamp":%s,"zone":{"a":[1]}}'
    events = ["[]", "[{}]", "[5," + event % 5 + "]", "{}", "[" + event % "1.5e3", "[" + event % 1 + "] x", '[{"sx":1,"sx":2}]', '[{"type":5,"sx":"1"}]', '[{"type":"\u00e9"}]', '[{"type":"\\', '[{"sx" 1}]', "[" + ",".join(event % i for i in range(9)) + "]"]
    return [own, table, log, *events]


def tables():
    """Tables of metrics: wide with a unit in each value, tidy, dates, a decimal comma, a row per GPU."""
    counter = "time,machine,device,total_bytes,temp\n" + "".join(f"{15 * t},n{m},{d},{10 ** 6 * t * (m + 1)},{50 + t % 3}\n" for t in range(80) for m in range(4) for d in range(2))
    quotes = 'time,"mach""ine",x\n1,"n0",1\n2,"n0,2\n3,"n"0,3\n4,n0,\n5,n0\n6,n0,1,2\n'
    once = "time,machine,x\n" + "".join(f"{t},n{m},{t}\n" for t in range(9) for m in range(5)) + "5,seen_once,1\n5,n1,7\n3,n1,7\n9,n2,inf\n9,n2,1e99\n" + "10,,1\n10,a\x01b,1\n"
    return [counter, quotes, once, *(t.encode(f) for t in (b"\xef\xbb\xbf".decode() + once.replace("n1", "\U0001f600"),) for f in ("utf-16-le", "utf-16-be")), b"\xff\xfe" + b"\x3d\xd8a\0,\0b\0\n\0", *("date,host,dev,watts\n" + "".join(
                f"2026-11-20T08:00:{i:02d}Z,n{i % 2},{i % 3},{600 + i}\n" for i in order) for order in (range(12), range(12, 0, -1), [3, 3, 3, 4])), "timestamp, index, clocks.sm [MHz], power.draw [W]\n" + "".join(f"2026/11/20 08:00:{i:02d}.000, {i % 2}, {1980 - i} MHz, {650 + i}.00 W\n" for i in range(6)),
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
            b'\3{"status":"success","data":["b","a"]}', b"\4", b"\x83" + failed, b"\x80" + failed, b"\x85" + json.dumps(matrix).encode(), b"\x85" + failed, b"\5" + frames, b"\5" + frames + broken, b"\5" + frames[:30],
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
FAULTS = "schema: lento.faults/1\nfaults:\n" + "".join(f"- {{component: {part}, factor: {factor}{more}}}\n" for part, factor, more in (
    ("core5", 3, ""), ("link5-9", 10, ", start: 1 us, end: 2 ms"), ("router5", 2, ", start: 5, ramp: 100"), ("lsu5", 2, ", period: 10 us, on: 5 us"), ("dram-left-2", 4, ""), ("dram-right-9", 4, ""), ("core99", 2, "")))
HEADS = [head + more + "\r\n" for head in ("GET / HTTP/1.1\r\n", "get / HTTP/1.1\r\n", "POST /a%20b%2F?a=x%zz&b=%41+c HTTP/1.0\r\n", "GET http://h/ HTTP/1.1\r\n", "GET /\x7f HTTP/1.1\r\n", "GET / HTTP/2\r\n", "GET /\n")
         for more in ("", "Host: [::1]:80\r\n", "Host: 127.0.0.1\r\nContent-Length: 5\r\n", "Host: a\r\nHost: b\r\n", "Content-Length: x\r\n", "Transfer-Encoding: chunked\r\n", "No colon\r\n", " folded: x\r\n", "A:" + "y" * 600 + "\r\n", "A: \x01\r\n", "A: b\rc\r\n")]
KINETO = json.dumps({"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8, "pg_config": [{"pg_name": "0", "pg_desc": "default_pg", "ranks": [0, 1, 2, 3]}]}, "traceEvents": [
    {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": ts, "dur": dur, "args": {"Collective name": op, "In msg nelems": "1e3", "dtype": "\u00e9\ud83d\ude00\t\n\\\"", "Group size": "8", "Process Group Name": "0",
     "Process Group Ranks": ranks, "Seq": i, "External id": i}}
    for i, (name, op, ts, dur, ranks) in enumerate([("ncclDevKernel_AllReduce_Sum_f32_RING_LL", "allreduce", 1e15, 5, "[0, 1, 2, ...]"), ("ncclKernel_SendRecv", "send 0->1", "1795000000000000.125", "7.5", "[0,1]"), ("nccl:all_gather", "_allgather_base", "1.5e3", -1, "[x]"),
                                                   ("ProfilerStep#3", "", 12.25, 1e300, [0, 1]), ("ncclDevKernel_Broadcast", "broadcast", "x", "1.x", "none"), ("ncclDevKernel_Generic", "recv 1<-0", 2, 3, "[0, 1")])]
    + [{"ph": "M", "name": "process_name", "pid": 0, "args": {"name": "python"}}, {"ph": "i", "name": "x"}, 5]})
OPERATIONS = [b"AllGather", b"ReduceScatter", b"AllToAll", b"Broadcast", b"Reduce", b"Gather", b"Scatter", b"Barrier", b"Send", b"ncclRecv", b"other"]
LEDGER_EVENTS = [("job", "started", "host:1:2"), ("job", "ended", "host:1:2"), ("job", "started", "other:1:2"), ("job", "cleared", "host:1:2"), ("job", "unknown", "x"), ("b", "started", "host"),
                 ("job", "started", "host:1:2")]
MAPS = ["00400000-00452000 r-xp 00000000 08:02 173521  /bin/a\n7f00-7f10 rw-p 00000010 00:00 0\n", "  7 [0x1000-0x2000): 0x10 08:02 5 6 r-xp /lib/b\n", "0 [k] 1-2\n",
        "line\t64\nusual_line\t64\ntime\tns\nlatency\tcycles\nperiod\t1000\nnode\t1\t1\nprocess\t1\t4711\tprog\ncode\t0\t0x1000\t0x1040\twork\ndata\t0\t0x1000\t0x1040\tblock\tmain.c:3\n"
        "data\t0\t0x2000\t0x2040\tcounters\nprogram\t00ff\tprog\nmap\t1\t4096\t8192\t0\tabcd\t/none/such\nmap\t1\t0x4000\t0x5000\t0\t-\t/none\n"]
LITERAL = re.compile(r'R"(\w*)\((.*?)\)\1"|"((?:[^"\\\n]|\\.)*)"', re.S)
ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]+)|([0-7]{1,3})|(.))", re.S)


def ledger():
    """A ledger of hooks as src/fleet/watch/hook_ledger.cc makes it."""
    table = "".join(re.findall(r'"([^"]*)"', re.search(r"kTable =(.*?);", (ROOT / "src/fleet/watch/hook_ledger.cc").read_text(), re.S)[1]))
    with tempfile.TemporaryDirectory() as folder:
        database = sqlite3.connect(f"{folder}/ledger")
        database.execute(f"CREATE TABLE {table}")
        for i, (task, event, by) in enumerate(LEDGER_EVENTS):
            database.execute("INSERT INTO hook(time_ms, task, machine, event, status, by) VALUES(?, ?, ?, ?, 1, ?)", (10**9 - 60_000 * i, task, f"n{i % 3}", event, by))
        database.commit()
        database.close()
        return pathlib.Path(folder, "ledger").read_bytes()


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
    "n1:10:20 [0] NCCL INFO Bootstrap: Using eth0:10.0.0.1<0>\nn1:10:20 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB eth0:10.0.0.1<0>\nn1:10:20 [0] NCCL INFO NET/IB : No device found.\n"
    "n1:10:20 [0] misc/socket.cc:50 NCCL WARN socketProgress: Connection closed by remote peer n2<4000>\nn1:10:20 [0] transport/net_ib.cc:90 NCCL WARN NET/IB : mlx5_0:1 Got async event : port error\nn1:10:20 [0] NCCL WARN Cuda failure 'x'\n"
    "n1:10:20 [0] NCCL WARN NET/IB: Got completion from peer 10.0.0.2<4000> with status=IBV_WC_RETRY_EXC_ERR(12) opcode=0 len=0 vendor err 129 (Recv) localGid fe80::1 remoteGidsfe80::2 hca mlx5_0\n",
    "".join(f"step: {i} loss: nan lr: 0.1\n" for i in range(4)) + "{'loss': nan, 'epoch': 0.1}\n",
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


def questions():
    """A row of each kind of table, whose columns src/predict/time/question.cc names."""
    code = (ROOT / "src/predict/time/question.cc").read_text()
    kinds = [re.findall(r'"([^"]+)"', columns) for columns in re.findall(r"\{\w+,\s*\{([^}]*)\},\s*(?:as<|neusight)", code)]
    return [",".join(f'"{c}"' for c in dict.fromkeys([*columns, "gpu", "framework", "timing", "mode"])) + "\n" + "".join(",".join([value] * len(columns) + ["h100", "pytorch", "eager", "train"]) + "\n" for value in ("8", "bf16", "1024"))
            for columns in kinds]


def lines_of_json():
    """JSON Lines with nested members, texts, numbers of odd forms, and lines that are none."""
    rows = [{"m": f"n{i % 2}", "time": 1000 + i // 2, "gpu": {"power": 600 + i, "on": True}, "note": None, "list": [1, 2], "text": f"{i},5"} for i in range(8)]
    return "\ufeff" + "\n".join(json.dumps(r) for r in rows) + '\n\nno json\n{"m":"n0","time":-5.5e1,"gpu":{"power":"01"},"new":1}\n{"m":"n0","time":"1.","gpu":7}\n[1]\n'


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
        "c2c_report": [C2C, *texts_of_tests("src/memory/read/c2c*.test.cc")], "gpu_memory": [COUNTERS, *texts_of_tests("src/memory/gpu/*.test.cc"), *gpu_pages()],
        "desk_archive": archives(), "symbols": programs(work), "csv": lines_of_json(), "desk": desk_files(),
        "prometheus_store": store_answers(), "metric_names": METRICS, "hook_ledger": ledger(), "memory_platform": (ROOT / "examples/memory/banked.yaml").read_bytes(),
        "memory_checkpoint": rng.randbytes(256), "recording": bytes([0, 1, 2, 3]) + accesses[:4096],
        "campaign": (ROOT / "campaigns/factors.yaml").read_bytes(),
        "campaign_results": '{"schema": "lento.run/1"}',
        "flight_recorder": [dump, *pickles(json.loads(dump)), *texts_of_tests("src/fleet/ranks/read/pickle.test.cc", "src/fleet/ranks/read/flight*.test.cc")],
        "foreign": [*foreign(), *(b"\x09" + t.encode() for t in texts_of_tests("src/memory/read/foreign*.test.cc"))], "transfers": [*transfers(), *texts_of_tests("src/chip/read/noc*.test.cc", "src/chip/read/transfer*.test.cc")], "fleet_csv": [*tables(), lines_of_json(), *texts_of_tests("src/fleet/read/*.test.cc")],
        "probe_file": [run.read_bytes()[:1 << 14], old.read_bytes()[:1 << 13], *texts_of_tests("src/chip/read/*probe*.test.cc", "src/chip/read/true*.test.cc")], "chip_sketch": judged(damage_check.Sketch, lento, work / "s"),
        "chip_faults": texts_of_tests("src/chip/map/faults.test.cc") + [FAULTS, FAULTS.replace("core99", "core3"), *(FAULTS + f"- {{component: {part}, factor: 2, start: {start}}}\n" for part in ("nothing", "link5", "link0-9", "link5-x", "dram-left-x", "core5") for start in ("x", "5 us", "-1", "1e40"))], "http_head": HEADS, "inspector_log": [inspector, *operations],
        "kineto_collectives": [judged(damage_check.Kineto, lento, work / "k"), inspector[:4096], PAGE, json.dumps(RAS), dump[:4096], KINETO, (ROOT / "examples/nsight/rank0.sqlite").read_bytes(), *texts_of_tests("src/fleet/ranks/read/[kc]*.test.cc")], "nsight": (ROOT / "examples/nsight/rank0.sqlite").read_bytes(),
        "inspector_prom": PAGE, "ras_answer": json.dumps(RAS), "machine_names": "# names\n10.0.0.1,node1\nnode1.cluster.local,node1\n",
        "fleet_chunk": [b"\x00\x05\x80\x90\xa0\x01" + struct.pack(">d", 1.5) + rng.randbytes(32), *(b"\x02\x00\x80\x90\x01" + rng.randbytes(400) for _ in range(24)), *(frame[:n] for frame in [b"\4" + struct.pack(">I", crc32c(b"abcd")) + b"abcd", b"\xff" * 12] for n in (1, 6, 12))], "fleet_model": '{"schema": "lento.fleet-model/1", "metrics": []}',
        "watch_state": '{"schema": "lento.watch/1", "machines": ["a"], "metrics": ["step_time_s"]}',
        "questions": ["m,n,k,precision\n4096,4096,4096,bf16\n", *questions()], "system": (ROOT / "share/lento/systems/a100.yaml").read_bytes(),
        "workload": (ROOT / "examples/predict/mixture.yaml").read_bytes(), "onnx": network(), "tile_neural": network(),
        "elf": elf(), "jitdump": jitdump(), "perf_map": ["1000 40 work\n1040 20 read\n", *MAPS], "journal": ["lento.journal/1 squares 1\n", "lento.journal/1 other\n", "lento.jou", "no journal\n", "lento.journal/1 squares 1\n7 damaged\n"],
        "tile_block": (ROOT / "examples/tile/bus.map.yaml").read_bytes(), "tile_seal": sealed(lento, work), "tile_verify": image[:4096],
        "vcd": waves(),
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
