"""Which machine of a training job is faulty?"""
import os

from . import _lento
from ._diagnosis import Diagnosis

_MILLISECONDS = {"s": 1000.0, "ms": 1.0, "us": 1e-3}


def diagnose(metrics, *, machine="machine", time="time", unit="s", columns=None, labels=(), false_alarms_per_day=0.1,
             strict=False, threads=0):
    """Judges metrics of the machines of one job.

    metrics: CSV files (a path or several), or a pandas frame with one row a machine and time (n rows; any order). machine, time:
    the columns that name them; a time column of datetimes needs no unit ("s", "ms", "us"). columns: what is judged (default:
    every other column of numbers), in any unit, the same for all machines; NaN is no sample. labels: columns that tell groups
    of peers apart (files only). false_alarms_per_day: budget of the whole job. Columns of float32 and float64 are read
    where they lie and put onto a grid of the median step, float32 [metric, step, machine]; nothing else is copied.
    """
    if hasattr(metrics, "columns"):
        return _diagnose_frame(metrics, machine, time, unit, columns, false_alarms_per_day)
    files = [metrics] if isinstance(metrics, (str, os.PathLike)) else metrics
    return Diagnosis(_lento.diagnose_fleet_files([os.fspath(f) for f in files], machine, time, unit, list(columns or []), list(labels),
                                                 false_alarms_per_day, strict, threads))


def _diagnose_frame(frame, machine, time, unit, columns, false_alarms_per_day):
    import numpy
    for column in (machine, time):
        if column not in frame.columns:
            raise _lento.Error(f"the frame has no column '{column}'; it has: {', '.join(map(str, frame.columns))}")
    if unit not in _MILLISECONDS:
        raise _lento.Error(f"unit '{unit}' is not known; one of: s, ms, us")
    at = frame[time]
    if at.dtype.kind == "M":
        ms = at.to_numpy().astype("datetime64[ms]").astype("int64")
    else:
        ms = numpy.rint(at.to_numpy(dtype="float64") * _MILLISECONDS[unit]).astype("int64")
    names = list(columns) if columns else [c for c in frame.columns
                                           if c not in (machine, time) and frame[c].dtype.kind in "fiub"]
    if not names:
        raise _lento.Error("the frame has no column of numbers to judge")
    machines, which = _machines(frame[machine], machine)
    step, index = _grid(ms)
    values = [_numbers(frame[name]) for name in names]
    return Diagnosis(_lento.diagnose_fleet_columns(machines, [str(n) for n in names], int(ms.min()), step, index, which, values,
                                                   false_alarms_per_day))


def _machines(column, name):
    """Names in the order of their text, and which one each row is of."""
    import numpy
    codes, words = column.factorize()
    if (codes < 0).any():
        raise _lento.Error(f"the frame has rows without a machine in column '{name}'")
    texts = numpy.array([str(word) for word in words])
    machines, place = numpy.unique(texts, return_inverse=True)
    return [str(m) for m in machines], place.astype("int64")[codes]


def _numbers(column):
    """float32 and float64 as they are, other numbers as float64."""
    import numpy
    values = column.to_numpy()
    return numpy.ascontiguousarray(values, dtype=values.dtype if values.dtype.char in "fd" else "float64")


def _grid(ms):
    """The step (the median distance of distinct times) and each row's place on the grid."""
    import numpy
    distinct = numpy.unique(ms)
    if len(distinct) < 2:
        raise _lento.Error("the frame holds one time only; a verdict needs a period")
    step = max(1, int(numpy.median(numpy.diff(distinct))))
    index = numpy.rint((ms - distinct[0]) / step).astype("int64")
    return step, index
