#!/usr/bin/env python3
"""Writes the register map of a tile (registers.csv) as SystemVerilog, as a C header and as a page.

usage: make_map.py [--check]
--check writes nothing and exits with 1 when one of the three files is not what the table gives.
"""
import csv
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WARNING = "Written by rtl/bus/make_map.py from registers.csv."


def read_map():
    with open(HERE / "registers.csv", newline="") as file:
        return list(csv.DictReader(file))


def window_of(register):
    words = register["fields"].split()
    return int(words[1], 0) if words[:1] == ["window"] else 4


def system_verilog(registers):
    lines = [f"// Byte offsets of a tile's registers. {WARNING}", "package host_map;", "  localparam logic [31:0] ID_VALUE = 32'h4c544f31;"]
    for r in registers:
        lines.append(f"  localparam logic [15:0] {r['name']} = 16'h{int(r['offset'], 0):04x};")
    return "\n".join(lines + ["endpackage", ""])


def header(registers):
    lines = ["/* Byte offsets of a tile's registers. " + WARNING + " */", "#ifndef LENTO_TILE_MAP_H_", "#define LENTO_TILE_MAP_H_", "",
             "#define LENTO_TILE_ID_VALUE 0x4c544f31u", "#define LENTO_TILE_BYTES 0x10000u  /* of the whole map */"]
    for r in registers:
        lines.append(f"#define LENTO_TILE_AT_{r['name']} 0x{int(r['offset'], 0):04x}u  /* {r['meaning']} */")
    return "\n".join([lines[0], "/* clang-format off */", *lines[1:], "", "#endif", ""])


def page(registers):
    rows = ["| register | offset | access | bits | meaning |", "|---|---|---|---|---|"]
    for r in registers:
        rows.append(f"| {r['name']} | {r['offset']} | {r['access']} | {r['fields']} | {r['meaning']} |")
    return "\n".join(rows)


def main():
    registers = read_map()
    ends = 0
    for r in registers:
        assert int(r["offset"], 0) >= ends and r["access"] in ("ro", "wo", "rw"), r
        ends = int(r["offset"], 0) + window_of(r)
    assert ends <= 0x10000
    document = ROOT / "docs/formats/tile-registers.md"
    text = document.read_text()
    begin, end = "<!-- registers -->\n", "\n<!-- end of registers -->"
    head, rest = text.split(begin)
    tail = rest.split(end)[1]
    files = {HERE / "host_map.sv": system_verilog(registers), HERE.parent / "driver/lento_tile_map.h": header(registers),
             document: head + begin + page(registers) + end + tail}
    stale = [path for path, wanted in files.items() if not path.exists() or path.read_text() != wanted]
    for path in stale:
        if "--check" in sys.argv:
            print(f"{path.relative_to(ROOT)} is not what registers.csv gives: run rtl/bus/make_map.py")
        else:
            path.write_text(files[path])
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
