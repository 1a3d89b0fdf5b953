#!/usr/bin/env python3
"""The Python module beside the command: the same bytes for 40 inputs, frames of any library, errors in words of Python, Ctrl-C,
stubs, and the notebook page of docs/python.md.

usage: python_check.py LENTO  (PYTHONPATH holds the built module)
"""
import io
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time

try:
    import numpy
    import pandas
    import lento
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

import doors_check
from python_frames import ArrowFrame, InterchangeFrame

ROOT = pathlib.Path(__file__).resolve().parent.parent
LENTO = pathlib.Path(sys.argv[1]).resolve()
os.environ["PATH"] = f"{LENTO.parent}:{os.environ['PATH']}"


def command(*words):
    done = subprocess.run([LENTO, *map(str, words)], capture_output=True, text=True)
    assert done.returncode in (0, 4), done.stderr
    return done.stdout


def same(ours, *words):
    """Byte for byte what the command prints that the diagnosis names, and, but for that name, what `words` print."""
    named = shlex.split(ours["command"])
    assert named[0] == "lento" and ours.to_json() == command(*named[1:]), f"{ours['command']} differs"
    same_table(ours, *words)
    same.count += 1


same.count = 0


def same_table(ours, *words):
    """The same but for the command, and for the name of the table with the digest of its text."""
    def parts(text):
        d = json.loads(text)
        d.pop("command", None)
        d.pop("inputs", None)
        return json.dumps(d)
    assert parts(ours.to_json()) == parts(command(*words, "--json")), f"lento {' '.join(map(str, words))} differs"


def scales():
    examples = ROOT / "examples"
    model = ("--chip", examples / "chip/4x4.yaml", "--mapping", "net.map.json")
    command("chip", "map", examples / "models/darknet19.onnx", "--chip", examples / "chip/4x4.yaml", "--batch", 16, "-o", "net.map.json")
    for name, faults in (("run.probe", ["--faults", examples / "chip/slow_link.yaml"]), ("calm.probe", [])):
        command("chip", "simulate", *model, *faults, "--inferences", 2, "-o", name)
        d = lento.chip.diagnose(name, chip=examples / "chip/4x4.yaml", mapping="net.map.json")
        same(d, "chip", "diagnose", name, *model)
        assert (d.findings[0]["subject"].startswith("link") if faults else d.outcome == "healthy"), d
    same(lento.chip.simulate(chip=examples / "chip/4x4.yaml", mapping="net.map.json"), "chip", "simulate", *model)
    guest = ROOT / "guests/built/false_sharing.elf"
    command("memory", "simulate", guest, "--harts", 4, "--trace", "fs.access")
    same(lento.memory.diagnose("fs.access", programs=guest), "memory", "diagnose", "fs.access", "--elf", guest)
    same(lento.diagnose("fs.access", guest), "diagnose", "fs.access", guest)
    command("fleet", "simulate-ranks", "--dp", 4, "--fault", "slow_nic", "--place", 2, "--factor", 2, "--from-step", 90, "--out", "nic")
    same(lento.fleet.ranks("nic"), "fleet", "ranks", "nic")
    for system in ("a100", "h100", "h200", "mi300x", "b200", "l40s", "l4", "gb200"):
        same(lento.predict(examples / "predict/gemm.yaml", system), "predict", examples / "predict/gemm.yaml", "--system", system)
    for system in ("a100", "h100", "h200", "gb200"):
        same(lento.predict(examples / "predict/gpt3_175b.yaml", system), "predict", examples / "predict/gpt3_175b.yaml", "--system", system)
    same(lento.search(examples / "search/quick.yaml"), "search", examples / "search/quick.yaml")


def tables_of_every_shape():
    """Wide, long and a row per GPU, by path and as frames of four libraries; half of them healthy."""
    for seed in range(500, 507):
        slow = seed % 10 if seed % 2 else None
        for shape, table in doors_check.shapes(seed, slow):
            if isinstance(table, dict):
                continue
            table.to_csv("table.csv", index=False)
            by_path = lento.diagnose("table.csv")
            same(by_path, "diagnose", "table.csv")
            assert by_path.outcome == ("healthy" if slow is None else "findings"), (seed, shape, by_path)
            columns = {n: table[n].tolist() for n in table.columns}
            frame = [lambda: table, lambda: InterchangeFrame(table.reset_index(drop=True)), lambda: columns,
                     lambda: ArrowFrame(columns, 100, [table.columns[0]])][same.count % 4]()
            other = lento.diagnose(frame)
            assert other.verdict == by_path.verdict and list(other.findings) == list(by_path.findings), (seed, shape, frame)


def arrow():
    """What a stream can hold beside numbers."""
    columns = {"n": [1, None, 3], "x": [0.5, 1.5, None], "t": ["a", None, "c,\"d"], "k": ["u", "v", None]}
    read = {column[0]: column for column in lento._frames.columns_of(ArrowFrame(columns, 2, ["k"]))}
    assert numpy.array_equal(read["n"][1], [1, numpy.nan, 3], equal_nan=True), read["n"]
    assert numpy.array_equal(read["x"][1], [0.5, 1.5, numpy.nan], equal_nan=True)
    for name in ("t", "k"):
        _, codes, words = read[name]
        assert [words[c] if c >= 0 else None for c in codes] == columns[name], read[name]


def verdicts():
    """A result is a list of records, can be pickled and written, and is read back the same."""
    import copy
    import pickle
    d = lento.diagnose("job.csv")
    assert isinstance(d.findings, list) and isinstance(d.findings[0], dict) and d.findings[0]["factor"] >= 1
    for other in (pickle.loads(pickle.dumps(d)), copy.deepcopy(d), lento.Diagnosis.from_json(d.to_json())):
        assert other == d and other.to_json() == d.to_json() and hash(other) == hash(d)
    assert list(d.to_frame().subject) == [f["subject"] for f in d.findings]
    assert d._repr_html_().startswith("<iframe sandbox") and "Lento" in d.to_html() and d.verdict in str(d)
    try:
        lento.Diagnosis.from_json("{}")
    except lento.Error:
        pass
    else:
        raise AssertionError("a broken diagnosis was read")


def frames():
    command("fleet", "simulate", "--machines", 16, "--preset", "paper", "--seed", 1, "-o", "job.csv")
    same(lento.fleet.diagnose("job.csv", machine="machine"), "fleet", "diagnose", "--csv", "job.csv", "--machine-column", "machine")
    frame = pandas.read_csv("job.csv")
    d = lento.fleet.diagnose(frame, machine="machine", time="time", unit="s")
    files = lento.fleet.diagnose("job.csv", machine="machine")
    assert d.outcome == files.outcome and d["command"].count("frame") == 1, d
    subjects = [finding["subject"] for finding in d.findings]
    assert subjects == [finding["subject"] for finding in files.findings]
    for other in (frame.astype({c: "float32" for c in frame.columns if frame[c].dtype.kind == "f" and c != "time"}),
                  frame.sample(frac=1, random_state=3),  # rows in any order
                  frame.assign(machine=frame.machine.astype("category"))):
        assert [f["subject"] for f in lento.fleet.diagnose(other, machine="machine", time="time").findings] == subjects
    long = frame.melt(id_vars=[c for c in frame.columns if c in ("machine", "time", "stage")], var_name="metric", value_name="value")
    long.to_csv("long.csv", index=False)
    same_table(lento.fleet.diagnose(long), "diagnose", "long.csv")
    holes = frame.copy()
    holes.loc[3, "machine"] = None
    skipped = lento.fleet.diagnose(holes, machine="machine", time="time").to_json()
    assert "machine name is empty" in skipped, "rows without a machine were taken"
    dated = frame.assign(time=pandas.to_datetime(frame.time, unit="s"))
    assert [f["subject"] for f in lento.fleet.diagnose(dated).findings] == subjects
    questions = pandas.DataFrame({"device": ["H100", "A100"], "m": [4096, 8192], "n": [4096, 1024], "k": [4096, 512], "dtype": "bf16"})
    questions.to_csv("questions.csv", index=False)
    ours = lento.predict(questions)
    theirs = pandas.read_csv(io.StringIO(command("predict", "--table", "questions.csv")), float_precision="round_trip")
    assert (ours.predicted_s == theirs.predicted_s).all() and ours.predicted_s.gt(0).all(), (ours, theirs)


def indexed():
    """Times in an index of no name, columns of two levels, spans of time, and columns beside those of machines."""
    wide = pandas.DataFrame(1 + 0.01 * numpy.random.default_rng(4).standard_normal((400, 8)), columns=[f"node{i}" for i in range(8)])
    wide.iloc[200:, 3] *= 1.3
    dates = pandas.date_range("2026-11-01", periods=400, freq="10s")
    wide = wide.set_index(dates)
    long = wide.reset_index().melt("index", var_name="host", value_name="step_s").rename(columns={"index": "at"})
    for frame in (wide, wide.set_index(dates - dates[0]), pandas.concat({"step_s": wide, "power_w": 600 - 9 * wide}, axis=1),
                  wide.assign(learning_rate=numpy.linspace(1, 0, 400), cluster="eu"),
                  long.assign(step_s=pandas.to_timedelta(long.step_s, unit="s"))):
        d = lento.fleet.diagnose(frame)
        assert [finding["subject"] for finding in d.findings] == ["node3"], d
        assert not re.search(r": \d+ has a mean", d.verdict), d.verdict
    assert not re.search(r": \d+ has a mean", lento.diagnose(wide).verdict)
    gpus = pandas.DataFrame(1 + 0.01 * numpy.random.default_rng(5).standard_normal((400, 32)), index=dates, columns=pandas.MultiIndex
                            .from_product([[f"node{i}" for i in range(8)], range(4)], names=["host", "gpu"]))
    gpus.iloc[200:, 4 * 5 + 2] *= 1.3
    for frame in (gpus, pandas.concat({"step_s": gpus, "power_w": 600 - 9 * gpus}, axis=1, names=["metric"])):
        assert [finding["subject"] for finding in lento.diagnose(frame).findings] == ["node5"], lento.diagnose(frame)
    try:
        lento.fleet.diagnose(long.groupby("host").step_s.agg(["mean", "max"]).reset_index())
    except lento.Error as error:
        assert "a row a machine and time" in str(error), error
    else:
        raise AssertionError("a table without times was judged")


def tables():
    """Frames of any column kind get what the same table gets as a file; a row that means nothing keeps its place."""
    frame = pandas.DataFrame({
        "device": pandas.Categorical(["H100", "A100", "H100", "H100"]), "note": ["a,b", 'say "x"', None, "d"],
        "m": numpy.array([4096, 17, 8192, -5]), "n": [128.0, 64.0, 4096.0, 8.0], "k": numpy.array([64, 64, 64, 8], dtype="int32"),
        "dtype": ["bf16", "bf16", "fp16", "bf16"]}, index=[7, 5, 3, 1])
    frame.to_csv("mixed.csv", index=False)
    ours = lento.predict(frame)
    theirs = pandas.read_csv(io.StringIO(command("predict", "--table", "mixed.csv")), float_precision="round_trip")
    assert list(ours.index) == [7, 5, 3, 1] and list(ours.columns) == list(theirs.columns), ours
    assert numpy.array_equal(ours.predicted_s, theirs.predicted_s, equal_nan=True), (ours, theirs)
    assert list(ours.bound) == list(theirs.bound.fillna("")) and list(ours.domain) == list(theirs.domain.fillna(""))
    assert numpy.allclose(ours.p90_pct, theirs.p90_pct, rtol=0.01, equal_nan=True)
    assert numpy.isnan(ours.predicted_s.iloc[3]) and ours.bound.iloc[3] == "" and ours.predicted_s.iloc[:3].gt(0).all()
    assert "predicted_s" not in frame.columns, "the caller's frame was changed"


def stubs():
    """Every command is a function with a docstring, and the stubs are those of the functions."""
    subprocess.run([sys.executable, ROOT / "packaging/make_stubs.py", "--check"], check=True)
    for path in lento._command.COMMANDS:
        if path in lento._command._OWN_PROCESS or path[0] == "predict":
            continue
        function = lento
        for word in path:
            function = getattr(function, lento._command.python_name(word))
        assert callable(function) and function.__doc__, path


def itemsets():
    pathlib.Path("t.dat").write_text("1 2 3\n1 2\n2 3\n1 2 3\n")
    found = {(tuple(sorted(items)), support) for items, support in lento.memory.itemsets("t.dat", support=2)}
    assert found == {((2,), 4), ((1, 2), 3), ((2, 3), 3), ((1, 2, 3), 2)}, found


def errors():
    examples = ROOT / "examples"
    for call, kind, part in [
        (lambda: lento.chip.diagnose("nowhere.probe", chip="c.yaml", mapping="m.json"), lento.Error, "nowhere.probe|c.yaml|m.json"),
        (lambda: lento.predict("w.yaml", "h100", precision="bf17"), lento.Error, "bf17.*one of"),
        (lambda: lento.predict(examples / "predict/gemm.yaml"), lento.Error, "system=.?h100"),
        (lambda: lento.memory.itemsets("t.dat", support=2, kind="most"), lento.Error, "most"),
        (lambda: lento.fleet.diagnose(pandas.DataFrame({"t": [1]}), machine="node"), lento.Error, "no column 'node'"),
        (lambda: lento.fleet.diagnose("job.csv", machin="x"), TypeError, "did you mean 'machine'"),
        (lambda: lento.chip.diagnose("r", chip="c", mapping="m", budgt=3), TypeError, "did you mean 'budget'"),
        (lambda: lento.fleet.diagnose("job.csv", last=60), lento.Error, "last.*belongs to prometheus="),
        (lambda: lento.diagnose(object()), TypeError, "needed a path, a number or a frame"),
        (lambda: lento.fleet.diagnose(pandas.DataFrame({"machine": ["a", "a"], "time": [1, 1], "w": [1.0, 2.0]})), lento.Error,
         "two values for one cell"),
    ]:
        try:
            call()
        except kind as error:
            assert re.search(part, str(error), re.S), error
            assert "--" not in str(error), f"words of the command line: {error}"
        else:
            raise AssertionError(f"no error: {part}")


def interrupt():
    """In a process of its own, so that a signal that does nothing ends the test and not the tests."""
    search = f"lento.search({str(ROOT / 'examples/search/quick.yaml')!r}, starts=10000, threads=1)"
    table = "lento.predict(pandas.DataFrame({'device': 'H100', 'm': range(1, 8_000_000), 'n': 64, 'k': 64}))"
    for work in (search, table):
        interrupt_one(f"import lento, pandas; {work}")


def interrupt_one(code):
    process = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True)
    time.sleep(4)
    assert process.poll() is None, process.stderr.read()
    process.send_signal(signal.SIGINT)
    try:
        _, err = process.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()
        raise AssertionError("Ctrl-C did nothing for 20 s")
    assert "KeyboardInterrupt" in err, err


def page():
    for block in re.findall(r"^```python run\n(.*?)^```", (ROOT / "docs/python.md").read_text(), re.M | re.S):
        lines = [line for line in block.splitlines() if line.strip()]
        assert len(lines) <= 20, f"{len(lines)} lines"
        exec(compile(block, "docs/python.md", "exec"), {})


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    scales()
    frames()
    indexed()
    tables_of_every_shape()
    arrow()
    verdicts()
    tables()
    stubs()
    itemsets()
    errors()
    interrupt()
    page()
assert same.count >= 40, same.count
print(f"the Python module answers as the command does: {same.count} answers byte for byte")
