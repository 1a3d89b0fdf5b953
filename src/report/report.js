// Makes the pictures of a report answer to pointer and keyboard. The page is complete without it: pictures are drawn once,
// as SVG, and this only reads them. Charts with the same name on their horizontal axis share one axis: zooming one zooms all.
"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const plots = [...document.querySelectorAll("svg.plot")].map(readPlot);
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  tip.setAttribute("aria-hidden", "true");
  document.body.append(tip);

  for (const picture of document.querySelectorAll(".picture")) enhance(picture);
  for (const finding of document.querySelectorAll(".finding[data-begin]")) addShowButton(finding);
  addFilter();
  openTablesForPrint();

  // A plot: the inner picture, what its axes hold, and the part that is shown (0 to 1).
  function readPlot(element) {
    const number = (name) => Number(element.dataset[name]);
    const [left, top, width, height] = element.getAttribute("viewBox").split(" ").map(Number);
    return {
      element, left, top, width, height,
      name: element.dataset.name, log: element.dataset.log === "1", low: number("low"), high: number("high"),
      yLow: number("ylow"), yHigh: number("yhigh"), yLog: element.dataset.ylog === "1",
      ticks: element.parentNode.querySelector(".x-ticks"),
      shown: [0, 1],
    };
  }

  function valueAt(plot, share) {
    return plot.log ? plot.low * (plot.high / plot.low) ** share : plot.low + share * (plot.high - plot.low);
  }

  function shareOf(plot, value) {
    return plot.log ? Math.log(value / plot.low) / Math.log(plot.high / plot.low) : (value - plot.low) / (plot.high - plot.low);
  }

  function text(value) {
    if (value === 0 || !Number.isFinite(value)) return String(value);
    const size = Math.abs(value);
    for (const [scale, letter] of [[1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
      if (size >= 10 * scale || (scale > 1e3 && size >= scale)) return `${Number((value / scale).toPrecision(4))}${letter}`;
    }
    return String(Number(value.toPrecision(6)));
  }

  function roundSteps(low, high, about) {
    const wanted = (high - low) / about;
    const power = 10 ** Math.floor(Math.log10(wanted));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= wanted);
    const out = [];
    for (let t = Math.ceil(low / step) * step; t <= high + step * 1e-6 && out.length < 50; t += step) out.push(t);
    return out;
  }

  function drawTicks(plot) {
    if (!plot.ticks) return;
    const [from, to] = plot.shown.map((share) => valueAt(plot, share));
    const y = plot.ticks.dataset.y;
    plot.ticks.replaceChildren(...roundSteps(from, to, 8).map((value) => {
      const share = (shareOf(plot, value) - plot.shown[0]) / (plot.shown[1] - plot.shown[0]);
      const label = document.createElementNS(SVG, "text");
      label.setAttribute("x", String(plot.left + share * plot.width));
      label.setAttribute("y", y);
      label.setAttribute("text-anchor", "middle");
      label.textContent = text(value);
      return label;
    }));
  }

  function show(plot, from, to) {
    const width = Math.min(1, Math.max(to - from, 0.002));
    const begin = Math.min(Math.max(0, from), 1 - width);
    plot.shown = [begin, begin + width];
    plot.element.setAttribute("viewBox", `${plot.left + begin * plot.width} ${plot.top} ${width * plot.width} ${plot.height}`);
    drawTicks(plot);
  }

  // All charts of one axis show the same values.
  function showValues(name, low, high) {
    for (const plot of plots) {
      if (plot.name === name) show(plot, shareOf(plot, low), shareOf(plot, high));
    }
  }

  function zoom(plot, factor, centre) {
    const [from, to] = plot.shown;
    const at = from + centre * (to - from);
    move(plot, at - (at - from) * factor, at + (to - at) * factor);
  }

  function move(plot, from, to) {
    const width = Math.min(1, Math.max(to - from, 0.002));
    const begin = Math.min(Math.max(0, from), 1 - width);
    showValues(plot.name, valueAt(plot, begin), valueAt(plot, begin + width));
  }

  function shareUnder(plot, event) {
    const box = plot.element.getBoundingClientRect();
    return Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
  }

  function enhance(picture) {
    const plot = plots.find((p) => picture.contains(p.element));
    const title = picture.querySelector("svg > title")?.textContent ?? "Picture";
    const cores = [...picture.querySelectorAll("rect.core")];
    picture.tabIndex = 0;
    picture.setAttribute("role", "group");
    if (cores.length > 0) return enhanceMesh(picture, title, cores);
    picture.setAttribute("aria-label", plot
      ? `${title}. Plus and minus zoom, arrow keys move, 0 shows all. The table below holds the same numbers.` : title);
    picture.addEventListener("pointermove", (event) => tell(event, plot));
    picture.addEventListener("pointerleave", () => { tip.hidden = true; });
    picture.closest("figure").dataset.drawn = "yes";
    if (!plot) return;
    picture.addEventListener("keydown", (event) => zoomByKey(event, plot));
    picture.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && document.activeElement !== picture) return;  // a page that scrolls keeps scrolling
      event.preventDefault();
      zoom(plot, event.deltaY < 0 ? 0.8 : 1.25, shareUnder(plot, event));
    }, { passive: false });
    picture.addEventListener("dblclick", () => move(plot, 0, 1));
    addDrag(picture, plot);
  }

  function zoomByKey(event, plot) {
    const [from, to] = plot.shown;
    const step = (to - from) * 0.1;
    if (event.key === "+" || event.key === "=") zoom(plot, 0.8, 0.5);
    else if (event.key === "-") zoom(plot, 1.25, 0.5);
    else if (event.key === "ArrowLeft") move(plot, from - step, to - step);
    else if (event.key === "ArrowRight") move(plot, from + step, to + step);
    else if (event.key === "0" || event.key === "Home") move(plot, 0, 1);
    else return;
    event.preventDefault();
  }

  function addDrag(picture, plot) {
    let last = null;
    picture.addEventListener("pointerdown", (event) => { last = plot.element.contains(event.target) ? event.clientX : null; });
    picture.addEventListener("pointermove", (event) => {
      if (last === null || event.buttons !== 1) return;
      const [from, to] = plot.shown;
      const by = ((last - event.clientX) / plot.element.getBoundingClientRect().width) * (to - from);
      last = event.clientX;
      if (to - from < 1) move(plot, from + by, to + by);
    });
  }

  // What stands under the pointer: a named mark, or the lines' values there.
  function tell(event, plot) {
    const marked = event.target.closest("[data-tip]") ?? named(event.target);
    let words = marked?.dataset.tip ?? "";
    if (plot && plot.element.getBoundingClientRect().width > 0) words = [words, ...linesAt(plot, event)].filter(Boolean).join("\n");
    tip.hidden = words === "";
    if (tip.hidden) return;
    tip.textContent = words;
    tip.style.left = `${Math.min(event.pageX + 14, document.documentElement.scrollWidth - tip.offsetWidth - 8)}px`;
    tip.style.top = `${event.pageY + 16}px`;
  }

  // A mark's own title becomes ours, so that two tooltips never lie on each other.
  function named(element) {
    const title = element.querySelector?.(":scope > title");
    if (!title || element instanceof SVGSVGElement) return null;
    element.dataset.tip = title.textContent;
    title.remove();
    return element;
  }

  function pointsOf(path) {
    path.points ??= [...path.getAttribute("d").matchAll(/([-\d.]+) ([-\d.]+)/g)].map((m) => [Number(m[1]), Number(m[2])]);
    return path.points;
  }

  function linesAt(plot, event) {
    const lines = [...plot.element.querySelectorAll("path.line[data-name]")].slice(0, 8);
    const heat = plot.element.dataset.rows ? rowUnder(plot, event) : "";
    if (lines.length === 0 && !heat) return [];
    const share = plot.shown[0] + shareUnder(plot, event) * (plot.shown[1] - plot.shown[0]);
    const pixel = plot.left + share * plot.width;
    const out = [`${plot.name}: ${text(valueAt(plot, share))}`];
    if (heat) out.unshift(heat);
    const nearest = new Map();  // by name: a line that is ill from some point on is drawn in two parts
    for (const line of lines) {
      for (const point of pointsOf(line)) {
        const known = nearest.get(line.dataset.name);
        if (!known || Math.abs(point[0] - pixel) < Math.abs(known[0] - pixel)) nearest.set(line.dataset.name, point);
      }
    }
    for (const [name, near] of nearest) {
      const up = (plot.top + plot.height - near[1]) / plot.height;
      const value = plot.yLog ? plot.yLow * (plot.yHigh / plot.yLow) ** up : plot.yLow + up * (plot.yHigh - plot.yLow);
      out.push(`${name}: ${text(Number(value.toPrecision(3)))}`);
    }
    return out;
  }

  function rowUnder(plot, event) {
    const rows = JSON.parse(plot.element.dataset.rows);
    const box = plot.element.getBoundingClientRect();
    const row = Math.floor(((event.clientY - box.top) / box.height) * rows.length);
    return rows[Math.min(rows.length - 1, Math.max(0, row))];
  }

  // Arrow keys and pointer name one core, and its flows: the links that begin or end there.
  function enhanceMesh(picture, title, cores) {
    const line = document.createElement("p");
    line.className = "dim";
    line.setAttribute("aria-live", "polite");
    line.textContent = "Point at a core or link.";
    picture.after(line);
    picture.setAttribute("aria-label", `${title}. Arrow keys move between cores.`);
    picture.closest("figure").dataset.drawn = "yes";
    const at = new Map(cores.map((core) => [`${core.dataset.x},${core.dataset.y}`, core]));
    let current = null;
    const select = (core) => {
      if (!core) return;
      for (const old of picture.querySelectorAll(".current")) old.classList.remove("current");
      current = core;
      core.classList.add("current");
      const place = `${core.dataset.x},${core.dataset.y}`;
      const flows = picture.querySelectorAll(`.link[data-from="${place}"], .link[data-to="${place}"]`);
      for (const flow of flows) flow.classList.add("current");
      line.textContent = core.querySelector("title")?.textContent ?? "";
    };
    picture.addEventListener("pointerover", (event) => {
      const link = event.target.closest(".link, .route");
      if (link) line.textContent = link.querySelector("title")?.textContent ?? line.textContent;
      select(event.target.closest("rect.core"));
    });
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    picture.addEventListener("keydown", (event) => {
      const step = steps[event.key];
      if (!step) return;
      event.preventDefault();
      if (!current) return select(cores[0]);
      select(at.get(`${Number(current.dataset.x) + step[0]},${Number(current.dataset.y) + step[1]}`));
    });
  }

  // A finding with a time window brings it up in the charts of that unit.
  function addShowButton(finding) {
    const { begin, end, unit } = finding.dataset;
    const fitting = plots.filter((plot) => new RegExp(`(^|[( ])${unit}([) ]|$)`).test(plot.name));
    if (fitting.length === 0) return;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Show in the charts";
    button.addEventListener("click", () => {
      const margin = Math.max((Number(end) - Number(begin)) * 0.3, 1e-9);
      for (const name of new Set(fitting.map((plot) => plot.name))) showValues(name, Number(begin) - margin, Number(end) + margin);
      fitting[0].element.closest(".picture").focus();
    });
    finding.append(button);
  }

  function addFilter() {
    const findings = [...document.querySelectorAll(".finding")];
    if (findings.length < 6) return;
    const label = document.createElement("label");
    const input = document.createElement("input");
    input.type = "search";
    label.append("Filter the findings ", input);
    findings[0].before(label);
    input.addEventListener("input", () => {
      const wanted = input.value.toLowerCase();
      for (const finding of findings) finding.hidden = !finding.textContent.toLowerCase().includes(wanted);
    });
  }

  function openTablesForPrint() {
    window.addEventListener("beforeprint", () => {
      for (const plot of plots) show(plot, 0, 1);
      for (const part of document.querySelectorAll("details.part")) part.open = true;
    });
  }
})();
