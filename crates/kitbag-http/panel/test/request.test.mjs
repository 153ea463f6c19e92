// Requests of the page: form, sliders, switches, and requests loaded from other packs. The server is real;
// some tests modify its responses.

import assert from "node:assert/strict";
import { test } from "node:test";
import { makeMill, makeShop } from "./fixture.mjs";
import { patchResponse, newPack, packByApi, packId, packTask, reportOf, rows, recordBodies, startSuite } from "./support.mjs";

const { PANEL_HOME } = process.env;
const all = startSuite(() => [makeShop(PANEL_HOME), makeMill(PANEL_HOME)]);
const { withPage } = all;

const feedCount = (page) => page.locator(".feed-item").count();
const options = (page, field) => page.locator(`#${field} option`).allTextContents();
const switches = (page) => page.locator("#providers input").evaluateAll((inputs) =>
  Object.fromEntries(inputs.map((input) => [input.id.replace("provider-", ""), input.checked])));
const enabled = async (query) => {
  const { providers } = await (await fetch(`${all.address}/v1/providers?${query}`)).json();
  return Object.fromEntries(providers.map((provider) => [provider.id, provider.enabled]));
};

test("profiles, switches and weights follow the repository and the profile", () => withPage({}, async (page) => {
  assert.ok(!(await options(page, "profile")).includes("grinding"));
  await page.selectOption("#repo", "mill");
  await page.waitForFunction(() => [...document.getElementById("profile").options].some(({ value }) => value === "grinding"));
  await page.selectOption("#profile", "grinding");
  await page.waitForFunction(() => document.getElementById("weight-source").value === "60");
  const grinding = await enabled("repo=mill&profile=grinding");
  // The profile enables it, which a repository that is not trusted may not do.
  assert.equal(grinding.style, false);
  assert.deepEqual(await switches(page), grinding);
  await page.selectOption("#profile", "inline-edit");
  await page.waitForFunction(() => document.getElementById("provider-history").checked);
  assert.deepEqual(await switches(page), await enabled("repo=mill&profile=inline-edit"));
  await page.selectOption("#repo", "shop");
  await page.waitForFunction(() => [...document.getElementById("profile").options].every(({ value }) => value !== "grinding"));
  assert.equal(await page.inputValue("#profile"), "inline-edit");
}));

test("dragging a slider previews, and releasing it packs once", () => withPage({}, async (page) => {
  await packTask(page);
  await page.waitForSelector(`.feed-item[data-id="${await packId(page)}"]`);
  const [packs, previews] = [recordBodies(page, "/v1/pack"), recordBodies(page, "/v1/preview")];
  const [count, first, own] = [await feedCount(page), await rows(page), await packId(page)];
  const box = await page.locator("#weight-recency").boundingBox();
  const at = (share) => [box.x + 8 + (box.width - 15) * share, box.y + box.height / 2];
  await page.mouse.move(...at(0.3));
  await page.mouse.down();
  for (let step = 1; step <= 12; step += 1) await page.mouse.move(...at(0.3 + (0.7 * step) / 12));
  await page.waitForSelector(".chip.preview");
  await page.waitForSelector("#changes-summary .added");
  assert.match(await page.textContent("#changes-summary"), /Compared with the pack before/);
  assert.match(await page.textContent("#weight-effect"), /Recency: [1-9]\d* chunks? changes?/);
  assert.equal(await packId(page), own);
  assert.equal(packs.length, 0);
  await newPack(page, () => page.mouse.up());
  assert.equal(await page.locator(".chip.preview").count(), 0);
  assert.equal(packs.length, 1);
  assert.ok(previews.length >= 1);
  assert.equal(packs[0].options["ranking.recency_weight"], 1);
  assert.deepEqual(previews.at(-1).options, packs[0].options);
  await page.waitForSelector(`.feed-item[data-id="${await packId(page)}"]`);
  assert.equal(await feedCount(page), count + 1);
  await page.click("#changes-summary button");
  const removed = await page.locator(".change-part.removed li .link-button").allTextContents();
  assert.ok(removed.length > 0 && removed.every((name) => first.includes(name)));
}));

test("a slider dragged back to its value makes no pack", () => withPage({}, async (page) => {
  await packTask(page);
  const own = await packId(page);
  const packs = recordBodies(page, "/v1/pack");
  // First a real change, so that the request has a value to return to.
  await newPack(page, () => page.fill("#weight-recency", "100"));
  const moved = await packId(page);
  assert.notEqual(moved, own);
  await page.evaluate(() => {
    const slider = document.getElementById("weight-recency");
    slider.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
    for (const value of ["80", "90", "100"]) {
      slider.value = value;
      slider.dispatchEvent(new Event("input", { bubbles: true }));
    }
  });
  await page.waitForSelector(".chip.preview");
  await page.evaluate(() => window.dispatchEvent(new PointerEvent("pointerup", { bubbles: true })));
  await page.waitForSelector(".chip.preview", { state: "detached" });
  // Any pack of the drag would have been requested before this one.
  await newPack(page, () => page.fill("#weight-recency", "0"));
  assert.deepEqual(packs.map((body) => body.options["ranking.recency_weight"]), [1, 0]);
}));

test("several keys on a slider make one pack", () => withPage({}, async (page) => {
  await packTask(page);
  const packs = recordBodies(page, "/v1/pack");
  await newPack(page, () => page.evaluate(() => {
    const slider = document.getElementById("weight-source");
    for (let value = 21; value <= 40; value += 1) {
      slider.value = String(value);
      slider.dispatchEvent(new Event("input", { bubbles: true }));
      slider.dispatchEvent(new Event("change", { bubbles: true }));
    }
  }));
  assert.deepEqual(packs.map((body) => body.options["ranking.source_weight"]), [0.4]);
}));

test("another format repeats the viewed pack, not the form", () => withPage({}, async (page) => {
  await packTask(page, { task: "apply the voucher at the checkout" });
  const first = await packId(page);
  await packTask(page, { task: "refund of the cart" });
  await page.fill("#task", "something that is still being written");
  await page.click(`.feed-item[data-id="${first}"]`);
  await page.waitForSelector(".viewing:has-text('Earlier pack of the page')");
  const packs = recordBodies(page, "/v1/pack");
  await page.click("#tab-text");
  await newPack(page, () => page.click("[data-format=xml]"));
  assert.deepEqual(packs.map(({ task, format, budget }) => [task, format, budget]), [["apply the voucher at the checkout", "xml", 900]]);
  assert.match(await page.textContent(".viewing"), /apply the voucher at the checkout/);
  assert.equal(await page.inputValue("#task"), "something that is still being written");
  await page.click(".viewing >> text=Close");
  await newPack(page, () => page.click("[data-format=json]"));
  assert.deepEqual([packs[1].task, packs[1].format], ["refund of the cart", "json"]);
}));

test("a pack of another tab can be viewed", () => withPage({}, async (page) => {
  await packTask(page);
  const { id } = await packByApi(all.address, { task: "how is a voucher found?\nand when?", repo: "shop", budget: 700, agent_id: "page" });
  await page.click(`.feed-item[data-id="${id}"]`);
  await page.waitForSelector(".viewing:has-text('Earlier pack of the page: how is a voucher found? and when?')");
}));

test("a loaded request keeps all its fields", () => withPage({}, async (page) => {
  const request = {
    task: "grind the flour", repo: "mill", profile: "grinding", budget: 700, agent_id: "other", correlation_id: "others-own",
    references: ["src/stone.py:1-3", "AGENTS.md"], include: ["src/**"], no_providers: ["style"],
    options: { "ranking.relevance_weight": 0.3, "ranking.recency_weight": 0.3, "ranking.source_weight": 0.4, "selection.min_chunks": 2 },
  };
  const { id } = await packByApi(all.address, request);
  await page.click(`.feed-item[data-id="${id}"]`);
  await page.click(".viewing >> text=Use this request");
  await page.waitForSelector("#extra-fields:has-text('include 1')");
  assert.deepEqual(await page.locator("#extra-fields button").evaluateAll((fields) => fields.map((it) => it.dataset.field)), ["include", "options"]);
  assert.deepEqual(await page.locator("#edits .chip-text").allTextContents(), ["src/stone.py:1-3", "AGENTS.md"]);
  assert.deepEqual([await page.inputValue("#repo"), await page.inputValue("#profile"), await page.inputValue("#budget")], ["mill", "grinding", "700"]);
  assert.ok((await options(page, "profile")).includes("grinding"));
  assert.deepEqual(await page.locator(".weight output").allTextContents(), ["0.30", "0.30", "0.40"]);
  assert.equal(await page.isChecked("#provider-style"), false);
  const packs = recordBodies(page, "/v1/pack");
  await newPack(page, () => page.click("#pack"));
  const { agent_id: _other, correlation_id: _own, ...fields } = request;
  assert.deepEqual(packs[0], { ...fields, agent_id: "page" });
  await newPack(page, () => page.click("#edits .pinned >> nth=0"));
  await newPack(page, () => page.click("#edits .pinned >> nth=0"));
  await newPack(page, () => page.click("#weights-reset"));
  assert.equal(packs.at(-1).references, undefined);
  assert.deepEqual(packs.at(-1).include, ["src/**"]);
  assert.deepEqual(packs.at(-1).options, { "selection.min_chunks": 2 });
}));

test("a form without a task shows an error and sends nothing", () => withPage({}, async (page) => {
  const packs = recordBodies(page, "/v1/pack");
  await page.click("#pack");
  await page.waitForSelector("#task[aria-invalid=true]");
  assert.match(await page.textContent("#task-note"), /Enter a task/);
  assert.equal(await page.evaluate(() => document.activeElement.id), "task");
  assert.equal(await page.locator(".problem").count(), 0);
  await page.fill("#task", "apply the voucher");
  assert.equal(await page.getAttribute("#task", "aria-invalid"), "false");
  await newPack(page, () => page.click("#pack"));
  assert.equal(packs.length, 1);
}));

test("a problem has a title by code, not by status", () => withPage({}, async (page) => {
  await packTask(page);
  await page.fill("#model", "gpt-9-imaginary");
  await page.click("#pack");
  await page.waitForSelector(".problem h2:has-text('Unknown model')");
  assert.doesNotMatch(await page.textContent(".problem"), /Unprocessable/);
}));

test("a profile without search shows a note", () => withPage({}, async (page) => {
  await page.selectOption("#profile", "chunks");
  await page.waitForSelector("#providers-note:has-text('No enabled provider searches')");
  await page.click("label.switch:has(#provider-search)");
  await page.waitForSelector("#providers-note", { state: "hidden" });
}));

test("disabled rules can be enabled in place, and every tab has a key", () => withPage({}, async (page) => {
  await packTask(page, { budget: "20k" });
  await page.evaluate(() => document.activeElement.blur());
  for (const [key, tab] of [["6", "rules"], ["7", "details"], ["6", "rules"]]) {
    await page.keyboard.press(key);
    assert.equal(await page.getAttribute(`#tab-${tab}`, "aria-selected"), "true");
  }
  assert.match(await page.textContent(".panel"), /Rules are disabled.*context\.providers\.rules\.enabled/s);
  await newPack(page, () => page.click("#rules-on"));
  assert.equal(await page.isChecked("#provider-rules"), true);
  assert.ok((await page.locator(".rule").count()) > 0);
}));

test("only packs of the same task are compared", () => withPage({}, async (page) => {
  await packTask(page, { task: "newsletter and shipping" });
  await packTask(page);
  assert.equal(await page.locator("#changes-summary, .is-new").count(), 0);
  await page.click("#tab-changes");
  assert.match(await page.textContent(".panel"), /Nothing to compare with/);
  await page.click("#tab-included");
  await packTask(page, { budget: "3000" });
  assert.match(await page.textContent("#changes-summary .added"), /\+[1-9]/);
  assert.ok((await page.locator(".is-new").count()) > 0);
  await page.selectOption("#profile", "orchestrate");
  await newPack(page, () => page.click("#pack"));
  assert.equal(await page.locator(".is-new").count(), 0);
}));

test("a chunk that is not from a file is shown with its own text", () => withPage({}, async (page) => {
  const diff = "@@ -1,2 +1,2 @@\n-old <b>line</b>\n+new line\n";
  await patchResponse(page, "**/v1/pack", ({ included }) => { included[0].text = diff; });
  const files = [];
  page.on("request", (request) => request.url().includes("/v1/file") && files.push(new URL(request.url()).searchParams.get("path")));
  await page.selectOption("#profile", "situation");
  await packTask(page, { budget: "2000" });
  const [first] = (await reportOf(page, all.address)).included;
  assert.equal(first.provider, "rules");
  await page.waitForSelector(".code .line.own.shown");
  assert.deepEqual(await page.locator(".line code").allTextContents(), diff.trimEnd().split("\n").map((line) => `${line}\n`));
  await page.waitForSelector(".line .t-addition");
  assert.equal(await page.locator(".line .t-addition").textContent(), "+new line");
  assert.ok(!files.includes(first.path));
}));

test("without its own text, such a chunk links to the text of the pack", () => withPage({}, async (page) => {
  await patchResponse(page, "**/v1/pack", ({ included }) => included.forEach((chunk) => delete chunk.text));
  await page.selectOption("#profile", "situation");
  await packTask(page, { budget: "2000" });
  await page.waitForSelector(".code:has-text('Not a file of the repository')");
  assert.doesNotMatch(await page.textContent(".code"), /Not Found/);
  await page.click(".see-text");
  assert.equal(await page.getAttribute("#tab-text", "aria-selected"), "true");
}));

test("reported reasons are shown", () => withPage({}, async (page) => {
  await patchResponse(page, "**/v1/pack", ({ included }) => {
    for (const chunk of included) delete chunk.why;
    included[0].why = ["has `voucher` 4 times", "<b>its name</b> matches"];
  });
  await packTask(page);
  assert.deepEqual(await page.locator(".reasons li").allTextContents(), ["has voucher 4 times", "<b>its name</b> matches"]);
  assert.equal(await page.locator(".reasons code").textContent(), "voucher");
  await page.click(".chunks .where >> nth=1");
  await page.waitForFunction(() => /“(voucher|checkout)” in its (name|path)/.test(document.querySelector(".reasons").textContent));
}));

test("a pack with an unknown task can be viewed and loaded without it", () => withPage({}, async (page) => {
  const { id } = await packByApi(all.address, { task: "the voucher that will be forgotten", repo: "shop", budget: 800 });
  const forget = (summary) => {
    if (summary.id === id) Object.assign(summary, { task: "", has_task: false, agent_id: null, interface: "cli" });
  };
  await patchResponse(page, "**/v1/packs?*", ({ packs }) => packs.forEach(forget));
  await patchResponse(page, `**/v1/packs/${id}`, ({ request, report }) => {
    delete request.task;
    report.content = null;
  });
  await page.reload();
  const item = page.locator(`.feed-item[data-id="${id}"]`);
  await item.waitFor();
  assert.match(await item.textContent(), /^\w+\.py.*CLI/);
  await item.click();
  await page.waitForSelector(".viewing:has-text('Pack from the command line: ')");
  assert.ok((await rows(page)).length > 0);
  await page.click("#tab-text");
  assert.match(await page.textContent(".exact"), /not available/);
  assert.equal(await page.isDisabled("[data-format=xml]"), true);
  await page.click(".viewing >> text=Use this request");
  await page.waitForSelector("#task-note:has-text('is unknown')");
  assert.equal(await page.inputValue("#budget"), "800");
}));

test("a rule for files of the pack says so, and a pin applies it", () => withPage({}, async (page) => {
  await packTask(page, { repo: "mill", task: "grind the flour", budget: "3000" });
  await newPack(page, () => page.click("label.switch:has(#provider-rules)"));
  await page.click("#tab-rules");
  const rule = page.locator(".rule:has-text('python')");
  assert.equal(await rule.getAttribute("data-outcome"), "fails");
  assert.match(await rule.textContent(), /no given file matches \*\*\/\*\.py.*It is for src\/stone\.py of this pack, which the request does not name/s);
  const packs = recordBodies(page, "/v1/pack");
  await newPack(page, () => rule.locator("text=Pin stone.py to apply it").click());
  assert.match(packs.at(-1).references.join(), /^src\/stone\.py:/);
  await page.waitForSelector(".rule[data-outcome=holds]:has-text('python')");
  assert.equal(await page.locator(".matching-files").count(), 0);
}));

test("a convention that rules quote is in the text once", () => withPage({}, async (page) => {
  await packTask(page, { repo: "mill", task: "grind slowly", budget: "3000" });
  for (const id of ["rules", "style", "history"]) await newPack(page, () => page.click(`label.switch:has(#provider-${id})`));
  await page.click("#tab-text");
  assert.equal((await page.textContent(".exact")).split("Grind slowly.").length - 1, 1);
  await page.click("#tab-excluded");
  await page.fill(".list .filter", "AGENTS.md");
  await page.waitForSelector(".code .verdict:has-text('same content as rules/applies/AGENTS.md')");
}));
