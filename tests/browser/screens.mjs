// Measures and photographs every page of a folder: at 1100 and 390 px, in light and dark.
// usage: run FOLDER screens.mjs, with PAGES (a folder of *.html) and optionally SCREENS (a folder for the pictures).
// A page passes when its first 1,000 px hold at most 80 words beside the picture's own labels, the whole leading picture
// and what to do next; when no label is cut or leaves its picture; and when nothing sticks out at any width.
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const modules = path.resolve(process.env.LENTO_NODE_MODULES ?? "", "package.json");
const chromiumPath = "/usr/bin/chromium";
if (!process.env.PAGES || !existsSync(modules) || !existsSync(chromiumPath)) {
  console.log("skipped: needs PAGES, playwright-core and /usr/bin/chromium");
  process.exit(77);
}
const { chromium } = createRequire(modules)("playwright-core");
const FOLD = 1000;
const WORDS = 80;
// What one state or one line decides has no picture.
const WITHOUT_PICTURE = new Set(["kubectl.html", "sensors.html", "watchdog.html"]);
const LONGER = { "ranks.html": 100 };  // its sentence says what the step would take without the slow link

// Runs in the page. Words of tables count like any other; labels inside a picture do not.
function measure(fold) {
  const visible = (element) => element.checkVisibility?.({ checkOpacity: true }) ?? true;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let words = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!node.data.trim() || parent.closest("svg, style, script, .skip") || !visible(parent)) continue;
    const range = document.createRange();
    for (const word of node.data.matchAll(/\S+/g)) {
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const box = range.getBoundingClientRect();
      words += box.width > 0 && box.bottom <= fold && /[\p{L}\p{N}]/u.test(word[0]);
    }
  }
  const picture = document.querySelector("figure .picture > svg");
  const next = document.querySelector("[id$='-next']");
  const cut = [];
  for (const text of document.querySelectorAll("svg text")) {
    if (!visible(text)) continue;
    const box = text.getBoundingClientRect();
    const frame = text.ownerSVGElement.getBoundingClientRect();
    const out = box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1;
    if (out || text.textContent.endsWith("…")) cut.push(text.textContent);
  }
  const root = document.documentElement;
  return {
    words,
    picture: picture ? Math.round(picture.getBoundingClientRect().bottom) : null,
    next: next ? Math.round(next.getBoundingClientRect().bottom) : null,
    cut,
    calm: !document.querySelector(".verdict.bad"),  // an all-clear lists what would have been named
    overflow: root.scrollWidth - root.clientWidth,
  };
}

function faultsOf(m, width, limit, wantsPicture) {
  const faults = [];
  if (m.cut.length) faults.push(`labels cut: ${m.cut.slice(0, 3).join(", ")}`);
  if (m.overflow > 0) faults.push(`${m.overflow} px stick out`);
  if (width < 1000) return faults;
  if (m.words > limit && !m.calm) faults.push(`${m.words} words before the fold`);
  if (wantsPicture && (m.picture === null || m.picture > FOLD)) faults.push(m.picture ? `the picture ends at ${m.picture} px` : "no picture");
  if (m.next !== null && m.next > FOLD) faults.push("what to do next is below the fold");
  return faults;
}

const pages = readdirSync(process.env.PAGES).filter((name) => name.endsWith(".html")).sort();
if (process.env.SCREENS) mkdirSync(process.env.SCREENS, { recursive: true });
const browser = await chromium.launch({ executablePath: chromiumPath, args: ["--no-sandbox", "--disable-gpu"] });
let bad = 0;
for (const name of pages) {
  for (const width of [1100, 390]) {
    for (const colorScheme of ["light", "dark"]) {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: FOLD } });
      const page = await context.newPage();
      await page.goto(`file://${path.resolve(process.env.PAGES, name)}`);
      const measured = await page.evaluate(measure, FOLD);
      const faults = faultsOf(measured, width, LONGER[name] ?? WORDS, !WITHOUT_PICTURE.has(name));
      bad += faults.length > 0;
      if (colorScheme === "light" || faults.length)
        console.log(`${name} ${width} ${colorScheme}: ${measured.words} words, picture to ${measured.picture} px${faults.map((f) => `; FAULT ${f}`).join("")}`);
      if (process.env.SCREENS)
        await page.screenshot({ path: path.join(process.env.SCREENS, `${name.slice(0, -5)}-${width}-${colorScheme}.png`) });
      await context.close();
    }
  }
}
await browser.close();
console.log(`${pages.length} pages, ${bad} of ${4 * pages.length} screens with a fault`);
process.exit(bad ? 1 : 0);
