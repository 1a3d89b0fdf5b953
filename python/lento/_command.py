"""Commands as functions: keywords become options, frames become tables in memory, and the answer is the command's own.

The words of a call are those of the command line, so `lento.chip.diagnose("run.probe", chip="4x4.yaml")` is `lento chip diagnose
run.probe --chip 4x4.yaml --json`, run inside this process. What cannot be expressed there cannot be asked here.
"""
import inspect
import json
import keyword
import os
import types
import warnings

from . import _frames, _lento, _words
from ._diagnosis import Diagnosis

_HIDDEN = {"--json", "--color", "--help", "--memory-limit"}  # decided here, or without a meaning inside Python


def _spec():
    return {tuple(entry["path"]): entry for entry in json.loads(_lento.run(["docs", "--table"])[1])}


COMMANDS = _spec()


def python_name(option):
    name = option.lstrip("-").replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


def options_of(path):
    """Keyword -> entry of each option that a caller may give."""
    return {python_name(entry["name"]): entry for entry in COMMANDS[path]["options"]
            if entry["name"].startswith("--") and entry["name"] not in _HIDDEN}


def _flat(values):
    for value in values:
        if isinstance(value, (list, tuple)) and not _frames.is_frame(value):
            yield from _flat(value)
        else:
            yield value


class _Call:
    """The words of one call. Frames stay in memory files until the command has read them."""

    def __init__(self, path):
        self.words = list(path)
        self.tables = {}  # path of the memory file -> (file, name in messages)

    def text(self, value):
        if _frames.is_frame(value):
            table = _lento.table(_frames.columns_of(value))
            self.tables[table.path()] = (table, f"frame{len(self.tables) + 1}" if self.tables else "frame")
            return table.path()
        if isinstance(value, (str, os.PathLike)):
            return os.fspath(value)
        if isinstance(value, (bool, int, float)) or hasattr(value, "item"):
            return repr(value.item() if hasattr(value, "item") else value)
        raise TypeError(f"found {type(value).__name__}, needed a path, a number or a frame")

    def add_option(self, entry, value):
        if value is None or value is False:
            return
        if entry["type"] == "":
            self.words.append(entry["name"])
            return
        for one in _flat([value]):
            self.words.append(f"{entry['name']}={self.text(one)}")

    def named(self, text):
        for path, (_, name) in self.tables.items():
            text = text.replace(path, name)
        return text


def call(path, operands=(), options=None, words=()):
    """Runs a command. Returns a Diagnosis where the command makes one, else what it prints. words: keywords that the caller has
    turned into options already, for the message about an unknown one."""
    known = options_of(path)
    ours = _Call(path)
    for name, value in (options or {}).items():
        if name not in known:
            raise TypeError(_words.unknown(path, name, [*known, *words]))
        ours.add_option(known[name], value)
    answers = any(entry["name"] == "--json" for entry in COMMANDS[path]["options"])
    if answers:
        ours.words.append("--json")
    paths = [ours.text(one) for one in _flat(operands)]
    if any(one.startswith("-") and one != "-" for one in paths):
        ours.words.append("--")
    status, out, err = _lento.run(ours.words + paths)
    out, err = ours.named(out.decode("utf-8", "replace")), ours.named(err)
    if status == 3:
        raise RuntimeError(err.strip())
    if status not in (0, 1, 4):
        raise _lento.Error(_words.in_python(err.strip()))
    for line in err.splitlines():
        if line.startswith("warning: "):
            warnings.warn(line[len("warning: "):], stacklevel=3)
    if not answers:
        return out
    try:
        plain = json.loads(out)
    except ValueError:
        return out
    return Diagnosis._of(out) if str(plain.get("schema", "")).startswith("lento.diagnosis/") else plain


def function(path):
    """The function of a command, with its options as keywords."""
    entry = COMMANDS[path]
    known = options_of(path)
    operands = [o for o in entry["options"] if not o["name"].startswith("-")]
    parameters = [inspect.Parameter("operands", inspect.Parameter.VAR_POSITIONAL)] if operands else []
    parameters += [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in known]

    def asked(*given, **options):
        if given and not operands:
            raise TypeError(f"{_words.called(path)} takes keywords only: {', '.join(known)}")
        return call(path, given, options)

    asked.__name__ = asked.__qualname__ = python_name(path[-1])
    asked.__module__ = ".".join(["lento", *path[:-1]])
    asked.__signature__ = inspect.Signature(parameters)
    asked.__doc__ = _doc(entry, operands, known)
    return asked


def _doc(entry, operands, known):
    lines = [entry["text"] + ".", ""]
    lines += [f"{o['names']}: {o['text']}" for o in operands]
    lines += [f"{name}: {o['text']}" for name, o in known.items()]
    return "\n".join(lines)


def add_commands(namespace, group=()):
    """Adds to a module the functions of its commands that it does not define itself."""
    names = set()
    for path in COMMANDS:
        inside = path[len(group):]
        if path[:len(group)] != group or path in _OWN_PROCESS or len(inside) > (2 if group else 1):
            continue
        name = python_name(inside[0])
        names.add(name)
        if len(inside) == 1:
            namespace.setdefault(name, function(path))
        else:  # a group of the group, such as lento.tile.store
            setattr(namespace.setdefault(name, types.SimpleNamespace()), python_name(inside[1]), function(path))
    return sorted(names)


# These run until they are stopped, start programs of their own, or describe the command line.
_OWN_PROCESS = {("docs",), ("serve",), ("fleet", "watch")}
