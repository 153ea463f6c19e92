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

test("recent packs are visible without scrolling, however long the request is", () => withPage({}, async (page) => {
  for (const number of [1, 2, 3]) await packByApi(all.address, { task: `voucher ${number}`, repo: "shop", budget: 500 });
  await packTask(page);
  await page.waitForFunction(() => document.querySelectorAll(".feed-item").length >= 4);
  const isHit = (count) => page.locator(".feed-item").evaluateAll((items) => items.map((item) => {
    const { left, top, width, height } = item.getBoundingClientRect();
    return item.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  })).then((hits) => hits.slice(0, count));
  assert.deepEqual((await inViewport(page, ".feed-item")).slice(0, 3), [true, true, true]);
  assert.deepEqual(await isHit(3), [true, true, true]);
  await page.click("#providers .fold summary");
  await page.setViewportSize({ width: 1280, height: 720 });
  assert.deepEqual(await isHit(2), [true, true]);
  await page.mouse.move(600, 400);
  await page.mouse.wheel(0, 4000);
  await page.waitForFunction(() => scrollY > 0);
  assert.deepEqual(await isHit(2), [true, true]);
}));

test("switches with input come first, the others are collapsed, and none moves after a pack", () => withPage({}, async (page) => {
  const names = await page.locator("#providers > .switches .switch-name").allTextContents();
  assert.deepEqual([...names].sort(), ["diagnostics", "diff", "history", "overview", "rules", "search", "style", "tree"]);
  assert.equal(await page.isVisible("#provider-document"), false);
  assert.match(await page.textContent("#providers .fold summary"), /8 providers without input/);
  const places = () => page.locator("#providers > .switches .switch").evaluateAll((found) => found.map((it) => JSON.stringify(it.getBoundingClientRect())));
  const before = await places();
  await packTask(page);
  assert.match(await page.textContent("label.switch:has(#provider-search)"), /\d/);
  assert.deepEqual(await places(), before);
  await page.click("#providers .fold summary");
  assert.equal(await page.isVisible("#provider-document"), true);
  await assertAccessible(page, axe, "expanded");
}));

test("line wrapping can be toggled and is remembered", () => withPage({}, async (page) => {
  await packTask(page, { repo: "kitbag", budget: "8k", task: "how does selection keep a pack within its budget?" });
  await page.waitForSelector(".line");
  await page.setViewportSize({ width: 1120, height: 900 });
  const overflow = () => page.locator(".line-box").evaluate((box) => box.scrollWidth - box.clientWidth);
  assert.equal(await overflow(), 0);
  await page.click(".wrap");
  assert.ok((await overflow()) > 0);
  await page.reload();
  await packTask(page, { repo: "kitbag", budget: "8k", task: "how does selection keep a pack within its budget?" });
  await page.waitForSelector(".line");
  assert.equal(await page.getAttribute(".wrap", "aria-pressed"), "false");
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("l");
  assert.equal(await overflow(), 0);
}));

test("the code is wide enough, and can be resized", () => withPage({}, async (page) => {
  await packTask(page);
  const width = () => page.locator(".code").evaluate((code) => code.getBoundingClientRect().width);
  const initial = await width();
  assert.ok(initial >= 500, `${initial}`);
  await page.focus(".splitter");
  await page.keyboard.press("ArrowLeft");
  const wider = await width();
  assert.ok(wider > initial);
  const bar = await page.locator(".splitter").boundingBox();
  await page.mouse.move(bar.x + 10, bar.y + 60);
  await page.mouse.down();
  await page.mouse.move(bar.x + 210, bar.y + 60);
  await page.mouse.up();
  assert.ok((await width()) < wider - 150);
}));

test("a selected chunk starts near the top of the visible lines", () => withPage({}, async (page) => {
  await packTask(page, { repo: "kitbag", budget: "8k", task: "how does selection keep a pack within its budget?" });
  const deep = page.locator(".chunks .where").filter({ hasText: /:[1-9]\d{2}-/ }).first();
  await deep.click();
  const start = Number(/:(\d+)-/.exec(await deep.textContent())[1]);
  await page.waitForSelector(`.line.own[data-line="${start}"]`);
  const from = await page.locator(`[data-line="${start}"]`).evaluate((line) => line.getBoundingClientRect().top - line.parentElement.getBoundingClientRect().top);
  assert.ok(from >= 0 && from < 140, `${from}`);
}));

test("the best score fills its bar with any weights", () => withPage({}, async (page) => {
  await packTask(page);
  const fullest = () => page.locator(".factors").evaluateAll((bars) => Math.max(...bars.map((bar) =>
    [...bar.children].reduce((sum, part) => sum + part.getBoundingClientRect().width, 0) / bar.getBoundingClientRect().width)));
  assert.ok(Math.abs((await fullest()) - 1) < 0.02);
  await newPack(page, () => page.fill("#weight-source", "100"));
  assert.ok(Math.abs((await fullest()) - 1) < 0.02);
}));

for (const [name, options] of [["wide", {}], ["a phone", PHONE]]) {
  test(`map tiles stay within the map and their labels fit, ${name}`, () => withPage(options, async (page) => {
    for (const [repo, task, budget] of [["kitbag", "how does selection keep a pack within its budget?", "60k"], ["shop", "apply the voucher at the checkout", "20k"]]) {
      await packTask(page, { repo, task, budget });
      await page.click("#tab-map");
      await page.waitForSelector(".tree-file");
      const problems = await page.evaluate(() => {
        const map = document.querySelector(".treemap").getBoundingClientRect();
        const over = [...document.querySelectorAll(".tree-file")].filter((tile) => {
          const { left, right, top, bottom, width } = tile.getBoundingClientRect();
          const expected = Number.parseFloat(tile.style.width);
          return left < map.left - 0.6 || right > map.right + 0.6 || top < map.top - 0.6 || bottom > map.bottom + 0.6 || width > expected + 0.6;
        });
        const cut = [...document.querySelectorAll(".tree-name")].filter((label) => label.textContent.length <= 14
          && (label.scrollWidth > label.clientWidth + 1 || label.scrollHeight > label.clientHeight + 1));
        return { over: over.map((tile) => tile.title), cut: cut.map((label) => label.textContent), labels: document.querySelectorAll(".tree-name").length };
      });
      assert.deepEqual([problems.over, problems.cut], [[], []]);
      assert.ok(problems.labels > 2);
    }
  }));
}

test("on a phone the tab row scrolls to the open tab", () => withPage(PHONE, async (page) => {
  await packTask(page);
  await page.waitForSelector(".tab-row.has-after");
  assert.equal(await page.locator(".tab-row.has-before").count(), 0);
  assert.deepEqual(await inViewport(page, "#tab-rules"), [false]);
  await page.focus("#tab-included");
  await page.keyboard.press("End");
  await page.waitForSelector(".tab-row.has-before:not(.has-after)");
  assert.deepEqual(await inViewport(page, "#tab-rules"), [true]);
}));

test("on a phone there are no key caps, full rows of facts and unbroken names", () => withPage(PHONE, async (page) => {
  await packTask(page);
  assert.equal(await page.isVisible("#pack kbd"), false);
  const tops = await page.locator(".fact").evaluateAll((facts) => facts.map((fact) => Math.round(fact.getBoundingClientRect().top)));
  const rows = [...new Set(tops)].map((top) => tops.filter((it) => it === top).length);
  assert.deepEqual(rows, [3, 3]);
  await page.click("#tab-map");
  const broken = await page.locator(".file-row .file").evaluateAll((names) => names.filter((name) => name.textContent.length < 20 && name.getClientRects().length > 1).map((name) => name.textContent));
  assert.deepEqual(broken, []);
}));

test("on a phone a chunk opens in a sheet that is mostly code", () => withPage(PHONE, async (page) => {
  await packTask(page, { repo: "kitbag", budget: "8k", task: "how does selection keep a pack within its budget?" });
  await page.click(".chunks .where >> nth=1");
  await page.waitForSelector("#sheet .line");
  const { height } = await page.locator(".line-box").boundingBox();
  assert.ok(height > 844 / 2, `${height}`);
  await page.click("#sheet .score-fold summary");
  assert.ok((await page.locator(".line-box").boundingBox()).height > height);
  const first = await page.textContent("#sheet h3");
  await page.keyboard.press("j");
  await page.waitForFunction((name) => document.querySelector("#sheet h3").textContent !== name, first);
  await page.keyboard.press("Escape");
  assert.equal(await page.isVisible("#sheet"), false);
  await page.click(".chunks .where >> nth=0");
  await page.waitForSelector("#sheet .line");
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.waitForSelector(".split > .code .line");
  assert.equal(await page.isVisible("#sheet"), false);
}));
