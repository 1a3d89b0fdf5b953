#!/usr/bin/env python3
"""The recipe "a new detector" of CONTRIBUTING.md, followed to the letter: one new file, and one line in the list of methods.

usage: recipe_check.py BUILD_FOLDER
The two detectors of examples/detectors are compiled with a changed list, linked before the libraries, and asked by the command
for a planted fault and for healthy records. The tree itself is left as it is.
"""
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECIPES = [
    ("fleet_loudest.cc", "src/fleet/methods.cc",
     "finding::Diagnosis judge_by_loudest(const MetricSeries&, const FleetDiagnosisOptions&, const base::Progress&);",
     "lento::fleet", '{"loudest", "far above the median of all machines", judge_by_loudest},'),
    ("chip_busiest.cc", "src/chip/methods.cc", "MethodResult judge_by_busiest(const MethodCall&);",
     "lento::chip", '{"busiest", "twice as slow as the median core", {}, chip::judge_by_busiest},'),
]


def run(*command, cwd=None):
    done = subprocess.run(list(map(str, command)), cwd=cwd, capture_output=True, text=True, timeout=600)
    if done.returncode not in (0, 4):
        sys.exit(f"{shlex.join(map(str, command))}: exit {done.returncode}\n{done.stderr[-4000:]}")
    return done.stdout


def listed(path, declaration, namespace, line):
    """The list of methods with one more, and its declaration."""
    text = (ROOT / path).read_text()
    text, places = re.subn(r"(static const std::vector<\S+> list\{)", r"\1" + line, text)
    assert places == 1, path
    at = text.index("\nnamespace ")
    return f"{text[:at]}\nnamespace {namespace} {{ {declaration} }}\n{text[at:]}"


def compiled(build, folder):
    """Objects of the new files and of the changed lists, built as the door of the fleet is."""
    commands = {entry["file"]: entry for entry in json.loads((build / "compile_commands.json").read_text())}
    like = next(entry for file, entry in commands.items() if file.endswith("src/fleet/methods.cc"))
    for name, list_path, *more in RECIPES:
        changed = folder / list_path.replace("/", "_")  # two houses have a methods.cc
        changed.write_text(listed(list_path, *more))
        for source in (ROOT / "examples/detectors" / name, changed):
            words = [w for w in shlex.split(like["command"]) if w != "ccache" and not w.endswith("src/fleet/methods.cc")]
            words[words.index("-o") + 1] = str(folder / source.with_suffix(".o").name)
            run(*words, source, cwd=like["directory"])
    return sorted(folder.glob("*.o"))


def linked(build, folder, objects):
    link = run("ninja", "-C", build, "-t", "commands", "bin/lento").splitlines()[-1].split("&&")[1]
    words = shlex.split(link)
    words[words.index("-o") + 1] = str(folder / "lento")
    main = next(i for i, w in enumerate(words) if w.endswith("main.cc.o"))
    run(*[w for w in words[:main + 1] if w != "ccache"], *objects, *words[main + 1:], cwd=build)
    return folder / "lento"


def subjects(lento, *arguments):
    return [f["subject"] for f in json.loads(run(lento, *arguments, "--json"))["findings"]]


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        lento = linked(build, folder, compiled(build, folder))
        (folder / "healthy.csv").write_text("t,node,power\n" + "".join(f"{t},n{m},100\n" for t in range(60) for m in range(8)))
        (folder / "loud.csv").write_text("t,node,power\n" + "".join(f"{t},n{m},{200 if m == 3 else 100}\n"
                                                                    for t in range(60) for m in range(8)))
        fleet = ["fleet", "diagnose", "--machine-column", "node", "--time-column", "t", "--time-unit", "s", "--method", "loudest"]
        assert subjects(lento, *fleet, "--csv", folder / "loud.csv") == ["n3"]
        assert subjects(lento, *fleet, "--csv", folder / "healthy.csv") == []
        (folder / "slow.yaml").write_text("schema: lento.faults/1\nfaults:\n- {component: core5, factor: 10, start: 0}\n")
        chip = ["--chip", ROOT / "examples/chip/4x4.yaml", "--mapping", ROOT / "examples/chip/tiny.map.json"]
        run(lento, "chip", "simulate", *chip, "-o", folder / "healthy.probe")
        run(lento, "chip", "simulate", *chip, "--faults", folder / "slow.yaml", "-o", folder / "slow.probe")
        judge = ["chip", "diagnose", *chip, "--method", "busiest", "--no-replay"]
        assert subjects(lento, *judge, folder / "slow.probe") == ["core5"]
        assert subjects(lento, *judge, folder / "healthy.probe") == []
    print("a detector for the fleet and one for the chip: one new file and one line in a list each")


main()
