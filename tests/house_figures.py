"""The figures of the house: density, tails, cycles, tests beside code, numbers that stand outside tuning.h.

Used by house_check.py --figures; every figure is counted the same way each time, with no tool but Python.
"""
import collections
import math
import pathlib
import re
import sys

TOKEN = re.compile(r"""[A-Za-z_]\w*|\d[\w.']*|<<=|>>=|<=>|->\*|\.\.\.|::|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[^\s\w]""")
NUMBER = re.compile(r"(?<![\w.])(\d[\d']*\.?\d*(?:e[-+]?\d+)?)(?:[fFuUlL]*)(?![\w.])")


def bare(text):
    """Comments out, strings and characters emptied, line numbers kept."""
    out, i = [], 0
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])\'(?:\\.|[^\'\\\n])+\'', re.S)
    for match in pattern.finditer(text):
        out.append(text[i:match.start()])
        found = match.group(0)
        out.append("\n" * found.count("\n") + ("" if found.startswith("/") else '""'))
        i = match.end()
    out.append(text[i:])
    return "".join(out)


def sources(root):
    for top in ("src", "lab"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix in (".h", ".cc", ".inc"):
                yield path


def is_test(path):
    return ".test." in path.name or path.name.startswith("test_") or ".bench." in path.name


def code_lines(text):
    return [line for line in bare(text).splitlines() if line.strip() and line.strip() not in ("{", "}", "};", "});")]


def functions(text):
    """(name, first line, lines) of every function body."""
    plain = bare(text)
    stack, begin, line = [], 0, 1
    for i, c in enumerate(plain):
        if c == "\n":
            line += 1
        if c in ";{}":
            head = plain[begin:i].strip()
            if c == "{":
                inside = any(kind == "function" for kind, *_ in stack)
                called = re.search(r"([\w:~]+)\s*\([^;]*\)\s*(?:const|noexcept|override|final|mutable|->[\w:<>&* ]+|:\s.*)*\s*$", head, re.S)
                plain_head = not re.match(r"(?:inline\s+)?(?:namespace|class|struct|union|enum|extern)\b", head)
                kind = "function" if called and plain_head and not inside and "=" not in head.split("(")[0] else "other"
                stack.append((kind, called.group(1) if called else "", line))
            elif c == "}" and stack:
                kind, name, first = stack.pop()
                if kind == "function":
                    yield name, first, line - first + 1
            begin = i + 1


def stem(path):
    return path.parent / path.name.split(".")[0]


def offers(root, unit):
    """Names of the functions that a header and its source offer together: declared in one, defined in the other."""
    header, source = unit.with_name(unit.name + ".h"), unit.with_name(unit.name + ".cc")
    if not header.is_file() or not source.is_file():
        return set()
    declared = set(re.findall(r"\b([A-Za-z_]\w+)\s*\(", bare(header.read_text())))
    return declared & {name.split("::")[-1] for name, *_ in functions(source.read_text())}


def file_cycles(root):
    """Circles of files that call one another, a header and its source counted as one. Sharing types is no circle: the
    parts of a module may all know its public header."""
    graph, offered = collections.defaultdict(set), {}
    for path in sources(root):
        if is_test(path):
            continue
        text = path.read_text()
        called = set(re.findall(r"\b([A-Za-z_]\w+)\s*\(", bare(text)))
        for target in re.findall(r'^\s*#\s*include\s*"([^"]+)"', text, re.M):
            for base in (root / "src", root):
                other = stem(base / target)
                if not (base / target).is_file() or other == stem(path):
                    continue
                if other not in offered:
                    offered[other] = offers(root, other)
                if offered[other] & called:
                    graph[stem(path)].add(other)
    index, low, chain, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        chain.append(node)
        for other in graph[node]:
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in chain:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            circle = []
            while True:
                circle.append(chain.pop())
                if circle[-1] == node:
                    break
            if len(circle) > 1:
                found.append(sorted(p.relative_to(root).as_posix() for p in circle))

    sys.setrecursionlimit(10000)
    for node in list(graph):
        if node not in index:
            visit(node)
    return found


def stray_numbers(root, folder="src/chip/detect"):
    """Literals other than 0, 1, 2 and plain sizes outside tuning.h, whose line does not say why."""
    for path in sorted((root / folder).iterdir()):
        if path.suffix not in (".h", ".cc", ".inc") or is_test(path) or path.name == "tuning.h":
            continue
        raw = path.read_text().splitlines()
        for number, line in enumerate(bare(path.read_text()).splitlines()):
            for literal in NUMBER.findall(line):
                value = float(literal.replace("'", ""))
                power = value >= 4 and value == int(value) and int(value) & (int(value) - 1) == 0
                if value in (0, 1, 2, 0.5) or power or "//" in raw[number]:
                    continue
                yield f"{path.relative_to(root)}:{number + 1}: {literal}: {raw[number].strip()}"


VERDICT = ("src/chip/detect", "src/chip/model", "src/chip/diagnose.cc", "src/chip/kept_model.cc",
           "src/chip/model_findings.cc", "src/chip/model_judge.cc", "src/chip/model_twin.cc", "src/chip/recording.cc",
           "src/chip/replay.cc", "src/chip/simulation_count.cc")


def verdict_size(root):
    """Code lines that a verdict of the chip runs through, and their literals other than 0, 1, 2, 1/2 and powers of ten."""
    lines, literals = collections.Counter(), collections.Counter()
    for place in VERDICT:
        path = root / place
        for file in sorted(path.iterdir()) if path.is_dir() else (path, path.with_suffix(".h")):
            if not file.is_file() or file.suffix not in (".h", ".cc") or is_test(file):
                continue
            module = place if path.is_dir() else "src/chip"
            held = code_lines(file.read_text())
            lines[module] += len(held)
            for line in held:
                if line.lstrip().startswith("#include"):
                    continue
                for literal in NUMBER.findall(line):
                    value = float(literal.replace("'", ""))
                    if value not in (0, 1, 2, 0.5) and abs(round(math.log10(value)) - math.log10(value)) > 1e-9:
                        literals[module] += 1
    return lines, literals


def figures(root):
    tokens = lines = 0
    code, tests = collections.Counter(), collections.Counter()
    long, count = [], 0
    for path in sources(root):
        text = path.read_text(errors="replace")
        held = code_lines(text)
        module = path.parent.relative_to(root).as_posix()
        if ".bench." in path.name:
            continue
        if is_test(path):
            tests[module] += len(held)
            continue
        code[module] += len(held)
        tokens += sum(len(TOKEN.findall(line)) for line in held)
        lines += len(held)
        for name, first, size in functions(text):
            count += 1
            if size > 60:
                long.append(f"{path.relative_to(root)}:{first}: {name}: {size} lines")
    print(f"tokens a line: {tokens / lines:.2f} ({lines} lines)")
    print(f"functions over 60 lines: {100 * len(long) / count:.2f} % ({len(long)} of {count})")
    print("\n".join("  " + entry for entry in long))
    whole = sum(len([line for line in p.read_text().splitlines() if line.strip() and not line.strip().startswith("#")])
                for p in (root / "tests").rglob("*.py"))
    print(f"test lines a code line: {sum(tests.values()) / sum(code.values()):.2f} beside the code, "
          f"{(sum(tests.values()) + whole) / sum(code.values()):.2f} with tests/")
    for module in sorted(code):
        print(f"  {module}: {tests[module] / code[module]:.2f} ({tests[module]} of {code[module]})")
    circles = file_cycles(root)
    print(f"circles of files: {len(circles)}")
    for circle in circles:
        print("  " + " ".join(circle))
    stray = list(stray_numbers(root))
    print(f"numbers of chip/detect outside tuning.h without a reason in their line: {len(stray)}")
    print("\n".join("  " + entry for entry in stray))
    lines, literals = verdict_size(root)
    print(f"a verdict of the chip: {sum(lines.values())} lines, {sum(literals.values())} literals")
    for module in lines:
        print(f"  {module}: {lines[module]} lines, {literals[module]} literals")
