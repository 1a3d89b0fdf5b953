#!/usr/bin/env python3
"""Makes the pictures of README from what the commands really print and write.

gallery-*.png are the first screens of the pages that tests/pages_check.py makes, in light and, as on a phone, in dark;
terminal-*.svg are the same answers in a terminal, one a scale. docs/gallery.md lists them all.

usage: make.py LENTO            needs Debian's chromium; pngquant makes the files lighter
       make.py --check PAGES    what is stale, by the pages that tests/pages_check.py kept

A simulated job of 32 machines hides a faulty one. terminal.svg is what `lento fleet diagnose` prints, with its colours; report.png is
the page that --html writes, as a browser shows it; chip.svg is the mesh of a chip with a slow link, out of its report. Commands run in
a scratch folder that holds copies of examples/, as tests/docs_check.py runs the pages.
"""
import html
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "packaging/site")]
import build as site  # noqa: E402
import doc_blocks  # noqa: E402

FLEET = ("lento fleet diagnose --csv job.csv.gz --machine-column machine --time-column time --time-unit s --label stage")
PREPARE = """
lento fleet simulate --machines 32 --preset paper --seed 8 -o job.csv.gz
lento chip map examples/models/darknet19.onnx --chip examples/chip/4x4.yaml --batch 64 -o net.map.json
lento chip simulate --chip examples/chip/4x4.yaml --mapping net.map.json --faults examples/chip/slow_link.yaml --inferences 2 -o run.probe
lento chip diagnose run.probe --chip examples/chip/4x4.yaml --mapping net.map.json --html chip.html
"""
COLUMNS = 108
LINES = 26
CELL = 7.8
LINE = 17
STYLE = ("svg{background:#fbfbfa}text{font:13px ui-monospace,'DejaVu Sans Mono',Menlo,monospace;fill:#24292f;white-space:pre}"
         ".bold{font-weight:bold}.red{font-weight:bold;fill:#b3261e}.prompt{fill:#3d6b35}")
CLASSES = {"1": "bold", "1;31": "red"}


def spans(line):
    """(class, text) of each stretch of one colour, for the few sequences that a report uses."""
    css = ""
    for part in re.split(r"(\033\[[0-9;]*m)", line):
        if part.startswith("\033["):
            css = CLASSES.get(part[2:-1], "")
        elif part:
            yield css, part


def text_of(line, y):
    out, used = "", 0
    for css, text in spans(line):
        text = text[:COLUMNS - used]
        used += len(text)
        if used == COLUMNS:
            text = text[:-1] + "…"
        out += f'<tspan class="{css}">{html.escape(text)}</tspan>' if css else html.escape(text)
    return f'<text x="14" y="{y}" xml:space="preserve">{out}</text>\n'


def terminal(command, output):
    lines = output.splitlines()
    lines = lines[:LINES] + (["..."] if len(lines) > LINES else [])
    height = LINE * (len(lines) + 2) + 14
    out = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {COLUMNS * CELL + 28:.0f} {height}" role="img">'
           f"<title>{html.escape(command)}</title><style>{STYLE}</style>\n"
           f'<text x="14" y="24"><tspan class="prompt">$</tspan> {html.escape(command)}</text>\n')
    return out + "".join(text_of(line, 24 + LINE * (i + 1)) for i, line in enumerate(lines)) + "</svg>\n"


def screenshot(page, picture, size="1000,1560", dark=False):
    subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size={size}",
                    f"--blink-settings=preferredColorScheme={0 if dark else 1}",
                    f"--screenshot={picture}", page.as_uri()], check=True, capture_output=True, timeout=120)
    if shutil.which("pngquant"):  # few colours are drawn, so that a palette loses nothing and a third of the bytes is left
        subprocess.run(["pngquant", "--force", "--output", picture, "128", picture], check=True)


GALLERY = {
    "fleet": "Metrics of a training job: one machine among 32 has lost its NVLink bandwidth.",
    "fleet-healthy": "The same for a healthy job: what was looked at, and what would have been named.",
    "ranks": "Records of collectives: the NIC of a host is slow.",
    "chip": "Probe records of an accelerator with 16 cores: a link is slow.",
    "memory": "A memory trace of four harts: two counters on one line.",
    "predict": "GPT-3 175B on 64 A100s: how fast it should be.",
    "gemm": "One matrix product on an H100.",
    "search": "What to build under budgets of area and power.",
    "tile": "A program inside a chip: half of its inputs came while it was busy.",
    "nvidia-smi": "Eight GPUs in the CSV of nvidia-smi: one became too hot.",
    "incident": "Job logs, kernel logs and counters of four hosts: a straggler that never came, and the lost GPU behind it.",
    "kernel-log": "A kernel log with an Xid.",
    "scrapes": "Eight pages of an exporter, one instant each.",
    "gpu-burn": "A log of gpu-burn on four GPUs.",
    "training-log": "The log of a training run that became slower.",
    "watchdog": "Logs of NCCL's watchdog of eight ranks: one is a collective behind.",
    "links": "iblinkinfo of a switch: one host's link runs below its speed.",
    "kubectl": "Nodes of a cluster in kubectl: one is not ready.",
    "sensors": "Temperatures of five hosts: one is above its limit.",
    "hpl": "HPL on each host: one is slower.",
}


TERMINAL = {
    "fleet": "lento fleet diagnose --csv job.csv.gz --machine-column machine",
    "chip": "lento chip diagnose run.probe --chip 4x4.yaml --mapping net.map.json",
    "memory": "lento memory diagnose fs.access --elf false_sharing.elf",
    "predict": "lento predict gpt3_175b.yaml --system a100",
    "tile": "lento tile run echo.ypu --block vcd:bus.vcd --map bus.map.yaml",
}


def sentence_of(page):
    """What a page opens with."""
    return html.unescape(re.search(r'<h1 class="verdict[^"]*">(.*?)</h1>', page.read_text(), re.S)[1]).strip()


def drawn_terminals(pages):
    """(file, text) of each picture of a terminal."""
    for name, command in TERMINAL.items():
        yield HERE / f"terminal-{name}.svg", terminal(command, (pages / f"{name}.txt").read_text())


def gallery_text(pages):
    """The page of documents that shows the pictures. It quotes each page, which tells when a picture is stale."""
    text = ("# Gallery\n\nThe first screen of a report for each scale and kind of file, in light, and in dark as on a phone. "
            "`docs/pictures/make.py` makes them from simulated runs.\n")
    for name, what in GALLERY.items():
        title = name if name.startswith("nv") else name.replace("-", " ").capitalize()
        text += (f"\n## {title}\n\n{what}\n\n> {sentence_of(pages / f'{name}.html')}\n\n"
                 f"![{what}](pictures/gallery-{name}.png)\n![{what} In dark.](pictures/gallery-{name}-phone.png)\n")
        if name in TERMINAL:
            text += f"\nThe same in a terminal:\n\n![{what} In a terminal.](pictures/terminal-{name}.svg)\n"
    return text


def gallery(pages):
    """The first screen of each page in a folder, and the page of documents that shows them."""
    for name in GALLERY:
        screenshot(pages / f"{name}.html", HERE / f"gallery-{name}.png", "1000,800")
        screenshot(pages / f"{name}.html", HERE / f"gallery-{name}-phone.png", "390,800", dark=True)
    for file, text in drawn_terminals(pages):
        file.write_text(text)
    (ROOT / "docs/gallery.md").write_text(gallery_text(pages))


def words(text):
    """A text without its figures, which move a little with the models behind them."""
    return re.sub(r"[0-9]+(?:\.[0-9]+)?", "0", text)


def check(pages):
    """Names each picture that the program would draw with other words than it shows, and each that is missing."""
    told = (ROOT / "docs/gallery.md").read_text()
    quoted = words(told)
    stale = [f"gallery-{n}.png" for n in GALLERY if words(f"> {sentence_of(pages / f'{n}.html')}\n") not in quoted]
    stale += [file.name for file, text in drawn_terminals(pages) if not file.exists() or words(file.read_text()) != words(text)]
    stale += [name for name in re.findall(r"\(pictures/([^)]+)\)", told) if not (HERE / name).exists()]
    if stale:
        sys.exit(f"stale, run docs/pictures/make.py: {', '.join(stale)}")
    print(f"{len(re.findall('!.*pictures/', told))} pictures as the program draws them")


def main():
    if sys.argv[1] == "--check":
        return check(pathlib.Path(sys.argv[2]))
    lento = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        doc_blocks.prepare(scratch)
        for command in (PREPARE, f"{FLEET} --color always --html fleet.html"):
            done = doc_blocks.execute(command, scratch, lento)
            if done.returncode != 0:
                sys.exit(f"exit {done.returncode}\n{command}\n{done.stdout}")
        (HERE / "terminal.svg").write_text(terminal("lento fleet diagnose --csv job.csv.gz ...", done.stdout))
        screenshot(scratch / "fleet.html", HERE / "report.png")
        subprocess.run([sys.executable, ROOT / "tests/pages_check.py", lento, "--keep", scratch / "pages"], check=True)
        gallery(scratch / "pages")
        (HERE / "chip.svg").write_text(site.pictures_of(scratch / "chip.html")[0] + "\n")
    for picture in sorted(HERE.glob("*.*g")):
        print(f"{picture.stat().st_size:8} {picture.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
