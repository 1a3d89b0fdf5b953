// The Diagnosis as `lento ... --json` writes it (docs/formats/diagnosis.md). Empty members are left out.
export interface Finding {
  subject: string;
  category?: string;
  summary?: string;
  score?: number;
  factor?: number;
}

export interface MeshData {
  width: number;
  height: number;
  value_name?: string;
  cores?: { x: number; y: number; value: number; label?: string }[];
  links?: { from_x: number; from_y: number; to_x: number; to_y: number; value: number }[];
  blamed?: string[];
}
export interface HeatMapData {
  rows: string[];
  columns: number[];
  x_name?: string;
  value_name?: string;
  values: (number | null)[];
  blamed?: string[];
}
export interface SeriesData {
  x_name?: string;
  y_name?: string;
  log_x?: boolean;
  log_y?: boolean;
  bands?: { name?: string; x?: number[]; low?: number[]; high?: number[] }[];
  lines?: { name?: string; x?: number[]; y?: (number | null)[]; blamed?: boolean; dashed?: boolean }[];
  marks?: number[];
}
export interface TimelineData {
  x_name?: string;
  spans?: { track: string; begin: number; end: number; label?: string; blamed?: boolean }[];
}
export interface BarsData {
  categories?: string[];
  series?: string[];
  values?: (number | null)[][];
  y_name?: string;
}
export interface GraphData {
  value_name?: string;
  nodes?: { id: string; label?: string; value: number; blamed?: boolean }[];
  edges?: { from: string; to: string; value: number }[];
}
export interface ScatterData {
  x_name?: string;
  y_name?: string;
  log_x?: boolean;
  log_y?: boolean;
  groups?: { name?: string; joined?: boolean; points?: { x: number; y: number; label?: string; blamed?: boolean }[] }[];
}

export type Figure = { title?: string; caption?: string } & (
  | { kind: "mesh"; data: MeshData }
  | { kind: "heat map"; data: HeatMapData }
  | { kind: "series"; data: SeriesData }
  | { kind: "timeline"; data: TimelineData }
  | { kind: "bars"; data: BarsData }
  | { kind: "graph"; data: GraphData }
  | { kind: "scatter"; data: ScatterData }
  | { kind: "table"; data: unknown }
);
