#!/usr/bin/env python3
"""What a fix is predicted to bring against what it brings, for the programs of examples/memory/programs.

fix_validation.py LENTO RESULTS.csv [PROGRAM...]: each program is recorded whole and judged. Columns: the predicted speed-up and its range;
the same ratio when the proposed change of the source is applied, built and recorded again, and whether the finding is
gone; the ratio of the twin that was fixed by hand (-DFIXED); cycles of both on four simulated harts, which know nothing of
the recording, their ratio, what `memory diagnose --platform` predicts from the trace of the first alone (empty: no false
or true sharing there, or refused), and what the proposed change of the source brings on the harts.
"""
import csv
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = ROOT / "examples/memory/programs"
PLATFORM = str(ROOT / "examples/memory/default.yaml")


def run(*words, folder, **more):
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, **more)


def record(lento, folder, source, flags=()):
    run("cc", "-g", "-O1", "-fsanitize=thread", f"-I{PROGRAMS}", *flags, "-c", str(source), "-o", "p.o", folder=folder, check=True)
    run("cc", "p.o", "recorder.o", "-o", "p", "-ldl", "-pthread", folder=folder, check=True)
    done = run(lento, "memory", "record", "--full", "-o", "run.access", "--json", "--", "./p", folder=folder)
    return json.loads(done.stdout[done.stdout.index("{"):])


def fact(diagnosis, name):
    # Facts are a list of pairs or an object, by version.
    facts = diagnosis["facts"]
    pairs = facts.items() if isinstance(facts, dict) else [(f["name"], f["value"]) if isinstance(f, dict) else f for f in facts]
    return float(dict(pairs)[name])


def patched(folder, finding, source):
    """The source with the proposed change, or None where none was proposed."""
    for evidence in finding["evidence"]:
        match = re.search(r"@@ -(\d+) \+\d+ @@\n-(.*)\n\+(.*)\n", evidence["text"])
        if match:
            lines = source.read_text().splitlines()
            number = int(match.group(1)) - 1
            assert lines[number] == match.group(2)
            lines[number] = match.group(3)
            path = pathlib.Path(folder) / source.name
            path.write_text("\n".join(lines) + "\n")
            return path
    return None


def build_guest(folder, source, name, flags=()):
    run(str(ROOT / "guests/compile.sh"), str(source), name, "-DLENTO_GUEST", f"-I{PROGRAMS}", *flags, folder=folder, check=True)


def simulated(lento, folder, guest, *more):
    done = run(lento, "memory", "simulate", guest, "--harts", "4", "--platform", PLATFORM, "--json", *more, folder=folder, check=True)
    return fact(json.loads(done.stdout[done.stdout.index("{"):]), "cycles")


def predicted_on_harts(lento, folder):
    done = run(lento, "memory", "diagnose", "g.access", "--elf", "g.elf", "--platform", PLATFORM, "--json", folder=folder)
    findings = json.loads(done.stdout[done.stdout.index("{"):])["findings"]
    return round(findings[0]["factor"], 3) if findings and "factor" in findings[0] else ""


def main():
    lento = str(pathlib.Path(sys.argv[1]).resolve())
    wanted = set(sys.argv[3:])
    with tempfile.TemporaryDirectory() as folder, open(sys.argv[2], "w") as out:
        run(lento, "memory", "record", "--runtime", "recorder.c", folder=folder, check=True)
        run("cc", "-O2", "-c", "recorder.c", folder=folder, check=True)
        rows = csv.writer(out)
        rows.writerow(["program", "cause", "predicted", "low", "high", "proposed_change_applied", "finding_gone", "fixed_by_hand",
                       "harts_cycles_before", "harts_cycles_fixed", "harts", "harts_predicted", "harts_changed"])
        for source in sorted(PROGRAMS.glob("*.c")):
            if wanted and source.stem not in wanted:
                continue
            if not re.search("expect: (false sharing|true sharing|lock),", source.read_text()):
                continue  # the simulated harts have other caches than the replay
            before = record(lento, folder, source)
            first = before["findings"][0]
            cycles = fact(before, "cycles in virtual time")
            text = next((e["text"] for e in first["evidence"] if "predicted speed-up" in e["text"]), "")
            low, high = re.search(r"([\d.]+) to ([\d.]+) on machines", text).groups() if text else ("", "")
            change = patched(folder, first, source)
            applied, gone = "", ""
            if change:
                after = record(lento, folder, change)
                applied = round(cycles / fact(after, "cycles in virtual time"), 3)
                gone = int(not any(f["subject"] == first["subject"] or f["category"] == first["category"] for f in after["findings"]))
            fixed = cycles / fact(record(lento, folder, source, ["-DFIXED"]), "cycles in virtual time")
            build_guest(folder, source, "g.elf")
            build_guest(folder, source, "fixed.elf", ["-DFIXED"])
            harts = simulated(lento, folder, "g.elf", "--trace", "g.access")
            harts_fixed = simulated(lento, folder, "fixed.elf")
            changed = ""
            if change:
                build_guest(folder, change, "changed.elf")
                changed = round(harts / simulated(lento, folder, "changed.elf"), 3)
            rows.writerow([source.stem, first["category"], round(first.get("factor", 0), 3), low, high, applied, gone, round(fixed, 3),
                           int(harts), int(harts_fixed), round(harts / harts_fixed, 3), predicted_on_harts(lento, folder), changed])
            out.flush()


main()
