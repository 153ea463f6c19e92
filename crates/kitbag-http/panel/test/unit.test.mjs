// Functions that need no browser.

import assert from "node:assert/strict";
import { test } from "node:test";

const {
  commonFolder, compact, compare, describeExtraFields, extraFieldsOf, fitsSliders, folders, hasContent, highlight, hintFor, parseTokens, percent,
  reasonsFor, rebalance, squarify, timestamp, titleFor, visible, visibleLines, weightOptions, weightsOf,
} = await import(process.env.PANEL_TESTABLE);

const FACTORS = ["relevance", "recency", "source"];

function chunk(path, start, more = {}) {
  return {
    path, start_line: start, end_line: start + 9, symbol: null, kind: "search_result", tokens: 100, score: 0.5,
    factors: { relevance: 0.5, recency: 0.5, source: 0.5 }, form: "full", shown: [[start, start + 9]], ...more,
  };
}

test("weights always sum to one", () => {
  let weights = { relevance: 50, recency: 30, source: 20 };
  let seed = 7;
  for (let step = 0; step < 5000; step += 1) {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    const moved = FACTORS[seed % 3];
    const value = (seed >> 8) % 101;
    weights = rebalance(weights, moved, value);
    assert.equal(weights[moved], value);
    assert.equal(weights.relevance + weights.recency + weights.source, 100);
    assert.ok(FACTORS.every((factor) => weights[factor] >= 0 && Number.isInteger(weights[factor])));
  }
});

test("a weight out of range is clamped", () => {
  assert.deepEqual(rebalance({ relevance: 50, recency: 30, source: 20 }, "source", 140), { relevance: 0, recency: 0, source: 100 });
  assert.deepEqual(rebalance({ relevance: 0, recency: 0, source: 100 }, "source", 50), { relevance: 25, recency: 25, source: 50 });
});

test("weights become request options", () => {
  assert.deepEqual(weightOptions({ relevance: 70, recency: 20, source: 10 }), {
    "ranking.relevance_weight": 0.7, "ranking.recency_weight": 0.2, "ranking.source_weight": 0.1,
  });
});

test("reported reasons are shown as they are", () => {
  const weights = { relevance: 50, recency: 30, source: 20 };
  const reported = chunk("a", 1, { why: ["matches “login” 3 times", "  ", "changed today"] });
  assert.deepEqual(reasonsFor(reported, weights, "login"), ["matches “login” 3 times", "changed today"]);
});

test("without reported reasons they are derived from provider, names and factors", () => {
  const weights = { relevance: 50, recency: 30, source: 20 };
  const reasons = (path, more, task = "how are cookies merged into the session?") => reasonsFor(chunk(path, 1, { provider: "search", ...more }), weights, task);
  const old = { relevance: 0.4, recency: 0, source: 0.6 };
  assert.deepEqual(reasons("src/sessions.py", { symbol: "mergeCookie", factors: old }), ["“cookies”, “merged” in its name, “session” in its path", "likely to matter"]);
  assert.deepEqual(reasons("src/a.py", { factors: old }), ["likely to matter"]);
  assert.deepEqual(reasons("src/a.py", { factors: { relevance: 0.7, recency: 0.9, source: 0.6 } }), ["very likely to matter", "changed recently"]);
  assert.deepEqual(reasons("src/a.py", { factors: { relevance: 0.06, recency: 0, source: 0.6 } }), ["may matter"]);
  assert.deepEqual(reasons("src/how.py", { factors: { relevance: 0.01, recency: 0.1, source: 0.6 } }), ["a weak match"]);
  assert.deepEqual(reasons("rules/x", { provider: "rules", factors: old }), ["a rule that applies"]);
  assert.deepEqual(reasons("a", { factors: { relevance: 0, recency: 0, source: 0 } }), ["no matching factor"]);
});

test("fields without an input are kept and described", () => {
  const request = {
    task: "x", repo: "r", agent_id: "a", correlation_id: "c", references: ["a", "b"], include: [], cursor: null,
    options: { "ranking.relevance_weight": 0.6, "context.ranking.recency_weight": 0.2, "chunking.max_tokens": 100 }, deadline_ms: 50,
  };
  const extra = extraFieldsOf(request, true);
  assert.deepEqual(extra, { references: ["a", "b"], options: { "chunking.max_tokens": 100 }, deadline_ms: 50 });
  assert.deepEqual(describeExtraFields(extra).map(({ label }) => label), ["references 2", "options 1", "deadline ms 50"]);
  assert.deepEqual(extraFieldsOf({ options: { "ranking.source_weight": 0.2 } }, true), {});
  assert.deepEqual(extraFieldsOf({ options: { "ranking.source_weight": 0.215 } }, false), { options: { "ranking.source_weight": 0.215 } });
  assert.equal(hasContent(extra), true);
  assert.equal(hasContent({ deadline_ms: 50 }), false);
});

test("only weights that fit the sliders are loaded from a request", () => {
  const base = { relevance: 50, recency: 30, source: 20 };
  const fits = (options) => fitsSliders({ options }, weightsOf({ options }, base));
  assert.equal(fits({}), true);
  assert.equal(fits({ "ranking.relevance_weight": 0.7, "ranking.recency_weight": 0.2, "ranking.source_weight": 0.1 }), true);
  assert.equal(fits({ "ranking.relevance_weight": 0.9 }), false);
  assert.equal(fits({ "ranking.relevance_weight": 0.333, "ranking.recency_weight": 0.333, "ranking.source_weight": 0.334 }), false);
});

test("problems have titles by code", () => {
  assert.equal(titleFor("unknown_model", 422), "Unknown model");
  assert.equal(titleFor("none_such", 422), "Invalid request");
  assert.equal(titleFor("none_such", 500), "");
  assert.doesNotMatch(hintFor("nothing_to_pack"), /kitbag pack/);
});

test("compact numbers have at most four characters", () => {
  const shown = [0, 999, 1000, 7849, 9949, 9951, 165_314, 999_499, 999_500, 12_000_000].map(compact);
  assert.deepEqual(shown, ["0", "999", "1.0k", "7.8k", "9.9k", "10k", "165k", "999k", "1.0m", "12m"]);
});

test("a time of another day has a date", () => {
  const now = new Date(2026, 10, 16, 12, 0, 0);
  assert.equal(timestamp(new Date(2026, 10, 16, 9, 5, 7).toISOString(), now), "09:05:07");
  assert.match(timestamp(new Date(2026, 10, 15, 9, 5, 7).toISOString(), now), /15 Nov.*09:05/);
  assert.equal(timestamp("nonsense", now), "");
});

test("added and removed chunks have a reason", () => {
  const before = { included: [chunk("a", 1), chunk("b", 1)], excluded: [chunk("c", 1, { reason: "budget", detail: "does not fit" })] };
  const after = {
    included: [chunk("c", 1), chunk("a", 1, { form: "outline" })],
    excluded: [chunk("b", 1, { reason: "duplicate", detail: "the same as a" })],
  };
  const { added, removed, reshaped, unchanged } = compare(before, after);
  assert.deepEqual(added.map((it) => [it.chunk.path, it.after, it.reason]), [["c", 1, "does not fit"]]);
  assert.deepEqual(removed.map((it) => [it.chunk.path, it.before, it.reason]), [["b", 2, "the same as a"]]);
  assert.deepEqual(reshaped.map((it) => [it.chunk.path, it.reason]), [["a", "full before, outline now"]]);
  assert.equal(unchanged, 0);
});

test("chunks of similar paths are distinct", () => {
  const before = { included: [chunk("a:1", 1)], excluded: [] };
  const after = { included: [chunk("a", 11)], excluded: [] };
  assert.equal(compare(before, after).added.length, 1);
});

test("a treemap divides its rectangle by size", () => {
  const sizes = [600, 300, 200, 100, 50, 25, 24, 1];
  const within = { x: 10, y: 20, width: 160, height: 90 };
  const cells = squarify(sizes, within);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  cells.forEach((cell, at) => {
    const expected = (within.width * within.height * sizes[at]) / total;
    assert.ok(Math.abs(cell.width * cell.height - expected) < 1e-6);
    assert.ok(cell.x >= 10 - 1e-6 && cell.x + cell.width <= 170 + 1e-6);
    assert.ok(cell.y >= 20 - 1e-6 && cell.y + cell.height <= 110 + 1e-6);
  });
  for (const [at, a] of cells.entries()) {
    for (const b of cells.slice(at + 1)) {
      const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
      const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
      assert.ok(width < 1e-6 || height < 1e-6, "two cells overlap");
    }
  }
});

test("an empty treemap has no area", () => {
  assert.deepEqual(squarify([], { x: 0, y: 0, width: 1, height: 1 }), []);
  assert.deepEqual(squarify([0], { x: 0, y: 0, width: 1, height: 1 }), [{ x: 0, y: 0, width: 0, height: 0 }]);
});

test("folders sum the tokens of their files, largest first", () => {
  const report = { included: [chunk("src/a.rs", 1), chunk("src/a.rs", 20), chunk("docs/b.md", 1), chunk("c", 1), chunk("c", 20), chunk("c", 40)] };
  const found = folders(report).map(({ name, tokens, color }) => [name, tokens, color]);
  assert.deepEqual(found, [["./", 300, 1], ["src/", 200, 2], ["docs/", 100, 3]]);
});

test("folders are split further if one has nearly all tokens", () => {
  const report = { included: ["a/b/one/x", "a/b/one/y", "a/b/two/x", "a/b/three/x", "a/c"].map((path) => chunk(path, 1)) };
  const names = folders(report).map(({ name }) => name);
  assert.deepEqual(names, ["a/b/one/", "a/", "a/b/three/", "a/b/two/"]);
  assert.equal(commonFolder(names), "a/");
  assert.equal(commonFolder(["src/", "docs/"]), "");
  assert.equal(commonFolder(["src/"]), "");
});

test("highlighting preserves every character", () => {
  const lines = ["def f(x):  # '", '    """a', "  b\"\"\" + 'c\\'' + 0x1f", "", "“ünïcödé” /* <b>&amp;</b> `${x}`", "'", '"""'];
  for (const name of ["a.py", "a.rs", "a.ts", "a.md", "a.css", "a.html", "a.sql", "a.sh", "a.json", "none"]) {
    const joined = highlight(name, lines).map((line) => line.map((token) => token.text).join(""));
    assert.deepEqual(joined, lines, name);
  }
});

test("a multi-line string is one string", () => {
  const kinds = highlight("a.py", ['x = """one', "two", '""" + 1']).map((line) => line.map((token) => token.kind));
  assert.deepEqual(kinds, [["", "string"], ["string"], ["string", "", "number"]]);
});

test("a lifetime does not start a string", () => {
  const [line] = highlight("a.rs", ["impl<'a> Draft<'a> { 'x' '\\u{1f}' }"]);
  assert.deepEqual(line.filter(({ kind }) => kind === "string").map(({ text }) => text), ["'x'", "'\\u{1f}'"]);
});

test("a very long line is not highlighted", () => {
  assert.deepEqual(highlight("a.js", ["1".repeat(3000)]), [[{ text: "1".repeat(3000), kind: "" }]]);
});

test("invisible characters are escaped", () => {
  assert.equal(visible("a\u202egnp.py\n\u0007"), "a\\u{202e}gnp.py\\u{a}\\u{7}");
  assert.equal(visibleLines("a\nb\u200b"), "a\nb\\u{200b}");
  assert.equal(visible("naïve 日本.rs"), "naïve 日本.rs");
});

test("budgets are parsed like on the command line", () => {
  for (const [text, value] of [["8000", 8000], ["32k", 32000], ["1.5m", 1500000], ["8,000", 8000], ["x", null], ["-1", null]]) {
    assert.equal(parseTokens(text), value, text);
  }
});

test("an incomplete share is never shown as 100 %", () => {
  assert.equal(percent(99_999, 100_000), "99.9%");
  assert.equal(percent(5, 5), "100.0%");
  assert.equal(percent(1, 0), "0.0%");
});
