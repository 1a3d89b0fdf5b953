// Reports and `lento serve` in a real browser (Debian's Chromium through playwright-core).
// Environment: LENTO (the program), LENTO_NODE_MODULES (folder with playwright-core and axe-core).
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const lento = process.env.LENTO;
const modules = path.join(process.env.LENTO_NODE_MODULES ?? "", "package.json");
const chromiumPath = "/usr/bin/chromium";
if (!lento || !existsSync(modules) || !existsSync(chromiumPath)) {
  console.log("skipped: needs LENTO, playwright-core and /usr/bin/chromium");
  process.exit(77);
}
const require = createRequire(modules);
const { chromium } = require("playwright-core");
const axeSource = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const folder = mkdtempSync(path.join(tmpdir(), "lento-browser-"));
const sample = path.join(here, "../../fuzz/seeds/diagnosis/all_figures.json");
let browser;

before(async () => {
  browser = await chromium.launch({
    executablePath: chromiumPath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync", "--no-first-run"],
  });
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

function makeReport(source, name) {
  const target = path.join(folder, name);
  const run = spawnSync(lento, ["report", source, "--html", target], { encoding: "utf8", maxBuffer: 1 << 28 });
  assert.equal(run.status, 0, run.stderr);
  return target;
}

async function openPage(url, options = {}) {
  const page = await (await browser.newContext(options)).newPage();
  const problems = [];
  page.on("console", (m) => m.type() === "error" && problems.push(m.text()));
  page.on("pageerror", (e) => problems.push(e.message));
  const requests = [];
  page.on("request", (r) => r.url() !== url && requests.push(r.url()));
  await page.goto(url);
  return { page, problems, requests };
}

async function scrollThrough(page) {
  for (let y = 0; y < (await page.evaluate(() => document.body.scrollHeight)); y += 500) {
    await page.evaluate((to) => scrollTo(0, to), y);
    await page.waitForTimeout(60);
  }
}

// Serious and moderate faults of accessibility.
async function violations(page) {
  await page.evaluate(axeSource);
  const result = await page.evaluate(() => window.axe.run());
  return result.violations.filter((v) => v.impact !== "minor").map((v) => `${v.id}: ${v.nodes[0].html}`);
}

const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

test("every kind of figure, at 390 and 1400 px, in light and dark: no errors, no requests, nothing sticks out", async () => {
  const report = makeReport(sample, "all.html");
  for (const width of [390, 1400]) {
    for (const colorScheme of ["light", "dark"]) {
      const { page, problems, requests } = await openPage(`file://${report}`, { colorScheme, viewport: { width, height: 900 } });
      await scrollThrough(page);
      const drawn = await page.$$eval("figure[data-drawn=yes] svg", (all) => all.length);
      assert.ok(drawn >= 6, `${drawn} pictures answer`);
      assert.deepEqual(problems, []);
      assert.deepEqual(requests, []);
      assert.deepEqual(await violations(page), []);
      assert.ok((await overflow(page)) <= 0, `${await overflow(page)} px stick out at ${width}`);
      await page.context().close();
    }
  }
});

test("the keyboard moves over the mesh and zooms a chart; charts of one axis zoom together", async () => {
  const source = path.join(folder, "axis.json");
  const line = (name) => ({ title: name, kind: "series", data: { x_name: "time (s)", y_name: "W", marks: [50], lines: [{ name, x: [0, 50, 100], y: [1, 3, 2], blamed: name === "a" }] } });
  writeFileSync(source, JSON.stringify({
    ...JSON.parse(readFileSync(sample, "utf8")), figures: [JSON.parse(readFileSync(sample, "utf8")).figures[0], line("a"), line("b")],
    findings: [{ subject: "m", category: "slow", when: { begin: 40, end: 60, unit: "s" } }],
  }));
  const { page, problems } = await openPage(`file://${makeReport(source, "axis.html")}`);
  await page.focus("figure .picture >> nth=0");
  await page.keyboard.press("ArrowRight");
  assert.notEqual(await page.textContent("figure [aria-live]"), "Point at a core or link.");
  await page.click("details.more > summary");  // further pictures are folded
  const boxes = () => page.$$eval("svg.plot", (all) => all.map((plot) => plot.getAttribute("viewBox")));
  const before = await boxes();
  await page.focus("figure .picture >> nth=1");
  await page.keyboard.press("+");
  const zoomed = await boxes();
  assert.notEqual(zoomed[0], before[0]);
  assert.equal(zoomed[1], zoomed[0]);
  await page.keyboard.press("0");
  assert.deepEqual(await boxes(), before);
  await page.click("text=Show in the charts");
  const [left, , width] = (await boxes())[0].split(" ").map(Number);
  const [from, , whole] = before[0].split(" ").map(Number);
  assert.ok(Math.abs((left - from) / whole - 0.34) < 0.02 && Math.abs(width / whole - 0.32) < 0.02, `${left} ${width} of ${from} ${whole}`);
  await page.hover("figure .picture >> nth=1");
  assert.match(await page.textContent(".tip"), /time \(s\): 4\d(\.\d+)?\na: 3$/);
  await page.click("a.anchor");
  assert.match(page.url(), /#finding-1$/);
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("without scripts verdict, findings, pictures and tables are there, also on a small screen", async () => {
  const { page } = await openPage(`file://${path.join(folder, "all.html")}`, { javaScriptEnabled: false, viewport: { width: 360, height: 700 } });
  assert.ok((await page.textContent(".verdict")).length > 0);
  assert.ok((await page.$$("article.finding")).length >= 1);
  assert.ok((await page.$$("figure svg")).length >= 7);
  assert.ok((await page.$$("details table")).length >= 7);
  assert.ok((await overflow(page)) <= 0);
  await page.context().close();
});

test("a 10,000-machine heat map and a 64x64 mesh stay under 10 MB and open", async () => {
  const rows = Array.from({ length: 10000 }, (_, i) => `machine-${i}`);
  const columns = Array.from({ length: 900 }, (_, i) => i);
  const values = new Array(9e6);
  for (let i = 0; i < values.length; i++) values[i] = (i * 2654435761) % 100;
  const cores = [];
  const links = [];
  for (let y = 0; y < 64; y++) {
    for (let x = 0; x < 64; x++) {
      cores.push({ x, y, value: (x * y) % 17, label: `core${y * 64 + x}` });
      if (x < 63) links.push({ from_x: x, from_y: y, to_x: x + 1, to_y: y, value: x % 5 });
      if (y < 63) links.push({ from_x: x, from_y: y, to_x: x, to_y: y + 1, value: y % 5 });
    }
  }
  const big = {
    schema: "lento.diagnosis/1", scale: "fleet", title: "big", verdict: "machine-777 is slow",
    figures: [
      { title: "fleet", kind: "heat map", data: { rows, columns, x_name: "s", value_name: "W", values, blamed: ["machine-777"] } },
      { title: "mesh", kind: "mesh", data: { width: 64, height: 64, value_name: "x", cores, links } },
    ],
  };
  const source = path.join(folder, "big.json");
  writeFileSync(source, JSON.stringify(big));
  const report = makeReport(source, "big.html");
  assert.ok(statSync(report).size <= 10e6, `${statSync(report).size} bytes`);
  const begin = Date.now();
  const { page, problems } = await openPage(`file://${report}`);
  const paint = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? -1);
  console.log(`# big report: ${statSync(report).size} bytes, first paint ${Math.round(paint)} ms, loaded ${Date.now() - begin} ms`);
  await scrollThrough(page);
  for (const [what, target] of [["mesh", "figure .picture >> nth=1"], ["heat map", "figure .picture >> nth=0"]]) {
    await page.focus(target);
    const ms = await page.evaluate(async (key) => {
      const begin = performance.now();
      document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
      await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
      return performance.now() - begin;
    }, what === "mesh" ? "ArrowRight" : "+");
    console.log(`# big report: a key on the ${what} is drawn after ${Math.round(ms)} ms`);
  }
  assert.deepEqual(problems, []);
  assert.ok((await page.textContent("body")).includes("machine-777"));
  await page.context().close();
});

test("the tour tells every scale on one page", async () => {
  const page_file = path.join(folder, "tour.html");
  const run = spawnSync(lento, ["demo", "--folder", path.join(folder, "tour"), "--html", page_file], { encoding: "utf8" });
  assert.equal(run.status, 0, run.stderr);
  assert.match(run.stdout, /named the machine and the link/);
  const { page, problems } = await openPage(`file://${page_file}`);
  await scrollThrough(page);
  assert.ok((await page.$$("section.chapter")).length >= 4);
  assert.ok((await page.$$("section.chapter pre.commands")).length >= 4);
  assert.ok(statSync(page_file).size <= 700e3, `the tour takes ${statSync(page_file).size} bytes`);
  assert.deepEqual(problems, []);
  assert.deepEqual(await violations(page), []);
  await page.context().close();
});

test("a page of one table stays under 250 KB", async () => {
  const target = path.join(folder, "gemm.html");
  const run = spawnSync(lento, ["predict", path.join(here, "../../examples/predict/gemm.yaml"), "--system", "h100", "--html", target], { encoding: "utf8" });
  assert.equal(run.status, 0, run.stderr);
  assert.ok(statSync(target).size <= 250e3, `${statSync(target).size} bytes`);
});

test("serve lists, opens, filters and compares", async () => {
  const one = JSON.parse(readFileSync(sample, "utf8"));
  writeFileSync(path.join(folder, "one.json"), JSON.stringify(one));
  writeFileSync(path.join(folder, "two.json"), JSON.stringify({ ...one, findings: [], verdict: "all well" }));
  const server = spawn(lento, ["serve", folder, "--port", "0"]);
  try {
    const line = await new Promise((done) => server.stdout.once("data", (d) => done(String(d))));
    const url = line.match(/http:\S+/)[0];
    const { page, problems } = await openPage(url);
    await page.waitForSelector("#list tr");
    assert.deepEqual(await violations(page), []);
    const heads = await page.$$eval("#list tr.group", (all) => all.map((row) => row.textContent));
    const runs = await page.$$eval("#list tr:not(.group)", (all) => all.length);
    assert.ok(heads.length >= 1 && heads.length < runs, `${heads.length} groups of ${runs} runs`);
    assert.ok(heads.some((text) => /[2-9] runs, [1-9] with findings/.test(text)), heads.join("; "));
    await page.uncheck("#grouped");
    assert.equal(await page.$$eval("#list tr.group", (all) => all.length), 0);
    await page.check("#grouped");
    await page.fill("#filter", "all well");
    assert.equal(await page.$$eval("#list tr:not(.group)", (r) => r.length), 1);
    await page.click("#list button");
    await page.waitForFunction(() => document.getElementById("view").src.includes("report/two.json"));
    await page.fill("#filter", "");
    await page.check("[aria-label='Choose one.json for comparison']");
    await page.check("[aria-label='Choose two.json for comparison']");
    await page.click("#compare");
    await page.waitForFunction(() => document.getElementById("view").src.includes("/diff?"));
    assert.deepEqual(problems, []);
  } finally {
    server.kill("SIGINT");
  }
});

test("serve follows a diagnosis that is being rewritten", async () => {
  const one = JSON.parse(readFileSync(sample, "utf8"));
  const watched = path.join(folder, "watch.json");
  writeFileSync(watched, JSON.stringify({ ...one, findings: [], verdict: "No machine deviates." }));
  const server = spawn(lento, ["serve", folder, "--port", "0"]);
  try {
    const line = await new Promise((done) => server.stdout.once("data", (d) => done(String(d))));
    const { page, problems } = await openPage(line.match(/http:\S+/)[0]);
    await page.waitForSelector("#list tr");
    await page.fill("#filter", "watch.json");
    await page.click("#list button");
    const view = page.frameLocator("#view");
    await view.getByText("No machine deviates.").first().waitFor();
    await page.waitForTimeout(1100); // times of files are told in seconds
    writeFileSync(watched + ".new", JSON.stringify({ ...one, verdict: "machine-7 deviates." }));
    renameSync(watched + ".new", watched);
    await view.getByText("machine-7 deviates.").first().waitFor({ timeout: 8000 });
    assert.match(await page.textContent("#list"), /machine-7 deviates/);
    assert.deepEqual(problems, []);
  } finally {
    server.kill("SIGINT");
  }
});
