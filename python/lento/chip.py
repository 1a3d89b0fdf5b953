"""Which core, link, router, memory unit or DRAM port of a many-core accelerator has gone slow?"""
import os

from . import _lento
from ._diagnosis import Diagnosis


def diagnose(records, *, chip, mapping, healthy=None, method="lento", replay=True, strict=False, seed=1):
    """Judges probe records, or a sketch of them (paths), of `mapping` on `chip` (paths).

    healthy: records of a run known to be healthy. replay: simulate hypotheses beside the records (slower, surer).
    """
    path = lambda p: os.fspath(p) if p is not None else ""
    return Diagnosis(_lento.diagnose_chip(path(records), path(chip), path(mapping), path(healthy), method, replay, strict, seed))
