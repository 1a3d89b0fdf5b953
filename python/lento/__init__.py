"""Lento finds what is slow in parallel AI hardware, and says how fast it should have been.

    import lento
    verdict = lento.fleet.diagnose(frame, machine="node", time="t", unit="s")
    verdict.outcome      # "findings", "healthy" or "cannot judge" (then: verdict.reason, verdict.remedy)
    verdict.findings     # a pandas frame where pandas is installed, else a list of dictionaries
    verdict              # in a notebook: the page with its pictures

Every function raises lento.Error (a ValueError) with the place of the fault and a way out. Work lets go of the interpreter
and stops at Ctrl-C.
"""
from . import _lento, chip, fleet, memory
from ._diagnosis import Diagnosis
from ._lento import Error
from ._lento import version as __version__
from ._predict import predict, search

__all__ = ["Diagnosis", "Error", "chip", "fleet", "memory", "predict", "search", "__version__"]
