#!/usr/bin/env python3
"""`lento tile run` loads what its owner trusts and nothing else: from source to signed image to a run on recorded signals.

usage: tile_load.py LENTO
"""
import os
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
            return subprocess.run([sys.argv[1], "tile", *arguments], cwd=folder, capture_output=True, text=True, env={**os.environ, "PASS": "word"})

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
        run = ["run", "echo.ypu", "--block", "vcd:run.vcd", "--map", "echo.map.yaml", "-o", "out.bin", "--tile-cycles", "8"]
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
        refused(*run, *trust, why="does not match its bytes")
        good("build", "--shipped", "echo.c", "-o", "echo.ypu")
        (folder / "echo.ypu.minisig").unlink()
        (folder / "out.bin").unlink()
        good(*run, "--unsigned")
        assert (folder / "out.bin").read_bytes() == seen

        def release(*options):
            good("build", "echo.c", "-o", "echo.ypu", *options)
            good("sign", "echo.ypu", "--key", "dev.key")

        # The loader keeps the counter. The rules name their policy.
        source = pathlib.Path(__file__).resolve().parent.parent / "guests" / "tile" / "echo.c"
        (folder / "echo.c").write_text(source.read_text())
        key = (folder / "owner.pub").read_text().splitlines()[1]
        rules = f"schema: lento.tile-block/1\nowner: {key}\nblock: 1\nabi: 1\nrollback: 0\n"
        (folder / "rules.yaml").write_text(rules)
        by_rules = ["--rules", "rules.yaml", "--cert", "dev.cert"]
        release("-O3", "--rollback", "3")
        refused(*run, *by_rules, why="'policy' is missing")
        (folder / "rules.yaml").write_text(rules + "policy: permissive\n")
        refused("check", "echo.ypu", *trust, "--remember", why="needs --rules")
        good(*run, *by_rules, "--remember")
        assert "counter: 3" in (folder / "rules.yaml").read_text()
        release("--rollback", "2")
        refused(*run, *by_rules, why="rollback")

        # A revoked image stays refused, also without the list.
        release("-O3", "--rollback", "3")
        good("revoke", "--owner", "owner.key", "--number", "1", "-o", "none.yaml")
        good("check", "echo.ypu", *by_rules, "--remember", "--revocation", "none.yaml")
        good("revoke", "--owner", "owner.key", "--number", "2", "--image", "echo.ypu", "-o", "image.yaml")
        refused("check", "echo.ypu", *by_rules, "--revocation", "image.yaml", why="was revoked by list 2")
        good("revoke", "--owner", "owner.key", "--number", "2", "--developer", "dev.pub", "-o", "revoked.yaml")
        refused("check", "echo.ypu", *by_rules, "--revocation", "revoked.yaml", why="was revoked by list 2")

        # A refusal takes its list into the rules, and so does an image without a signature.
        for unsigned in (False, True):
            (folder / "kept.yaml").write_text((folder / "rules.yaml").read_text())
            kept = ["check", "echo.ypu", "--rules", "kept.yaml", "--cert", "dev.cert"]
            good(*kept)
            if unsigned:
                (folder / "echo.ypu.minisig").rename(folder / "aside")
            refused(*kept, "--revocation", "revoked.yaml", "--remember", why="" if unsigned else "list 2")
            if unsigned:
                (folder / "aside").rename(folder / "echo.ypu.minisig")
            refused(*kept, why="was revoked by list 2")

        # Inputs sooner than declared: said, counted, exit code 1.
        refused(*run[:-2], *trust, why="came sooner than the declared 8 cycles")

        # Policy restrictive: the owner approves what the source compiles to.
        release("--policy", "restrictive")
        restrictive = [*trust, "--policy", "restrictive"]
        refused(*run, *restrictive, why="needs the owner's approval")
        (folder / "other.c").write_text(source.read_text() + "/* changed */\n")
        approve = ["approve", "echo.ypu", "--owner", "owner.key", "-o", "echo.approval", "--source"]
        refused(*approve, "other.c", why="names another source")
        refused(*approve, "echo.c", "-O", "0", why="does not compile to this image")
        good(*approve, "echo.c")
        good(*run, *restrictive, "--approval", "echo.approval")

        # A key behind a password keeps a store too.
        good("keygen", "shop", "--password-env", "PASS")
        refused("store", "init", "shop", "--key", "shop.key", why="protected by a password")
        locked = ["--key", "shop.key", "--password-env", "PASS"]
        good("store", "init", "shop", *locked)
        good("store", "publish", "shop", "echo", "echo.ypu", *locked, "--cert", "dev.cert")
        good("store", "fetch", "shop", "echo", "--store-key", "shop.pub", "--trust", "trust", "-o", ".")
        assert '"seen"' in (folder / "trust").read_text()
        good("store", "audit", "shop", "--store-key", "shop.pub", "--trust", "trust")

        # The trigger opens at one address and closes after another.
        good("build", "--shipped", "echo.c", "-o", "armed.ypu", "--trigger", "16,32")
        (folder / "addressed.map.yaml").write_text(MAP.replace("inputs:", "address: top.data\ninputs:"))
        good("run", "armed.ypu", "--unsigned", "--tile-cycles", "8", "--block", "vcd:run.vcd", "--map", "addressed.map.yaml", "-o", "armed.bin")
        armed = (folder / "armed.bin").read_bytes()
        words = [int.from_bytes(armed[i : i + 4], "little") for i in range(0, len(armed), 4)]
        assert words and all(16 <= w <= 32 for w in words), words


main()
