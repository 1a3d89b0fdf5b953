"""The shell blocks of a page: where they stand, and how they are run. Used by docs_check.py and by the site's builder."""
import os
import pathlib
import re
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```sh run\n(.*?)^```\n(?:\s*^```text\n(.*?)^```)?", re.M | re.S)


MOST_SECONDS = 1200  # of a block that takes a dozen alone: a release on a machine with much else to do must not end for it


def blocks(text):
    """(command, what it must print) of each block that opens with ```sh run."""
    return BLOCK.findall(text)


def plain(text):
    """The page as others render it: a fence names its language and nothing else."""
    return re.sub(r"^```(sh|python|cpp) \w.*$", r"```\1", text, flags=re.M)


def prepare(scratch):
    """Copies of examples/ and guests/built, which the blocks work on."""
    shutil.copytree(ROOT / "examples", pathlib.Path(scratch) / "examples")
    shutil.copytree(ROOT / "guests/built", pathlib.Path(scratch) / "guests/built")


def execute(command, scratch, lento):
    path = f"{pathlib.Path(lento).resolve().parent}:{os.environ['PATH']}"
    return subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=scratch, text=True, timeout=MOST_SECONDS,
                          env={**os.environ, "PATH": path}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
