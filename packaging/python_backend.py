"""Builds the wheel and the source archive of the Python module: `python3 -m build`, `pip install .`, `./dev release`.

A wheel holds the module for the Python and the platform that built it, and the shared libraries that it loads beyond those of
every glibc system (PEP 600), in lento.libs with run paths relative to it. LENTO_BUILD names a build folder that has the module
already; without it the sources are configured and built. The source archive holds what git tracks. PEP 517 names the functions.
"""
import base64
import gzip
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Libraries that every platform has (PEP 600). All others are bundled.
SYSTEM = re.compile(r"^(linux-vdso|ld-linux|libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\+\+|libresolv|libutil|libnsl)[.-]")


def version():
    return re.search(r"VERSION (\d+\.\d+\.\d+)", (ROOT / "CMakeLists.txt").read_text())[1]


def metadata():
    readme = (ROOT / "docs/python.md").read_text()
    return (f"Metadata-Version: 2.1\nName: lento\nVersion: {version()}\n"
            "Summary: Finds what is slow in parallel AI hardware, and says how fast it should have been\n"
            "License: Apache-2.0\nRequires-Python: >=3.9\nProvides-Extra: frames\nRequires-Dist: numpy; extra == 'frames'\n"
            "Requires-Dist: pandas; extra == 'frames'\nDescription-Content-Type: text/markdown\n\n" + readme)


def tag():
    tool = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{tool}-{tool}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def built_module():
    """The folder of the package as the build made it."""
    folder = pathlib.Path(os.environ.get("LENTO_BUILD", ""))
    if not os.environ.get("LENTO_BUILD"):
        folder = ROOT / "build/wheel"
        subprocess.run(["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_TESTING=OFF",
                        f"-DPython3_EXECUTABLE={sys.executable}"], check=True)
        subprocess.run(["cmake", "--build", folder, "--target", "lento_python"], check=True)
    return folder.resolve() / "python/lento"


def libraries_of(module):
    """Name -> path of each library to bundle."""
    out = subprocess.run(["ldd", module], check=True, capture_output=True, text=True).stdout
    found = dict(re.findall(r"^\s*(\S+) => (/\S+)", out, re.M))
    return {name: path for name, path in found.items() if not SYSTEM.match(name)}


def bundle(tree):
    """Copies the libraries beside the package and lets the module and each of them find the others there."""
    module = next((tree / "lento").glob("_lento*.so"))
    libraries = libraries_of(module)
    if not libraries or not shutil.which("patchelf"):
        return sorted(libraries)
    folder = tree / "lento.libs"
    folder.mkdir()
    for name, path in libraries.items():
        shutil.copy(path, folder / name)
        os.chmod(folder / name, 0o755)
        subprocess.run(["patchelf", "--set-rpath", "$ORIGIN", folder / name], check=True)
    subprocess.run(["patchelf", "--set-rpath", "$ORIGIN/../lento.libs", module], check=True)
    return []


def digest(data):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name = f"lento-{version()}-{tag()}.whl"
    with tempfile.TemporaryDirectory() as scratch:
        tree = pathlib.Path(scratch)
        (tree / "lento").mkdir()
        for file in sorted(built_module().glob("_lento*.so")):
            shutil.copy(file, tree / "lento")
            subprocess.run(["strip", "--strip-unneeded", tree / "lento" / file.name], check=True)
        for file in sorted((ROOT / "python/lento").glob("*.py*")) + [ROOT / "python/lento/py.typed"]:
            shutil.copy(file, tree / "lento")
        needed = bundle(tree)
        info = tree / f"lento-{version()}.dist-info"
        info.mkdir()
        stated = f"\nLibraries that the system must have: {', '.join(needed)}\n" if needed else ""
        (info / "METADATA").write_text(metadata() + stated)
        (info / "WHEEL").write_text(f"Wheel-Version: 1.0\nGenerator: lento\nRoot-Is-Purelib: false\nTag: {tag()}\n")
        shutil.copy(ROOT / "LICENSE", info)
        write_wheel(tree, info.name, pathlib.Path(wheel_directory) / name)
    return name


def write_wheel(tree, info, path):
    record = ""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for file in sorted(p for p in tree.rglob("*") if p.is_file()):
            inside, data = str(file.relative_to(tree)), file.read_bytes()
            entry = zipfile.ZipInfo(inside, (1980, 1, 1, 0, 0, 0))  # the same bytes from the same files
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, (0o755 if file.stat().st_mode & 0o100 else 0o644) << 16
            wheel.writestr(entry, data)
            record += f"{inside},{digest(data)},{len(data)}\n"
        wheel.writestr(zipfile.ZipInfo(f"{info}/RECORD", (1980, 1, 1, 0, 0, 0)), record + f"{info}/RECORD,,\n")


def plain_entry(entry):
    """A member of an archive without the owner, the umask and the clock of whoever made it."""
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    entry.mode = 0o755 if entry.mode & 0o100 else 0o644
    entry.mtime = int(os.environ.get("SOURCE_DATE_EPOCH", 315532800))  # else the day that the wheel's entries have
    return entry


def build_sdist(sdist_directory, config_settings=None):
    top = f"lento-{version()}"
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    path = pathlib.Path(sdist_directory) / f"{top}.tar.gz"
    with (tempfile.TemporaryDirectory() as scratch, open(path, "wb") as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed,
          tarfile.open(fileobj=packed, mode="w") as out):
        for name in sorted(filter(None, tracked)):
            if (ROOT / name).is_file() and not name.startswith("bench/results/"):
                out.add(ROOT / name, f"{top}/{name}", filter=plain_entry)
        info = pathlib.Path(scratch) / "PKG-INFO"
        info.write_text(metadata())
        out.add(info, f"{top}/PKG-INFO", filter=plain_entry)
    return path.name


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


if __name__ == "__main__":
    os.makedirs(sys.argv[1], exist_ok=True)
    print(build_wheel(sys.argv[1]), build_sdist(sys.argv[1]))
