"""What the scales of metamorphic_check.py share: a relation, the verdict of a run, and changes that any file bears."""
import gzip
import json
import lzma
import os
import shutil
import subprocess

import damage_check


def run(words, env=None, stdin=None):
    return subprocess.run([str(w) for w in words], capture_output=True, text=True, errors="replace", timeout=300,
                          env={**os.environ, **(env or {})}, stdin=stdin)


def read_verdict(done, case, folder):
    """Outcome, first subject, and what else of a scale may not move."""
    if done.returncode < 0:
        return "crash", ""
    try:
        d = json.loads(done.stdout)
    except ValueError:
        return "refused", ""
    more = [case.detail(d, folder)] if hasattr(case, "detail") else []
    return d["outcome"], damage_check.name_of(d["findings"][0]) if d["findings"] else "", *more


class Relation:
    """`change(folder, rng)` rewrites the files; it may return a map of old to new subjects. `more` are words of the command."""

    def __init__(self, name, change=None, more=(), env=None, stdin=False):
        self.name, self.change, self.more, self.env, self.stdin = name, change, list(more), env, stdin


# Relations that hold for any file.

def only(folder):
    return next(f for f in sorted(folder.iterdir()) if not f.name.endswith("truth.json"))


def each(folder):
    return [f for f in sorted(folder.iterdir()) if not f.name.endswith("truth.json")]


def packed(open_file, ending):
    def change(folder, _):
        for f in each(folder):
            with open_file(str(f) + ending, "wb") as out:
                out.write(f.read_bytes())
            f.unlink()
    return change


def zstd(folder, _):
    for f in each(folder):
        subprocess.run(["zstd", "-q", "--rm", f], check=True)


def with_lines(edit):
    """Edits the list of lines of each file."""
    def change(folder, rng):
        for f in each(folder):
            lines = edit(f.read_text().splitlines(), rng)
            f.write_text("\n".join(lines) + "\n")
    return change


def crlf(folder, _):
    for f in each(folder):
        f.write_bytes(f.read_bytes().replace(b"\n", b"\r\n"))


def rename_file(name):
    return lambda folder, _: only(folder).rename(folder / name)


def cut_last_line(lines, _):
    return lines[:-1] + [lines[-1][: len(lines[-1]) // 2]]


def damaged_line(lines, rng):
    at = rng.randrange(len(lines) // 4, len(lines) * 3 // 4)
    return lines[:at] + [lines[at][: len(lines[at]) // 3] + "\x00#"] + lines[at + 1:]


LOCALES = [Relation(f"locale {k}={v}", env={k: v}) for k, v in (("LC_ALL", "de_DE.UTF-8"), ("LC_ALL", "tr_TR.UTF-8"), ("TZ", "Pacific/Apia"),
                                                             ("LANG", "C"), ("TERM", "dumb"), ("COLUMNS", "20"), ("HOME", "/nonexistent"))]
PACKED = [Relation("gzip", packed(gzip.open, ".gz")), Relation("xz", packed(lzma.open, ".xz"))] + (
    [Relation("zstd", zstd)] if shutil.which("zstd") else [])
