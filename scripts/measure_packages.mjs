// Measures the cost of calls in Node through the functions of the package. Run by scripts/measure-packages.

import { createRequire } from "node:module";
import { Engine } from "kitbag";

const CALLS = 200;
/** Maximum median time of a call beyond that of the engine, in milliseconds. */
const GOAL_MS = 1;
const TASK = "how are redirects followed?";
const repo = process.argv[2];

// The package does not return how long the engine took, but its addon knows.
const require = createRequire(import.meta.url);
const { NativeEngine } = require(require("kitbag/native.js").addon());
const start = NativeEngine.prototype.start;
let engineMs = 0;
NativeEngine.prototype.start = function (...values) {
  const outcome = start.apply(this, values);
  outcome.then(({ durationMs }) => (engineMs = durationMs));
  return outcome;
};

async function measure(name, call) {
  const extras = [];
  for (let round = 0; round < CALLS; round += 1) {
    const started = performance.now();
    await call();
    extras.push(performance.now() - started - engineMs);
  }
  extras.sort((a, b) => a - b);
  const at = (share) => extras[Math.floor(CALLS * share)];
  console.log(`| Node: ${name} | ${at(0.5).toFixed(2)} ms | ${at(0.95).toFixed(2)} ms |`);
  if (at(0.5) > GOAL_MS) {
    console.error(`Node: ${name}: the median is over the goal of ${GOAL_MS} ms`);
    process.exitCode = 1;
  }
}

const engine = new Engine({ watch: repo });
await engine.pack(TASK, { repo });
await measure("`find_symbol`, whole report read", () => engine.findSymbol("redirect", { repo }));
await measure("`search`, whole report read", () => engine.search(TASK, { repo }));
await measure("`pack` of 8,000 tokens, whole report read", () => engine.pack(TASK, { repo, budget: 8000 }));
