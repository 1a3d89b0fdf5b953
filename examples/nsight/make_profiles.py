#!/usr/bin/env python3
"""Writes four small profiles as `nsys export --type sqlite` lays them out: constructed from the published schema and
NCCL's payload headers, not recorded.

usage: make_profiles.py FOLDER

Four ranks on four nodes, 20 steps of two computing kernels, an all-gather and an all-reduce. Rank 2 computes 1.3 times as
long from step 8 on; the nodes' clocks are up to 3 ms apart.
"""
import pathlib
import random
import sqlite3
import struct
import sys

COMMUNICATOR = 0x7A11_0C_1234_5678
EPOCH = 1_795_000_000_000_000_000
TABLES = """
CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT, end INT, deviceId INT, contextId INT, streamId INT, correlationId INT,
  globalPid INT, demangledName INT, shortName INT, gridX INT, gridY INT, gridZ INT);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, eventClass INT, globalTid INT, correlationId INT, nameId INT);
CREATE TABLE NVTX_EVENTS (start INT, end INT, eventType INT, text TEXT, globalTid INT, domainId INT, textId INT,
  binaryData BLOB);
CREATE TABLE NVTX_PAYLOAD_SCHEMAS (domainId INT, schemaId INT, name TEXT, payloadSize INT);
CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId INT, schemaId INT, idx INT, type INT, name TEXT, offset INT);
CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INT);
CREATE TABLE TARGET_INFO_SYSTEM_ENV (name TEXT, value TEXT);
"""
SCHEMAS = {
    1: [("NCCL communicator ID", 18, None), ("No. of ranks", 5, 8), ("Rank", 5, 12), ("CUDA device", 5, 16)],
    2: [("NCCL communicator ID", 18, None), ("Message size [bytes]", 22, 8)],
}
NAMES = ["gemm", "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgs)",
         "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgs)", "cudaLaunchKernel"]


def payload(schema, fields):
    return struct.pack("<IIIIQQ", 1, 0, schema, 0, len(fields), len(fields) + 32) + fields


class Profile:
    def __init__(self, path, rank):
        path.unlink(missing_ok=True)
        self.db = sqlite3.connect(path)
        self.db.executescript(TABLES)
        self.process, self.rank, self.correlation = 4000 + rank, rank, 0
        self.thread = self.process * 0x1000000 + self.process
        self.clock = random.Random(rank).randint(-3_000_000, 3_000_000)
        add = self.db.execute
        for i, name in enumerate(NAMES):
            add("INSERT INTO StringIds VALUES (?,?)", (i, name))
        for schema, fields in SCHEMAS.items():
            add("INSERT INTO NVTX_PAYLOAD_SCHEMAS VALUES (1,?,NULL,24)", (schema,))
            for i, (name, kind, offset) in enumerate(fields):
                add("INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES (1,?,?,?,?,?)", (schema, i, kind, name, offset))
        add("INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (?)", (EPOCH + self.clock,))
        add("INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('Hostname', ?)", (f"node{rank}",))
        init = struct.pack("<QiiiI", COMMUNICATOR, 4, rank, 0, 0)
        self.range(1000, 2000, "ncclCommInitRankConfig", payload(1, init))

    def range(self, begin, end, text, data=None):
        self.db.execute("INSERT INTO NVTX_EVENTS VALUES (?,?,59,?,?,1,NULL,?)", (begin, end, text, self.thread, data))

    def kernel(self, launched, begin, end, name):
        self.correlation += 1
        self.db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?,?,0,?,?,3)",
                        (launched, launched + 4000, self.thread, self.correlation))
        self.db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?,?,0,1,?,?,?,?,?,64,1,1)",
                        (begin, end, 7 if name == 0 else 21, self.correlation, self.process * 0x1000000, name, name))

    def call(self, at, name, size):
        self.range(at, at + 3000, name, payload(2, struct.pack("<QQ", COMMUNICATOR, size)))


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    ranks = [Profile(folder / f"rank{r}.sqlite", r) for r in range(4)]
    rng = random.Random(1)
    now = [10_000_000] * 4
    for step in range(20):
        first = list(now)
        for part, (op, name) in enumerate((("ncclAllGather", 1), ("ncclAllReduce", 2))):
            arrive = []
            for r, p in enumerate(ranks):
                slow = 1.3 if r == 2 and step >= 8 else 1
                end = now[r] + int(8_000_000 * slow * rng.gauss(1, 0.01))
                p.kernel(now[r] - 500_000, now[r], end, 0)
                arrive.append(end + 200_000)
            done = max(arrive) + int(2_000_000 * rng.gauss(1, 0.02))
            for r, p in enumerate(ranks):
                p.call(now[r] - 400_000, op, 4 << 20)
                p.kernel(now[r] - 390_000, arrive[r], done, name)
                now[r] = done + 300_000
        for r, p in enumerate(ranks):
            p.range(first[r] - 1_000_000, now[r] - 1_000_001, f"iteration {step}")
    for p in ranks:
        p.db.commit()
        p.db.execute("VACUUM")
        p.db.close()


main()
