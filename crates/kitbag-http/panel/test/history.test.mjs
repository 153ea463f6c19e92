// What survives: reloads, back and forward, shared addresses, restarts of the server. And states of the page.

import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { makeMill, makeShop } from "./fixture.mjs";
import { newPack, openPage, packByApi, packId, packTask, patchResponse, recordBodies, reportOf, rows, startServer, startSuite } from "./support.mjs";

const { PANEL_HOME } = process.env;
const all = startSuite(() => [makeShop(PANEL_HOME), makeMill(PANEL_HOME)]);
const { withPage } = all;

test("a reload shows the same pack without packing again", () => withPage({}, async (page) => {
  await packTask(page);
  const [id, listed] = [await packId(page), await rows(page)];
  const packs = recordBodies(page, "/v1/pack");
  await page.reload();
  await page.waitForSelector(`#result[data-pack="${id}"]`);
  assert.deepEqual(await rows(page), listed);
  assert.deepEqual([await page.inputValue("#task"), await page.inputValue("#budget")], ["apply the voucher at the checkout", "900"]);
  assert.equal(packs.length, 0);
}));

test("an address can be shared, and its request is never sent as part of a URL", () => withPage({}, async (page) => {
  await packTask(page);
  await newPack(page, () => page.fill("#weight-recency", "50"));
  const url = page.url();
  assert.match(decodeURIComponent(url), /#budget=900&.*task=apply\+the\+voucher/);
  const listed = await rows(page);
  const other = await openPage(all.browser, all.address);
  const urls = [];
  other.on("request", (request) => urls.push(request.url()));
  try {
    await newPack(other, async () => {
      await other.evaluate((address) => { location.href = address; }, url);
    });
    assert.deepEqual(await rows(other), listed);
    assert.deepEqual(await other.locator(".weight output").allTextContents(), await page.locator(".weight output").allTextContents());
    assert.ok(urls.every((it) => !it.includes("voucher")));
  } finally {
    await other.context().close();
  }
}));

test("back and forward move between packs and restore the form", () => withPage({}, async (page) => {
  await packTask(page);
  const first = await packId(page);
  await packTask(page, { budget: "2000" });
  const second = await packId(page);
  await packTask(page, { task: "refund of the cart", budget: "2000" });
  await page.goBack();
  await page.waitForSelector(`#result[data-pack="${second}"]`);
  assert.equal(await page.inputValue("#task"), "apply the voucher at the checkout");
  await page.goBack();
  await page.waitForSelector(`#result[data-pack="${first}"]`);
  assert.equal(await page.inputValue("#budget"), "900");
  await page.goForward();
  await page.waitForSelector(`#result[data-pack="${second}"]`);
  assert.equal(await page.inputValue("#budget"), "2000");
  assert.equal(await page.locator("#old-note").count(), 0);
}));

test("any two packs can be compared", () => withPage({}, async (page) => {
  const { id, included } = await packByApi(all.address, { task: "how is a refund made", repo: "shop", budget: 700, agent_id: "another-agent" });
  await packTask(page, { budget: "2000" });
  const report = await reportOf(page, all.address);
  await page.click("#tab-changes");
  await page.waitForSelector(`#compare option[value="${id}"]`, { state: "attached" });
  await page.selectOption("#compare", id);
  await page.waitForSelector(".change-part.added");
  const key = ({ path, start_line: start, end_line: end }) => `${path}:${start}-${end}`;
  const before = new Set(included.map(key));
  assert.equal(Number(await page.textContent(".change-part.added h3 .number")), report.included.filter((chunk) => !before.has(key(chunk))).length);
  assert.match(await page.textContent(".changes"), /\d+ → [\d,]+ tokens/);
}));

test("entries of the history name their repository, and repeated titles are shown once", () => withPage({}, async (page) => {
  const one = await packByApi(all.address, { task: "grind the flour", repo: "mill", budget: 700 });
  const two = await packByApi(all.address, { task: "grind the flour", repo: "mill", budget: 800 });
  await page.waitForSelector(`.feed-item[data-id="${two.id}"]`);
  for (const { id } of [one, two]) assert.equal(await page.textContent(`.feed-item[data-id="${id}"] .feed-repo`), "mill");
  assert.equal(await page.locator(`.feed-item[data-id="${one.id}"] .feed-task.visually-hidden`).count(), 1);
  assert.equal(await page.locator(`.feed-item[data-id="${two.id}"] .feed-task.visually-hidden`).count(), 0);
  await page.click(`.feed-item[data-id="${two.id}"]`);
  await page.waitForSelector(`#result[data-pack="${two.id}"]`);
  assert.match(await page.textContent(".headline"), /mill\s*repository/);
}));

for (const isKept of [false, true]) {
  test(`the history survives a restart ${isKept ? "with tasks, if the user keeps them" : "without tasks, and says so"}`, async () => {
    const config = join(PANEL_HOME, "config", "kitbag");
    mkdirSync(config, { recursive: true });
    if (isKept) writeFileSync(join(config, "config.yml"), "context:\n  record: {tasks: true}\n");
    const first = await startServer([all.repos[0]]);
    try {
      await packByApi(first.address, { task: `where is the voucher of ${isKept ? "today" : "yesterday"}?`, budget: 640 });
      await first.stop();
      const second = await startServer([all.repos[0]], { listen: new URL(first.address).host });
      const page = await openPage(all.browser, second.address);
      try {
        const item = page.locator(".feed-item").first();
        await item.waitFor();
        assert.match(await item.locator(".feed-task").textContent(), isKept ? /where is the voucher of today\?/ : /^\w+\.(py|md)/);
        if (!isKept) assert.match(await page.textContent("#tasks-note"), /context\.record\.tasks/);
        await item.click();
        await page.waitForSelector("#result[data-pack]");
        assert.ok((await rows(page)).length > 0);
      } finally {
        await page.context().close();
        await second.stop();
      }
    } finally {
      await first.stop();
      rmSync(join(config, "config.yml"), { force: true });
    }
  });
}

test("the first visit offers tasks of the repository", () => withPage({}, async (page) => {
  await page.waitForSelector(".example");
  const task = await page.textContent(".example >> nth=0");
  await newPack(page, () => page.click(".example >> nth=0"));
  assert.equal(await page.inputValue("#task"), task);
}));

test("a pack that is not the form's is marked as old", () => withPage({}, async (page) => {
  await packTask(page);
  assert.equal(await page.locator("#old-note").count(), 0);
  await page.fill("#task", "apply the voucher at the checkout twice");
  assert.match(await page.textContent("#old-note"), /request has changed since this pack/);
  await newPack(page, () => page.click("#old-note button"));
  assert.equal(await page.locator("#old-note").count(), 0);
}));

test("progress of indexing is shown while a pack waits", () => withPage({}, async (page) => {
  let release = () => undefined;
  const isReleased = new Promise((resolve) => (release = resolve));
  await page.route("**/v1/pack", async (route) => {
    await isReleased;
    await route.continue();
  });
  await patchResponse(page, "**/v1/progress", (progress) => Object.assign(progress, { done: 40, total: 100 }));
  await page.fill("#task", "apply the voucher");
  await page.click("#pack");
  await page.waitForSelector(".indexing:has-text('40 of 100 files')");
  await newPack(page, () => release());
  assert.equal(await page.locator(".indexing").count(), 0);
}));

test("Escape leaves a field, and keys are shortcuts after packing", () => withPage({}, async (page) => {
  await page.fill("#task", "apply the voucher");
  await page.focus("#task");
  await page.keyboard.press("Escape");
  assert.equal(await page.evaluate(() => document.activeElement.id), "result");
  await page.keyboard.press("t");
  await newPack(page, () => page.keyboard.press("Control+Enter"));
  await page.waitForFunction(() => document.activeElement.id === "result");
  await page.keyboard.press("5");
  await page.waitForSelector("#tab-text[aria-selected=true]");
  assert.equal(await page.inputValue("#task"), "apply the voucher");
}));
