// Server, browser and waiting helpers for the browser tests.

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

/** Timeout of conditions; generous, since the tests measure nothing. */
export const WAIT_TIMEOUT_MS = Number(process.env.PANEL_WAIT_TIMEOUT_MS ?? 120_000);

/** Starts `kitbag serve` with its own home folder, and waits until it listens. */
export async function startServer(repos, { listen = "127.0.0.1:0", args: extraArgs = [], variables = {} } = {}) {
  const args = ["serve", "--json", "--listen", listen, ...repos.flatMap((repo) => ["--repo", repo]), ...extraArgs];
  const env = { ...variables, PATH: process.env.PATH, HOME: PANEL_HOME, XDG_CACHE_HOME: join(PANEL_HOME, "cache"), XDG_CONFIG_HOME: join(PANEL_HOME, "config") };
  const child = spawn(KITBAG, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  let errors = "";
  child.stderr.on("data", (data) => (errors += data));
  const line = await Promise.race([
    once(createInterface(child.stdout), "line").then(([text]) => text),
    once(child, "exit").then(() => null),
  ]);
  if (line === null) throw new Error(`kitbag serve exited: ${errors}`);
  const { address } = JSON.parse(line);
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill("SIGKILL");
    await ended;
  };
  return { address, pid: child.pid, stop };
}

export function startBrowser(...extraArgs) {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", ...extraArgs] });
}

/** Requests and errors of all pages, checked at the end of a suite. */
export const observed = { requests: new Set(), errors: [] };

/** Opens the page, and waits until it is connected and its form is filled. */
export async function openPage(browser, address, options = {}) {
  const page = await navigate(browser, address, options);
  await page.waitForSelector("#live.is-live");
  await page.waitForFunction(() => document.querySelectorAll("#repo option").length > 0 && document.querySelectorAll("#providers input").length > 0);
  return page;
}

/** Opens the page without waiting for it. */
export async function navigate(browser, address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  context.setDefaultTimeout(WAIT_TIMEOUT_MS);
  context.on("request", (request) => observed.requests.add(request.url()));
  const page = await context.newPage();
  page.on("pageerror", (error) => observed.errors.push(String(error)));
  page.on("console", (message) => {
    // Failed requests are logged too, and some tests cause them on purpose.
    if (message.type() === "error" && !/Failed to load resource/.test(message.text())) observed.errors.push(message.text());
  });
  page.on("dialog", (dialog) => {
    observed.errors.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.addInitScript(() => {
    globalThis.pwned = () => (globalThis.wasPwned = true);
  });
  await page.goto(address);
  return page;
}

/** Starts a server and a browser for the tests of a file. At the end, checks that no page sent a request to
 * another host or logged an error. */
export function startSuite(makeRepos) {
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
    const foreign = [...observed.requests].filter((url) => !/^(blob:)?http:\/\/127\.0\.0\.1:\d+\//.test(url));
    assert.deepEqual([foreign, observed.errors], [[], []]);
  });
  /** Runs a test with a page. */
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

/** Records the bodies that the page posts to a path from now on. */
export function recordBodies(page, path) {
  const bodies = [];
  page.on("request", (request) => {
    if (new URL(request.url()).pathname === path && request.method() === "POST") bodies.push(request.postDataJSON());
  });
  return bodies;
}

/** Modifies the JSON responses of a route. */
export function patchResponse(page, pattern, change) {
  return page.route(pattern, async (route) => {
    const response = await route.fetch();
    const json = await response.json();
    change(json, route.request());
    await route.fulfill({ response, json });
  });
}

/** Makes a pack without the page. */
export async function packByApi(address, request) {
  const body = JSON.stringify(request);
  const response = await fetch(`${address}/v1/pack`, { method: "POST", headers: { "content-type": "application/json" }, body });
  assert.equal(response.status, 200);
  return response.json();
}

/** Returns the id of the pack on screen. */
export const packId = (page) => page.locator("#result").getAttribute("data-pack");

/** Runs an action that makes a new pack, and waits for it. */
export async function newPack(page, act) {
  const before = (await packId(page)) ?? "";
  await act();
  await page.waitForFunction((id) => {
    const result = document.getElementById("result");
    return result.dataset.pack && result.dataset.pack !== id && result.getAttribute("aria-busy") === "false";
  }, before);
}

/** Packs a task with the form. */
export async function packTask(page, { task = "apply the voucher at the checkout", budget = "900", repo = "shop" } = {}) {
  await page.selectOption("#repo", repo);
  await page.fill("#task", task);
  await page.fill("#budget", budget);
  await newPack(page, () => page.click("#pack"));
}

/** Fetches the report of the pack on screen. */
export async function reportOf(page, address) {
  const response = await fetch(`${address}/v1/packs/${await packId(page)}`);
  assert.equal(response.status, 200);
  return (await response.json()).report;
}

/** Returns the locations of the rows of the open list. */
export function rows(page) {
  return page.locator(".chunks tbody tr .where").evaluateAll((found) => found.map((it) => it.getAttribute("aria-label")));
}

/** Fails if axe finds a serious violation. */
export async function assertAccessible(page, source, where) {
  await page.evaluate(source);
  const violations = await page.evaluate(async () => {
    const found = await globalThis.axe.run(document, { resultTypes: ["violations"] });
    return found.violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target} ${node.any[0]?.message ?? ""}`).join(" | ")}`);
  });
  assert.deepEqual(violations, [], where);
}
