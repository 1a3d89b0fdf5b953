"""Which machine of a training job is faulty?"""
import os

from . import _lento
from ._diagnosis import Diagnosis
from ._table import column as _column


def diagnose(metrics, *, machine="", device="", time="", unit="", metric="", value="", columns=None, labels=(),
             false_alarms_per_day=0.0, strict=False, threads=0):
    """Judges metrics of the machines of one job, with the verdict of the command on the same table.

    metrics: CSV files (a path or several), or a pandas frame (n rows; any order): a row a machine and time, a row a device and
    time, or long, a row a metric. machine, device, time: the columns that name them; metric, value: of a long table. A column
    that is not named is guessed, and the notes of the verdict state the guess. unit: "s", "ms", "us" or "ns"; a time column of
    datetimes needs none. columns: the metrics that are judged (default: all that are no annotation), in any unit, the same for
    all machines; NaN is no sample. labels: columns that tell groups of peers apart. false_alarms_per_day: budget of the whole
    job; 0 stands for one false finding in 200 records. Two values for one cell raise Error.
    """
    question = {"machine": str(machine), "device": str(device), "time": str(time), "unit": unit, "metric": str(metric),
                "value": str(value), "columns": [str(name) for name in columns or []], "labels": [str(name) for name in labels],
                "false_alarms_per_day": false_alarms_per_day, "strict": strict, "threads": threads}
    if hasattr(metrics, "columns"):
        return _diagnose_frame(metrics, question)
    files = [metrics] if isinstance(metrics, (str, os.PathLike)) else metrics
    return Diagnosis(_lento.diagnose_fleet_files([os.fspath(file) for file in files], question))


def _diagnose_frame(frame, question):
    named = [name for name in frame.index.names if name is not None and name not in frame.columns]
    if named:
        frame = frame.reset_index(level=named)
    known = [str(name) for name in frame.columns]
    wanted = [question[role] for role in ("machine", "device", "time", "metric", "value")] + question["labels"]
    for name in wanted + ([] if question["metric"] else question["columns"]):
        if name and name not in known:
            raise _lento.Error(f"the frame has no column '{name}'; it has: {', '.join(known)}")
    return Diagnosis(_lento.diagnose_fleet_table([_column(str(name), frame[name]) for name in frame.columns], question))
