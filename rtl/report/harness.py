#!/usr/bin/env python3
"""harness.py PORTS.json MODULE: a Verilog module `harness` around MODULE whose inputs come from one shift register and
whose outputs are registered and folded into one bit: nothing but flip-flops at the ports, few pins."""
import json
import sys


def main():
    ports = json.load(open(sys.argv[1]))["modules"][sys.argv[2]]["ports"]
    clock = "clock" if "clock" in ports else "clk"
    inputs = [(n, len(p["bits"])) for n, p in ports.items() if p["direction"] == "input" and n != clock]
    outputs = [(n, len(p["bits"])) for n, p in ports.items() if p["direction"] == "output"]
    ins, outs = sum(w for _, w in inputs), sum(w for _, w in outputs)
    print("module harness (input clock, input in, output reg out);")
    print(f"  reg [{ins - 1}:0] i; wire [{outs - 1}:0] o; reg [{outs - 1}:0] q; reg [{outs // 8}:0] f;")
    print("  integer k;")
    print("  always @(posedge clock) begin")
    print(f"    i <= {{i[{ins - 2}:0], in}}; q <= o;")
    print(f"    for (k = 0; k <= {outs // 8}; k = k + 1) f[k] <= ^(q >> (8 * k) & 255) ^ (k > 0 ? f[k > 0 ? k - 1 : 0] : 1'b0);")
    print(f"    out <= f[{outs // 8}];")
    print("  end")
    at_in = at_out = 0
    lines = [f".{clock}(clock)"]
    for name, width in inputs:
        lines.append(f".{name}(i[{at_in + width - 1}:{at_in}])")
        at_in += width
    for name, width in outputs:
        lines.append(f".{name}(o[{at_out + width - 1}:{at_out}])")
        at_out += width
    print(f"  {sys.argv[2]} dut ({', '.join(lines)});")
    print("endmodule")


main()
