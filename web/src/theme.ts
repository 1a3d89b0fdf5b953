// Colours come from the page's style sheet, so that charts follow dark and light like the static pictures.
export interface Theme {
  text: string;
  dim: string;
  line: string;
  card: string;
  bad: string;
  band: string;
  values: string[];
  series: string[];
}

export function readTheme(): Theme {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  return {
    text: colour("--fg"),
    dim: colour("--dim"),
    line: colour("--line"),
    card: colour("--card"),
    bad: colour("--bad"),
    band: colour("--band"),
    values: Array.from({ length: 9 }, (_, i) => colour(`--q${i}`)),
    series: Array.from({ length: 8 }, (_, i) => colour(`--s${i}`)),
  };
}
