// The page of `lento serve`: the diagnoses of a folder, opened, compared, followed while they change.
interface Entry {
  name: string;
  modified: number;
  scale?: string;
  title?: string;
  verdict?: string;
  findings?: number;
  error?: string;
}

const list = document.getElementById("list") as HTMLTableSectionElement;
const state = document.getElementById("state") as HTMLElement;
const view = document.getElementById("view") as HTMLIFrameElement;
const compare = document.getElementById("compare") as HTMLButtonElement;
const filter = document.getElementById("filter") as HTMLInputElement;
const query = new URLSearchParams(location.search);
const token = query.get("token");
const chosen = new Set<string>();
let entries: Entry[] = [];
let seen = "";
let opened: Entry | null = null;

function address(path: string, more: Record<string, string> = {}): string {
  const search = new URLSearchParams(more);
  if (token) search.set("token", token);
  return search.size ? `${path}?${search}` : path;
}

function cell(row: HTMLTableRowElement, content: string | Node): HTMLTableCellElement {
  const td = row.insertCell();
  td.append(content);
  return td;
}

function show(entry: Entry): void {
  opened = entry;
  view.hidden = false;
  view.title = entry.title ?? entry.name;
  view.src = address(`report/${encodeURIComponent(entry.name)}`);
}

function rowFor(entry: Entry): HTMLTableRowElement {
  const row = document.createElement("tr");
  const box = document.createElement("input");
  box.type = "checkbox";
  box.checked = chosen.has(entry.name);
  box.disabled = entry.error !== undefined;
  box.setAttribute("aria-label", `Choose ${entry.name} for comparison`);
  box.addEventListener("change", () => {
    if (box.checked) chosen.add(entry.name);
    else chosen.delete(entry.name);
    compare.disabled = chosen.size !== 2;
  });
  cell(row, box);
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = entry.name;
  button.disabled = entry.error !== undefined;
  button.addEventListener("click", () => show(entry));
  cell(row, button);
  cell(row, entry.scale ?? "");
  cell(row, entry.error ?? entry.verdict ?? "").className = entry.error ? "error" : "";
  cell(row, entry.findings === undefined ? "" : String(entry.findings));
  cell(row, new Date(entry.modified * 1000).toLocaleString());
  return row;
}

function render(): void {
  const wanted = filter.value.toLowerCase();
  const matching = entries.filter((e) => `${e.name} ${e.scale} ${e.title} ${e.verdict}`.toLowerCase().includes(wanted));
  list.replaceChildren(...matching.map(rowFor));
  state.textContent = `${matching.length} of ${entries.length} diagnoses`;
}

// Asks every two seconds; the server answers 304 while nothing changed.
async function refresh(): Promise<void> {
  try {
    const headers: Record<string, string> = seen ? { "If-None-Match": seen } : {};
    const answer = await fetch(address("api/diagnoses"), { headers, cache: "no-store" });
    if (answer.status === 200) {
      seen = answer.headers.get("ETag") ?? "";
      entries = (await answer.json()) as Entry[];
      render();
      const fresh = entries.find((e) => e.name === opened?.name);
      if (fresh && opened && fresh.modified !== opened.modified) show(fresh);
    } else if (answer.status !== 304) {
      state.textContent = `The server answers ${answer.status}`;
    }
  } catch {
    state.textContent = "The server does not answer; trying again";
  }
  setTimeout(refresh, 2000);
}

compare.addEventListener("click", () => {
  const [a, b] = [...chosen];
  opened = null;
  view.hidden = false;
  view.title = `${a} compared with ${b}`;
  view.src = address("diff", { a, b });
});
filter.addEventListener("input", render);
void refresh();
export {};
