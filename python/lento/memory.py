"""Which code on which cores fights over memory?"""
import os

from . import _lento
from ._diagnosis import Diagnosis


def _paths(names):
    return [os.fspath(names)] if isinstance(names, (str, os.PathLike)) else [os.fspath(name) for name in names]


def diagnose(traces, *, programs=(), format="auto", strict=False):
    """Judges access traces of one run (a path or several). programs: ELF files that name code and data."""
    return Diagnosis(_lento.diagnose_memory(_paths(traces), format, _paths(programs), strict))


def itemsets(transactions, *, support, kind="closed", threads=0):
    """Item sets of transactions in FIMI form (a path), exact.

    support: a count, or a share such as "65%". kind: "closed", "maximal" or "frequent".
    Returns a list of (items, support), each `items` a list of integers.
    """
    return _lento.itemsets(os.fspath(transactions), str(support), kind, threads)
