"""A training job: which machine, GPU, rank or link is slow, silent or hung?"""
from . import _frames
from ._command import add_commands as _add_commands
from ._command import call as _call
from ._lento import Error


def diagnose(metrics, *, machine=None, device=None, time=None, unit=None, metric=None, value=None, columns=None, labels=(),
             false_alarms_per_day=None, strict=False, threads=None, **options):
    """Judges metrics of the machines of one job, with the verdict of the command on the same table.

    metrics: CSV files (a path or several), or frames (n rows; any order; see lento.diagnose): a row a machine and time, a row a
    device and time, or long, a row a metric. machine, device, time: the columns that name them; metric, value: of a long table. A
    column that is not named is guessed, and the notes of the verdict state the guess. unit: "s", "ms", "us" or "ns"; a time column
    of datetimes needs none. columns: the metrics that are judged (default: all that are no annotation), in any unit, the same for
    all machines; NaN is no sample. labels: columns that tell groups of peers apart. false_alarms_per_day: budget of the whole job.
    Two values for one cell raise Error. Further keywords are the options of `lento fleet diagnose`.
    """
    named = [machine, device, time, metric, value, *labels]
    for frame in metrics if isinstance(metrics, list) else [metrics]:
        if _frames.is_frame(frame):
            known = _frames.names_of(frame)
            for name in [str(n) for n in named if n] + ([] if metric else [str(n) for n in columns or []]):
                if name not in known:
                    raise Error(f"the frame has no column '{name}'; it has: {', '.join(known)}")
    options.update(csv=metrics, machine_column=machine, device_column=device, time_column=time, time_unit=unit, metric_column=metric,
                   value_column=value, metric=list(columns or []), label=list(labels), false_alarms=false_alarms_per_day,
                   strict=strict, jobs=threads)
    return _call(("fleet", "diagnose"), [], options, ("machine", "device", "time", "unit", "value", "columns", "labels"))


__all__ = _add_commands(globals(), ("fleet",))
