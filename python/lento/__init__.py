"""Lento finds what is slow in parallel AI hardware, and says how fast it should have been.

    import lento
    verdict = lento.diagnose(frame)      # or logs, traces, tables, folders: what the files are is found out
    verdict.outcome                      # "findings", "healthy" or "cannot judge" (then: verdict.reason, verdict.remedy)
    verdict.findings                     # a list of dictionaries; verdict.to_frame() is a pandas frame
    verdict                              # in a notebook: the page with its pictures

Every command of the program is a function of the same name (lento.fleet.ranks, lento.chip.examine, ...) whose keywords are the
command's options. lento.Error (a ValueError) names the place of the fault and a way out. Work lets go of the interpreter and
stops at Ctrl-C.
"""
from . import _frames, chip, fleet, memory, tile
from ._command import add_commands as _add_commands
from ._command import call as _call
from ._diagnosis import Diagnosis
from ._lento import Error
from ._lento import version as __version__
from .prediction import predict, search

_COLUMN_WORDS = {"machine", "device", "time", "unit", "metric", "value", "columns", "labels"}


def diagnose(*what, **options):
    """Judges whatever these allow: files and folders of any kind that Lento reads, frames of metrics, or several of them.

    A frame is of pandas, or any that offers __arrow_c_stream__ or __dataframe__ (polars, pyarrow, duckdb), or a dictionary of
    columns: long, wide, or with a row a device. Keywords of lento.fleet.diagnose (machine=, time=, ...) overrule the guess of its
    columns; other keywords are the options of the command.
    """
    if _COLUMN_WORDS & set(options):
        return fleet.diagnose(list(what), **options)
    return _call(("diagnose",), what, options)


_commands = _add_commands(globals())

__all__ = sorted({"Diagnosis", "Error", "chip", "fleet", "memory", "tile", "__version__", "diagnose", *_commands})
