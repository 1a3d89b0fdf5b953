#!/usr/bin/env python3
"""Writes the bill of materials of a build: packages whose libraries its programs load, and packages whose headers were
compiled into them. The form is SPDX 2.3.

usage: sbom.py VERSION BUILD > lento.spdx.json
Loaded is what the dynamic linker reports (LD_DEBUG=files) while each program runs once, so that a library opened by
name counts (libcurl, which asks servers). Compiled in is what ninja recorded of the compiler (ninja -t deps).
"""
import json
import os
import pathlib
import re
import subprocess
import sys

# One run that opens every library that a program may open: no server answers at this port.
RUNS = {"lento": ["fleet", "doctor", "http://127.0.0.1:9"], "lento-lab": ["--version"], "lento-mpi": ["--version"]}


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def loaded(program, words):
    """The shared libraries that one run loads, the linker itself among them."""
    run = subprocess.run([program, *words], capture_output=True, text=True, check=False,
                         env={**os.environ, "LD_DEBUG": "files"})
    return set(re.findall(r"calling init: (/\S+)", run.stderr)) | set(re.findall(r"=> (/\S+)", output("ldd", program)))


def headers(build):
    """Headers outside the checkout that an object of the programs was compiled from: one of each folder suffices."""
    first = {}
    for path in re.findall(r"^    (/usr/include/\S+)", output("ninja", "-C", str(build), "-t", "deps"), re.M):
        if "gtest" not in path and "gmock" not in path:
            folder = os.path.dirname(path)
            first.setdefault(path if folder == "/usr/include" else folder, path)
    return set(first.values())


def owners(paths):
    """The Debian packages that own files; / and /usr are one place."""
    found = set()
    for path in sorted(paths):
        for name in dict.fromkeys([path, path.removeprefix("/usr"), "/usr" + path, os.path.realpath(path)]):
            owner = output("dpkg-query", "-S", name).split(": ")[0].split(",")[0]
            if owner:
                found.add(owner)
                break
    return found


def main():
    version, build = sys.argv[1], pathlib.Path(sys.argv[2])
    programs = {build / "bin" / name: words for name, words in RUNS.items() if (build / "bin" / name).exists()}
    linked = owners(set().union(*(loaded(p, w) for p, w in programs.items())))
    if not linked:
        sys.exit("nothing is linked: no Debian system?")
    entries = [{"SPDXID": "SPDXRef-lento", "name": "lento", "versionInfo": version, "licenseDeclared": "Apache-2.0",
                "downloadLocation": "NOASSERTION"}]
    relations = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-lento"}]
    compiled = owners(headers(build)) - linked
    for package, kind in sorted([(p, "DYNAMIC_LINK") for p in linked] + [(p, "STATIC_LINK") for p in compiled]):
        name, installed = output("dpkg-query", "-W", "-f", "${Package} ${Version}\n", package).split("\n")[0].split()
        ref = "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)
        entries.append({"SPDXID": ref, "name": name, "versionInfo": installed, "downloadLocation": "NOASSERTION",
                        "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                          "referenceLocator": f"pkg:deb/debian/{name}@{installed}"}]})
        relations.append({"spdxElementId": "SPDXRef-lento", "relationshipType": kind, "relatedSpdxElement": ref})
    json.dump({"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"lento-{version}",
               "documentNamespace": f"urn:lento:sbom:{version}", "packages": entries, "relationships": relations}, sys.stdout, indent=1)


main()
