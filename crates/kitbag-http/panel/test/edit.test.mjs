// Acting on a pack: pins, exclusions, expansions, the budget, and what can be done with the text.

import assert from "node:assert/strict";
import { test } from "node:test";
import { makeKitbag, makeShop } from "./fixture.mjs";
import { newPack, packId, packTask, recordBodies, reportOf, rows, startSuite } from "./support.mjs";

const { PANEL_HOME, PANEL_ROOT } = process.env;
const all = startSuite(() => [makeShop(PANEL_HOME), makeKitbag(PANEL_HOME, PANEL_ROOT)]);
const { withPage } = all;

const place = ({ path, start_line: start, end_line: end }) => `${path}:${start}-${end}`;

test("a pinned chunk goes in first, and can be unpinned", () => withPage({}, async (page) => {
  await packTask(page);
  const before = await reportOf(page, all.address);
  const wanted = before.excluded.find(({ reason, start_line: line }) => ["budget", "below_stop"].includes(reason) && line !== null);
  await page.click("#tab-excluded");
  await page.click(`.chunks .where[aria-label="${place(wanted)}"]`);
  await newPack(page, () => page.click(".code [data-edit=pin]"));
  const after = await reportOf(page, all.address);
  assert.ok(after.included.some((chunk) => place(chunk) === place(wanted) && chunk.pinned));
  await page.click("#tab-included");
  assert.equal((await rows(page))[0], place(after.included[0]));
  assert.match(await page.textContent(".chunks tbody tr >> nth=0"), /pinned/);
  assert.equal(await page.textContent("#edits .pinned .chip-text"), place(wanted));
  assert.match(await page.textContent("#order-note"), /Pinned chunks come first/);
  await newPack(page, () => page.click("#edits .pinned"));
  assert.deepEqual((await reportOf(page, all.address)).included.map(place), before.included.map(place));
}));

test("an excluded chunk, file and folder stay out", () => withPage({}, async (page) => {
  await packTask(page, { budget: "4000" });
  const packs = recordBodies(page, "/v1/pack");
  const [first] = (await reportOf(page, all.address)).included;
  await page.hover(".chunks tbody tr >> nth=0");
  await newPack(page, () => page.click(".chunks tbody tr:first-child [data-edit=exclude]"));
  assert.deepEqual(packs.at(-1).exclude, [`/${place(first)}`]);
  let report = await reportOf(page, all.address);
  assert.ok([...report.included, ...report.excluded].every((chunk) => place(chunk) !== place(first)));
  assert.ok([...report.included, ...report.excluded].some((chunk) => chunk.path === first.path), "only the chunk is left out");
  await page.click("#tab-files");
  await newPack(page, () => page.click(`.file-row[data-path="${first.path}"] [data-edit=exclude]`));
  report = await reportOf(page, all.address);
  assert.ok(report.included.every((chunk) => chunk.path !== first.path));
  assert.ok(report.included.some((chunk) => chunk.path.startsWith("tests/")));
  await newPack(page, () => page.click('.folder-row[data-path="tests/"] [data-edit=exclude]'));
  report = await reportOf(page, all.address);
  assert.ok(report.included.length > 0 && report.included.every((chunk) => !chunk.path.startsWith("tests/")));
  assert.equal(await page.locator("#edits .excluded").count(), 3);
}));

test("a file and a folder can be pinned and expanded", () => withPage({}, async (page) => {
  await packTask(page, { task: "tests of the voucher at the checkout", budget: "6000" });
  const packs = recordBodies(page, "/v1/pack");
  const before = await reportOf(page, all.address);
  const inTests = before.included.filter((chunk) => chunk.path.startsWith("tests/")).map(place);
  assert.ok(inTests.length > 0);
  await page.click("#tab-files");
  await newPack(page, () => page.click('.folder-row[data-path="tests/"] [data-edit=pin]'));
  assert.deepEqual(packs.at(-1).references, inTests);
  await newPack(page, () => page.click('.file-row[data-path="tests/test_checkout.py"] [data-edit=expand]'));
  assert.deepEqual(packs.at(-1).references, ["tests/test_checkout.py"]);
  const lines = (await reportOf(page, all.address)).included.filter((chunk) => chunk.path === "tests/test_checkout.py").flatMap((chunk) => chunk.shown);
  assert.equal(Math.min(...lines.map(([start]) => start)), 1);
}));

test("keys pin, expand and exclude the selected chunk", () => withPage({}, async (page) => {
  await packTask(page);
  const packs = recordBodies(page, "/v1/pack");
  const [first, second] = (await reportOf(page, all.address)).included;
  await page.focus("#result");
  await newPack(page, () => page.keyboard.press("i"));
  assert.deepEqual(packs.at(-1).references, [place(first)]);
  await newPack(page, () => page.keyboard.press("i"));
  assert.equal(packs.at(-1).references, undefined);
  await page.keyboard.press("j");
  await newPack(page, () => page.keyboard.press("x"));
  assert.deepEqual(packs.at(-1).exclude, [`/${place(second)}`]);
}));

test("the budget slider previews, packs once, and shows what more tokens add", () => withPage({}, async (page) => {
  await packTask(page, { repo: "kitbag", budget: "8000", task: "how does selection keep a pack within its budget?" });
  assert.match(await page.getAttribute("#curve", "aria-label"), /relevant chunks expected in [\d,]+ tokens/);
  assert.match(await page.textContent("#curve-note"), /next 1,000 tokens add about \d\.\d\d relevant chunks/);
  const [packs, previews] = [recordBodies(page, "/v1/pack"), recordBodies(page, "/v1/preview")];
  const box = await page.locator("#budget-slider").boundingBox();
  const value = Number(await page.inputValue("#budget-slider")) / 400;
  const at = (share) => [box.x + 8 + (box.width - 16) * share, box.y + box.height / 2];
  await page.mouse.move(...at(value));
  await page.mouse.down();
  for (let step = 1; step <= 8; step += 1) await page.mouse.move(...at(value - (0.12 * step) / 8));
  await page.waitForSelector(".chip.preview");
  assert.equal(packs.length, 0);
  await newPack(page, () => page.mouse.up());
  assert.equal(packs.length, 1);
  assert.ok(previews.length >= 1);
  const budget = Number(await page.inputValue("#budget"));
  assert.ok(budget > 500 && budget < 8000, `${budget}`);
  assert.equal(packs[0].budget, budget);
  assert.equal((await reportOf(page, all.address)).budget, budget);
  assert.match(await page.textContent("#changes-summary"), /−[1-9]\d* removed/);
}));

test("a price gives the cost, and is remembered", () => withPage({}, async (page) => {
  await packTask(page);
  assert.equal(await page.locator("#cost").count(), 0);
  await page.fill("#price", "3");
  await page.press("#price", "Tab");
  const { total_tokens: total } = await reportOf(page, all.address);
  const expected = `$${((total * 3) / 1e6).toFixed(5)}`;
  assert.equal(await page.textContent("#cost"), expected);
  await page.reload();
  await page.waitForSelector("#cost");
  assert.equal(await page.textContent("#cost"), expected);
}));

test("the text can be searched, and files be found in it", () => withPage({ permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
  await packTask(page, { budget: "4000" });
  const { content, stats } = await reportOf(page, all.address);
  await page.click("#tab-text");
  await page.fill("#find", "VOUCHER");
  const matches = content.toLowerCase().split("voucher").length - 1;
  assert.ok(matches > 2);
  assert.equal(await page.textContent("#find-count"), `1 of ${matches}`);
  await page.press("#find", "Enter");
  assert.equal(await page.textContent("#find-count"), `2 of ${matches}`);
  await page.press("#find", "Shift+Enter");
  await page.press("#find", "Shift+Enter");
  assert.equal(await page.textContent("#find-count"), `${matches} of ${matches}`);
  await page.waitForFunction(() => document.querySelector(".exact").scrollTop > 0);
  assert.equal(await page.evaluate(() => CSS.highlights.get("found").size), matches);
  await page.fill("#find", "no such text");
  assert.equal(await page.textContent("#find-count"), "no match");
  const last = stats.files_included.at(-1);
  await page.selectOption("#jump", last);
  const top = await page.evaluate((path) => {
    const node = document.querySelector(".exact").firstChild;
    const range = document.createRange();
    range.setStart(node, node.data.indexOf(`### ${path}`));
    return range.getBoundingClientRect().top - document.querySelector(".exact").getBoundingClientRect().top;
  }, last);
  assert.ok(top > -2 && top < 640, `${top}`);
}));

test("the lines of one file can be copied", () => withPage({ permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
  await packTask(page, { budget: "4000" });
  const { included, content } = await reportOf(page, all.address);
  const { path } = included[0];
  await page.click("#tab-files");
  await page.click(`.file-row[data-path="${path}"] [data-edit=copy]`);
  await page.waitForFunction(() => document.getElementById("announce").textContent.startsWith("Copied"));
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  for (const part of copied.split("\n...\n")) assert.ok(content.includes(part.trimEnd()), part);
  assert.ok(copied.length > 50);
}));

test("the filter keeps list and pane together", () => withPage({}, async (page) => {
  await packTask(page, { budget: "4000" });
  const report = await reportOf(page, all.address);
  const other = report.included.find((chunk) => chunk.path !== report.included[0].path).path;
  await page.click(`.bar-part[data-path="${other}"]`);
  const listed = await rows(page);
  assert.ok(listed.length > 0 && listed.every((name) => name.startsWith(`${other}:`)));
  await page.waitForFunction((name) => document.querySelector(".code h3").textContent === name, listed[0]);
  await page.fill(".filter", "no such chunk");
  assert.equal(await page.locator(".code").count(), 0);
  await page.click(".empty >> text=Clear the filter");
  assert.equal((await rows(page)).length, report.included.length);
}));

test("the point where a pack stopped is explained", () => withPage({}, async (page) => {
  await packTask(page, { budget: "300" });
  assert.match(await page.textContent("#stop"), /Stopped at the budget: \d+ chunks? that may matter do(es)? not fit/);
  await packTask(page, { repo: "kitbag", budget: "90k", task: "how does selection keep a pack within its budget?" });
  assert.match(await page.textContent("#stop"), /Stopped at the relevance limit of 0\.\d+: the next of \d+ chunks has 0\.\d+\. [\d,]+ tokens are free/);
}));

test("docstrings do not invert the highlighting", () => withPage({}, async (page) => {
  await packTask(page, { budget: "4000" });
  const report = await reportOf(page, all.address);
  const chunk = report.included.find((it) => it.path === "src/checkout.py" && it.start_line > 5);
  await page.click(`.chunks .where[aria-label="${place(chunk)}"]`);
  await page.waitForSelector(".line.own .t-keyword");
  const kinds = await page.locator(".line.own").evaluateAll((lines) => lines.map((line) => [line.textContent.trim(), line.querySelector("code > span")?.className ?? ""]));
  assert.ok(kinds.some(([text, kind]) => text.includes('"""') && kind === "t-string"), JSON.stringify(kinds));
  assert.ok(kinds.filter(([text]) => /\d+ +return /.test(text) || /^\d+ *def /.test(text)).every(([, kind]) => kind === "t-keyword"));
  assert.equal(await packId(page), await page.getAttribute("#result", "data-pack"));
}));

test("a pack that ends by relevance can fill its budget", () => withPage({}, async (page) => {
  await packTask(page, { repo: "kitbag", budget: "30k", task: "how does selection keep a pack within its budget?" });
  const packs = recordBodies(page, "/v1/pack");
  const before = await reportOf(page, all.address);
  assert.match(await page.textContent("#stop"), /Stopped at the relevance limit/);
  await newPack(page, () => page.click("#fill"));
  assert.equal(packs.at(-1).fill, true);
  const after = await reportOf(page, all.address);
  assert.ok(after.total_tokens > before.total_tokens && after.total_tokens <= 30_000);
  assert.equal(await page.locator("#fill").count(), 0);
  await newPack(page, () => page.click("#edits button:has-text('fill the budget')"));
  assert.equal((await reportOf(page, all.address)).total_tokens, before.total_tokens);
}));
