"""Messages of the command in the words of Python: keywords for options, functions for commands."""
import difflib
import re


def called(path):
    return ".".join(["lento", *path]) + "()"


def _keyword(option):
    return option.lstrip("-").replace("-", "_")


def in_python(text):
    """'--system h100' becomes system='h100', and 'lento chip diagnose' becomes lento.chip.diagnose."""
    text = re.sub(r"'lento ([a-z ]+?) --help' lists what it takes",
                  lambda m: f"help(lento.{m[1].replace(' ', '.')}) lists what it takes", text)
    text = re.sub(r"\blento ((?:chip|fleet|memory|tile) [a-z]+|diagnose|diff|predict|report|search|demo)\b(?!\.)",
                  lambda m: "lento." + m[1].replace(" ", "."), text)
    # A word behind an option is its value where it has a digit, a capital, a dot or a slash: prose has none of them.
    text = re.sub(r"--([a-z][a-z0-9-]+)[ =]((?=[a-z_:%-]*[A-Z0-9./])[A-Za-z0-9_./%:-]*[A-Za-z0-9_/%])(?=[\s,;)']|$)",
                  lambda m: f"{_keyword(m[1])}={m[2] if _is_name(m[2]) else repr(m[2])}", text)
    text = re.sub(r"--([a-z][a-z0-9-]+)", lambda m: _keyword(m[1]) + "=", text)
    return re.sub(r"^error: ", "", text)


def _is_name(word):
    return word.isupper() and word.isalpha()  # FILE, COLUMN: what to put there


def unknown(path, name, known):
    """The message for a keyword that neither the command nor the function of that name has."""
    near = difflib.get_close_matches(name, known, 1)
    way = f"did you mean '{near[0]}'?" if near else f"help(lento.{'.'.join(path)}) lists them"
    return f"{called(path)} has no keyword '{name}'; {way}"
