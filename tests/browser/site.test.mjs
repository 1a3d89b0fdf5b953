// The site of ./dev docs, opened from disk: search, pictures, accessibility, no network. Skipped where it was not built.
// Environment: LENTO_SITE (the folder), LENTO_NODE_MODULES (folder with playwright-core and axe-core).
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { after, before, test } from "node:test";

const site = process.env.LENTO_SITE ?? "";
const modules = path.join(process.env.LENTO_NODE_MODULES ?? "", "package.json");
if (!existsSync(path.join(site, "index.html")) || !existsSync(modules) || !existsSync("/usr/bin/chromium")) {
  console.log("skipped: needs the site (./dev docs), playwright-core and /usr/bin/chromium");
  process.exit(77);
}
const require = createRequire(modules);
const { chromium } = require("playwright-core");
const axeSource = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
let browser;

before(async () => {
  browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"] });
});
after(async () => browser?.close());

async function open(name, options = {}) {
  const page = await (await browser.newContext(options)).newPage();
  const problems = [];
  page.on("console", (m) => m.type() === "error" && problems.push(m.text()));
  page.on("pageerror", (e) => problems.push(e.message));
  page.on("request", (r) => r.url().startsWith("http") && problems.push(`network: ${r.url()}`));
  await page.goto(`file://${path.join(site, name)}`);
  return { page, problems };
}

test("search works from the files on disk", async () => {
  for (const [word, wanted] of [["continuity", /glossary|fleet/], ["false sharing", /contention|glossary|performance/]]) {
    const { page, problems } = await open("index.html", { viewport: { width: 1400, height: 900 } });
    await page.click("input.md-search__input");
    await page.keyboard.type(word, { delay: 30 });
    await page.waitForSelector(".md-search-result__item a", { timeout: 15000 });
    const links = await page.$$eval(".md-search-result__item a", (all) => all.map((a) => a.getAttribute("href")));
    assert.ok(links.some((link) => wanted.test(link)), `${word}: ${links}`);
    assert.deepEqual(problems, []);
    await page.context().close();
  }
});

test("each tutorial shows its pictures, at 390 and 1400 px, light and dark, without errors or network", async () => {
  for (const name of readdirSync(path.join(site, "tutorials")).filter((n) => n.endsWith(".html"))) {
    for (const width of [390, 1400]) {
      for (const colorScheme of ["light", "dark"]) {
        const { page, problems } = await open(`tutorials/${name}`, { colorScheme, viewport: { width, height: 900 } });
        const pictures = await page.$$eval("article img", (all) => all.map((i) => ({ width: i.naturalWidth, alt: i.alt })));
        assert.ok(pictures.length >= 1, `${name} has no picture`);
        assert.ok(pictures.every((p) => p.width > 0 && p.alt !== ""), JSON.stringify(pictures));
        const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.ok(over <= 0, `${name}: ${over} px stick out at ${width}`);
        assert.deepEqual(problems, []);
        await page.context().close();
      }
    }
  }
});

test("no link of the site leads nowhere", async () => {
  const missing = [];
  for (const file of readdirSync(site, { recursive: true }).filter((n) => n.endsWith(".html") && !n.startsWith("reports"))) {
    for (const [, target] of readFileSync(path.join(site, file), "utf8").matchAll(/(?:href|src)="([^"#?]+)[^"]*"/g)) {
      if (/^(https?:|mailto:|data:|javascript:)/.test(target)) continue;
      if (!existsSync(path.resolve(path.dirname(path.join(site, file)), decodeURI(target)))) missing.push(`${file}: ${target}`);
    }
  }
  assert.deepEqual(missing.filter((m) => !m.startsWith("404.html")), []);
});

test("the pages of the reader's own text have no serious or moderate fault of accessibility", async () => {
  for (const name of ["index.html", "concepts.html", "tutorials/chip-architect.html", "accuracy.html"]) {
    const { page } = await open(name, { viewport: { width: 1400, height: 900 } });
    await page.evaluate(axeSource);
    const result = await page.evaluate(() => window.axe.run("article"));
    const faults = result.violations.filter((v) => v.impact !== "minor").map((v) => `${v.id}: ${v.nodes[0].html}`);
    assert.deepEqual(faults, [], name);
    await page.context().close();
  }
});
