"""How fast should it be, and what should be built?"""
import os

from . import _lento
from ._diagnosis import Diagnosis
from ._table import column as _column


def predict(questions, system="", *, training=False, batch=1, micro_batch=1, sequence=2048, generate=128, precision="bf16",
            parallel="", framework="", recompute="none", run=""):
    """How long a workload takes on a system.

    questions: a workload (a path: YAML, a Hugging Face config.json, ONNX), which gives a Diagnosis; or a pandas frame of n rows
    with one question a row (docs/formats/questions.md), which gives that frame with the columns predicted_s (seconds), bound
    (what holds it up), p50_pct and p90_pct (per cent: the error that half, and nine tenths, of such predictions stay within)
    and domain ("in" or "out" of what was validated); a row that cannot be answered holds NaN and "". Columns of whole
    numbers and of float64 are read where they lie.
    system: a shipped data sheet ("h100"), a YAML file or a design point; for a frame "" takes each row's own device.
    batch, micro_batch: samples. sequence, generate: tokens. parallel: "tp=8,pp=2,dp=4". precision: fp32, tf32, fp16, bf16, int8, fp8,
    fp4. recompute: none, selective, full. These are for a config.json or ONNX model. run: of a config.json, a workload in YAML
    without its model (a path), in place of all these.
    """
    if hasattr(questions, "to_csv"):
        return _answer_frame(questions, os.fspath(system))
    return Diagnosis(_lento.predict(os.fspath(questions), os.fspath(system), training, batch, micro_batch, sequence, generate,
                                    precision, parallel, framework, recompute, os.fspath(run)))


def _answer_frame(frame, system):
    import numpy
    answers = _lento.predict_columns([_column(str(name), frame[name]) for name in frame.columns], system)
    bounds = numpy.array([*answers["bounds"], ""], dtype=object)  # -1, not answered, is the last
    domains = numpy.array(["out", "in", ""], dtype=object)
    return frame.assign(predicted_s=answers["seconds"], bound=bounds[answers["bound"]], p50_pct=answers["p50_pct"],
                        p90_pct=answers["p90_pct"], domain=domains[answers["in_domain"]])


def search(space, *, method="", steps=100, starts=10, seed=1, threads=0):
    """Searches a space (lento.search/1, a path) of designs and ways to run them under budgets.

    method: "exchange", "subplex" or "soe"; "" takes what the space compares. steps: gradient steps a start, or as many
    evaluations. The result does not depend on threads (0: all cores); Ctrl-C ends the search.
    """
    return Diagnosis(_lento.search(os.fspath(space), method, steps, starts, seed, threads))
