"""Seeds of the readers of memory traces, GPU profiles and programs (make_seeds.py)."""
import pathlib
import random
import re
import struct
import subprocess
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent

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


def jitdump():
    """A function with the lines of its source, moved to another address; a record that is cut, a damaged head, the other byte order."""
    def record(kind, body):
        return struct.pack("<IIQ", kind, 16 + len(body), 2) + body

    head = struct.pack("<IIIIIIQQ", 0x4A695444, 1, 40, 62, 0, 7, 1, 0)
    lines = struct.pack("<QQ", 0x1000, 2) + b"".join(struct.pack("<QII", 0x1000 + 8 * i, 3 + i, 0) + b"main.js\0" for i in range(2))
    whole = head + record(2, lines) + record(0, struct.pack("<IIQQQQ", 7, 7, 0x1000, 0x1000, 16, 1) + b"work\0" + b"\x90" * 16) + record(1, struct.pack("<IIQQQQQ", 7, 7, 0, 0x1000, 0x2000, 16, 1))
    return [whole, whole + record(0, b"cut"), whole + record(2, lines[:-3]) + record(9, b"") + b"\0" * 16, head[:8] + b"\xff" * 32, head[3::-1] + head[4:], head[:9]]


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
    bare = "time,cpu,latency,dataSource,variable,index,source,line\n" + "".join(f"{i:x},{i % 2},5,{i},v{i % 2},{i},f{i % 2}.cc,{i}\n" for i in range(6)) + "x,1,2,3,a,4,f.cc,5\n1,99999,1,1,a,1,f,1\n"
    perf += "prog 4711/4711 [000] 12.000001: PERF_RECORD_MMAP2 4711/4711: [0x400000(0x1000) @ 0 08:02 5 6]: r-xp /bin/a\nprog 4711 [000] 12.5 cycles: 1 2\nprog x/4711 [a] [000] 12.x: a\nprog 1/2 [000] 1.000001: l1d-loads: 1\n"
    records = b"".join(struct.pack("<Q8x2Q4Q", 0x400000 + 4 * i, 0x1000 * (i % 2), 0, 0x2000, 0x3000 * (i % 3), 0, 0) for i in range(5))
    paper = "".join(f"{i % 4} {100 + i} 0x{0x10009d60 + i:x} {kind} 0x{0x20000000 + 8 * i:x} {i}\n" for i, kind in enumerate(["load", "store", "fetch"] * 3))
    packets = b"gem5" + b"".join(varint(len(p)) + p for p in [
        message((1, "system.monitor"), (2, 1), (3, 1 << 30)), *(message((1, 100 * i), (2, 1 + i % 5), (3, 4096 + 64 * i), (4, 8), (5, 0), (6, i)) for i in range(8))])
    others = [
        message((1, 5), (2, 40)), message((1, 900), (2, 2), (3, 64), (6, 9)), message((1, 7), (2, 4), (3, 128), (4, 300), (6, 1), (9, "text")) + b"\x51" + bytes(8) + b"\x5d" + bytes(4)]
    damaged = packets + b"".join(varint(len(p)) + p for p in others)
    unknown = "".join(f"==1== Lackey\nI  {i:08x},3\n L {i:08x},8\n S {i:08x},8\n M {i:08x},4\n" for i in range(4))
    return [b"\0" + paper.encode(), b"\1" + perf.encode(), b"\2" + axes.encode(), b"\2" + bare.encode(), b"\3" + packets, b"\3" + damaged, b"\3" + packets + b"\x05ab", b"\6" + records, b"\6" + records[:100],
            b"\5" + unknown.encode(), *(b"\7" + p for p in perf_data()), *(b"\4" + z for z in drmemtrace()), b"\x08" + C2C.encode(),
            *(b"\x09" + s for s in (paper.encode(), perf.encode(), axes.encode(), packets, unknown.encode(), C2C.encode(), records, perf_data()[0], drmemtrace()[0], b"# a\nnothing\n", b"# lento.access/1\n"))]


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
