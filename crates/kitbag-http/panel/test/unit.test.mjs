// Functions that need no browser.

import assert from "node:assert/strict";
import { test } from "node:test";

const {
  EMPTY_FORM, commonFolder, compact, compare, curveOf, describeExtraFields, distinguishingFolders, exclude, expand, expectedRelevant, extraFieldsOf, fitsSliders, folders, fromRequest,
  gainAt, globOf, hasContent, hintFor, isSameRequest, money, orderNote, parseTokens, percent, pin, placeOf, readFragment, reasonGroups, reasonsFor, rebalance, relevance,
  requestFragment, splitInvisible, stopSentence, timestamp, titleFor, toLines, toRequest, treeOf, valueAt, visible, visibleLines, weightOptions, weightsOf,
} = await import(process.env.PANEL_TESTABLE);

const FACTORS = ["relevance", "recency", "source"];

function chunk(path, start, more = {}) {
  return {
    path, start_line: start, end_line: start + 9, symbol: null, kind: "search_result", tokens: 100, score: 0.5,
    factors: { relevance: 0.5, recency: 0.5, source: 0.5 }, form: "full", shown: [[start, start + 9]], ...more,
  };
}

test("files are read where the pack has found them", () => {
  const place = (repo, report, path) => placeOf({ request: { repo }, report }, path);
  assert.deepEqual(place("app", {}, "src/a.py"), { repo: "app", ref: "", path: "src/a.py" });
  assert.deepEqual(place("app", { commit: "c0ffee" }, "src/a.py"), { repo: "app", ref: "c0ffee", path: "src/a.py" });
  const repositories = [{ name: "acme/app" }, { name: "acme/app-web" }];
  assert.deepEqual(place("*", { repositories }, "acme/app-web/src/a.py"), { repo: "acme/app-web", ref: "", path: "src/a.py" });
  assert.deepEqual(place("*", { repositories: [] }, "src/a.py"), { repo: "*", ref: "", path: "src/a.py" });
});

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
  assert.deepEqual(reasons("rules/x", { provider: "rules", factors: old }), ["from the rules of the repository"]);
  assert.deepEqual(reasons("a", { factors: { relevance: 0, recency: 0, source: 0 } }), ["no matching factor"]);
});

test("fields without an input are kept and described", () => {
  const request = {
    task: "x", repo: "r", agent_id: "a", correlation_id: "c", references: ["a", "b"], include: [], cursor: null, open_files: ["a", "b"],
    options: { "ranking.relevance_weight": 0.6, "context.ranking.recency_weight": 0.2, "chunking.max_tokens": 100 }, deadline_ms: 50,
  };
  const extra = extraFieldsOf(request, true);
  assert.deepEqual(extra, { open_files: ["a", "b"], options: { "chunking.max_tokens": 100 }, deadline_ms: 50 });
  assert.deepEqual(describeExtraFields(extra).map(({ label }) => label), ["open files 2", "options 1", "deadline ms 50"]);
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
  assert.deepEqual(shown, ["0", "999", "1k", "7.8k", "9.9k", "10k", "165k", "999k", "1M", "12M"]);
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

test("folders sum the tokens of their files, largest first", () => {
  const report = { included: [chunk("src/a.rs", 1), chunk("src/a.rs", 20), chunk("docs/b.md", 1), chunk("c", 1), chunk("c", 20), chunk("c", 40)] };
  const found = folders(report).map(({ name, tokens, color }) => [name, tokens, color]);
  assert.deepEqual(found, [["(root)", 300, 1], ["src/", 200, 2], ["docs/", 100, 3]]);
});

test("folders are split further if one has nearly all tokens", () => {
  const report = { included: ["a/b/one/x", "a/b/one/y", "a/b/two/x", "a/b/three/x", "a/c"].map((path) => chunk(path, 1)) };
  const names = folders(report).map(({ name }) => name);
  assert.deepEqual(names, ["a/b/one/", "a/", "a/b/three/", "a/b/two/"]);
  assert.equal(commonFolder(names), "a/");
  assert.equal(commonFolder(["src/", "docs/"]), "");
  assert.equal(commonFolder(["src/"]), "");
});

test("a syntax tree becomes lines of tokens", () => {
  const text = (value) => ({ type: "text", value });
  const element = (name, ...children) => ({ type: "element", properties: { className: [`hljs-${name}`] }, children });
  const root = { type: "root", children: [element("keyword", text("def")), text(" f():\n  "), element("string", text('"""one\ntwo'), element("subst", text("{x}")), text('"""'))] };
  assert.deepEqual(toLines(root), [
    [["def", "keyword"], [" f():", ""]], [["  ", ""], ['"""one', "string"]], [["two", "string"], ["{x}", "subst"], ['"""', "string"]],
  ]);
  const deep = Array.from({ length: 100_000 }).reduce((child) => element("string", child), text("x"));
  assert.deepEqual(toLines(deep), [[["x", "string"]]]);
});

test("a request survives its fragment", () => {
  const request = {
    task: "why? a&b=c #1\nand “this”", repo: "r", budget: 8000, references: ["src/a b.rs:1-3", "x"], exclude: ["/y"], fill: true,
    options: { "ranking.relevance_weight": 0.4 }, document: { path: "a" },
  };
  const fragment = requestFragment({ ...request, agent_id: "page", model: null, include: [] });
  assert.doesNotMatch(fragment, /agent_id|model|include/);
  assert.deepEqual(readFragment(`#${fragment}`), { request });
  assert.deepEqual(readFragment("#pack=abc"), { packId: "abc" });
  assert.equal(readFragment(""), null);
  assert.deepEqual(readFragment("#task=x&options=%7Bbroken"), { request: { task: "x" } });
});

test("a request survives the form", () => {
  const request = {
    task: "x", repo: "r", profile: "review", budget: 700, model: "gpt-4o", format: "xml", references: ["a:1-2"], exclude: ["/b"], fill: true,
    providers: ["rules"], no_providers: ["style"], include: ["src/**"], options: { "ranking.relevance_weight": 0.3, "ranking.recency_weight": 0.3, "ranking.source_weight": 0.4 },
  };
  const base = { relevance: 50, recency: 30, source: 20 };
  assert.deepEqual(toRequest(fromRequest(request, base)), { ...request, agent_id: "page" });
  assert.ok(isSameRequest({ task: "x" }, { task: "x", profile: "agent", agent_id: "other" }));
  assert.ok(!isSameRequest({ task: "x" }, { task: "x", fill: true }));
});

test("edits pin and exclude chunks, files and folders", () => {
  const [a, b, c] = [chunk("src/a.py", 1), chunk("src/a.py", 20), chunk("docs/c.md", 1)];
  const report = { included: [a, b, c], excluded: [] };
  const pinned = pin(EMPTY_FORM, { chunk: a }, report);
  assert.deepEqual(pinned.pins, ["src/a.py:1-10"]);
  assert.deepEqual(pin(EMPTY_FORM, { path: "src/" }, report).pins, ["src/a.py:1-10", "src/a.py:20-29"]);
  assert.deepEqual(expand(pinned, { chunk: b }, report).pins, ["src/a.py"]);
  assert.deepEqual(pin(expand(pinned, { chunk: b }, report), { chunk: b }, report).pins, ["src/a.py"]);
  const without = exclude(pinned, { path: "src/" });
  assert.deepEqual([without.pins, without.excludes], [[], ["/src"]]);
  assert.deepEqual(exclude(EMPTY_FORM, { chunk: b }).excludes, ["/src/a.py:20-29"]);
  assert.equal(globOf("a[1]*.py"), "/a[[]1[]][*].py");
});

test("the curve sums the relevance of included and waiting chunks", () => {
  const with_ = (relevance, tokens, more) => chunk("a", 1, { tokens, factors: { relevance, recency: 0, source: 0 }, ...more });
  const report = { included: [with_(0.8, 1000)], excluded: [with_(0.4, 500, { reason: "budget" }), with_(0.9, 500, { reason: "denied" }), with_(0.1, 500, { reason: "below_stop" })] };
  const points = curveOf(report);
  assert.deepEqual(points.map(({ tokens }) => tokens), [0, 1000, 1500, 2000]);
  assert.ok(Math.abs(valueAt(points, 500) - 0.4) < 1e-9);
  assert.ok(Math.abs(gainAt(points, 1000) - 0.5) < 1e-9);
  assert.equal(valueAt(points, 9000), points.at(-1).value);
  assert.equal(expectedRelevant(report.included), 0.8);
});

test("chunks that were left out are grouped by reason", () => {
  const excluded = ["below_stop", "budget", "below_stop", "denied", "new_reason"].map((reason, at) => chunk(`f${at}`, 1, { reason, detail: "" }));
  assert.deepEqual(reasonGroups(excluded).map(({ reason, chunks }) => [reason, chunks.length]), [["budget", 1], ["below_stop", 2], ["denied", 1], ["new_reason", 1]]);
});

test("the stop is explained", () => {
  const report = { included: [chunk("a", 1)], excluded: [], total_tokens: 100, budget: 1000 };
  const settings = new Map([["context.selection.stop_below", 0.02]]);
  assert.match(stopSentence(report, settings), /Everything that was found/);
  assert.match(stopSentence({ ...report, excluded: [chunk("b", 1, { reason: "budget" })] }, settings), /1 chunk that may matter does not fit/);
  assert.match(stopSentence({ ...report, excluded: [chunk("b", 1, { reason: "below_stop", factors: { relevance: 0.01996 } })] }, settings), /limit of 0.02: the next of 1 chunk has 0.01996. 900 tokens/);
  assert.match(stopSentence({ ...report, included: [] }, settings), /Nothing was found/);
});

test("an order that does not follow the score is explained", () => {
  assert.equal(orderNote([chunk("a", 1, { score: 0.9 }), chunk("b", 1, { score: 0.5 })], "agent"), null);
  assert.match(orderNote([chunk("a", 1, { score: 0.5 }), chunk("b", 1, { score: 0.9 })], "orchestrate"), /orchestrate orders by the priority/);
  assert.match(orderNote([chunk("a", 1, { score: 0.1, pinned: true }), chunk("b", 1, { score: 0.9 })], "agent"), /Pinned/);
});

test("a tree sums its folders and joins single ones", () => {
  const entries = treeOf([chunk("a/b/x.py", 1), chunk("a/b/x.py", 20), chunk("a/b/y.py", 1), chunk("z.md", 1)], [chunk("a/b/y.py", 40)]);
  assert.deepEqual(entries.map(({ name, depth, tokens, chunks, leftOut }) => [name, depth, tokens, chunks, leftOut]), [
    ["a/b/", 0, 300, 3, 1], ["x.py", 1, 200, 2, 0], ["y.py", 1, 100, 1, 1], ["z.md", 0, 100, 1, 0],
  ]);
});

test("costs have enough digits", () => {
  assert.deepEqual([money(8000, 2.5), money(400, 3), money(1_000_000, 15), money(0, 3)], ["$0.020", "$0.00120", "$15.00", "$0.00"]);
});

test("invisible characters are escaped", () => {
  assert.equal(visible("a\u202egnp.py\n\u0007"), "a\\u{202e}gnp.py\\u{a}\\u{7}");
  assert.equal(visibleLines("a\nb\u200b"), "a\nb\\u{200b}");
  assert.deepEqual(splitInvisible("a\u202eb"), ["a", "\\u{202e}", "b"]);
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

test("a small relevance is not shown as none", () => {
  assert.deepEqual([0, 0.004, 0.005, 0.936, 1].map(relevance), ["0.00", "<0.01", "0.01", "0.94", "1.00"]);
});

test("files of the same name are distinguished by their folders", () => {
  const paths = ["a/models/query.py", "a/models/sql/query.py", "b/models/query.py", "a/main.py", "setup.py"];
  assert.deepEqual(Object.fromEntries(distinguishingFolders([...paths, "setup.py"])), {
    "a/models/query.py": "a/models/", "a/models/sql/query.py": "sql/", "b/models/query.py": "b/models/", "a/main.py": "", "setup.py": "",
  });
  assert.equal(distinguishingFolders(["query.py", "x/query.py"]).get("x/query.py"), "x/");
});
