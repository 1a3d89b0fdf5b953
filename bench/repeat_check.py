#!/usr/bin/env python3
"""Whether a verdict is the same again: repeat_check.py LENTO RECORDER.o [RECORDINGS [PROGRAM...]].

Records each PROGRAM of examples/memory/programs (the first 20) RECORDINGS (5) times by bursts and once whole. Printed: the
most frequent first finding (cause and variable) and in how many recordings it came first, the first finding of the whole
recording, and whether both agree or the bursts could not judge.
"""
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = ROOT / "examples/memory/programs"


def first(lento, folder, machine, *more):
    done = subprocess.run([lento, "memory", "record", "-o", "run.access", "--json", *machine, *more, "--", "./p"], cwd=folder, capture_output=True,
                          text=True)
    d = json.loads(done.stdout[done.stdout.index("{"):])
    if not d["findings"]:
        return d["outcome"]
    f = d["findings"][0]
    names = re.sub(r"\(?0x[0-9a-f]+( to 0x[0-9a-f]+)?\)?|\d+ lines?( from)?|\bline\b|\[\d+\]|\+\d+", " ", f["subject"])
    words = re.findall(r"[A-Za-z_]\w*", names)
    return f"{f['category']}: {words[0] if words else ''}"


def main():
    lento, recorder = (str(pathlib.Path(a).resolve()) for a in sys.argv[1:3])
    recordings = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    same = all_recordings = agree = 0
    sources = [PROGRAMS / f"{name}.c" for name in sys.argv[4:]] or sorted(PROGRAMS.glob("*.c"))[:20]
    print("program,first finding by bursts,recordings with it,whole recording,agree")
    with tempfile.TemporaryDirectory() as folder:
        for source in sources:
            run = lambda *words: subprocess.run(words, cwd=folder, check=True)
            run("cc", "-g", "-O1", "-fsanitize=thread", "-fno-ipa-reference-addressable", f"-I{PROGRAMS}", "-c", str(source), "-o", "p.o")
            run("cc", "p.o", recorder, "-o", "p", "-ldl", "-pthread")
            machine = [word for option, value in re.findall(r"^ \* (nodes|bandwidth): ([\d.]+)", source.read_text(), re.M)
                       for word in (f"--{option}", value)]
            found = collections.Counter(first(lento, folder, machine) for _ in range(recordings))
            most, count = found.most_common(1)[0]
            whole = first(lento, folder, machine, "--full")
            same, all_recordings, agree = same + count, all_recordings + recordings, agree + (whole == most or most == "cannot judge")
            print(f"{source.stem},{most},{count},{whole},{int(whole == most or most == 'cannot judge')}", flush=True)
    print(f"# same first finding in {same} of {all_recordings} recordings; bursts and whole agree in {agree} of {len(sources)}")


if __name__ == "__main__":
    main()
