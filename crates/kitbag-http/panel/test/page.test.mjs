// The page in a browser, with a real server and real repositories. Tests wait for conditions, never for a time.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { HOSTILE_BIDI, HOSTILE_CODE, HOSTILE_TAG, makeKitbag, makeShop } from "./fixture.mjs";
import {
  AXE, assertAccessible, navigate, newPack, openPage, packByApi, packId, packTask, reportOf, rows, startBrowser, startServer, startSuite,
} from "./support.mjs";

const { PANEL_HOME, PANEL_ROOT } = process.env;
const axe = readFileSync(AXE, "utf8");
const all = startSuite(() => [makeShop(PANEL_HOME), makeKitbag(PANEL_HOME, PANEL_ROOT)]);
const { withPage } = all;

test("a first pack shows the included chunks with the server's numbers", () => withPage({}, async (page) => {
  await page.waitForSelector(".welcome");
  await packTask(page);
  const report = await reportOf(page, all.address);
  assert.ok(report.total_tokens > 0 && report.total_tokens <= 900);
  assert.equal(await page.textContent("#total"), new Intl.NumberFormat("en").format(report.total_tokens));
  assert.equal(await page.textContent("#tab-included .tab-count"), String(report.included.length));
  const shown = await rows(page);
  assert.equal(shown.length, report.included.length);
  const first = report.included[0];
  assert.equal(shown[0], `${first.path}:${first.start_line}-${first.end_line}`);
  const firstRow = page.locator(".chunks tbody tr").first();
  assert.equal(await firstRow.locator(".c-tokens").textContent(), String(first.tokens));
  assert.equal(await firstRow.locator(".c-relevance").textContent(), first.factors.relevance.toFixed(2));
}));

test("the budget bar has every file and sums to the budget", () => withPage({}, async (page) => {
  await packTask(page);
  const report = await reportOf(page, all.address);
  const parts = await page.locator(".bar-part").evaluateAll((all) => all.map((it) => ({
    path: it.dataset.path ?? null, tokens: Number(it.style.getPropertyValue("--tokens")),
  })));
  const files = parts.filter((part) => part.path !== null).map((part) => part.path).sort();
  assert.deepEqual(files, [...new Set(report.included.map((chunk) => chunk.path))].sort());
  assert.equal(parts.reduce((sum, part) => sum + part.tokens, 0), report.budget);
  await page.fill("#budget", "");
  await newPack(page, () => page.click("#pack"));
  const whole = await page.locator(".bar-part").evaluateAll((all) => all.reduce((sum, it) => sum + Number(it.style.getPropertyValue("--tokens")), 0));
  assert.equal(whole, 90_000);
  await page.click("#tab-details");
  assert.match(await page.textContent(".facts"), /90,000 tokens: the window minus 8,000 for the response and 2,000 for the system prompt/);
}));

test("a changed weight changes the list, and the changes are shown", () => withPage({}, async (page) => {
  await packTask(page);
  const first = await rows(page);
  await page.focus("#weight-recency");
  await newPack(page, () => page.keyboard.press("End"));
  const sums = await page.locator(".weight output").allTextContents();
  assert.deepEqual(sums, ["0.00", "1.00", "0.00"]);
  await page.waitForSelector("#weight-effect:has-text('Recency: ')");
  assert.match(await page.textContent("#weight-effect"), /Recency: [1-9]\d* chunks? changes?, \d+ moves?\./);
  assert.notDeepEqual(await rows(page), first);
  const summary = await page.textContent("#changes-summary");
  assert.match(summary, /\+[1-9]\d* added/);
  assert.match(summary, /−[1-9]\d* removed/);
  assert.ok((await page.locator(".chunks .is-new").count()) > 0);
  await page.click("#changes-summary button");
  const added = await page.locator(".change-part.added li .link-button").allTextContents();
  const removed = await page.locator(".change-part.removed li .link-button").allTextContents();
  assert.ok(added.length > 0 && added.every((name) => !first.includes(name)));
  assert.ok(removed.length > 0 && removed.every((name) => first.includes(name)));
  await newPack(page, () => page.click("#weights-reset"));
  await page.click("#tab-included");
  assert.deepEqual(await rows(page), first);
}));

test("a disabled provider contributes nothing", () => withPage({}, async (page) => {
  await packTask(page);
  await newPack(page, () => page.click("label.switch:has(#provider-search)"));
  await page.waitForSelector(".empty:has-text('The pack is empty')");
  const report = await reportOf(page, all.address);
  assert.equal(report.providers.find((provider) => provider.id === "search").outcome, "off");
  await newPack(page, () => page.click("#providers-reset"));
  assert.ok((await rows(page)).length > 0);
}));

test("an excluded chunk has a reason", () => withPage({}, async (page) => {
  await packTask(page);
  await page.click("#tab-excluded");
  const report = await reportOf(page, all.address);
  const denied = report.excluded.find((chunk) => chunk.reason === "denied");
  assert.equal(denied.path, "config/server.key");
  await page.fill(".list .filter", "server.key");
  assert.deepEqual(await rows(page), ["config/server.key"]);
  await page.waitForSelector(".code .verdict.excluded");
  assert.equal(await page.textContent(".code .verdict"), `Left out: ${denied.detail.replaceAll("`", "")}`);
  assert.match(await page.textContent(".code"), /was not read/);
  await page.fill(".list .filter", "");
  const groups = await page.locator(".chips .chip-button").evaluateAll((all) => all.map((it) => [it.dataset.reason, Number(it.querySelector(".number").textContent)]));
  for (const [reason, count] of groups) assert.equal(count, report.excluded.filter((chunk) => chunk.reason === reason).length);
  assert.equal(groups.reduce((sum, [, count]) => sum + count, 0), report.excluded.length);
  await page.click(".chip-button[data-reason=budget]");
  assert.equal((await rows(page)).length, report.excluded.filter((chunk) => chunk.reason === "budget").length);
  assert.match(await page.textContent(".list-note"), /Did not fit: They were next in rank/);
}));

test("a list is sorted by the clicked column", () => withPage({}, async (page) => {
  await packTask(page);
  await page.click("th.c-tokens .sort");
  const down = (await page.locator("td.c-tokens").allTextContents()).map(Number);
  assert.deepEqual(down, [...down].sort((a, b) => b - a));
  assert.equal(await page.getAttribute("th.c-tokens", "aria-sort"), "descending");
  await page.click("th.c-tokens .sort");
  const up = (await page.locator("td.c-tokens").allTextContents()).map(Number);
  assert.deepEqual(up, [...up].sort((a, b) => a - b));
}));

test("a chunk is shown in the context of its file", () => withPage({}, async (page) => {
  await packTask(page);
  const report = await reportOf(page, all.address);
  const chunk = report.included.find((it) => it.path === "src/checkout.py" && it.form === "full");
  await page.click(`.chunks .where[aria-label="${chunk.path}:${chunk.start_line}-${chunk.end_line}"]`);
  await page.waitForSelector(`.code h3:has-text("${chunk.path}:${chunk.start_line}-")`);
  await page.waitForSelector(".line.own");
  const own = await page.locator(".line.own").evaluateAll((all) => all.map((it) => [Number(it.querySelector(".line-number").textContent), it.querySelector("code").textContent]));
  const file = readFileSync(`${all.repos[0]}/${chunk.path}`, "utf8").split("\n");
  const expected = [];
  for (let line = chunk.start_line; line <= chunk.end_line; line += 1) expected.push([line, `${file[line - 1]}\n`]);
  assert.deepEqual(own, expected);
  await page.waitForSelector(".line.own .t-keyword");
  assert.match(await page.textContent(".calculation"), /relevance.*× 0\.90/s);
}));

test("the text can be copied and downloaded in each format", () => withPage({ permissions: ["clipboard-read", "clipboard-write"], acceptDownloads: true }, async (page) => {
  await packTask(page);
  await page.click("#tab-text");
  for (const [format, ending] of [["markdown", "md"], ["xml", "xml"], ["json", "json"], ["plain", "txt"]]) {
    if (format !== "markdown") await newPack(page, () => page.click(`[data-format=${format}]`));
    await page.waitForSelector(`[data-format=${format}][aria-pressed=true]`);
    const { content, stats } = await reportOf(page, all.address);
    assert.equal(stats.format, format);
    assert.equal(await page.textContent(".exact"), content);
    await page.click("#copy");
    await page.waitForFunction(() => document.getElementById("announce").textContent.startsWith("Copied"));
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), content);
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#download")]);
    assert.equal(download.suggestedFilename(), `kitbag-pack.${ending}`);
    assert.equal(readFileSync(await download.path(), "utf8"), content);
  }
}));

test("the tree has the tokens of each file and folder, and links to the chunks of a file", () => withPage({}, async (page) => {
  await packTask(page);
  await page.fill("#price", "2.5");
  await page.press("#price", "Enter");
  await page.click("#tab-files");
  const report = await reportOf(page, all.address);
  const sum = (start) => report.included.filter((chunk) => chunk.path.startsWith(start)).reduce((all, chunk) => all + chunk.tokens, 0);
  const path = report.included[0].path;
  assert.equal(await page.locator(".file-row").count(), new Set(report.included.map((chunk) => chunk.path)).size);
  const row = page.locator(`.file-row[data-path="${path}"]`);
  const cells = await row.locator("td").allTextContents();
  assert.equal(cells[1], new Intl.NumberFormat("en").format(sum(path)));
  assert.equal(cells[3], `$${((sum(path) * 2.5) / 1e6).toFixed(5)}`);
  assert.equal(await page.locator('.folder-row[data-path="src/"] td').nth(1).textContent(), new Intl.NumberFormat("en").format(sum("src/")));
  await page.click(".files-all input");
  assert.ok((await page.locator(".file-row.is-off").count()) > 0);
  await page.click('.folder-row[data-path="src/"] .tree-button');
  assert.equal(await page.locator('.file-row[data-path^="src/"]').count(), 0);
  await page.click('.folder-row[data-path="src/"] .tree-button');
  await row.locator(".tree-button").click();
  assert.ok((await rows(page)).every((name) => name.startsWith(path)));
}));

test("a redaction leads to its line", () => withPage({}, async (page) => {
  await packTask(page, { budget: "20k", task: "payment token settings of the checkout" });
  const report = await reportOf(page, all.address);
  assert.ok(report.redactions.length > 0);
  await page.click("#tab-details");
  assert.match(await page.textContent("#redactions"), new RegExp(`src/settings.py:2.*${report.redactions[0].rule}`, "s"));
  for (const { stage } of report.timings.filter((it) => it.stage !== "total")) assert.match(await page.textContent(".details"), new RegExp(stage));
  for (const { id } of report.providers) assert.match(await page.textContent(".details"), new RegExp(id.replace("_", " ")));
  await page.click("#redactions .link-button");
  await page.waitForSelector(".line.redacted[data-line='2']");
  assert.match(await page.textContent(".code h3"), /src\/settings.py/);
  assert.equal(await page.inputValue(".filter"), "");
}));

test("rules are shown with their outcomes", () => withPage({}, async (page) => {
  await packTask(page, { budget: "20k" });
  await newPack(page, () => page.click("label.switch:has(#provider-rules)"));
  const { rules } = await reportOf(page, all.address);
  await page.click("#tab-rules");
  const shown = await page.locator(".rule").allTextContents();
  assert.equal(shown.length, rules.length);
  const rule = (path) => shown.find((text) => text.includes(path));
  assert.deepEqual(await page.locator(".group-title").allTextContents(), ["Apply 1 rule", "Undecided 1 rule"]);
  assert.match(rule(".cursor/rules/always.mdc"), /applies.*in the pack/s);
  assert.match(rule(".cursor/rules/payments.mdc"), /undecided.*When money is moved/s);
  assert.equal(await page.locator(".rule b").count(), 0);
  await assertAccessible(page, axe, "rules");
}));

test("a server with a token asks for it once", async () => {
  const guarded = await startServer([all.repos[0]], { args: ["--set", "server.token_env=PAGE_TOKEN"], variables: { PAGE_TOKEN: "open-sesame-open-sesame" } });
  const page = await navigate(all.browser, guarded.address);
  try {
    await page.waitForSelector("#token[open]");
    await assertAccessible(page, axe, "the token");
    await page.fill("#token-value", "open-sesame-open-sesame");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelectorAll("#repo option").length > 0);
    await page.waitForSelector("#live.is-live");
    await packTask(page);
    assert.ok((await rows(page)).length > 0);
    assert.equal(await page.locator("#token[open], .problem").count(), 0);
  } finally {
    await page.context().close();
    await guarded.stop();
  }
});

test("a new pack appears in the feed and can be viewed", () => withPage({}, async (page) => {
  await packTask(page);
  const own = await packId(page);
  const { id, total_tokens: total } = await packByApi(all.address, { task: "how is a refund made", repo: "shop", budget: 700, agent_id: "another-agent" });
  const item = page.locator(`.feed-item[data-id="${id}"]`);
  await item.waitFor();
  assert.match(await item.textContent(), /how is a refund made.*another-agent/s);
  assert.equal(await packId(page), own);
  await item.click();
  await page.waitForSelector(".viewing:has-text('another-agent')");
  assert.equal(await packId(page), id);
  assert.equal(await page.textContent("#total"), String(total));
  await page.click(".viewing >> text=Use this request");
  assert.equal(await page.inputValue("#task"), "how is a refund made");
  assert.equal(await page.inputValue("#budget"), "700");
}));

test("an error is shown, and the last pack stays", () => withPage({}, async (page) => {
  await packTask(page);
  const before = await packId(page);
  await page.fill("#model", "gpt-40");
  await page.click("#pack");
  const problem = page.locator(".problem[role=alert]");
  await problem.waitFor();
  assert.match(await problem.textContent(), /gpt-40/);
  assert.match(await problem.textContent(), /nearest|known/);
  assert.match(await problem.textContent(), /Correlation id/);
  assert.equal(await packId(page), before);
  assert.ok((await rows(page)).length > 0);
  assert.match(await page.textContent("#old-note"), /made before this error/);
  assert.equal(await page.getAttribute("#model", "aria-invalid"), "true");
  const [suggested] = /gpt[\w.-]+/.exec(await page.textContent("#model-note .suggestion"));
  await newPack(page, () => page.click("#model-note .suggestion"));
  assert.equal(await page.inputValue("#model"), suggested);
  assert.equal(await problem.count(), 0);
  assert.equal(await page.locator("#old-note").count(), 0);
  await page.fill("#budget", "many");
  await page.click("#pack");
  await page.waitForSelector("#budget[aria-invalid=true]");
  assert.match(await page.textContent("#budget-note"), /such as 8000 or 32k/);
}));

test("hostile names and contents are rendered as text", () => withPage({}, async (page) => {
  await packTask(page, { budget: "20k", task: "checkout markup bidi line voucher" });
  const names = await rows(page);
  assert.ok(names.some((name) => name.startsWith(`${HOSTILE_TAG}:`)), names.join());
  assert.ok(names.some((name) => name.startsWith(`${HOSTILE_BIDI.replace("\u202e", "\\u{202e}")}:`)));
  assert.ok(names.some((name) => name.startsWith("src/checkout\\u{a}fake.py:")));
  assert.ok(names.every((name) => !/[\u202e\n]/.test(name)));
  await page.click(`.chunks .where[aria-label*="<img src=x"]`);
  await page.waitForSelector(".code h3:has-text('<img src=x')");
  await page.waitForFunction((code) => document.querySelector(".line-box")?.textContent.includes(code), HOSTILE_CODE);
  await page.click(`.chunks .where[aria-label*="u{202e}"]`);
  await page.waitForSelector(".line .invisible-character");
  for (const tab of ["excluded", "files", "changes", "text", "rules", "details", "included"]) await page.click(`#tab-${tab}`);
  await page.fill("#task", HOSTILE_CODE);
  await newPack(page, () => page.click("#pack"));
  await page.waitForSelector(`.feed-item:has-text("</code></pre>")`);
  const found = await page.evaluate(() => ({
    pwned: globalThis.wasPwned === true,
    images: [...document.images].map((image) => image.getAttribute("src")),
    scripts: [...document.scripts].map((script) => script.getAttribute("src")),
  }));
  assert.deepEqual(found, { pwned: false, images: ["/icon.svg"], scripts: ["/page.js"] });
}));

test("DNS rebinding is refused", async () => {
  const foreign = await startBrowser("--host-resolver-rules=MAP evil.test 127.0.0.1");
  try {
    const page = await foreign.newPage();
    const port = new URL(all.address).port;
    const response = await page.goto(`http://evil.test:${port}/`);
    assert.equal(response.status(), 403);
    assert.doesNotMatch(await page.content(), /Skip to the pack/);
    const statuses = await page.evaluate(async () => {
      const ask = async (path, options) => (await fetch(path, options)).status;
      const json = { method: "POST", headers: { "content-type": "application/json" }, body: '{"task":"x"}' };
      return [await ask("/v1/repos"), await ask("/v1/packs"), await ask("/v1/events"), await ask("/v1/pack", json)];
    });
    assert.deepEqual(statuses, [403, 403, 403, 403]);
    const crossed = await page.evaluate(async (address) => {
      try {
        const body = '{"task":"x"}';
        return (await fetch(`${address}/v1/pack`, { method: "POST", mode: "no-cors", headers: { "content-type": "text/plain" }, body })).type;
      } catch {
        return "refused";
      }
    }, all.address);
    const { packs } = await (await fetch(`${all.address}/v1/packs`)).json();
    assert.ok(packs.every((pack) => pack.task !== "x"), `a cross-site page made a pack (${crossed})`);
  } finally {
    await foreign.close();
  }
});

test("the page can be used with the keyboard alone", () => withPage({}, async (page) => {
  const focused = () => page.evaluate(() => document.activeElement.id || document.activeElement.className);
  await page.keyboard.press("Tab");
  assert.equal(await focused(), "skip");
  await page.keyboard.press("t");
  assert.equal(await focused(), "task");
  await page.keyboard.type("apply the voucher at the checkout");
  await newPack(page, () => page.keyboard.press("Control+Enter"));
  assert.equal(await page.inputValue("#task"), "apply the voucher at the checkout");
  await page.waitForFunction(() => document.activeElement.id === "result");
  await page.keyboard.press("3");
  await page.waitForFunction(() => document.activeElement.id === "tab-excluded");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await page.waitForFunction(() => document.activeElement.id === "tab-included");
  await page.keyboard.press("/");
  await page.waitForFunction(() => document.activeElement.className === "filter");
  await page.keyboard.type("src/");
  await page.keyboard.press("Escape");
  assert.equal(await focused(), "result");
  await page.keyboard.press("j");
  const first = await page.getAttribute(".is-selected .where", "aria-label");
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction((name) => document.querySelector(".is-selected .where").getAttribute("aria-label") !== name, first);
  const second = await page.getAttribute(".is-selected .where", "aria-label");
  assert.notEqual(first, second);
  await page.waitForFunction((name) => document.querySelector(".code h3")?.textContent === name, second);
  await page.keyboard.press("?");
  await page.waitForSelector("#keys[open]");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#keys:not([open])", { state: "attached" });
  await page.keyboard.press("?");
  await page.waitForSelector("#keys[open]");
  await page.keyboard.press("Escape");
  await page.waitForSelector("#keys:not([open])", { state: "attached" });
}));

test("every tab stop has a visible focus, and none is a trap", () => withPage({}, async (page) => {
  await packTask(page);
  await page.focus(".skip");
  const stops = [];
  for (let count = 0; count < 200; count += 1) {
    await page.keyboard.press("Tab");
    const stop = await page.evaluate(() => {
      const element = document.activeElement;
      if (element === document.body) return null;
      globalThis.stops ??= new Set();
      if (globalThis.stops.has(element)) return null;
      globalThis.stops.add(element);
      // Sliders show the focus at the thumb, switches at the track.
      const shown = element.matches(".switch input") ? element.nextElementSibling : element;
      const style = element.matches(".slider") ? getComputedStyle(element, "::-webkit-slider-thumb") : getComputedStyle(shown);
      const isSeen = element.matches(".slider, main, .skip") || (style.outlineStyle !== "none" && style.outlineWidth !== "0px");
      return { name: element.id || element.className || element.tagName, isSeen };
    });
    if (stop === null) break;
    stops.push(stop);
  }
  assert.ok(stops.length > 20 && stops.length < 200, `${stops.length} stops`);
  assert.deepEqual(stops.filter((stop) => !stop.isSeen), []);
  const names = stops.map((stop) => stop.name);
  const order = ["task", "repo", "profile", "model", "price", "budget", "budget-slider", "pack", "weight-relevance", "tab-included"].map((name) => names.indexOf(name));
  assert.deepEqual(order, [...order].sort((a, b) => a - b));
  assert.ok(order.every((at) => at >= 0), names.join());
}));

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds no serious violations, ${colorScheme}`, () => withPage({ colorScheme, reducedMotion: "reduce" }, async (page) => {
    await assertAccessible(page, axe, "the first view");
    await packTask(page);
    await page.focus("#weight-recency");
    await newPack(page, () => page.keyboard.press("End"));
    await page.waitForSelector(".line");
    for (const tab of ["included", "files", "excluded", "changes", "text", "rules", "details"]) {
      await page.click(`#tab-${tab}`);
      await assertAccessible(page, axe, tab);
    }
    await page.fill("#model", "none-such");
    await page.click("#pack");
    await page.waitForSelector(".problem");
    await page.click("#help");
    await assertAccessible(page, axe, "a problem and the shortcuts");
  }));

  test(`nothing overflows on a narrow screen, ${colorScheme}`, () => withPage({ colorScheme, viewport: { width: 400, height: 860 }, reducedMotion: "reduce" }, async (page) => {
    await packTask(page);
    for (const tab of ["included", "files", "excluded", "changes", "text", "rules", "details"]) {
      await page.click(`#tab-${tab}`);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.equal(overflow, 0, `${tab} is wider than the screen`);
    }
    await page.click("#tab-included");
    await assertAccessible(page, axe, "narrow");
    await page.click(".chunks .where >> nth=0");
    await page.waitForSelector(".line");
    const sheet = await page.locator("#sheet").boundingBox();
    assert.deepEqual([sheet.x, sheet.y, sheet.width, sheet.height], [0, 0, 400, 860]);
    await assertAccessible(page, axe, "the sheet");
    await page.click(".back");
    await page.waitForSelector("#sheet", { state: "detached" });
    assert.equal(await page.isVisible(".split > .code"), false);
    await page.waitForFunction(() => document.activeElement.matches(".chunks .where[aria-current]"));
    await page.click(".to-form");
    await page.waitForFunction(() => document.activeElement.id === "task" && scrollY === 0);
  }));
}

test("the page reconnects after the server is killed and restarted", async () => {
  const first = await startServer([all.repos[0]]);
  const page = await openPage(all.browser, first.address);
  try {
    await packTask(page);
    await first.stop();
    await page.waitForSelector("#live.is-lost");
    await page.click("#pack");
    await page.waitForSelector(".problem:has-text('does not respond')");
    assert.match(await page.textContent("#live"), /no connection/);
    const second = await startServer([all.repos[0]], { listen: new URL(first.address).host });
    try {
      await page.waitForSelector("#live.is-live");
      await page.waitForSelector(".problem", { state: "detached" });
      // The server has lost the pack, but has a record of it, and the page still knows its task.
      await page.waitForSelector(`.feed-item[data-id="${await packId(page)}"]`, { state: "detached" });
      assert.equal(await page.locator(".feed-item .feed-task").first().textContent(), "apply the voucher at the checkout");
      await newPack(page, () => page.click("#pack"));
      await page.waitForSelector(`.feed-item[data-id="${await packId(page)}"]`);
    } finally {
      await second.stop();
    }
  } finally {
    await page.context().close();
    await first.stop();
  }
});
