#!/usr/bin/env python3
"""Changes of an input that must not change its verdict, over the scales of Lento.

usage: metamorphic_check.py LENTO [--seed S] [--scale NAME ...] [-j N]
Inputs with and without a planted fault are made by simulation from the seed. Each relation rewrites an input (order, names,
units, shifts, splits, compression, damage, clock, locale, threads) and judges it again. The relation holds when outcome and
first subject stay (of predictions the expected time too, of tiles the bytes that the program sends), after the renaming that the relation itself made. The table counts relations that hold, that refuse where
an answer stood (cannot judge, or an error), and that are broken; the exit status is 1 when one is broken.
"""
import argparse
import concurrent.futures
import csv
import io
import json
import pathlib
import random
import re
import shutil
import sys
import tempfile

from damage_check import CHIP, Access, Fleet, Inspector, Kineto, ProbeText, TrainingLog
from relations import LOCALES, PACKED, Relation, crlf, cut_last_line, damaged_line, each, only, read_verdict, rename_file, run, with_lines
from relations_predict import PredictScale
from relations_tile import TileScale


# Probe records of a chip.

def probe_rows(edit):
    def change(lines, rng):
        return lines[:3] + edit([line.split() for line in lines[3:]], rng)
    return with_lines(lambda lines, rng: [" ".join(r) if isinstance(r, list) else r for r in change(lines, rng)])


def shuffled(rows, rng):
    rng.shuffle(rows)
    return rows


def shift(ticks, modulo=None):
    def edit(rows, _):
        for r in rows:
            for i in (0, 1):
                value = int(r[i]) + ticks
                r[i] = str(value % modulo if modulo else value)
        return rows
    return probe_rows(edit)


def impossible(rows, rng):
    bad = list(rng.choice(rows))
    bad[0], bad[2] = "0", "0"
    return rows + [bad]


class ChipScale(ProbeText):
    relations = LOCALES + PACKED + [
        Relation("order of records", probe_rows(shuffled)), Relation("records reversed", probe_rows(lambda rows, _: rows[::-1])),
        Relation("sorted by core", probe_rows(lambda rows, _: sorted(rows, key=lambda r: int(r[5])))),
        Relation("times + 10^6", shift(10**6)), Relation("times + 10^9", shift(10**9)), Relation("times + 2^32", shift(2**32)),
        Relation("times + 2^40", shift(2**40)), Relation("times + 2^52", shift(2**52)),
        Relation("one record twice", probe_rows(lambda rows, rng: rows + [rng.choice(rows)])),
        Relation("ten records twice", probe_rows(lambda rows, rng: rows + rng.sample(rows, 10))),
        Relation("all records twice", probe_rows(lambda rows, _: rows + rows)),
        Relation("one record lost", probe_rows(lambda rows, rng: [r for r in rows if r is not rng.choice(rows)])),
        Relation("one impossible record", probe_rows(impossible)),
        Relation("last line cut", with_lines(cut_last_line)), Relation("one line damaged", with_lines(damaged_line)),
        Relation("no end of line at the end", lambda folder, _: only(folder).write_text(only(folder).read_text().rstrip("\n"))),
        Relation("CR LF", crlf), Relation("blank lines", with_lines(lambda lines, _: lines + ["", ""])),
        Relation("another file name", rename_file("a b.txt")), Relation("--seed 7", more=["--seed", "7"]),
        Relation("--explain", more=["--explain"]), Relation("--color always", more=["--color", "always"]),
    ]

    def judge(self, folder):
        return [self.lento, "chip", "diagnose", only(folder), *CHIP]


# A table of metrics.

def table(edit, **dialect):
    def change(folder, rng):
        path = only(folder)
        rows = list(csv.reader(io.StringIO(path.read_text())))
        result = edit(rows, rng)
        renamed = None
        if isinstance(result, tuple):
            result, renamed = result
        out = io.StringIO()
        csv.writer(out, lineterminator="\n", **dialect).writerows(result)
        path.write_text(out.getvalue())
        return renamed
    return change


def column_order(rows, rng):
    order = list(range(len(rows[0])))
    rng.shuffle(order)
    return [[r[i] for i in order] for r in rows]


def row_order(rows, rng):
    body = rows[1:]
    rng.shuffle(body)
    return rows[:1] + body


def new_names(make):
    def edit(rows, rng):
        at = rows[0].index("machine")
        names = sorted({r[at] for r in rows[1:]})
        new = [make(i) for i in range(len(names))]
        rng.shuffle(new)
        names = dict(zip(names, new))
        return rows[:1] + [r[:at] + [names[r[at]]] + r[at + 1:] for r in rows[1:]], names
    return edit


def of_column(name, value):
    def edit(rows, _):
        at = rows[0].index(name)
        return rows[:1] + [r[:at] + [value(r[at])] + r[at + 1:] for r in rows[1:]]
    return edit


def of_metrics(value):
    def edit(rows, _):
        return rows[:1] + [r[:3] + [value(x) for x in r[3:]] for r in rows[1:]]
    return edit


def extra_column(name, value):
    return lambda rows, rng: [rows[0] + [name]] + [r + [value(rng)] for r in rows[1:]]


def one_missing(rows, rng):
    """Every hundredth sample of a metric is empty."""
    return rows[:1] + [[x if i < 3 or rng.random() > 0.01 else "" for i, x in enumerate(r)] for r in rows[1:]]


class FleetScale(Fleet):
    relations = LOCALES + PACKED + [
        Relation("order of rows", table(row_order)), Relation("rows reversed", table(lambda rows, _: rows[:1] + rows[:0:-1])),
        Relation("rows by machine", table(lambda rows, _: rows[:1] + sorted(rows[1:], key=lambda r: r[0]))),
        Relation("order of columns", table(column_order)),
        Relation("semicolons", table(lambda rows, _: rows, delimiter=";")), Relation("tabs", table(lambda rows, _: rows, delimiter="\t")),
        Relation("all fields quoted", table(lambda rows, _: rows, quoting=csv.QUOTE_ALL)),
        Relation("byte order mark", lambda folder, _: only(folder).write_bytes(b"\xef\xbb\xbf" + only(folder).read_bytes())),
        Relation("UTF-16", lambda folder, _: only(folder).write_text(only(folder).read_text(), encoding="utf-16")),
        Relation("CR LF", crlf), Relation("blank lines at the end", with_lines(lambda lines, _: lines + ["", ""])),
        Relation("machines renamed", table(new_names(lambda i: f"gpu-{i * 37 % 1000:03d}"))),
        Relation("machines as addresses", table(new_names(lambda i: f"10.0.{i}.{i + 1}"))),
        Relation("machines as numbers", table(new_names(lambda i: str(100 + i)))),
        Relation("long names", table(new_names(lambda i: f"rack-{i}.example-of-a-long-domain.cluster.internal"))),
        Relation("times + a day", table(of_column("time", lambda t: str(int(t) + 86400)))),
        Relation("times since 1970", table(of_column("time", lambda t: str(int(t) + 1780000000)))),
        Relation("times in ms", table(of_column("time", lambda t: str(int(t) * 1000))), more=["--time-unit", "ms"]),
        Relation("metrics times 1000", table(of_metrics(lambda x: f"{float(x) * 1000:g}" if x else x))),
        Relation("metrics times 0.001", table(of_metrics(lambda x: f"{float(x) / 1000:.9g}" if x else x))),
        Relation("a constant column", table(extra_column("version", lambda _: "7"))),
        Relation("a text column", table(extra_column("state", lambda _: "running"))),
        Relation("a column of noise", table(extra_column("noise_w", lambda rng: f"{rng.gauss(100, 3):.2f}"))),
        Relation("one row twice", table(lambda rows, rng: rows + [rng.choice(rows[1:])])),
        Relation("one row lost", table(lambda rows, rng: [r for i, r in enumerate(rows) if i != 1 + rng.randrange(len(rows) - 1)])),
        Relation("a hundredth of the samples missing", table(one_missing)),
        Relation("last line cut", with_lines(cut_last_line)), Relation("one line damaged", with_lines(damaged_line)),
        Relation("one row of a stranger", table(lambda rows, rng: rows + [["ghost"] + rng.choice(rows[1:])[1:]])),
        Relation("another file name", rename_file("metrics of today.csv")), Relation("one thread", more=["-j", "1"]),
        Relation("--explain", more=["--explain"]),
    ]

    def judge(self, folder):
        return [self.lento, "fleet", "diagnose", "--csv", only(folder)]


# Collectives of ranks.

def text_of_each(edit):
    def change(folder, rng):
        for n, f in enumerate(each(folder)):
            f.write_text(edit(f.read_text(), n, rng))
    return change


def file_names(folder, rng):
    files = each(folder)
    numbers = list(range(len(files)))
    rng.shuffle(numbers)
    for f, n in zip(files, numbers):
        f.rename(folder / f"upload-{n:02d}{''.join(f.suffixes[-2:])}")


def folders(folder, _):
    for n, f in enumerate(each(folder)):
        (folder / f"part{n % 3}").mkdir(exist_ok=True)
        f.rename(folder / f"part{n % 3}" / f.name)


def foreign_file(folder, _):
    (folder / "README.txt").write_text("Traces of the run of Tuesday.\n")


def kineto_clock(ns):
    return text_of_each(lambda text, n, _: re.sub(r'"baseTimeNanoseconds":(\d+)', lambda m: f'"baseTimeNanoseconds":{int(m[1]) + ns * (1 if ns > 10**12 else n)}', text))


class KinetoScale(Kineto):
    relations = LOCALES + PACKED + [
        Relation("file names", file_names), Relation("folders", folders), Relation("a foreign file", foreign_file),
        Relation("clocks a day later", kineto_clock(86400 * 10**9)), Relation("each clock 3 ms apart", kineto_clock(3 * 10**6)),
        Relation("CR LF", crlf), Relation("indented", text_of_each(lambda text, *_: json.dumps(json.loads(text), indent=1))),
        Relation("keys sorted", text_of_each(lambda text, *_: json.dumps(json.loads(text), sort_keys=True))),
        Relation("events reversed", text_of_each(lambda text, *_: json.dumps({**(d := json.loads(text)), "traceEvents": d["traceEvents"][::-1]}))),
        Relation("events shuffled", text_of_each(lambda text, _, rng: json.dumps({**(d := json.loads(text)), "traceEvents": shuffled(d["traceEvents"], rng)}))),
        Relation("not closed", text_of_each(lambda text, *_: text.rstrip().rstrip("}").rstrip().rstrip("]"))),
        Relation("--explain", more=["--explain"]),
    ]


def jsonl(edit):
    def change(lines, rng):
        return [json.dumps(d) for d in edit([json.loads(line) for line in lines], rng)]
    return with_lines(change)


class InspectorScale(Inspector):
    relations = LOCALES + PACKED + [
        Relation("file names", file_names), Relation("folders", folders), Relation("a foreign file", foreign_file), Relation("CR LF", crlf),
        Relation("keys sorted", with_lines(lambda lines, _: [json.dumps(json.loads(x), sort_keys=True) for x in lines])),
        Relation("records reversed", with_lines(lambda lines, _: lines[::-1])), Relation("order of records", with_lines(shuffled)),
        Relation("blank lines", with_lines(lambda lines, _: lines + [""])), Relation("last line cut", with_lines(cut_last_line)),
        Relation("one line twice", with_lines(lambda lines, rng: lines + [rng.choice(lines)])),
        Relation("all lines twice", with_lines(lambda lines, _: lines + lines)),
        Relation("--explain", more=["--explain"]),
    ]


# Memory accesses.

def access(edit):
    def change(lines, rng):
        return [" ".join(map(str, r)) for r in edit([line.split() for line in lines], rng)]
    return with_lines(change)


def of_field(at, value):
    return access(lambda rows, _: [r[:at] + [value(r[at])] + r[at + 1:] for r in rows])


def higher(by):
    """Data at higher addresses: the line that is named moves too."""
    def change(folder, rng):
        of_field(4, lambda x: hex(int(x, 16) + by))(folder, rng)
        return {"line 0x20000000": f"line {0x20000000 + by:#x}"}
    return change


class MemoryScale(Access):
    relations = LOCALES + PACKED + [
        Relation("cycles + 10^9", of_field(1, lambda x: int(x) + 10**9)), Relation("cycles + 2^40", of_field(1, lambda x: int(x) + 2**40)),
        Relation("CPUs 3 - n", of_field(0, lambda x: 3 - int(x))), Relation("CPUs + 8", of_field(0, lambda x: int(x) + 8)),
        Relation("code + 1 MiB", of_field(2, lambda x: hex(int(x, 16) + (1 << 20)))),
        Relation("capital digits", of_field(4, lambda x: "0x" + x[2:].upper())), Relation("tabs", with_lines(lambda lines, _: [x.replace(" ", "\t") for x in lines])),
        Relation("comments", with_lines(lambda lines, _: ["# recorded on Tuesday"] + lines)), Relation("blank lines", with_lines(lambda lines, _: lines + ["", ""])),
        Relation("CR LF", crlf), Relation("last line cut", with_lines(cut_last_line)), Relation("one line damaged", with_lines(damaged_line)),
        Relation("one cycle of 2^50", access(lambda rows, rng: rows + [[rng.choice(rows)[0], 2**50, *rng.choice(rows)[2:]]])),
        Relation("one line twice", access(lambda rows, _: rows + rows[-1:])), Relation("another file name", rename_file("accesses of today.log")),
        Relation("two blanks", with_lines(lambda lines, _: [x.replace(" ", "  ") for x in lines])), Relation("blanks at the ends", with_lines(lambda lines, _: [x + "  " for x in lines])),
        Relation("addresses + 1 GiB", higher(1 << 30)), Relation("no end of line at the end", lambda folder, _: only(folder).write_text(only(folder).read_text().rstrip("\n"))),
        Relation("--color always", more=["--color", "always"]),
        Relation("--explain", more=["--explain"]),
    ]

    def judge(self, folder):
        return [self.lento, "memory", "diagnose", only(folder)]


# Logs, at the desk.

class LogScale(TrainingLog):
    relations = LOCALES + PACKED + [
        Relation("CR LF", crlf), Relation("blank lines", with_lines(lambda lines, _: lines + ["", ""])),
        Relation("last line cut", with_lines(cut_last_line)), Relation("another file name", rename_file("slurm-4711.out")),
        Relation("chatter between lines", with_lines(lambda lines, rng: [y for x in lines for y in ((x, "INFO: saved checkpoint") if x.startswith(" [") and rng.random() < 0.02 else (x,))])),
        Relation("launcher prefix", with_lines(lambda lines, _: ["[default0]:" + x for x in lines])),
        Relation("Slurm prefix", with_lines(lambda lines, _: ["0: " + x for x in lines])),
        Relation("colours", with_lines(lambda lines, _: [f"\x1b[32m{x}\x1b[0m" for x in lines])),
        Relation("container time stamps", with_lines(lambda lines, _: [f"2026-05-03T10:00:00.{n % 1000:03d}000000Z stdout F {x}" for n, x in enumerate(lines)])),
        Relation("standard input", stdin=True),
    ]

    def judge(self, folder):
        return [self.lento, "diagnose", only(folder)]


SCALES = {"chip": ChipScale, "fleet": FleetScale, "Kineto": KinetoScale, "Inspector": InspectorScale, "memory": MemoryScale, "log": LogScale,
          "predict": PredictScale, "tile": TileScale}


def hold(case, kind, relation, before):
    """'' when the relation holds, else what came instead."""
    rng = random.Random(f"{case.seed}/{type(case).__name__}/{kind}/{relation.name}")
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work) / kind
        shutil.copytree(case.folder / kind, folder)
        renamed = relation.change(folder, rng) if relation.change else None
        renamed = renamed if isinstance(renamed, dict) else {}
        words = [*case.judge(folder), *relation.more, "--json"]
        if relation.stdin:
            with open(only(folder)) as file:
                done = run(["-" if w == only(folder) else w for w in words], relation.env, file)
        else:
            done = run(words, relation.env)
        after = read_verdict(done, case, folder)
    subjects = before[1]
    if renamed:  # lists of machines are in the order of their names
        subjects = ", ".join(sorted(renamed.get(name, name) for name in subjects.split(", ")))
    if after == (before[0], subjects, *before[2:]):
        return "", ""
    kind_of = "refused" if after[0] in ("cannot judge", "refused") else "broken"
    said = done.stderr.strip().splitlines()[:1] if after[0] == "refused" else []
    return kind_of, f"  {case_name(case)}, {kind}, {relation.name}: {expected} became {after} {' '.join(said)}"


def case_name(case):
    return next(name for name, kind in SCALES.items() if type(case) is kind)


def main():
    args = argparse.ArgumentParser()
    args.add_argument("lento", type=lambda p: pathlib.Path(p).resolve())
    args.add_argument("--seed", type=int, default=1)
    args.add_argument("--scale", nargs="*", choices=SCALES)
    args.add_argument("-j", "--jobs", type=int, default=2)
    args = args.parse_args()
    lines, total = [], {"": 0, "refused": 0, "broken": 0}
    print(f"seed {args.seed}\nscale      relations  hold  refused  broken")
    for name in args.scale or SCALES:
        with tempfile.TemporaryDirectory() as folder:
            case = SCALES[name](args.lento, args.seed, pathlib.Path(folder))
            case.build()
            work = []
            for kind in ("healthy", "planted"):
                before = read_verdict(run([*case.judge(case.folder / kind), "--json"]), case, case.folder / kind)
                if before[0] != case.whole[kind]:
                    lines.append(f"  {name}, {kind}: the whole input is {before}")
                work += [(kind, r, before) for r in case.relations]
            with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
                results = list(pool.map(lambda w, c=case: hold(c, *w), work))
        counts = {k: sum(r[0] == k for r in results) for k in total}
        for k in total:
            total[k] += counts[k]
        lines += [r[1] for r in results if r[0]]
        print(f"{name:10} {len(results):9d} {counts['']:5d} {counts['refused']:8d} {counts['broken']:7d}", flush=True)
    print(f"{'all':10} {sum(total.values()):9d} {total['']:5d} {total['refused']:8d} {total['broken']:7d}")
    print("\n".join(lines))
    sys.exit(1 if total["broken"] else 0)


if __name__ == "__main__":
    main()
