"""Who fights over memory, on which lines, at what cost?"""
from ._command import add_commands as _add_commands
from ._command import call as _call
from ._lento import Error


def diagnose(traces, *, programs=(), format=None, strict=False, **options):
    """Judges access traces of one run (a path or several). programs: ELF files that name code and data. Further keywords are the
    options of `lento memory diagnose`."""
    options.update(elf=list(programs) if isinstance(programs, (list, tuple)) else programs, format=format, strict=strict)
    return _call(("memory", "diagnose"), [traces], options)


def itemsets(transactions, *, support, kind="closed", threads=None, **options):
    """Item sets of transactions in FIMI form (a path), exact.

    support: a count, or a share such as "65%". kind: "closed", "maximal" or "frequent".
    Returns a list of (items, support), each `items` a list of integers.
    """
    if kind not in ("closed", "maximal", "frequent"):
        raise Error(f"kind '{kind}' is not known; one of: closed, maximal, frequent")
    options.update({"support": str(support), kind: True, "jobs": threads})
    lines = _call(("memory", "itemsets"), [transactions], options).splitlines()
    return [_set_of(line) for line in lines if line.endswith(")")]


def _set_of(line):
    items, _, support = line.rpartition(" (")
    return [int(item) for item in items.split()], int(support[:-1])


__all__ = _add_commands(globals(), ("memory",))
