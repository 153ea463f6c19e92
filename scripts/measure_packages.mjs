// Measures the cost of calls in Node. Run by scripts/measure-packages.

import { createRequire } from "node:module";
import { dirname } from "node:path";

const CALLS = 200;
const TASK = "how are redirects followed?";
const repo = process.argv[2];

// The engine of the addon tells how long it took; the functions of the package add what they do around it.
const require = createRequire(import.meta.url);
const native = require(dirname(require.resolve("kitbag")) + "/native.js");
const addon = require(native.addon());
const engine = new addon.NativeEngine(native.launcher());
engine.watch(repo);

async function measure(name, operation, request) {
  const extras = [];
  for (let round = 0; round < CALLS; round += 1) {
    const started = performance.now();
    const call = new addon.NativeCall();
    const { json, durationMs, error } = await engine.start(call, operation, JSON.stringify(request));
    if (error) throw new Error(error.message);
    JSON.parse(json);
    extras.push(performance.now() - started - durationMs);
  }
  extras.sort((a, b) => a - b);
  const at = (share) => `${extras[Math.floor(CALLS * share)].toFixed(2)} ms`;
  console.log(`| Node: ${name} | ${at(0.5)} | ${at(0.95)} |`);
}

await measure("`find_symbol`, whole report read", "find_symbol", { name: "redirect", repo });
await measure("`search`, whole report read", "search", { task: TASK, repo });
await measure("`pack` of 8,000 tokens, whole report read", "pack", { task: TASK, repo, budget: 8000 });
