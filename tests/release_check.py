#!/usr/bin/env python3
"""The bill of materials and the signature of a release.

usage: release_check.py BUILD
Each library that a program opens while it works (by strace) belongs to a package of the bill. The checksums of a folder are
signed by a key made here; a changed file and a changed list are refused. Exit 77 where a tool is not installed.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "packaging"))
import python_backend  # noqa: E402

RUNS = [["lento", "fleet", "doctor", "http://127.0.0.1:9"], ["lento", "predict", "examples/predict/gemm.yaml", "--system", "h100"],
        ["lento-lab", "--version"]]


def libraries(build, folder):
    """The shared objects that the runs opened."""
    found = set()
    for words in RUNS:
        log = folder / "strace"
        program = build / "bin" / words[0]
        rest = [str(ROOT / w) if w.startswith("examples") else w for w in words[1:]]
        subprocess.run(["strace", "-f", "-e", "trace=openat", "-o", log, program, *rest], cwd=folder, capture_output=True)
        found |= set(re.findall(r'openat\(.*"(/[^"]+\.so[.0-9]*)".*\) = \d', log.read_text()))
    return found


def owner(path):
    for name in dict.fromkeys([path, path.removeprefix("/usr"), "/usr" + path, str(pathlib.Path(path).resolve())]):
        done = subprocess.run(["dpkg-query", "-S", name], capture_output=True, text=True)
        if done.returncode == 0:
            return done.stdout.split(":")[0].split(",")[0]
    return path


def check_bill(build, folder):
    bill = subprocess.run([ROOT / "packaging/sbom.py", "0", build], capture_output=True, text=True, check=True).stdout
    named = {p["name"] for p in json.loads(bill)["packages"]}
    opened = libraries(build, folder)
    assert len(opened) > 10, opened
    missing = sorted({owner(p) for p in opened} - named)
    assert not missing, f"not in the bill: {missing}"
    assert {"nlohmann-json3-dev", "libcli11-dev", "libeigen3-dev"} <= named, "header-only parts"
    print(f"{len(opened)} libraries opened, {len(named)} packages in the bill")


def check_signature(folder):
    """A throwaway key: the release's own is held by those who release."""
    def verified():
        return (subprocess.run(["minisign", "-V", "-m", "SHA256SUMS", "-p", folder / "k.pub"], cwd=folder / "r", capture_output=True).returncode == 0
                and subprocess.run(["sha256sum", "-c", "SHA256SUMS"], cwd=folder / "r", capture_output=True).returncode == 0)

    subprocess.run(["minisign", "-G", "-W", "-p", folder / "k.pub", "-s", folder / "k.key"], check=True, capture_output=True)
    (folder / "r").mkdir()
    package = folder / "r/lento.deb"
    package.write_bytes(b"package")
    subprocess.run([ROOT / "packaging/sign.sh", folder / "r", folder / "k.key"], check=True, capture_output=True)
    assert verified()
    package.write_bytes(b"changed")
    assert not verified(), "a changed package"
    package.write_bytes(b"package")
    (folder / "r/SHA256SUMS").write_text((folder / "r/SHA256SUMS").read_text() + "\n")
    assert not verified(), "a changed list"


def check_archive():
    """A member of the source archive is the same whoever packs it and whenever."""
    one, other = tarfile.TarInfo("a"), tarfile.TarInfo("a")
    one.mode, one.uid, one.uname, one.mtime = 0o644, 1000, "ann", 1e9
    other.mode, other.uid, other.uname, other.mtime = 0o664, 7, "bob", 2e9
    assert python_backend.plain_entry(one).tobuf() == python_backend.plain_entry(other).tobuf()
    assert python_backend.plain_entry(one).mode == 0o644


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    if not all(map(shutil.which, ["strace", "minisign", "dpkg-query"])) or not (build / "bin/lento-lab").exists():
        sys.exit(77)
    check_archive()
    with tempfile.TemporaryDirectory() as folder:
        check_signature(pathlib.Path(folder))
        check_bill(build, pathlib.Path(folder))


main()
