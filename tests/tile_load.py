#!/usr/bin/env python3
"""`lento tile run` loads what its owner trusts and nothing else: from source to signed image to a run on recorded signals.

usage: tile_load.py LENTO
"""
import pathlib
import subprocess
import sys
import tempfile

VCD = """$timescale 1ns $end
$scope module top $end
$var wire 1 c clk $end
$var wire 32 d data $end
$upscope $end
$enddefinitions $end
"""
MAP = """schema: lento.tile-map/1
clock: top.clk
inputs:
  - ioreg: 0
    signal: top.data
"""


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def lento(*arguments):
            return subprocess.run([sys.argv[1], "tile", *arguments], cwd=folder, capture_output=True, text=True)

        def good(*arguments):
            done = lento(*arguments)
            assert done.returncode == 0, (arguments, done.stdout, done.stderr)
            return done.stdout

        def refused(*arguments, why):
            done = lento(*arguments)
            assert done.returncode != 0 and why in done.stdout + done.stderr, (arguments, done.stdout, done.stderr)

        changes = "".join(f"#{10 * t}\n1c\nb{t % 200:b} d\n#{10 * t + 5}\n0c\n" for t in range(1, 400))
        (folder / "run.vcd").write_text(VCD + changes)
        (folder / "echo.map.yaml").write_text(MAP)
        for key in ("owner", "dev", "stranger"):
            good("keygen", key)
        good("build", "--shipped", "echo.c", "-o", "echo.ypu")
        good("certify", "dev.pub", "--owner", "owner.key", "--subject", "Acme", "--block", "1", "--until", "2999-01-01", "-o", "dev.cert")
        run = ["run", "echo.ypu", "--block", "vcd:run.vcd", "--map", "echo.map.yaml", "-o", "out.bin"]
        trust = ["--owner", "owner.pub", "--cert", "dev.cert"]

        refused(*run, *trust, why="echo.ypu.minisig")
        good("sign", "echo.ypu", "--key", "stranger.key")
        refused(*run, *trust, why="refuse")
        good("sign", "echo.ypu", "--key", "dev.key")
        refused(*run, why="--owner")
        refused(*run, *trust, "--block-id", "2", why="refuse")
        assert not (folder / "out.bin").exists(), "a refused image ran"
        good(*run, *trust)
        seen = (folder / "out.bin").read_bytes()
        words = [int.from_bytes(seen[i : i + 4], "little") for i in range(0, len(seen), 4)]
        assert words and all(w < 200 for w in words), words

        image = bytearray((folder / "echo.ypu").read_bytes())
        image[len(image) // 2] ^= 1
        (folder / "echo.ypu").write_bytes(image)
        refused(*run, *trust, why="digest")
        good("build", "--shipped", "echo.c", "-o", "echo.ypu")
        (folder / "echo.ypu.minisig").unlink()
        (folder / "out.bin").unlink()
        good(*run, "--unsigned")
        assert (folder / "out.bin").read_bytes() == seen


main()
