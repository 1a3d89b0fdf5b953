// The page of `lento serve`: the diagnoses of a folder, opened, compared, followed while they change.
"use strict";
(() => {
  const list = document.getElementById("list");
  const state = document.getElementById("state");
  const view = document.getElementById("view");
  const compare = document.getElementById("compare");
  const filter = document.getElementById("filter");
  const grouped = document.getElementById("grouped");
  const token = new URLSearchParams(location.search).get("token");
  const chosen = new Set();
  let entries = [];
  let seen = "";
  let opened = null;

  function address(path, more = {}) {
    const search = new URLSearchParams(more);
    if (token) search.set("token", token);
    return search.size ? `${path}?${search}` : path;
  }

  function cell(row, content) {
    const td = row.insertCell();
    td.append(content);
    return td;
  }

  function show(entry) {
    opened = entry;
    view.hidden = false;
    view.title = entry.title ?? entry.name;
    view.src = address(`report/${encodeURIComponent(entry.name)}`);
    history.replaceState(null, "", `#${encodeURIComponent(entry.name)}`);  // a link that opens this report
  }

  function chooser(entry) {
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
    return box;
  }

  function rowFor(entry) {
    const row = document.createElement("tr");
    cell(row, chooser(entry));
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = entry.name;
    button.disabled = entry.error !== undefined;
    button.addEventListener("click", () => show(entry));
    cell(row, button);
    cell(row, entry.scale ?? "");
    cell(row, entry.error ?? entry.verdict ?? "").className = entry.error ? "error" : "";
    cell(row, entry.much ?? "");
    cell(row, entry.findings === undefined ? "" : String(entry.findings));
    cell(row, new Date(entry.modified * 1000).toISOString().slice(0, 19).replace("T", " "));
    return row;
  }

  const severity = (entry) => entry.severity ?? 0.4;  // what cannot be read comes after what cannot be judged
  const worstFirst = (a, b) => severity(b) - severity(a) || b.modified - a.modified || a.name.localeCompare(b.name);

  // Runs of one scale and title, such as the verdicts on one job, stand together. The worst comes first, groups and runs alike.
  function groupsOf(matching) {
    const groups = new Map();
    for (const entry of matching) {
      const key = entry.error ? "cannot be read" : `${entry.scale}: ${entry.title || entry.scale}`;
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(entry);
    }
    return groups;
  }

  function headFor(name, runs) {
    const row = document.createElement("tr");
    row.className = "group";
    const head = document.createElement("th");
    head.colSpan = 7;
    head.scope = "rowgroup";
    const count = document.createElement("span");
    const found = runs.filter((run) => run.findings > 0).length;
    count.textContent = ` ${runs.length} ${runs.length === 1 ? "run" : "runs"}, ${found} with findings`;
    head.append(name, count);
    row.append(head);
    return row;
  }

  function rowsOf(matching) {
    if (!grouped.checked) return matching.map(rowFor);
    return [...groupsOf(matching)].flatMap(([name, runs]) => [headFor(name, runs), ...runs.map(rowFor)]);
  }

  function render() {
    const wanted = filter.value.toLowerCase();
    const matching = [...entries].sort(worstFirst).filter((e) => `${e.name} ${e.scale} ${e.title} ${e.verdict}`.toLowerCase().includes(wanted));
    list.replaceChildren(...rowsOf(matching));
    state.textContent = `${matching.length} of ${entries.length} diagnoses`;
  }

  // Asks every two seconds; the server answers 304 while nothing changed.
  async function refresh() {
    try {
      const headers = seen ? { "If-None-Match": seen } : {};
      const answer = await fetch(address("api/diagnoses"), { headers, cache: "no-store" });
      if (answer.status === 200) {
        seen = answer.headers.get("ETag") ?? "";
        entries = await answer.json();
        render();
        const linked = entries.find((e) => e.name === decodeURIComponent(location.hash.slice(1)));
        if (linked && !opened) show(linked);
        const fresh = entries.find((e) => e.name === opened?.name);
        if (fresh && fresh.modified !== opened.modified) show(fresh);
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
  grouped.addEventListener("change", render);
  void refresh();
})();
