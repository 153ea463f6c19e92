// Measures the page in a browser: the first paint, the time from a slider to the new list, and frames while dragging.
// Processor time is measured too, since it hardly depends on what else runs. scripts/measure-page runs it.

import { readFileSync } from "node:fs";
import { openPage, packTask, startBrowser, startServer } from "./support.mjs";

const [repo, task = "why does a queryset with distinct and order_by return duplicates?"] = process.argv.slice(2);
const ROUNDS = 30;
const VISITS = 10;
/** Duration of a clock tick in /proc, the same on every Linux. */
const TICK_MS = 10;

const server = await startServer([repo]);
const browser = await startBrowser();
try {
  const paints = [];
  for (let round = 0; round < VISITS; round += 1) {
    const page = await openPage(browser, server.address);
    paints.push(await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime));
    await page.context().close();
  }
  const page = await openPage(browser, server.address);
  await packTask(page, { task, budget: "16000", repo: await page.inputValue("#repo") });
  const client = await page.context().newCDPSession(page);
  await client.send("Performance.enable", { timeDomain: "threadTicks" });
  const moves = await measured(client, (round) => page.evaluate(moveSlider, 100 + 5 * round));
  const releases = await measured(client, (round) => page.evaluate(releaseSlider, 250 - 5 * round));
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
  print("Budget slider moved to the preview painted", moves.times.map(({ all }) => all));
  print("of which after the server's response", moves.times.map(({ page: own }) => own));
  print("Budget slider released to the new pack painted", releases.times);
  print("Script and layout of a frame while a weight is dragged", frames);
  for (const [name, { server: ofServer, page: ofPage }] of [["preview", moves], ["pack", releases]]) {
    console.log(`CPU time of a ${name}: server ${ofServer.toFixed(1)} ms, main thread of the page ${ofPage.toFixed(1)} ms`);
  }
} finally {
  await browser.close();
  await server.stop();
}

/** Runs a measurement repeatedly. Returns its times, and the mean CPU time that a round cost the server and the page. */
async function measured(client, run) {
  const serverTime = () => {
    const fields = readFileSync(`/proc/${server.pid}/stat`, "utf8").split(") ")[1].split(" ");
    return TICK_MS * (Number(fields[11]) + Number(fields[12]));
  };
  const pageTime = async () => 1000 * (await client.send("Performance.getMetrics")).metrics.find(({ name }) => name === "TaskDuration").value;
  const before = [serverTime(), await pageTime()];
  const times = [];
  for (let round = 0; round < ROUNDS; round += 1) times.push(await run(round));
  return { times, server: (serverTime() - before[0]) / ROUNDS, page: ((await pageTime()) - before[1]) / ROUNDS };
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

/** Moves the budget slider and releases it, and returns the time from the release until the pack is painted. */
function releaseSlider(step) {
  const slider = document.getElementById("budget-slider");
  const result = document.getElementById("result");
  const before = result.dataset.pack;
  slider.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
  slider.value = String(step);
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  const start = performance.now();
  window.dispatchEvent(new PointerEvent("pointerup", { bubbles: true }));
  return new Promise((resolve) => {
    const check = () => (result.dataset.pack !== before && result.getAttribute("aria-busy") === "false"
      ? requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - start)))
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
