"""How fast should it be, and what should be built?"""
from . import _frames, _lento
from ._command import call as _call


def predict(questions, system=None, *, training=False, batch=None, micro_batch=None, sequence=None, generate=None, precision=None,
            parallel=None, framework=None, recompute=None, run=None, **options):
    """How long a workload takes on a system.

    questions: a workload (a path: YAML, a Hugging Face config.json, ONNX), which gives a Diagnosis; or a frame of n rows with one
    question a row (docs/formats/questions.md), which gives a pandas frame with the columns predicted_s (seconds), bound (what
    holds it up), p50_pct and p90_pct (per cent: the error that half, and nine tenths, of such predictions stay within) and domain
    ("in" or "out" of what was validated); a row that cannot be answered holds NaN and "".
    system: a shipped data sheet ("h100"), a YAML file or a design point; for a frame None takes each row's own device.
    batch, micro_batch: samples. sequence, generate: tokens. parallel: "tp=8,pp=2,dp=4". precision: fp32, tf32, fp16, bf16, int8,
    fp8, fp4. recompute: none, selective, full. run: of a config.json, a workload in YAML without its model (a path). Further
    keywords are the options of `lento predict`.
    """
    if _frames.is_frame(questions):
        return _answer_frame(questions, "" if system is None else str(system))
    options.update(system=system, train=training, batch=batch, micro_batch=micro_batch, sequence=sequence, generate=generate,
                   precision=precision, parallel=parallel, framework=framework, recompute=recompute, run=run)
    return _call(("predict",), [questions], options)


def _answer_frame(frame, system):
    import numpy
    import pandas
    answers = _lento.predict_columns(_frames.columns_of(frame), system)
    bounds = numpy.array([*answers["bounds"], ""], dtype=object)  # -1, not answered, is the last
    domains = numpy.array(["out", "in", ""], dtype=object)
    if not isinstance(frame, pandas.DataFrame):
        frame = pandas.DataFrame(_frames.plain(frame))
    return frame.assign(predicted_s=answers["seconds"], bound=bounds[answers["bound"]], p50_pct=answers["p50_pct"],
                        p90_pct=answers["p90_pct"], domain=domains[answers["in_domain"]])


def search(space, *, method=None, steps=None, starts=None, seed=None, threads=None, **options):
    """Searches a space (lento.search/1, a path) of designs and ways to run them under budgets.

    method: "exchange", "subplex" or "soe"; None takes what the space compares. steps: gradient steps a start, or as many
    evaluations. The result does not depend on threads (None: all cores); Ctrl-C ends the search. Further keywords are the options
    of `lento search`.
    """
    options.update(method=method, steps=steps, starts=starts, seed=seed, jobs=threads)
    return _call(("search",), [space], options)
