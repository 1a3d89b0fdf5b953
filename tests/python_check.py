#!/usr/bin/env python3
"""The Python module beside the command: the same JSON (but command and inputs), frames in and out, errors as exceptions,
Ctrl-C, and the notebook page of docs/python.md.

usage: python_check.py LENTO  (PYTHONPATH holds the built module)
"""
import io
import json
import os
import pathlib
import re
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

ROOT = pathlib.Path(__file__).resolve().parent.parent
LENTO = pathlib.Path(sys.argv[1]).resolve()
os.environ["PATH"] = f"{LENTO.parent}:{os.environ['PATH']}"


def command(*words):
    done = subprocess.run([LENTO, *map(str, words)], capture_output=True, text=True)
    assert done.returncode in (0, 4), done.stderr
    return done.stdout


def same(ours, *words):
    def parts(text):
        d = json.loads(text)
        d.pop("command", None)
        d.pop("inputs", None)
        return json.dumps(d)
    assert parts(ours.to_json()) == parts(command(*words, "--json")), f"lento {' '.join(map(str, words))} differs"
    print(f"equal: lento {words[0]} {words[1]}")


def five_verdicts():
    examples = ROOT / "examples"
    command("chip", "map", examples / "models/darknet19.onnx", "--chip", examples / "chip/4x4.yaml", "--batch", 16, "-o", "net.map.json")
    command("chip", "simulate", "--chip", examples / "chip/4x4.yaml", "--mapping", "net.map.json", "--faults",
            examples / "chip/slow_link.yaml", "--inferences", 2, "-o", "run.probe")
    chip = ("--chip", examples / "chip/4x4.yaml", "--mapping", "net.map.json")
    d = lento.chip.diagnose("run.probe", chip=examples / "chip/4x4.yaml", mapping="net.map.json")
    same(d, "chip", "diagnose", "run.probe", *chip)
    assert d.outcome == "findings" and d.findings.subject[0].startswith("link"), d
    command("fleet", "simulate", "--machines", 16, "--preset", "paper", "--seed", 1, "-o", "job.csv")
    same(lento.fleet.diagnose("job.csv", machine="machine"), "fleet", "diagnose", "--csv", "job.csv", "--machine-column", "machine")
    guest = pathlib.Path(os.environ["LENTO_GUESTS"]) / "false_sharing.elf"
    if guest.exists():
        command("memory", "simulate", guest, "--harts", 4, "--trace", "fs.access")
        same(lento.memory.diagnose("fs.access", programs=guest), "memory", "diagnose", "fs.access", "--elf", guest)
    same(lento.predict(examples / "predict/gpt3_175b.yaml", "a100"), "predict", examples / "predict/gpt3_175b.yaml", "--system", "a100")
    same(lento.search(examples / "search/quick.yaml"), "search", examples / "search/quick.yaml")


def frames():
    frame = pandas.read_csv("job.csv")
    d = lento.fleet.diagnose(frame, machine="machine", time="time", unit="s")
    files = lento.fleet.diagnose("job.csv", machine="machine")
    assert d.outcome == files.outcome, (d, files)
    assert list(d.findings.subject) == list(files.findings.subject)
    plain = json.loads(d.to_json())
    for other in (frame.astype({c: "float32" for c in frame.columns if frame[c].dtype.kind == "f" and c != "time"}),
                  frame.sample(frac=1, random_state=3),  # rows in any order
                  frame.assign(machine=frame.machine.astype("category"))):
        assert json.loads(lento.fleet.diagnose(other, machine="machine", time="time").to_json())["findings"] == plain["findings"]
    long = frame.melt(id_vars=[c for c in frame.columns if c in ("machine", "time", "stage")], var_name="metric", value_name="value")
    long.to_csv("long.csv", index=False)
    same(lento.fleet.diagnose(long), "diagnose", "long.csv")
    assert json.loads(lento.fleet.diagnose(long).to_json())["findings"] == plain["findings"]
    holes = frame.copy()
    holes.loc[3, "machine"] = None
    skipped = json.loads(lento.fleet.diagnose(holes, machine="machine", time="time").to_json())
    assert "machine name is empty" in json.dumps(skipped), "rows without a machine were taken"
    dated = frame.assign(time=pandas.to_datetime(frame.time, unit="s"))
    assert list(lento.fleet.diagnose(dated).findings.subject) == list(d.findings.subject)
    assert d._repr_html_().startswith("<iframe sandbox") and "Lento" in d.to_html()
    questions = pandas.DataFrame({"device": ["H100", "A100"], "m": [4096, 8192], "n": [4096, 1024], "k": [4096, 512], "dtype": "bf16"})
    questions.to_csv("questions.csv", index=False)
    ours = lento.predict(questions)
    theirs = pandas.read_csv(io.StringIO(command("predict", "--table", "questions.csv")), float_precision="round_trip")
    assert (ours.predicted_s == theirs.predicted_s).all() and ours.predicted_s.gt(0).all(), (ours, theirs)


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
    """Every public function has a stub of the same names and defaults, and a docstring."""
    import ast
    import inspect
    for module in (lento, lento.chip, lento.fleet, lento.memory):
        name = "__init__" if module is lento else module.__name__.split(".")[-1]
        path = pathlib.Path(lento.__file__).parent / f"{name}.pyi"
        known = {node.name: node for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)}
        for what, function in inspect.getmembers(module, inspect.isfunction):
            if what.startswith("_"):
                continue
            assert function.__doc__, f"{module.__name__}.{what} has no docstring"
            wanted = inspect.signature(function)
            node = known[what].args
            names = [a.arg for a in [*node.args, *node.kwonlyargs]]
            assert names == list(wanted.parameters), (what, names, wanted)
            given = [ast.literal_eval(d) for d in [*node.defaults, *node.kw_defaults] if d is not None]
            defaults = [p.default for p in wanted.parameters.values() if p.default is not inspect.Parameter.empty]
            assert given == defaults, (what, given, defaults)
    members = ast.parse((pathlib.Path(lento.__file__).parent / "_diagnosis.pyi").read_text()).body[-1].body
    stubbed = {node.name for node in members if not node.name.startswith("_")}
    assert stubbed == {n for n in vars(lento.Diagnosis) if not n.startswith("_")}, stubbed


def itemsets():
    pathlib.Path("t.dat").write_text("1 2 3\n1 2\n2 3\n1 2 3\n")
    found = {(tuple(sorted(items)), support) for items, support in lento.memory.itemsets("t.dat", support=2)}
    assert found == {((2,), 4), ((1, 2), 3), ((2, 3), 3), ((1, 2, 3), 2)}, found


def errors():
    for call, part in [
        (lambda: lento.chip.diagnose("nowhere.probe", chip="c.yaml", mapping="m.json"), "nowhere.probe|c.yaml|m.json"),
        (lambda: lento.predict("w.yaml", "h100", precision="bf17"), "bf17.*one of"),
        (lambda: lento.memory.itemsets("t.dat", support=2, kind="most"), "kind 'most'"),
        (lambda: lento.fleet.diagnose(pandas.DataFrame({"t": [1]}), machine="node"), "no column 'node'"),
        (lambda: lento.fleet.diagnose(pandas.DataFrame({"machine": ["a", "a"], "time": [1, 1], "w": [1.0, 2.0]})), "two values for one cell"),
    ]:
        try:
            call()
        except lento.Error as error:
            assert isinstance(error, ValueError) and re.search(part, str(error), re.S), error
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
    five_verdicts()
    frames()
    tables()
    stubs()
    itemsets()
    errors()
    interrupt()
    page()
print("the Python module answers as the command does")
