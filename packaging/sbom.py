#!/usr/bin/env python3
"""What is linked, as an SPDX 2.3 document: each shared library of the programs with its Debian package and version.

usage: sbom.py VERSION PROGRAM... > lento.spdx.json
"""
import json
import re
import subprocess
import sys


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def packages(program):
    for path in re.findall(r"=> (/\S+)", output("ldd", program)):
        for name in {path, path.removeprefix("/usr"), "/usr" + path}:
            owner = output("dpkg-query", "-S", name).split(": ")[0].split(",")[0]
            if owner:
                yield owner
                break


def main():
    version, programs = sys.argv[1], sys.argv[2:]
    linked = sorted({package for program in programs for package in packages(program)})
    if not linked:
        sys.exit("nothing is linked: no Debian system?")
    entries = [{"SPDXID": "SPDXRef-lento", "name": "lento", "versionInfo": version, "licenseDeclared": "Apache-2.0",
                "downloadLocation": "NOASSERTION"}]
    relations = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-lento"}]
    for package in linked:
        name, installed = output("dpkg-query", "-W", "-f", "${Package} ${Version}", package).split()
        ref = "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)
        entries.append({"SPDXID": ref, "name": name, "versionInfo": installed, "downloadLocation": "NOASSERTION",
                        "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                          "referenceLocator": f"pkg:deb/debian/{name}@{installed}"}]})
        relations.append({"spdxElementId": "SPDXRef-lento", "relationshipType": "DYNAMIC_LINK", "relatedSpdxElement": ref})
    json.dump({"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"lento-{version}",
               "documentNamespace": f"urn:lento:sbom:{version}", "packages": entries, "relationships": relations}, sys.stdout, indent=1)


main()
