#!/usr/bin/env python3
"""Each path, symbol and command that pages and comments name exists. Exit 1 lists what misses."""
import pathlib
import re
import subprocess
import sys

import house_figures

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOPS = ("src/", "lab/", "tests/", "docs/", "bench/", "campaigns/", "examples/", "share/", "fuzz/", "guests/", "rtl/", "web/",
        "cmake/", "validation/", "python/", "packaging/")
SPACES = ("base", "spec", "trace", "finding", "riscv", "campaign", "chip", "memory", "fleet", "predict", "tile", "jobs",
          "report", "serve", "cli", "lab")
PATH = re.compile(r"(?<![\w./-])((?:%s)[\w./*+-]*[\w*])" % "|".join(map(re.escape, TOPS)))
NAMED_FILE = re.compile(r"(?<![\w./-])([\w-]+\.(?:h|cc|inc|sv|py))(?![\w./])")
SPEC = re.compile(r"(?<![\w/])specs?/[\w-]+\.md")
SYMBOL = re.compile(r"\b(%s)::([A-Za-z_]\w*)" % "|".join(SPACES))
COMMAND = re.compile(r"^(lento(?:-lab)?)((?: [a-z][a-z-]*(?![\w./]))*)")


def pages():
    yield from (ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"))
    for page in sorted((ROOT / "docs").rglob("*.md")):
        # Notes are dated: they name the code of their day.
        if page.name not in ("cli.md", "lab.md") and page.parent.name != "notes":
            yield page


def files():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)
    return {name for name in listed.stdout.splitlines() if (ROOT / name).is_file()}


def commands():
    """lento -> {"chip": {"diagnose": {}}, ...} from the pages that the programs write."""
    tree = {"lento": {}, "lento-lab": {}}
    for page in ("cli.md", "lab.md"):
        for heading in re.findall(r"^## (lento(?:-lab)?(?: [\w-]+)*)", (ROOT / "docs" / page).read_text(), re.M):
            at = tree
            for word in heading.split():
                at = at.setdefault(word, {})
    return tree


class House:
    def __init__(self):
        self.files = files()
        self.names = {pathlib.PurePath(name).name for name in self.files}
        self.folders = {str(parent) for name in self.files for parent in pathlib.PurePath(name).parents}
        code = "\n".join(house_figures.bare(path.read_text(errors="replace")) for path in house_figures.sources(ROOT))
        self.words = set(re.findall(r"[A-Za-z_]\w*", code))
        self.commands = commands()

    def misses_path(self, path):
        path = path.rstrip("./")
        if "*" in path:
            pattern = re.compile(re.escape(path).replace(r"\*\*", ".*").replace(r"\*", "[^/]*") + "(/.*)?$")
            return not any(pattern.match(name) for name in self.files)
        stems = {path, path + ".h", path + ".cc"}
        return not (stems & self.files or path in self.folders)

    def misses(self, text):
        for path in PATH.findall(text):
            if self.misses_path(path):
                yield f"no file {path}"
        for name in NAMED_FILE.findall(text):
            if name not in self.names:
                yield f"no file is called {name}"
        for name in SPEC.findall(text):
            if name not in self.files:
                yield f"no file {name}"
        for space, word in SYMBOL.findall(text):
            if word not in self.words:
                yield f"no {space}::{word}"

    def misses_command(self, text):
        match = COMMAND.match(text)
        if not match:
            return
        at = self.commands.get(match.group(1), {})
        for word in match.group(2).split():
            if word not in at:
                if at:
                    yield f"no command '{text}'"
                return
            at = at[word]


def faults(house):
    for page in pages():
        fenced = False
        for number, line in enumerate(page.read_text().splitlines(), 1):
            if line.startswith("```"):
                fenced = not fenced
                continue
            where = f"{page.relative_to(ROOT)}:{number}"
            if fenced:
                yield from (f"{where}: {fault}" for fault in house.misses_command(line))
                continue
            for code in re.findall(r"`([^`]+)`", line):
                yield from (f"{where}: {fault}" for fault in house.misses(code))
                yield from (f"{where}: {fault}" for fault in house.misses_command(code))
            for target in re.findall(r"\]\(([^)#]+)\)", line):
                if "://" not in target and not (page.parent / target).exists():
                    yield f"{where}: no file {target}"
    for path in house_figures.sources(ROOT):
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            comment = re.search(r"(?<!:)//(.*)", line)
            if comment:
                yield from (f"{path.relative_to(ROOT)}:{number}: {fault}" for fault in house.misses(comment.group(1)))


def main():
    found = list(faults(House()))
    print("\n".join(found) if found else "every path, symbol and command named in pages and comments exists")
    return 1 if found else 0


sys.exit(main())
