#!/usr/bin/env python3
"""Files as they come from real machines: cut, interleaved by ranks, behind the prefixes of launchers and containers, coloured, with
the line ends of Windows, rotated. The verdict must stay, or be "cannot judge" where what is lost decided it. Prints a table.

usage: desk_damage.py LENTO [CASES] [FIRST_SEED]
"""
import collections
import pathlib
import random
import sys
import tempfile

import desk_fresh
from desk import job, runs, tools

LOGS = tools.LOGS + runs.LOGS + [job.nanogpt, job.deepspeed, job.jax_heartbeat, job.vllm, job.sglang]
FILES = LOGS + tools.TABLES + runs.TABLES


def lines_of(text):
    return text.splitlines()


def cut(draw, files):
    """One file ends early, in the middle of a line."""
    name = draw.choice(sorted(files))
    text = files[name]
    return {**files, name: text[:int(len(text) * draw.uniform(0.85, 0.99))]}


def head_lost(draw, files):
    """One file begins late, as behind a rotation whose older part is gone."""
    name = draw.choice(sorted(files))
    text = files[name]
    return {**files, name: text[int(len(text) * draw.uniform(0.02, 0.2)):]}


def interleaved(draw, files):
    """Four ranks write the same lines into one file, each behind its label."""
    out = {}
    for name, text in files.items():
        rows = []
        for line in lines_of(text):
            order = [0, 1, 2, 3]
            draw.shuffle(order)
            rows += [f"[default{rank}]:{line}" for rank in order]
        out[name] = "\n".join(rows) + "\n"
    return out


def prefixed(draw, files):
    form = draw.choice(["2026-11-20T09:{:02d}:{:02d}.123456789Z stdout F ", "2026-11-20T09:{:02d}:{:02d}.123456789Z "])
    return {name: "".join(form.format(at // 60 % 60, at % 60) + line + "\n" for at, line in enumerate(lines_of(text))) for name, text in files.items()}


def labelled(_, files):
    return {name: "".join(f"0: {line}\n" for line in lines_of(text)) for name, text in files.items()}


def coloured(draw, files):
    code = draw.choice([31, 33, 90])
    return {name: "".join(f"\x1b[{code}m{line}\x1b[0m\n" for line in lines_of(text)) for name, text in files.items()}


def windows(_, files):
    return {name: "\r\n".join(lines_of(text)) + "\r\n" for name, text in files.items()}


def rotated(draw, files):
    """Each file as two: name.1 is the older part."""
    out = {}
    for name, text in files.items():
        rows = lines_of(text)
        at = int(len(rows) * draw.uniform(0.3, 0.7))
        if at > 0:
            out[f"{name}.1"] = "\n".join(rows[:at]) + "\n"
        out[name] = "\n".join(rows[at:]) + "\n"
    return out


DAMAGES = [cut, head_lost, interleaved, prefixed, labelled, coloured, windows, rotated]
FOR_LOGS = {interleaved, rotated, head_lost}  # a table loses its header by these


def main():
    lento = pathlib.Path(sys.argv[1]).resolve()
    cases = int(sys.argv[2]) if len(sys.argv) > 2 else 500
    draw = random.Random(f"damage {sys.argv[3] if len(sys.argv) > 3 else 1}")
    table = collections.defaultdict(collections.Counter)
    for _ in range(cases):
        damage = draw.choice(DAMAGES)
        case = draw.choice(LOGS if damage in FOR_LOGS else FILES)
        fault, seed = draw.random() < 0.5, draw.getrandbits(32)
        files, right = case(random.Random(seed), fault)
        if right is None:
            continue
        with tempfile.TemporaryDirectory() as folder:
            for name, text in damage(draw, files).items():
                pathlib.Path(folder, name).write_text(text, newline="")
            got = desk_fresh.answer(lento, folder)
        is_right = desk_fresh.is_right(right, got)
        row = "same" if is_right else "cannot judge" if got["outcome"] == "cannot judge" else "refused" if got["outcome"] == "refused" else "wrong"
        table[damage.__name__][row] += 1
        if row in ("wrong", "refused"):
            subjects = [finding["subject"] for finding in got["findings"]]
            print(f"{damage.__name__} of {case.__name__} {fault} {seed}: right {right}, got {got['outcome']} {subjects}: {got.get('verdict', '')[:140]}")
    print(f"{'damage':<14}{'cases':>7}{'same':>7}{'cannot judge':>14}{'refused':>9}{'wrong':>7}")
    wrong = total = 0
    for name, row in table.items():
        print(f"{name:<14}{sum(row.values()):>7}{row['same']:>7}{row['cannot judge']:>14}{row['refused']:>9}{row['wrong']:>7}")
        wrong += row["wrong"] + row["refused"]
        total += sum(row.values())
    print(f"{total - wrong} of {total} as before, or cannot judge")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
