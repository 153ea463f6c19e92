// Starts the server and the browser for the tests, and knows how to wait.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { once } from "node:events";
import { after, before } from "node:test";
import { createInterface } from "node:readline";
import { join } from "node:path";

const { KITBAG, PANEL_TOOLS, PANEL_HOME } = process.env;
const require = createRequire(join(PANEL_TOOLS, "package.json"));
const { chromium } = require("playwright-core");
export const AXE = require.resolve("axe-core/axe.min.js");

/** How long a condition may take to come true: long, since nothing is measured here. */
export const PATIENCE = Number(process.env.PANEL_PATIENCE ?? 120_000);

/** Starts `kitbag serve` with a home of its own, and waits until it listens. */
export async function startServer(repos, { listen = "127.0.0.1:0", words: more = [], variables = {} } = {}) {
  const words = ["serve", "--json", "--listen", listen, ...repos.flatMap((repo) => ["--repo", repo]), ...more];
  const env = { ...variables, PATH: process.env.PATH, HOME: PANEL_HOME, XDG_CACHE_HOME: join(PANEL_HOME, "cache"), XDG_CONFIG_HOME: join(PANEL_HOME, "config") };
  const child = spawn(KITBAG, words, { env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  child.stderr.on("data", (data) => (said += data));
  const line = await Promise.race([
    once(createInterface(child.stdout), "line").then(([text]) => text),
    once(child, "exit").then(() => null),
  ]);
  if (line === null) throw new Error(`kitbag serve ended: ${said}`);
  const { address } = JSON.parse(line);
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  };
  return { address, stop };
}

export function startBrowser(...more) {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", ...more] });
}

/** What pages did that they must not do, over all tests. */
export const seen = { requests: new Set(), errors: [] };

/** Opens the page. What it asks for and what it complains about is noted. */
export async function openPage(browser, address, options = {}) {
  const page = await visit(browser, address, options);
  await page.waitForSelector("#live.is-live");
  await page.waitForFunction(() => document.querySelectorAll("#repo option").length > 0 && document.querySelectorAll("#providers input").length > 0);
  return page;
}

/** The same, without waiting until the page has what it wants. */
export async function visit(browser, address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  context.setDefaultTimeout(PATIENCE);
  context.on("request", (request) => seen.requests.add(request.url()));
  const page = await context.newPage();
  page.on("pageerror", (error) => seen.errors.push(String(error)));
  page.on("console", (message) => {
    // A refused request is told in the console too; everything else is a fault.
    if (message.type() === "error" && !/Failed to load resource/.test(message.text())) seen.errors.push(message.text());
  });
  page.on("dialog", (dialog) => {
    seen.errors.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.addInitScript(() => {
    globalThis.pwned = () => (globalThis.wasPwned = true);
  });
  await page.goto(address);
  return page;
}

/** Starts a server and a browser before the tests of a file, and ends them after. At the end no page may have
 * asked anybody else for anything, or have complained. */
export function startTogether(makeRepos) {
  const all = {};
  before(async () => {
    all.repos = makeRepos();
    all.server = await startServer(all.repos);
    all.address = all.server.address;
    all.browser = await startBrowser();
  });
  after(async () => {
    await all.browser?.close();
    await all.server?.stop();
    const foreign = [...seen.requests].filter((url) => !/^(blob:)?http:\/\/127\.0\.0\.1:\d+\//.test(url));
    assert.deepEqual([foreign, seen.errors], [[], []]);
  });
  /** Opens a page for a test, and closes it afterwards. */
  all.withPage = async (options, work) => {
    const page = await openPage(all.browser, all.address, options);
    try {
      await work(page);
    } finally {
      await page.context().close();
    }
  };
  return all;
}

/** What the page sends to an address from now on, as it was sent. */
export function sentTo(page, path) {
  const bodies = [];
  page.on("request", (request) => {
    if (new URL(request.url()).pathname === path && request.method() === "POST") bodies.push(request.postDataJSON());
  });
  return bodies;
}

/** Changes the JSON that an address answers with. */
export function changeAnswer(page, pattern, change) {
  return page.route(pattern, async (route) => {
    const response = await route.fetch();
    const json = await response.json();
    change(json, route.request());
    await route.fulfill({ response, json });
  });
}

/** Has somebody else make a pack. */
export async function packElsewhere(address, request) {
  const body = JSON.stringify(request);
  const response = await fetch(`${address}/v1/pack`, { method: "POST", headers: { "content-type": "application/json" }, body });
  assert.equal(response.status, 200);
  return response.json();
}

/** The id of the pack that is shown. */
export const packId = (page) => page.locator("#result").getAttribute("data-pack");

/** Does something that makes a new pack, and waits for it. */
export async function newPack(page, act) {
  const before = (await packId(page)) ?? "";
  await act();
  await page.waitForFunction((id) => {
    const result = document.getElementById("result");
    return result.dataset.pack && result.dataset.pack !== id && result.getAttribute("aria-busy") === "false";
  }, before);
}

/** Packs a task from the form. */
export async function packTask(page, { task = "apply the voucher at the checkout", budget = "900", repo = "shop" } = {}) {
  await page.selectOption("#repo", repo);
  await page.fill("#task", task);
  await page.fill("#budget", budget);
  await newPack(page, () => page.click("#pack"));
}

/** The pack that is shown, as the server has it. */
export async function reportOf(page, address) {
  const response = await fetch(`${address}/v1/packs/${await packId(page)}`);
  assert.equal(response.status, 200);
  return (await response.json()).report;
}

/** The paths and lines of the rows of the list that is open. */
export function rows(page) {
  return page.locator(".chunks tbody tr .where").allTextContents();
}

/** Fails where axe finds something serious in the page as it is. */
export async function noSeriousFaults(page, source, where) {
  await page.evaluate(source);
  const faults = await page.evaluate(async () => {
    const found = await globalThis.axe.run(document, { resultTypes: ["violations"] });
    return found.violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target} ${node.any[0]?.message ?? ""}`).join(" | ")}`);
  });
  assert.deepEqual(faults, [], where);
}
