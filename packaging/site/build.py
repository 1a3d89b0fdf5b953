#!/usr/bin/env python3
"""The offline site: the pages of docs/, with the pictures that the commands in them make.

usage: build.py LENTO [SITE]   (needs Debian's mkdocs-material; SITE: default build/site)

A page's ```sh run blocks are executed in a scratch folder, as tests/docs_check.py does. A line

    <!-- picture REPORT.html N -->

stands for picture N of a report that they wrote; the report itself goes into the gallery. Sources that a page names as
`src/...` are shown as text, links into them are not made.
"""
import ast
import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import doc_blocks  # noqa: E402

PICTURE = re.compile(r"^<!-- picture (\S+\.html) (\d+) -->$", re.M)
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((\.\./[^)#]+)[^)]*\)")


def pictures_of(report):
    """The drawings of a report, each as an SVG file of its own with the report's style."""
    page = report.read_text()
    style = re.search(r"<style>(.*?)</style>", page, re.S).group(1)
    style = re.sub(r"(^|\})body\{.*?\}", r"\1", style).replace(":root", "svg")
    out = []
    for drawing in re.findall(r'<div class="picture">(<svg.*?)</div>', page, re.S):
        head, body = drawing.split(">", 1)
        out.append(f'{head} xmlns="http://www.w3.org/2000/svg" font-family="sans-serif"><style>svg{{color:var(--fg)}}{html.escape(style, False)}</style>{body}')
    return out


def title_of(drawing):
    found = re.search(r"<title[^>]*>(.*?)</title>", drawing, re.S)
    return html.unescape(found.group(1)) if found else "picture"


class Site:
    def __init__(self, lento, pages, site):
        self.lento, self.pages, self.site = lento, pages, site
        self.gallery = []

    def collect(self):
        shutil.rmtree(self.pages, ignore_errors=True)
        shutil.copytree(ROOT / "docs", self.pages)
        for page in sorted(self.pages.rglob("*.md")):
            name = page.relative_to(self.pages)
            text = page.read_text()
            if PICTURE.search(text) or name.name == "index.md":
                text = self.with_pictures(page, text)
            page.write_text(LINK.sub(lambda link: self.inside(page, link), doc_blocks.plain(text)))
        (self.pages / "gallery.md").write_text(self.gallery_page())
        python = self.pages / "python.md"
        python.write_text(python.read_text() + python_reference())
        library = self.pages / "library.md"
        header = (ROOT / "src/lento/lento.h").read_text()
        library.write_text(f"{library.read_text()}\n## lento.h\n\n```cpp\n{header}```\n")

    def inside(self, page, link):
        """The link, or only its words where it leads out of the pages."""
        target = (page.parent / link.group(2)).resolve()
        return link.group(0) if target.is_relative_to(self.pages) else link.group(1)

    def with_pictures(self, page, text):
        name = page.stem
        with tempfile.TemporaryDirectory() as scratch:
            scratch = pathlib.Path(scratch)
            doc_blocks.prepare(scratch)
            for command, _ in doc_blocks.blocks(text):
                done = doc_blocks.execute(command, scratch, self.lento)
                if done.returncode != 0:
                    sys.exit(f"{page}: exit {done.returncode}\n{command}{done.stdout}")
            reports = sorted(scratch.glob("*.html"))
            folder = self.pages / "reports"
            folder.mkdir(exist_ok=True)
            drawings = {}
            for report in reports:
                kept = f"{name}-{report.name}"
                shutil.copy(report, folder / kept)
                drawings[report.name] = pictures_of(report)
                self.gallery.append((kept, re.search(r"<h1>(.*?)</h1>", report.read_text(), re.S).group(1)))

        def shown(match):
            report, number = match.group(1), int(match.group(2))
            if report not in drawings or number >= len(drawings[report]):
                sys.exit(f"{page}: {report} has {len(drawings.get(report, []))} pictures, no picture {number}")
            drawing = drawings[report][number]
            stem = f"{name}-{report.removesuffix('.html')}-{number}.svg"
            (folder / stem).write_text(drawing)
            up = "../" * (len(page.relative_to(self.pages).parts) - 1)
            return f"![{title_of(drawing)}]({up}reports/{stem})\n\n[The whole report]({up}reports/{name}-{report})"
        return PICTURE.sub(shown, text)

    def gallery_page(self):
        rows = "".join(f"| [{title}](reports/{name}) | {(self.pages / 'reports' / name).stat().st_size // 1000} KB |\n" for name, title in self.gallery)
        return ("# Gallery\n\nReports made by the commands of these pages when this site was built. Each is one file that needs no network.\n\n"
                f"| report | size |\n|---|---|\n{rows}")

    def build(self):
        config = ROOT / "packaging/site/mkdocs.yml"
        text = config.read_text()
        for folder in ("formats", "methods", "rationale", "notes"):  # a list of all pages of a folder, by name
            names = sorted(p.name for p in (self.pages / folder).glob("*.md"))
            text = text.replace(f": {folder}/\n", ":\n" + "".join(f"      - {folder}/{n}\n" for n in names))
        made = self.pages.parent / "mkdocs.yml"
        made.write_text(text.replace("../../build/docs-pages", str(self.pages)).replace("../../build/site", str(self.site))
                        .replace("custom_dir: theme", f"custom_dir: {config.parent / 'theme'}"))
        subprocess.run(["mkdocs", "build", "--quiet", "--strict", "--clean", "-f", made], check=True)
        for name in ("sitemap.xml", "sitemap.xml.gz"):  # of a site with an address, and packed with the hour
            (self.site / name).unlink(missing_ok=True)
        index = json.loads((self.site / "search/search_index.json").read_text())
        (self.site / "search/search_index.js").write_text(f"var __search = {{ index: Promise.resolve({json.dumps(index)}) }};\n")


def python_reference():
    """Signatures and docstrings, read from the sources of the package."""
    out = "\n## Reference\n"
    for module, prefix in [("_predict", "lento"), ("chip", "lento.chip"), ("fleet", "lento.fleet"), ("memory", "lento.memory")]:
        tree = ast.parse((ROOT / f"python/lento/{module}.py").read_text())
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                out += f"\n### {prefix}.{node.name}\n\n```python\n{prefix}.{node.name}({ast.unparse(node.args)})\n```\n\n"
                out += f"```text\n{ast.get_docstring(node)}\n```\n"
    tree = ast.parse((ROOT / "python/lento/_diagnosis.py").read_text())
    members = next(node for node in tree.body if isinstance(node, ast.ClassDef)).body
    out += "\n### lento.Diagnosis\n\n| member | holds |\n|---|---|\n"
    for node in members:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            words = " ".join(ast.get_docstring(node).split()).replace("|", "\\|")
            out += f"| `{node.name}` | {words} |\n"
    return out


def main():
    lento = pathlib.Path(sys.argv[1]).resolve()
    site = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else ROOT / "build/site").resolve()
    made = Site(lento, site.parent / "docs-pages", site)
    made.collect()
    made.build()
    print(f"{len(list(site.rglob('*.html')))} pages in {site}/index.html")


if __name__ == "__main__":
    main()
