// Makes the static pictures of a report interactive. The page is complete without this script: each chart
// is drawn only when it comes into view, beside a button that brings the static picture back.
import { BarChart, CustomChart, GraphChart, HeatmapChart, LineChart, ScatterChart } from "echarts/charts";
import { AriaComponent, DataZoomComponent, GridComponent, LegendComponent, MarkLineComponent, TooltipComponent, VisualMapComponent } from "echarts/components";
import { init, use, type EChartsType } from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";

import { optionFor } from "./charts";
import type { Figure } from "./diagnosis";
import { enhanceMesh } from "./mesh";
import { readTheme } from "./theme";

use([
  AriaComponent, BarChart, CanvasRenderer, CustomChart, DataZoomComponent, GraphChart, GridComponent, HeatmapChart, LegendComponent, LineChart,
  MarkLineComponent, ScatterChart, TooltipComponent, VisualMapComponent,
]);

interface Shown {
  figure: Figure;
  chart: EChartsType;
}
const shown: Shown[] = [];

function draw(entry: Shown): void {
  const option = optionFor(entry.figure, readTheme());
  if (option) entry.chart.setOption({ animation: false, aria: { enabled: true }, ...option }, true);
}

function heightOf(figure: Figure): number {
  if (figure.kind === "heat map") return Math.min(720, 180 + 14 * figure.data.rows.length);
  return figure.kind === "graph" ? 520 : 380;
}

function makeInteractive(element: HTMLElement, figure: Figure): void {
  const picture = element.querySelector<HTMLElement>(".picture");
  if (!picture) return;
  if (figure.kind === "mesh") {
    enhanceMesh(picture);
    return;
  }
  if (!optionFor(figure, readTheme())) return;
  const box = document.createElement("div");
  box.className = "chart";
  box.style.height = `${heightOf(figure)}px`;
  box.tabIndex = 0;
  box.setAttribute("role", "img");
  box.setAttribute("aria-label", `${figure.title ?? "Chart"}. Plus and minus zoom, arrow keys move. The table below holds the same numbers.`);
  picture.before(box);
  const entry = { figure, chart: init(box) };
  shown.push(entry);
  draw(entry);
  box.addEventListener("keydown", (event) => zoomByKey(event, entry.chart));
  addToggle(element, picture, box);
  picture.hidden = true;
  element.dataset.drawn = "yes";
}

// Keyboard zoom over the horizontal axis.
function zoomByKey(event: KeyboardEvent, chart: EChartsType): void {
  const zoom = (chart.getOption() as { dataZoom?: { start: number; end: number }[] }).dataZoom?.[0];
  if (!zoom) return;
  const width = zoom.end - zoom.start;
  const steps: Record<string, [number, number]> = {
    "+": [width * 0.1, -width * 0.1],
    "-": [-width * 0.125, width * 0.125],
    ArrowLeft: [-width * 0.1, -width * 0.1],
    ArrowRight: [width * 0.1, width * 0.1],
  };
  const step = steps[event.key];
  if (!step) return;
  event.preventDefault();
  const start = Math.max(0, zoom.start + step[0]);
  const end = Math.min(100, zoom.end + step[1]);
  if (end - start > 0.5) chart.dispatchAction({ type: "dataZoom", start, end });
}

function addToggle(element: HTMLElement, picture: HTMLElement, box: HTMLElement): void {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Static picture";
  button.addEventListener("click", () => {
    picture.hidden = !picture.hidden;
    box.hidden = !picture.hidden;
    button.textContent = picture.hidden ? "Static picture" : "Interactive chart";
  });
  element.append(button);
}

function start(): void {
  const source = document.getElementById("diagnosis-figures");
  if (!source?.textContent) return;
  const figures = JSON.parse(source.textContent) as Figure[];
  const observer = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        observer.unobserve(entry.target);
        const element = entry.target as HTMLElement;
        const figure = figures[Number(element.dataset.figure)];
        if (figure) makeInteractive(element, figure);
      }
    },
    { rootMargin: "300px" },
  );
  document.querySelectorAll<HTMLElement>("figure[data-figure]").forEach((element) => observer.observe(element));
  window.addEventListener("resize", () => shown.forEach((s) => s.chart.resize()));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => shown.forEach(draw));
}

start();
