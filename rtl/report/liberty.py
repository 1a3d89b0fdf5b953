#!/usr/bin/env python3
"""liberty.py DROP FILE...: several liberty files of one library as one, without the cells that DROP (a regular
expression, default below) names.   liberty.py --buffer FILE: a buffer of the library to drive inputs with."""
import gzip
import re
import sys

DROP = r"(?i)(scan|sdf|icg|clkgate|dll|dhl|latch|dffas|asyn|^ck|xp5|x[0-9]*p[0-9]|hxp|tie|decap|fill|^dlcl|^dlcr|^sdff)"


def text_of(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", errors="replace") as file:
        return file.read()


def block_end(text, at):
    depth = 0
    for m in re.compile(r"[{}]").finditer(text, at):
        depth += 1 if m.group() == "{" else -1
        if depth == 0:
            return m.end()
    raise SystemExit("a block of the library does not end")


def main():
    if sys.argv[1] == "--buffer":
        names = re.findall(r"\bcell\s*\(\s*\"?([\w]*BUF\w*)", text_of(sys.argv[2]), re.I)
        print(sorted(names, key=lambda n: ("x2_" not in n.lower(), len(n), n))[0])
        return
    drop = re.compile(sys.argv[1] or DROP)
    first, cells = None, []
    for path in sys.argv[2:]:
        text = text_of(path)
        starts = [m.start() for m in re.finditer(r"^\s*cell\s*\(", text, re.M)]
        head = text[: starts[0]]
        first = first or head
        for at in starts:
            name = re.match(r"\s*cell\s*\(\s*\"?([\w]+)", text[at:]).group(1)
            if not drop.search(name.split("_ASAP7")[0]):
                cells.append(text[at : block_end(text, at)])
        # Templates of the other files' tables are needed too.
        if head is not first:
            known = set(re.findall(r"(?:lu_table_template|power_lut_template)\s*\(\s*\"?([\w]+)", first))
            for m in re.finditer(r"(?:lu_table_template|power_lut_template)\s*\(\s*\"?([\w]+)", head):
                if m.group(1) not in known:
                    first += head[m.start() : block_end(head, m.start())] + "\n"
    print(first + "\n".join(cells) + "\n}")


main()
