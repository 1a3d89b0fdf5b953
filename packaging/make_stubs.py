#!/usr/bin/env python3
"""Writes the type stubs of the Python module from its functions, so that an editor offers every option of every command.

usage: make_stubs.py [--check]  (PYTHONPATH holds the built module; without --check the files beside the sources are written)
"""
import ast
import inspect
import pathlib
import sys

import lento

HERE = pathlib.Path(__file__).resolve().parent.parent / "python/lento"
HEAD = '''# Written by packaging/make_stubs.py.
from os import PathLike
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

{imports}
Path = Union[str, PathLike[str]]
Frame = Any  # pandas, polars, pyarrow, or any other with __arrow_c_stream__ or __dataframe__; a dictionary of columns
Value = Union[None, bool, int, float, str, PathLike[str], Sequence[Any]]

'''
TYPES = {"records": "Path", "chip": "Path", "mapping": "Path", "transactions": "Path", "space": "Path", "replay": "bool", "strict": "bool",
         "training": "bool", "metrics": "Union[Frame, Path, Sequence[Any]]", "traces": "Union[Path, Sequence[Path]]",
         "questions": "Union[Frame, Path]", "what": "Any", "operands": "Any"}
RETURNS = {"itemsets": "List[Tuple[List[int], int]]", "predict": "Any", "search": "Diagnosis", "diagnose": "Diagnosis"}


def parameter(p):
    stars = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
    text = f"{stars}{p.name}: {TYPES.get(p.name, 'Value')}"
    return text if p.default is p.empty else f"{text} = {p.default!r}"


def signature(function):
    out, starred = [], False
    for p in inspect.signature(function).parameters.values():
        starred |= p.kind is p.VAR_POSITIONAL
        if p.kind is p.KEYWORD_ONLY and not starred:
            out.append("*")
            starred = True
        out.append(parameter(p))
    return ", ".join(out)


def functions_of(module):
    for name, value in sorted(vars(module).items()):
        if inspect.isfunction(value) and not name.startswith("_"):
            yield name, value


def module_stub(module):
    imports = "from ._diagnosis import Diagnosis as Diagnosis\n"
    if module is lento:
        imports = "from . import chip as chip, fleet as fleet, memory as memory, tile as tile\n" + imports
    text = HEAD.format(imports=imports)
    if module is lento:
        text += "__version__: str\n\nclass Error(ValueError): ...\n\n"
    for name, function in functions_of(module):
        text += f"def {name}({signature(function)}) -> {RETURNS.get(name, 'Any')}: ...\n"
    return text


def class_stub():
    text = "# Written by packaging/make_stubs.py.\nfrom typing import Any, Dict, List\n\n\nclass Findings(List[Dict[str, Any]]):\n"
    text += "    def to_frame(self) -> Any: ...\n\n\nclass Diagnosis:\n"
    types = {"facts": "Dict[str, str]", "figures": "List[Dict[str, Any]]", "findings": "Findings", "notes": "List[str]"}
    for name, value in vars(lento.Diagnosis).items():
        if isinstance(value, property):
            text += f"    @property\n    def {name}(self) -> {types.get(name, 'str')}: ...\n"
        elif isinstance(value, classmethod) and not name.startswith("_"):
            text += f"    @classmethod\n    def {name}(cls, text: Any) -> Diagnosis: ...\n"
        elif inspect.isfunction(value) and (not name.startswith("_") or name in ("_repr_html_", "__getitem__")):
            argument = ", name: str" if name == "__getitem__" else ""
            text += f"    def {name}(self{argument}) -> {'Any' if name in ('to_frame', '__getitem__') else 'str'}: ...\n"
    return text


def main():
    stubs = {"__init__.pyi": module_stub(lento), "_diagnosis.pyi": class_stub()}
    for module in (lento.chip, lento.fleet, lento.memory, lento.tile):
        stubs[module.__name__.split(".")[-1] + ".pyi"] = module_stub(module)
    stale = []
    for name, text in stubs.items():
        ast.parse(text)
        file = HERE / name
        if "--check" not in sys.argv:
            file.write_text(text)
        elif not file.exists() or file.read_text() != text:
            stale.append(name)
    if stale:
        sys.exit(f"write again with packaging/make_stubs.py: {', '.join(stale)}")


if __name__ == "__main__":
    main()
