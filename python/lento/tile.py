"""Analytics programs inside a chip: build, check, sign, run."""
from ._command import add_commands as _add_commands

__all__ = _add_commands(globals(), ("tile",))
