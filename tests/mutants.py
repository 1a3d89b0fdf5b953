"""The places of a module that tests/mutate.py changes, and how a change is written: into the text (Place.plain), or so that
it is compiled beside all others and chosen when the tests run (tests/mutant_switch.h)."""
import dataclasses
import pathlib
import re

NUMBER = re.compile(r"(\bk[A-Z]\w*\s*=\s*|\bk[A-Z]\w*\{)(-?\d[\d']*\.?\d*(?:e-?\d+)?)(?![\w.])")
COMPARISON = re.compile(r"(?<![<>=!\-])\s(<=|>=|==|!=|<|>)\s(?![<>=])")
# An assignment to something that exists, a call, or a one-line loop, never a declaration.
STATEMENT = re.compile(r"^\s+(?:\*?[\w:.\->\[\]()]+\s(?:[-+*/|&^]?=)\s.*;|(?!return\b|throw\b)[\w:.\->\[\]]+\(.*\);|for \(.*\) .*;)\s*$")
TURNED = {"<": ">=", ">": "<=", "<=": ">", ">=": "<", "==": "!=", "!=": "=="}
NAME = re.compile(r"\bk[A-Z]\w*")


@dataclasses.dataclass
class Place:
    file: pathlib.Path
    line: int  # from 0
    begin: int
    end: int  # what lies between is changed
    kind: str  # number, comparison, statement
    text: str  # to this
    what: str  # in words

    def plain(self, line):
        return line[:self.begin] + self.text + line[self.end:]


def code_of(line):
    """The line without its comment; '' for lines that hold no code to change."""
    line = line.split("//")[0]
    if re.match(r"\s*(#|template\b|static_assert|case\b)", line) or '"' in line:
        return ""
    return line


def numbers_of(code):
    for match in NUMBER.finditer(code):
        value = match.group(2)
        whole = re.fullmatch(r"-?[\d']+", value)
        for factor in (0.5, 2):
            new = float(value.replace("'", "")) * factor
            text = str(int(new)) if whole else repr(new)
            if text != value:
                yield match.start(2), match.end(2), "number", text, f"{value} -> {text}"


def comparisons_of(code):
    for match in COMPARISON.finditer(code):
        if "template" in code or "<" in match.group(1) and re.search(r"\w<\w", code):
            continue
        turned = TURNED[match.group(1)]
        yield match.start(1), match.end(1), "comparison", turned, f"{match.group(1)} -> {turned}"


def places_of(file):
    depth = 0
    for number, line in enumerate(file.read_text().splitlines(keepends=True)):
        code = code_of(line)
        found = list(numbers_of(code))
        if depth >= 2 or "  " == line[:2]:
            found += comparisons_of(code)
            if STATEMENT.match(code):
                found.append((len(line) - len(line.lstrip()), len(line.rstrip("\n")), "statement", ";", "dropped"))
        for begin, end, kind, text, what in found:
            yield Place(file, number, begin, end, kind, text, what)
        depth += code.count("{") - code.count("}")


def switched(line, chosen, header):
    """The line with all its `chosen` (id, Place) changes in it, each behind its switch."""
    numbers, edits, dropped = {}, [], None
    for key, place in chosen:
        if place.kind == "number":
            numbers.setdefault((place.begin, place.end), []).append((key, place.text))
        elif place.kind == "comparison":
            op = line[place.begin:place.end]
            edits.append((place.begin, place.end, f"{op} lento_mutant::Turn<{key}>{{}} {op}"))
        else:
            dropped = key
    for (begin, end), ways in numbers.items():
        choice = "".join(f"lento_mutant::on({key}) ? {text} : " for key, text in ways)
        edits.append((begin, end, f"({choice}{line[begin:end]})"))
    for begin, end, text in sorted(edits, reverse=True):
        line = line[:begin] + text + line[end:]
    if numbers:  # chosen when the program starts
        fresh = "static inline const" if header else "static const"
        line = re.sub(r"\binline constexpr\b", "inline const", line)
        line = re.sub(r"\bstatic constexpr\b", fresh, line)
        line = re.sub(r"\bconstexpr\b", "static const", line)
    if dropped is not None:
        code = line.rstrip("\n")
        line = f"{{ if (!lento_mutant::on({dropped})) {{ {code.split('//')[0].strip()} }} }}\n"
    return line


def instrumented(file, text, chosen, switch):
    """The file's text with the changes in it. Lines keep their numbers."""
    lines = text.splitlines(keepends=True)
    by_line = {}
    for key, place in chosen:
        by_line.setdefault(place.line, []).append((key, place))
    for number, ones in by_line.items():
        lines[number] = switched(lines[number], ones, file.suffix == ".h")
    head = "" if file.suffix == ".inc" else f'#include "{switch}"\n#line 1\n'
    return head + "".join(lines)


def blamed(output, chosen, folder, texts):
    """The ids of changes that a compiler's messages, written in `folder`, speak of: what cannot be compiled behind a switch."""
    by_line, by_name = {}, {}
    for key, place in chosen:
        by_line.setdefault((place.file, place.line), set()).add(key)
        if place.kind == "number":
            for name in NAME.findall(texts[place.file].splitlines()[place.line]):
                by_name.setdefault(name, set()).add(key)
    found = set()
    for block in re.split(r"(?m)^(?=\S+:\d+:\d+: (?:fatal )?error: )", output)[1:]:
        places = [((folder / path).resolve(), int(line) - 1) for path, line in re.findall(r"(?m)^(\S+?):(\d+):\d+:", block)]
        named = [by_name.get(name, set()) for name in NAME.findall(block)]
        for group in (named, [by_line.get(places[0], set())], [by_line.get(p, set()) for p in places]):
            keys = set().union(*group)
            if keys:
                found |= keys
                break
    if found:
        return found
    # An error inside the switch itself names the place before the message: "required from FILE:LINE".
    places = [((folder / path).resolve(), int(line) - 1) for path, line in re.findall(r"(?m)^(\S+?):(\d+):\d+:", output)]
    return set().union(*[by_line.get(place, set()) for place in places])
