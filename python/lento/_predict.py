"""How fast should it be, and what should be built?"""
import csv
import io
import os
import tempfile

from . import _lento
from ._diagnosis import Diagnosis


def predict(questions, system="", *, training=False, batch=1, micro_batch=1, sequence=2048, generate=128, precision="bf16",
            parallel="", framework="", recompute="none"):
    """How long a workload takes on a system.

    questions: a workload (a path: YAML, a Hugging Face config.json, ONNX), which gives a Diagnosis; or a pandas frame with
    one question a row (docs/formats/questions.md), which gives the frame with the answers' columns. system: a shipped data
    sheet ("h100"), a YAML file or a design point; for a frame "" takes each row's own device.
    """
    if hasattr(questions, "to_csv"):
        return _answer_frame(questions, os.fspath(system))
    return Diagnosis(_lento.predict(os.fspath(questions), os.fspath(system), training, batch, micro_batch, sequence, generate,
                                    precision, parallel, framework, recompute))


def _answer_frame(frame, system):
    import pandas
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "questions.csv")
        frame.to_csv(path, index=False)
        header, *rows = csv.reader(io.StringIO(_lento.predict_table(path, system)))
    answers = pandas.DataFrame(rows, columns=header, index=frame.index)
    for name in [n for n in header if n not in frame.columns]:
        column = answers[name]
        numbers = pandas.to_numeric(column.replace("", "nan"), errors="coerce")
        frame = frame.assign(**{name: numbers if numbers.notna().any() or (column == "").all() else column})
    return frame


def search(space, *, method="", steps=100, starts=10, seed=1, threads=0):
    """Searches a space (lento.search/1, a path) of designs and ways to run them under budgets."""
    return Diagnosis(_lento.search(os.fspath(space), method, steps, starts, seed, threads))
