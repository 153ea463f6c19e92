// Measures the page in a browser: the first paint, the time from a slider to the new list, and frames while dragging.
// scripts/measure-page runs it.

import { openPage, packTask, startBrowser, startServer } from "./support.mjs";

const [repo, task = "why does a queryset with distinct and order_by return duplicates?"] = process.argv.slice(2);
const ROUNDS = 30;

const server = await startServer([repo]);
const browser = await startBrowser();
try {
  const paints = [];
  for (let round = 0; round < 5; round += 1) {
    const page = await openPage(browser, server.address);
    paints.push(await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime));
    await page.context().close();
  }
  const page = await openPage(browser, server.address);
  await packTask(page, { task, budget: "16000", repo: await page.inputValue("#repo") });
  const waits = [];
  for (let round = 0; round < ROUNDS; round += 1) waits.push(await page.evaluate(moveSlider, 100 + 5 * round));
  await page.evaluate(startFrames);
  const box = await page.locator("#weight-recency").boundingBox();
  await page.mouse.move(box.x + 8, box.y + box.height / 2);
  await page.mouse.down();
  for (let step = 0; step < 120; step += 1) {
    await page.mouse.move(box.x + 8 + ((box.width - 16) * step) / 120, box.y + box.height / 2);
    await page.waitForTimeout(16);
  }
  const frames = await page.evaluate(() => globalThis.frames_);
  await page.mouse.up();
  print("First contentful paint", paints);
  print("Budget slider moved to new list painted", waits.map(({ all }) => all));
  print("of which after the server's response", waits.map(({ page: own }) => own));
  print("Script and layout of a frame while a weight is dragged", frames);
} finally {
  await browser.close();
  await server.stop();
}

/** Moves the budget slider, and returns the time until the preview of that budget is painted. */
function moveSlider(step) {
  const slider = document.getElementById("budget-slider");
  const result = document.getElementById("result");
  const before = result.dataset.preview;
  slider.value = String(step);
  const start = performance.now();
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  const times = () => {
    const previews = performance.getEntriesByType("resource").filter(({ name }) => name.endsWith("/v1/preview"));
    const end = performance.now();
    performance.clearResourceTimings();
    return { all: end - start, page: end - (previews.at(-1)?.responseEnd ?? start) };
  };
  return new Promise((resolve) => {
    const check = () => (result.dataset.preview && result.dataset.preview !== before
      ? requestAnimationFrame(() => setTimeout(() => resolve(times())))
      : requestAnimationFrame(check));
    check();
  });
}

/** Records how long each frame keeps the main thread: from its first callback until the next task can run. */
function startFrames() {
  globalThis.frames_ = [];
  const channel = new MessageChannel();
  let start = 0;
  channel.port1.onmessage = () => {
    globalThis.frames_.push(performance.now() - start);
    requestAnimationFrame(next);
  };
  const next = () => {
    start = performance.now();
    channel.port2.postMessage(null);
  };
  new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => globalThis.frames_.push(duration))).observe({ type: "longtask" });
  requestAnimationFrame(next);
}

function print(name, values) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))].toFixed(1);
  console.log(`| ${name} | ${at(0)} ms | ${at(0.5)} ms | ${at(0.95)} ms | ${at(1)} ms |`);
}
