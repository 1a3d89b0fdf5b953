#!/usr/bin/env python3
"""Published cases of bank and channel conflicts and of uncoalesced accesses, as the accesses of a warp, with mended twins.

gpu_cases.py LENTO [FOLDER]: each case follows from what its report says of the layout (lanes, strides, widths), not from
anybody's code or trace. The cause must be the first finding, with the degree that the arithmetic gives, and the twin must be
quiet. FOLDER keeps the files.
"""
import json
import pathlib
import subprocess
import sys
import tempfile


def rows(op, address, lanes=32, requests=8):
    """So many requests of a warp: address(lane, request)."""
    return "\n".join(f"case.cu:1 {op} " + " ".join(hex(0x1000 + address(lane, r)) for lane in range(lanes)) for r in range(requests))


# name: source, cause, degree (None: not stated), accesses, accesses of the twin
CASES = {
    "column_of_32": ("NVlabs/cuda-oxide pull 544: a column of a tile of floats with rows of 32", "bank conflicts", 32,
                     rows("LDS.32", lambda l, r: (l * 32 + r) * 4), rows("LDS.32", lambda l, r: (l * 33 + r) * 4)),
    "column_of_16": ("the same, rows of 16", "bank conflicts", 16,
                     rows("LDS.32", lambda l, r: (l * 16 + r) * 4), rows("LDS.32", lambda l, r: (l * 17 + r) * 4)),
    "prefill_rows": ("AMD-Ecosystem/flashinfer pull 207: 16 rows a phase, exchanged with a period of 8 instead of 16", "bank conflicts",
                     2, rows("ds_read_b64", lambda l, r: 8 * (l % 16 * 32 + (l // 16 ^ l % 8)), 64),
                     rows("ds_read_b64", lambda l, r: 8 * (l % 16 * 32 + (l // 16 ^ l % 16)), 64)),
    "simple_copy": ("NVIDIA/cutlass issue 1882: halves of a column-major tile of 128 rows, lanes along the columns", "bank conflicts", 32,
                    rows("STS.U16", lambda l, r: 2 * (l * 128 + r)), rows("STS.U16", lambda l, r: 2 * (l + 128 * r))),
    "mn_contiguous": ("ROCm/composable_kernel issue 177: halves in tiles of K0 M 8, lanes along M; mended K0 M 2", "bank conflicts", 4,
                      rows("ds_write_b16", lambda l, r: 2 * (l * 8 + r), 64), rows("ds_write_b32", lambda l, r: 4 * l + 256 * r, 64)),
    "fragment_rows": ("ROCm/rocm-libraries pull 6070: rows of 64 bytes read by 16 bytes", "bank conflicts", 4,
                      rows("ds_read_b128", lambda l, r: l % 16 * 64 + l // 16 * 16, 64),
                      rows("ds_read_b128", lambda l, r: l % 16 * 64 + (l // 16 ^ l % 16 // 2 % 4) * 16, 64)),
    "matrix_rows": ("NVIDIA/cutlass issue 3172: ldmatrix of rows of 128 bytes; mended by exchange of the columns", "bank conflicts", 8,
                    rows("LDSM.16.M88.4", lambda l, r: l * 128 + r * 16), rows("LDSM.16.M88.4", lambda l, r: l * 128 + (r ^ l % 8) * 16)),
    "wide_apart": ("NVlabs/cuda-oxide pull 575: 4 bytes a lane, 16 bytes apart; mended 16 bytes a lane", "uncoalesced access", 4,
                   rows("LDG.E.32", lambda l, r: l * 16 + 512 * r), rows("LDG.E.128", lambda l, r: l * 16 + 512 * r)),
    "copy_of_17": ("tinygrad pull 13569: a copy with a stride of 17 words", "uncoalesced access", None,
                   rows("global_load_dword", lambda l, r: 17 * 4 * (l + 64 * r), 64), rows("global_load_dword", lambda l, r: 4 * (l + 64 * r), 64)),
    "element_major": ("CEED/libCEED issue 128: a thread an element of 8 doubles", "uncoalesced access", None,
                      rows("STG.E.64", lambda l, r: 8 * (l * 8 + r)), rows("STG.E.64", lambda l, r: 8 * (l + 32 * r))),
    "size_4096": ("CNugteren/CLBlast issue 53: groups at rows of 4096 floats, mended by a row of 4160", "HBM channel imbalance", None,
                  rows("global_load_dword", lambda l, r: r * 4096 * 4 + l * 4, 64, 64),
                  rows("global_load_dword", lambda l, r: r * 4160 * 4 + l * 4, 64, 64)),
}


def judge(lento, path):
    done = subprocess.run([lento, "memory", "diagnose", str(path), "--json"], capture_output=True, text=True)
    return json.loads(done.stdout[done.stdout.index("{"):])


def main():
    lento = str(pathlib.Path(sys.argv[1]).resolve())
    right = 0
    with tempfile.TemporaryDirectory() as own:
        folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else own)
        for name, (source, cause, degree, accesses, twin) in CASES.items():
            outcomes = []
            for variant, text in (("", accesses), ("_mended", twin)):
                path = folder / f"{name}{variant}.txt"
                path.write_text(f"kernel {name}\n{text}\n")
                outcomes.append(judge(lento, path))
            first = outcomes[0]["findings"][0] if outcomes[0]["findings"] else {"category": "", "factor": 0}
            named = first["category"] == cause and (degree is None or abs(first["factor"] - degree) < 0.05 * degree)
            quiet = outcomes[1]["outcome"] == "healthy"
            right += named and quiet
            print(f"{name}: {source}: {first['category']} x{first.get('factor', 0):.3g}, twin {outcomes[1]['outcome']}: "
                  f"{'right' if named and quiet else 'WRONG'}")
    print(f"{right} of {len(CASES)} right with quiet twins")
    return right < len(CASES)


if __name__ == "__main__":
    sys.exit(main())
