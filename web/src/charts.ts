// Figure -> ECharts option. Text of a diagnosis never becomes HTML: tooltips are drawn on the canvas
// (renderMode "richText"), where markup means nothing.
import type { BarsData, Figure, GraphData, HeatMapData, ScatterData, SeriesData, TimelineData } from "./diagnosis";
import type { Theme } from "./theme";

export type Option = Record<string, unknown>;

const gridOf = () => ({ left: 70, right: 24, top: 24, bottom: 88, containLabel: false });
const zoom = [{ type: "inside", filterMode: "none" }, { type: "slider", filterMode: "none", bottom: 34, height: 16 }];

// 12500 -> 12.5k, as in the static pictures.
function compact(value: number): string {
  if (Math.abs(value) < 1e4 || Math.abs(value) >= 1e18) return String(Number(value.toPrecision(4)));
  const power = Math.min(5, Math.floor(Math.log10(Math.abs(value)) / 3));
  return `${Number((value / 1000 ** power).toPrecision(4))}${" kMGTP"[power]}`;
}

function valueAxis(theme: Theme, name: string | undefined, log = false, more: Option = {}): Option {
  return {
    type: log ? "log" : "value",
    name: name ?? "",
    nameLocation: "middle",
    nameGap: 30,
    scale: true,
    axisLabel: { color: theme.dim, formatter: compact },
    nameTextStyle: { color: theme.dim },
    splitLine: { lineStyle: { color: theme.line } },
    ...more,
  };
}

const tooltip = (theme: Theme, trigger: "axis" | "item") => ({
  trigger,
  renderMode: "richText",
  confine: true,
  backgroundColor: theme.card,
  borderColor: theme.line,
  textStyle: { color: theme.text, fontSize: 12 },
});

interface CustomApi {
  value(i: number): number;
  coord(p: number[]): number[];
  size(p: number[]): number[];
}

// A band is one polygon; its points are given as data too, so that the axes span it.
function bandSeries(band: NonNullable<SeriesData["bands"]>[number], theme: Theme): Option {
  const x = band.x ?? [], low = band.low ?? [], high = band.high ?? [];
  return {
    type: "custom",
    name: band.name ?? "band",
    color: theme.band,
    silent: true,
    z: 1,
    clip: true,
    tooltip: { show: false },
    encode: { x: 0, y: [1, 2] },
    data: x.map((v, k) => [v, low[k], high[k]]),
    renderItem: (params: { dataIndexInside: number }, api: CustomApi) => {
      if (params.dataIndexInside !== 0) return null;
      const upper = x.map((v, k) => api.coord([v, high[k]]));
      const lower = x.map((v, k) => api.coord([v, low[k]])).reverse();
      return { type: "polygon", shape: { points: [...upper, ...lower] }, style: { fill: theme.band, opacity: 0.8 } };
    },
  };
}

function series(data: SeriesData, theme: Theme): Option {
  const out: Option[] = [];
  for (const band of data.bands ?? []) out.push(bandSeries(band, theme));
  for (const [i, line] of (data.lines ?? []).entries()) {
    const colour = line.blamed ? theme.bad : theme.series[i % 8];
    const y = line.y ?? [];
    out.push({
      type: "line",
      name: line.name ?? "",
      color: colour,
      symbol: "none",
      sampling: "lttb",
      z: line.blamed ? 5 : 3,
      lineStyle: { width: line.blamed ? 2.4 : 1.4, type: line.dashed ? "dashed" : "solid", color: colour },
      data: (line.x ?? []).map((v, k) => [v, y[k]]),
      markLine: i === 0 && data.marks?.length
        ? { symbol: "none", silent: true, label: { show: false }, lineStyle: { color: theme.text, type: "dotted" }, data: data.marks.map((m) => ({ xAxis: m })) }
        : undefined,
    });
  }
  return {
    grid: gridOf(),
    tooltip: tooltip(theme, "axis"),
    legend: { bottom: 0, type: "scroll", textStyle: { color: theme.dim }, data: out.map((s) => s.name).filter((n) => n !== "") },
    dataZoom: zoom,
    xAxis: valueAxis(theme, data.x_name, data.log_x, { nameGap: 22 }),
    yAxis: valueAxis(theme, data.y_name, data.log_y, { nameGap: 48 }),
    series: out,
  };
}

function heatMap(data: HeatMapData, theme: Theme): Option {
  const columns = data.columns.length;
  const cells: [number, number, number][] = [];
  let low = Infinity, high = -Infinity;
  data.values.forEach((v, i) => {
    if (v === null) return;
    cells.push([i % columns, Math.floor(i / columns), v]);
    low = Math.min(low, v);
    high = Math.max(high, v);
  });
  const blamed = new Set(data.blamed ?? []);
  return {
    grid: { ...gridOf(), left: 120, bottom: 96 },
    tooltip: tooltip(theme, "item"),
    dataZoom: [{ type: "inside", xAxisIndex: 0 }, { type: "slider", bottom: 40, height: 14 }],
    xAxis: { type: "category", data: data.columns, name: data.x_name ?? "", nameLocation: "middle", nameGap: 22, axisLabel: { color: theme.dim } },
    yAxis: {
      type: "category",
      data: data.rows,
      inverse: true,
      axisLabel: { color: (name?: string) => (name !== undefined && blamed.has(name) ? theme.bad : theme.dim) },
    },
    visualMap: { min: low, max: high, calculable: true, orient: "horizontal", left: "center", bottom: 0, text: [data.value_name ?? "", ""], textStyle: { color: theme.dim }, inRange: { color: theme.values } },
    series: [{ type: "heatmap", data: cells, progressive: 4000, progressiveThreshold: 8000 }], // a zoom answers at once
  };
}

function timeline(data: TimelineData, theme: Theme): Option {
  const spans = data.spans ?? [];
  const tracks = [...new Set(spans.map((s) => s.track))];
  const row = new Map(tracks.map((t, i) => [t, i]));
  return {
    grid: { ...gridOf(), left: 120 },
    tooltip: { ...tooltip(theme, "item"), formatter: (p: { data: { name: string } }) => p.data.name },
    dataZoom: zoom,
    xAxis: valueAxis(theme, data.x_name, false, { nameGap: 22 }),
    yAxis: { type: "category", data: tracks, inverse: true, axisLabel: { color: theme.dim } },
    series: [
      {
        type: "custom",
        encode: { x: [1, 2], y: 0 },
        data: spans.map((s) => ({ name: `${s.label ?? s.track}: ${s.begin} to ${s.end}`, value: [row.get(s.track), s.begin, s.end, s.blamed ? 1 : 0] })),
        renderItem: (_: unknown, api: CustomApi) => {
          const from = api.coord([api.value(1), api.value(0)]);
          const to = api.coord([api.value(2), api.value(0)]);
          const height = api.size([0, 1])[1] * 0.7;
          const fill = api.value(3) ? theme.bad : theme.series[api.value(0) % 8];
          return { type: "rect", shape: { x: from[0], y: from[1] - height / 2, width: Math.max(1, to[0] - from[0]), height }, style: { fill } };
        },
      },
    ],
  };
}

function bars(data: BarsData, theme: Theme): Option {
  return {
    grid: gridOf(),
    tooltip: tooltip(theme, "axis"),
    legend: { bottom: 0, type: "scroll", textStyle: { color: theme.dim } },
    dataZoom: zoom,
    xAxis: { type: "category", data: data.categories ?? [], axisLabel: { color: theme.dim } },
    yAxis: valueAxis(theme, data.y_name, false, { nameGap: 48, scale: false }),
    series: (data.series ?? []).map((name, i) => ({ type: "bar", stack: "all", name, color: theme.series[i % 8], data: data.values?.[i] ?? [] })),
  };
}

function scatter(data: ScatterData, theme: Theme): Option {
  const groups = data.groups ?? [];
  return {
    grid: gridOf(),
    tooltip: { ...tooltip(theme, "item"), formatter: (p: { data: { name: string; value: number[] } }) => `${p.data.name}  ${p.data.value.join(", ")}` },
    legend: { bottom: 0, type: "scroll", textStyle: { color: theme.dim } },
    dataZoom: zoom,
    xAxis: valueAxis(theme, data.x_name, data.log_x, { nameGap: 22 }),
    yAxis: valueAxis(theme, data.y_name, data.log_y, { nameGap: 48 }),
    series: groups.map((g, i) => ({
      type: g.joined ? "line" : "scatter",
      name: g.name ?? "",
      color: theme.series[i % 8],
      symbolSize: 7,
      showSymbol: (g.points?.length ?? 0) < 200,
      data: (g.points ?? []).map((p) => ({ name: p.label ?? g.name ?? "", value: [p.x, p.y], itemStyle: p.blamed ? { color: theme.bad } : undefined })),
    })),
  };
}

function graph(data: GraphData, theme: Theme): Option {
  const nodes = data.nodes ?? [];
  const top = Math.max(1e-300, ...nodes.map((n) => n.value));
  return {
    tooltip: tooltip(theme, "item"),
    series: [
      {
        type: "graph",
        layout: "circular",
        roam: true,
        label: { show: true, position: "right", color: theme.text },
        edgeSymbol: ["none", "arrow"],
        lineStyle: { color: theme.line, curveness: 0.1 },
        data: nodes.map((n) => ({
          id: n.id,
          name: n.label ?? n.id,
          value: n.value,
          symbolSize: 10 + 20 * Math.max(0, n.value / top),
          itemStyle: { color: n.blamed ? theme.bad : theme.values[Math.min(8, Math.max(0, Math.floor((9 * n.value) / top)))] },
        })),
        links: (data.edges ?? []).map((e) => ({ source: e.from, target: e.to, value: e.value })),
      },
    ],
  };
}

// null: this kind keeps its static picture (mesh) or its table.
export function optionFor(figure: Figure, theme: Theme): Option | null {
  switch (figure.kind) {
    case "series": return series(figure.data, theme);
    case "heat map": return heatMap(figure.data, theme);
    case "timeline": return timeline(figure.data, theme);
    case "bars": return bars(figure.data, theme);
    case "scatter": return scatter(figure.data, theme);
    case "graph": return graph(figure.data, theme);
    default: return null;
  }
}
