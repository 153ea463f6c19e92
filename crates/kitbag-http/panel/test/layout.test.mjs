// Layout: what is visible without scrolling, and that nothing is cut off.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { makeKitbag, makeShop } from "./fixture.mjs";
import { AXE, newPack, assertAccessible, packByApi, packTask, startSuite } from "./support.mjs";

const { PANEL_HOME, PANEL_ROOT } = process.env;
const axe = readFileSync(AXE, "utf8");
const all = startSuite(() => [makeShop(PANEL_HOME), makeKitbag(PANEL_HOME, PANEL_ROOT)]);
const { withPage } = all;
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, reducedMotion: "reduce" };

/** Returns for each element whether it is within the window. */
const inViewport = (page, selector) => page.locator(selector).evaluateAll((found) => found.map((element) => {
  const { top, bottom, left, right } = element.getBoundingClientRect();
  return top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth;
}));

test("fifteen rows and more are visible in 900 pixels", () => withPage({}, async (page) => {
  await packTask(page, { repo: "kitbag", budget: "20k", task: "how does selection keep a pack within its budget?" });
  await page.click("#tab-excluded");
  const visible = (await inViewport(page, ".chunks tbody tr")).filter(Boolean).length;
  assert.ok(visible >= 15, `${visible}`);
}));

test("providers are not cut off, and none moves after a pack", () => withPage({}, async (page) => {
  const names = await page.locator("#providers > .switches .switch-name").allTextContents();
  assert.deepEqual([...names].sort(), ["diagnostics", "diff", "history", "overview", "rules", "search", "style", "tree"]);
  assert.equal(await page.isVisible("#provider-document"), false);
  assert.match(await page.textContent("#providers .fold summary"), /8 providers without input/);
  await packTask(page);
  assert.match(await page.textContent("label.switch:has(#provider-search)"), /\d/);
  await page.click("#providers .fold summary");
  assert.equal(await page.isVisible("#provider-document"), true);
  const isCut = await page.locator("#provider-document").evaluate((it) => {
    it.scrollIntoView({ block: "center" });
    const { left, top, width, height } = it.getBoundingClientRect();
    return !it.parentElement.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  });
  assert.equal(isCut, false);
  await assertAccessible(page, axe, "expanded");
}));

test("the page does not move while a slider does", () => withPage({}, async (page) => {
  await packTask(page, { budget: "3000" });
  const tops = () => page.evaluate(() => [".bar", ".legend", ".tabs", ".chunks"].map((it) => document.querySelector(it).getBoundingClientRect().top));
  await page.fill("#weight-recency", "40");
  await page.waitForSelector("#changes-summary");
  const before = await tops();
  await page.fill("#weight-recency", "90");
  await page.waitForFunction(() => document.querySelector("#weight-recency").value === "90" && document.getElementById("result").dataset.pack);
  assert.deepEqual(await tops(), before);
}));

for (const width of [390, 768, 1024, 1440, 1920]) {
  test(`columns are above their values, and nothing overflows at ${width}`, () => withPage({ viewport: { width, height: 900 } }, async (page) => {
    await packTask(page, { repo: "kitbag", budget: "20k", task: "how does selection keep a pack within its budget?" });
    const offsets = await page.evaluate(() => [...document.querySelectorAll(".chunks thead th")].map((head, index) => {
      const cell = document.querySelector(`.chunks tbody tr td:nth-child(${index + 1})`).getBoundingClientRect();
      const { left, right } = head.getBoundingClientRect();
      return Math.round(Math.abs(left - cell.left) + Math.abs(right - cell.right));
    }));
    assert.ok(offsets.length >= 4 && offsets.every((offset) => offset <= 1), offsets.join());
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth), 0);
  }));
}

test("files of the same name can be told apart, and no folder is cut off", () => withPage({}, async (page) => {
  await packTask(page, { repo: "kitbag", budget: "30k", task: "how does selection keep a pack within its budget?" });
  const [names, cut] = await page.evaluate(() => {
    const rows = [...document.querySelectorAll(".chunks tbody tr")];
    const isCut = (folder) => {
      const [box, name] = [folder.getBoundingClientRect(), folder.firstElementChild.getBoundingClientRect()];
      return name.top < box.bottom - 2 && name.right > box.right + 1;
    };
    return [
      rows.map((row) => [row.querySelector(".where").title.replace(/:.*/, ""), [".parent", ".file"].map((part) => row.querySelector(part)?.textContent ?? "").join("")]),
      rows.map((row) => row.querySelector(".folder")).filter((folder) => folder && isCut(folder)).length,
    ];
  });
  const paths = new Map();
  for (const [path, name] of names) paths.set(name, new Set([...(paths.get(name) ?? []), path]));
  assert.ok(names.some(([, name]) => name.includes("/")), "some files have the same name");
  assert.ok([...paths.values()].every((found) => found.size === 1));
  assert.equal(cut, 0);
}));

test("the tools above the text are in one row", () => withPage({}, async (page) => {
  await packTask(page);
  await page.click("#tab-text");
  const tops = await page.evaluate(() => ["#find", "#jump", "#copy", "#download"].map((it) => Math.round(document.querySelector(it).getBoundingClientRect().top)));
  assert.ok(Math.max(...tops) - Math.min(...tops) <= 4, tops.join());
}));

test("eighty columns of code fit at 1440", () => withPage({}, async (page) => {
  await packTask(page, { repo: "kitbag", budget: "8k", task: "how does selection keep a pack within its budget?" });
  await page.waitForSelector(".line");
  const columns = await page.locator(".line-box").evaluate((box) => {
    const range = document.createRange();
    const text = [...box.querySelectorAll(".line code")].map((code) => code.firstChild).find((node) => node instanceof Text && node.length > 1);
    range.setStart(text, 0);
    range.setEnd(text, 1);
    return (box.clientWidth - box.querySelector(".line-number").offsetWidth) / range.getBoundingClientRect().width;
  });
  assert.ok(columns >= 80, `${columns}`);
}));

test("line wrapping can be toggled and is remembered", () => withPage({}, async (page) => {
  await packTask(page, { repo: "kitbag", budget: "8k", task: "how does selection keep a pack within its budget?" });
  await page.waitForSelector(".line");
  await page.setViewportSize({ width: 1120, height: 900 });
  const overflow = () => page.locator(".line-box").evaluate((box) => box.scrollWidth - box.clientWidth);
  assert.ok((await overflow()) > 0);
  await page.click(".wrap");
  assert.equal(await overflow(), 0);
  await page.reload();
  await page.waitForSelector(".line");
  assert.equal(await page.getAttribute(".wrap", "aria-pressed"), "true");
  await page.keyboard.press("l");
  assert.ok((await overflow()) > 0);
}));

test("the code is wide enough, and can be resized", () => withPage({}, async (page) => {
  await packTask(page);
  const width = () => page.locator(".code").evaluate((code) => code.getBoundingClientRect().width);
  // The page renders after the event, so a width that follows from it is waited for.
  const widthIn = (low, high) =>
    page.waitForFunction(([low, high]) => {
      const { width } = document.querySelector(".code").getBoundingClientRect();
      return width > low && width < high;
    }, [low, high]);
  const initial = await width();
  assert.ok(initial >= 500, `${initial}`);
  await page.focus(".splitter");
  await page.keyboard.press("ArrowLeft");
  await widthIn(initial, 10_000);
  const wider = await width();
  const bar = await page.locator(".splitter").boundingBox();
  await page.mouse.move(bar.x + 10, bar.y + 60);
  await page.mouse.down();
  await page.mouse.move(bar.x + 210, bar.y + 60);
  await page.mouse.up();
  await widthIn(0, wider - 150);
}));

test("a selected chunk starts near the top of the visible lines", () => withPage({}, async (page) => {
  await packTask(page, { repo: "kitbag", budget: "8k", task: "how does selection keep a pack within its budget?" });
  const deep = page.locator(".chunks .where").filter({ hasText: /:[1-9]\d{2}-/ }).first();
  await deep.click();
  const start = Number(/:(\d+)-/.exec(await deep.getAttribute("aria-label"))[1]);
  await page.waitForSelector(`.line.own[data-line="${start}"]`);
  const from = await page.locator(`[data-line="${start}"]`).evaluate((line) => line.getBoundingClientRect().top - line.parentElement.getBoundingClientRect().top);
  assert.ok(from >= 0 && from < 140, `${from}`);
}));

test("on a phone the tab row scrolls to the open tab", () => withPage(PHONE, async (page) => {
  await packTask(page);
  assert.deepEqual(await inViewport(page, "#tab-details"), [false]);
  await page.focus("#tab-included");
  await page.keyboard.press("End");
  await page.waitForFunction(() => document.querySelector("#tab-details").getBoundingClientRect().right <= innerWidth);
  assert.equal(await page.isVisible("#pack kbd"), false);
}));

test("on a phone a short tab does not move the page, and a button leads back to the form", () => withPage(PHONE, async (page) => {
  assert.equal(await page.isVisible(".to-form"), false);
  await packTask(page);
  await page.waitForSelector(".to-form", { state: "visible" });
  const before = await page.evaluate(() => scrollY);
  assert.ok(before > 0);
  await page.click("#tab-changes");
  await page.waitForSelector(".panel:has-text('Nothing to compare with')");
  assert.equal(await page.evaluate(() => scrollY), before);
  await page.click(".to-form");
  await page.waitForFunction(() => scrollY === 0 && document.activeElement.id === "task");
  await page.waitForSelector(".to-form", { state: "hidden" });
}));

test("on a phone a chunk opens in a sheet that is mostly code", () => withPage(PHONE, async (page) => {
  await packTask(page, { repo: "kitbag", budget: "8k", task: "how does selection keep a pack within its budget?" });
  await page.click(".chunks .where >> nth=1");
  await page.waitForSelector("#sheet .line");
  const { height } = await page.locator(".line-box").boundingBox();
  assert.ok(height > 844 / 2, `${height}`);
  const first = await page.textContent("#sheet h3");
  await page.keyboard.press("j");
  await page.waitForFunction((name) => document.querySelector("#sheet h3").textContent !== name, first);
  await page.keyboard.press("Escape");
  await page.waitForSelector("#sheet", { state: "detached" });
  await page.click(".chunks .where >> nth=0");
  await page.waitForSelector("#sheet .line");
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.waitForSelector(".split > .code .line");
  assert.equal(await page.locator("#sheet").count(), 0);
}));
