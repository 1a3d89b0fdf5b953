// The mesh keeps its static picture; this adds a line that tells the core under the pointer or the arrow keys.
export function enhanceMesh(picture: HTMLElement): void {
  const cores = [...picture.querySelectorAll<SVGRectElement>("rect.core")];
  if (cores.length === 0) return;
  const line = document.createElement("p");
  line.className = "dim";
  line.setAttribute("aria-live", "polite");
  line.textContent = "Point at a core, or press the arrow keys here.";
  picture.after(line);
  picture.tabIndex = 0;
  picture.setAttribute("role", "group");
  picture.setAttribute("aria-label", "Mesh of cores; arrow keys move between them");

  const place = (core: SVGRectElement) => ({ x: Number(core.dataset.x), y: Number(core.dataset.y) });
  const at = new Map(cores.map((core) => [`${core.dataset.x},${core.dataset.y}`, core]));
  let current: SVGRectElement | null = null;
  const select = (core: SVGRectElement | undefined) => {
    if (!core) return;
    current?.classList.remove("current");
    current = core;
    core.classList.add("current");
    line.textContent = core.querySelector("title")?.textContent ?? "";
  };
  picture.addEventListener("pointerover", (event) => {
    const core = (event.target as Element).closest<SVGRectElement>("rect.core");
    if (core) select(core);
  });
  const steps: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  picture.addEventListener("keydown", (event) => {
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    if (!current) return select(cores[0]);
    const { x, y } = place(current);
    select(at.get(`${x + step[0]},${y + step[1]}`));
  });
}
