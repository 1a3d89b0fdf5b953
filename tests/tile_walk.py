#!/usr/bin/env python3
"""examples/tile/walk.sh goes from C to a loaded, signed program, and what it shows is right.

usage: tile_walk.py LENTO
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

EXAMPLE = pathlib.Path(__file__).resolve().parent.parent / "examples" / "tile"


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "tile"
        shutil.copytree(EXAMPLE, folder)
        path = f"{pathlib.Path(sys.argv[1]).resolve().parent}:{os.environ['PATH']}"
        done = subprocess.run([str(folder / "walk.sh")], cwd=folder, capture_output=True, text=True, env={**os.environ, "PATH": path}, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr
        said = done.stdout + done.stderr
        for line in (
            "accepted: signed by Acme, counter 1, verified",
            "128 of 128 inputs were processed",
            "slow_answers.c:17:",  # the worst path, by line of the source
            "refused: the signature of changed.ypu does not match its bytes",
        ):
            assert line in said, (line, said)
        late = (folder / "late.bin").read_bytes()
        assert [int.from_bytes(late[i : i + 4], "little") for i in range(0, 16, 4)] == [0, 0, 8, 0], late
        seen, proved = (int(said.split(f"longest main, {what}")[1].split()[0]) for what in ("cycles", "proved"))
        assert seen <= proved <= 1.1 * seen, (seen, proved)
        assert "counter: 1" in (folder / "rules.yaml").read_text(), "the release is not remembered"
    print("1 passed, 0 failed")


main()
