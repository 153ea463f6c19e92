// Uses the installed Node package. Run by scripts/test-packages, which sets up the environment.

import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as kitbag from "kitbag";

const dir = process.env.KITBAG_TEST_DIR;
const repo = join(dir, "repo");
const task = "how are redirects followed, and when are headers dropped?";

/** Copies the repository to a folder without an index. */
function copyOfRepository(name) {
  const copy = join(dir, `node-${name}`);
  cpSync(repo, copy, { recursive: true });
  return copy;
}

const tests = {
  async "results are those of the library"() {
    const pack = await kitbag.pack(task, { repo, budget: 4000 });
    assert(pack.total_tokens <= 4000 && pack.included[0].path.startsWith("httpx/"));
    const preview = await kitbag.preview(task, { repo, budget: 4000 });
    assert.equal(preview.content, null);
    assert.deepEqual(preview.included.map((it) => it.path), pack.included.map((it) => it.path));
    const { results } = await kitbag.search(task, { repo, limit: 3, lines: 2 });
    assert(results.length === 3 && results[0].lines[0].text);
    const symbol = await kitbag.findSymbol("Client.get", { repo });
    assert.equal(symbol.definitions[0].path, "httpx/_client.py");
    assert((await kitbag.overview(repo, { budget: 500 })).total_tokens <= 500);
  },

  async "examples in the README run"() {
    const examples = readdirSync(join(dir, "node", "built")).filter((name) => name.startsWith("node_readme"));
    assert.equal(examples.length, 3);
    const output = examples.map((name) =>
      execFileSync("node", [join(dir, "node", "built", name)], { cwd: repo, encoding: "utf8" }),
    );
    assert(output.join("").includes("httpx/_client.py"));
    assert(output.join("").includes("did you mean `budget`"));
  },

  async "bad input is an error with a code and a hint"() {
    const recursive = [];
    recursive.push(recursive);
    const unwatchable = new kitbag.Engine({ watch: "/nowhere/at/all" });
    const cases = [
      [() => kitbag.pack("x", { repo, budgt: 1 }), "request", "did you mean `budget`"],
      [() => kitbag.pack("x", { repo, budget: [1] }), "request", "`budget`"],
      [() => kitbag.pack(42, { repo }), "request", "`task`"],
      [() => kitbag.pack("x", { repo, include: "src" }), "request", "`include`"],
      [() => kitbag.pack("x", { repo, include: () => 1 }), "request", "`include`"],
      [() => kitbag.pack("x", { repo, budget: NaN }), "request", "NaN"],
      [() => kitbag.pack("x", { repo, budget: 10n }), "request", "10"],
      [() => kitbag.pack("x", { repo, situation: recursive }), "request", "circular"],
      [() => kitbag.pack("x", "not an object"), "request", "must be an object"],
      [() => kitbag.pack("x", { repo: join(repo, "missing") }), "repository", "missing"],
      [() => kitbag.pack("x", { repo, model: "gpt-9o" }), "unknown_model", "gpt-9o"],
      [() => kitbag.search("", { repo }), "empty_search", "task"],
      [() => kitbag.findSymbol("", { repo }), "symbol_name", "identifier"],
      [() => kitbag.pack("x", { repo, signal: 3 }), "request", "`signal`"],
      [() => kitbag.pack("x", { repo, signal: { aborted: false } }), "request", "`signal`"],
      [() => kitbag.pack("x", { repo, task: "y" }), "request", "`task`"],
      [() => kitbag.overview("/nowhere/at/all", { repo }), "request", "`repo`"],
      [() => kitbag.findSymbol("x", { repo, name: "y" }), "request", "`name`"],
      [async () => new kitbag.Engine({ wacth: repo }), "request", "did you mean `watch`"],
      [async () => new kitbag.Engine({ other: repo }), "request", "`watch` and `progress`"],
      [async () => new kitbag.Engine(repo), "request", "`new Engine({ watch: path })`"],
      [async () => new kitbag.Engine(null), "request", "must be an object"],
      [async () => new kitbag.Engine([repo]), "request", "must be an object"],
      [async () => new kitbag.Engine({ watch: [repo, 3] }), "request", "must be a path"],
      [() => new kitbag.Engine().watch(), "request", "must be a path"],
      [() => new kitbag.Engine().watch({ a: 1 }), "request", "must be a path"],
      [() => new kitbag.Engine().watch("/nowhere/at/all"), "repository", "/nowhere"],
      [() => unwatchable.pack("x", { repo }), "repository", "/nowhere"],
      [() => unwatchable.search("x", { repo }), "repository", "/nowhere"],
    ];
    for (const [call, code, words] of cases) {
      await assert.rejects(call, (error) => {
        assert(error instanceof kitbag.RequestError && error instanceof kitbag.KitbagError, String(error));
        assert.equal(error.code, code);
        assert(error.message.includes(words), error.message);
        return true;
      });
    }
    assert.throws(() => new kitbag.Engine({ progress: 3 }), TypeError);
    assert((await kitbag.pack(task, { repo, budget: 1000, task: undefined })).content, "the next call works");
  },

  async "an invalid configuration of the user is an error"() {
    const folder = join(dir, "node-invalid-config", "kitbag");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "config.yml"), "context:\n  budget: none\n");
    const script = `require("kitbag").pack("x", { repo: ${JSON.stringify(repo)} }).catch((error) =>
      console.log(error instanceof require("kitbag").KitbagError, error.code, error.message))`;
    const env = { ...process.env, XDG_CONFIG_HOME: join(folder, "..") };
    const output = execFileSync("node", ["-e", script], { cwd: join(dir, "node"), env, encoding: "utf8" });
    assert(output.startsWith("true configuration ") && output.includes("config.yml"), output);
  },

  async "a missing package of the platform is an error with a code and a hint"() {
    const copy = join(dir, "node-alone", "node_modules", "kitbag");
    cpSync(join(dir, "node", "node_modules", "kitbag"), copy, { recursive: true });
    const script = `const { Engine, KitbagError, pack } = require("kitbag");
      const show = (error) => console.log(error instanceof KitbagError, error.code, error.hint);
      try { new Engine(); } catch (error) { show(error); }
      pack("x").catch(show);`;
    const alone = { cwd: join(dir, "node-alone"), encoding: "utf8" };
    const lines = execFileSync("node", ["-e", script], alone).trim().split("\n");
    assert.equal(lines.length, 2);
    for (const line of lines) assert(line.startsWith("true platform_package install it without"), line);
    const program = spawnSync("node", [join(copy, "bin", "kitbag.js"), "--version"], alone);
    assert.equal(program.status, 1);
    assert.match(program.stderr, /^error: the package `@kitbag\/[\w-]+` is not installed \(.*\)\n$/);
  },

  async "an engine that cannot be opened is an error with a code"() {
    const require = createRequire(import.meta.url);
    const addon = require(require("kitbag/native.js").addon());
    const error = { code: "thread", message: "cannot start a thread", hint: "stop others", isUsage: false };
    const opened = Object.getOwnPropertyDescriptor(addon.NativeEngine.prototype, "openingError");
    Object.defineProperty(addon.NativeEngine.prototype, "openingError", { ...opened, get: () => error });
    try {
      assert.throws(() => new kitbag.Engine(), (thrown) => {
        assert(thrown instanceof kitbag.KitbagError && !(thrown instanceof kitbag.RequestError));
        return thrown.code === "thread" && thrown.hint === "stop others";
      });
    } finally {
      Object.defineProperty(addon.NativeEngine.prototype, "openingError", opened);
    }
  },

  async "calls wait until repositories are watched"() {
    const engine = new kitbag.Engine({ watch: [repo, repo] });
    let isWatched = false;
    engine.watch(join(dir, "big")).then(() => (isWatched = true));
    assert((await engine.pack(task, { repo, budget: 500 })).content && isWatched);
    await assert.rejects(engine.watch("/nowhere/at/all"), { code: "repository" });
    assert((await engine.pack(task, { repo, budget: 500 })).content, "the next call works");
  },

  async "an error of a callback ends the call"() {
    const fresh = copyOfRepository("callback");
    const progress = () => {
      throw new RangeError("in the callback");
    };
    await assert.rejects(new kitbag.Engine({ progress }).pack(task, { repo: fresh }), /in the callback/);
    const seen = [];
    writeFileSync(join(fresh, "new.js"), "function newlyAdded() {}\n");
    const counting = new kitbag.Engine({ progress: (done, total) => seen.push([done, total]) });
    assert((await counting.pack("newlyAdded", { repo: fresh, budget: 500 })).content.includes("newlyAdded"));
    const [done, total] = seen.at(-1);
    assert.equal(done, total, "the last number is seen");
  },

  async "an error of a callback ends no other call"() {
    await kitbag.pack(task, { repo });
    const progress = () => {
      throw new RangeError("in the callback");
    };
    const engine = new kitbag.Engine({ progress });
    const failing = engine.pack(task, { repo: copyOfRepository("failing") });
    const others = Array.from({ length: 40 }, (_, number) => engine.pack(`${task} ${number}`, { repo, budget: 1000 }));
    const outcomes = await Promise.allSettled([failing, ...others]);
    assert.match(String(outcomes[0].reason), /in the callback/);
    for (const outcome of outcomes.slice(1)) assert.equal(outcome.status, "fulfilled", String(outcome.reason));
    const controller = new AbortController();
    const aborting = new kitbag.Engine({
      progress: () => {
        controller.abort(new Error("no longer needed"));
        throw new RangeError("in the callback");
      },
    });
    const aborted = aborting.pack(task, { repo: copyOfRepository("stale"), signal: controller.signal });
    await assert.rejects(aborted, /no longer needed/);
    assert((await aborting.pack(task, { repo, budget: 1000 })).content, "the next call works");
  },

  async "a slow callback does not keep other work from running"() {
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 1);
    const seen = [];
    let isRunning = true;
    const progress = (done, total) => {
      assert(isRunning, "a callback after the end of the call");
      seen.push([done, total]);
      const started = performance.now();
      while (performance.now() - started < 5);
    };
    const engine = new kitbag.Engine({ progress });
    const copies = ["slow-1", "slow-2", "slow-3"].map(copyOfRepository);
    await Promise.all(copies.map((copy) => engine.pack(task, { repo: copy, budget: 500 })));
    isRunning = false;
    await sleep(100);
    clearInterval(timer);
    assert(ticks > 10, `${ticks} ticks`);
    assert(seen.filter(([done, total]) => done === total).length >= copies.length, JSON.stringify(seen));
  },

  async "a hundred calls at once"() {
    const engine = new kitbag.Engine({ watch: repo });
    const call = (number) => engine.pack(`${task} ${number % 10}`, { repo, budget: 2000 });
    const packs = await Promise.all(Array.from({ length: 100 }, (_, number) => call(number)));
    packs.forEach((pack, number) => assert.equal(pack.content, packs[number % 10].content));
  },

  async "timers run during a call"() {
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 1);
    await new kitbag.Engine().pack(task, { repo: copyOfRepository("timers") });
    clearInterval(timer);
    assert(ticks > 10, `${ticks} ticks`);
  },

  async "an aborted call stops its work"() {
    const engine = new kitbag.Engine();
    await assert.rejects(engine.pack(task, { repo, signal: AbortSignal.abort() }), { name: "AbortError" });
    const controller = new AbortController();
    const call = engine.pack("function value", { repo: join(dir, "big"), signal: controller.signal });
    await sleep(1000);
    controller.abort(new Error("no longer needed"));
    await assert.rejects(call, /no longer needed/);
    await sleep(2000);
    const before = process.cpuUsage();
    await sleep(2000);
    const { user, system } = process.cpuUsage(before);
    assert(user + system < 500_000, "the work goes on");
  },

  async "a hostile file does not end the host"() {
    const hostile = copyOfRepository("hostile");
    const name = "A".repeat(256);
    writeFileSync(join(hostile, "hostile.rb"), `x = <<${name}\nbody\n${name}\n`);
    writeFileSync(join(hostile, "fine.rb"), "def redirect_follower\n  1\nend\n");
    const options = { repo: hostile, references: ["hostile.rb"], budget: 4000 };
    const { content, warnings } = await new kitbag.Engine().pack("redirect_follower", options);
    assert(content.includes("redirect_follower") && content.includes("fine.rb"));
    assert(warnings.some((it) => it.includes("`hostile.rb` (the parser crashed)")), warnings.join());
  },

  async "parsers are confined"() {
    const call = new kitbag.Engine().pack(task, { repo: copyOfRepository("confined") });
    let isRunning = true;
    call.finally(() => (isRunning = false));
    const filters = new Set();
    while (isRunning) {
      for (const id of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
        try {
          const status = readFileSync(`/proc/${id}/status`, "utf8");
          const field = (name) => status.match(new RegExp(`^${name}:\\s*(\\S+)`, "m"))?.[1];
          if (field("PPid") === String(process.pid) && field("Name") === "kitbag") filters.add(field("Seccomp"));
        } catch {
          // It has ended.
        }
      }
      await sleep(1);
    }
    assert(filters.has("2"), [...filters].join());
  },

  async "the program passes on its status and signals"() {
    const program = join(dir, "node", "node_modules", ".bin", "kitbag");
    const ended = (child) => new Promise((resolve) => child.on("exit", (...how) => resolve(how)));
    assert.deepEqual(await ended(spawn(program, ["no-such-command"])), [2, null]);
    const child = spawn(program, ["pack", "function value", "--repo", join(dir, "big")]);
    await sleep(2000);
    child.kill("SIGTERM");
    const [status, signal] = await ended(child);
    assert(status === 130 || signal === "SIGTERM", `${status} ${signal}`);
  },
};

let failed = 0;
for (const [name, test] of Object.entries(tests)) {
  if (process.argv[2] && !name.includes(process.argv[2])) continue;
  const started = performance.now();
  try {
    await test();
    console.log(`ok   ${name} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failed += 1;
    console.log(`FAIL ${name}`);
    console.error(error);
  }
}
console.log(`${failed} failed`);
process.exitCode = failed ? 1 : 0;
