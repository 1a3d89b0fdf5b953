"""A many-core accelerator: which core, link, router, memory unit or DRAM port has gone slow?"""
from ._command import add_commands as _add_commands
from ._command import call as _call


def diagnose(records, *, chip, mapping, healthy=None, method=None, replay=True, strict=False, seed=None, **options):
    """Judges probe records, or a sketch of them (paths), of `mapping` on `chip` (paths).

    healthy: records of a run known to be healthy. replay: simulate hypotheses beside the records (slower, surer). Further keywords
    are the options of `lento chip diagnose`.
    """
    options.update(chip=chip, mapping=mapping, healthy=healthy, method=method, no_replay=not replay, strict=strict, seed=seed)
    return _call(("chip", "diagnose"), [records], options)


__all__ = _add_commands(globals(), ("chip",))
