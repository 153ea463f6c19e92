// The functions of the package `kitbag`. Requests and reports are those of the library, as JSON.
"use strict";

const { KitbagError, RequestError } = require("./errors.js");
const native = require("./native.js");

/** Loads the addon when it is first used. */
let addon;
function load() {
  return (addon ??= native.load());
}

class Engine {
  #native;
  #progress;
  /** Watches the repositories of the constructor. Rejected if that fails. */
  #opened;
  /** Fulfilled when no repository is about to be watched. */
  #watching;

  constructor(options = {}) {
    const { watch = [], progress } = checkEngineOptions(options);
    if (progress !== undefined && typeof progress !== "function") {
      throw new TypeError("`progress` must be a function");
    }
    this.#progress = progress;
    this.#native = new (load().NativeEngine)(native.launcher());
    const error = this.#native.openingError;
    if (error) throw failure(error);
    const repos = [watch].flat();
    repos.forEach(checkFolder);
    if (repos.length === 0) return;
    this.#opened = Promise.all(repos.map((repo) => this.watch(repo)));
    // The calls are rejected with its error.
    this.#opened.catch(() => {});
  }

  async watch(repo) {
    checkFolder(repo);
    const watched = this.#native.watch(repo).then(({ error }) => {
      if (error) throw failure(error);
    });
    const watching = Promise.allSettled([this.#watching, watched]).then(() => {
      if (this.#watching === watching) this.#watching = undefined;
    });
    this.#watching = watching;
    return watched;
  }

  pack(task = "", options = {}) {
    return this.#call("pack", { task }, options);
  }

  preview(task = "", options = {}) {
    return this.#call("preview", { task }, options);
  }

  overview(repo = ".", options = {}) {
    return this.#call("overview", { repo }, options);
  }

  search(task, options = {}) {
    return this.#call("search", { task }, options);
  }

  findSymbol(name, options = {}) {
    return this.#call("find_symbol", { name }, options);
  }

  async #call(operation, first, options) {
    if (options === null || typeof options !== "object" || Array.isArray(options)) {
      throw new RequestError({ code: "request", message: "the options must be an object" });
    }
    const { signal, ...fields } = options;
    const [name] = Object.keys(first);
    if (fields[name] !== undefined) {
      throw new RequestError({ code: "request", message: `\`${name}\`: is the first argument, and cannot be an option` });
    }
    checkSignal(signal);
    signal?.throwIfAborted();
    const request = serialize({ ...fields, ...first });
    const call = new (load().NativeCall)();
    return abortable(this.#answer(call, operation, request), call, signal);
  }

  async #answer(call, operation, request) {
    // A call that does not know of the watch would look for changes itself.
    await this.#watching;
    await this.#opened;
    const reporter = this.#progress && new Reporter(call, this.#progress);
    const { json, error } = await this.#native.start(call, operation, request, reporter?.wake);
    reporter?.end();
    if (error) throw failure(error);
    return JSON.parse(json);
  }
}

/** Calls the user's callback with the progress of one call, until it throws, which cancels the call. */
class Reporter {
  #call;
  #progress;
  #failed;
  #hasEnded = false;

  constructor(call, progress) {
    this.#call = call;
    this.#progress = progress;
  }

  /** Reports the latest progress, and then lets other work run before it reports the next. */
  wake = () => {
    if (!this.#hasEnded && this.#report()) setImmediate(this.wake);
  };

  /** Reports what is left, and throws the error of the callback. */
  end() {
    this.#hasEnded = true;
    this.#report();
    if (this.#failed) throw this.#failed.error;
  }

  /** Returns whether there was something to report. */
  #report() {
    const latest = this.#call.takeProgress();
    if (!latest) return false;
    if (this.#failed) return true;
    try {
      this.#progress(latest.done, latest.total);
    } catch (error) {
      this.#failed = { error };
      this.#call.cancel();
    }
    return true;
  }
}

const ENGINE_OPTIONS = ["watch", "progress"];

/** Returns the options of an engine, or throws the error of one that is unknown. */
function checkEngineOptions(options) {
  if (options === null || typeof options !== "object" || Array.isArray(options)) {
    const hint = typeof options === "string" ? "write `new Engine({ watch: path })`" : undefined;
    throw new RequestError({ code: "request", message: "the options of an engine must be an object", hint });
  }
  const unknown = Object.keys(options).find((name) => !ENGINE_OPTIONS.includes(name));
  if (unknown === undefined) return options;
  const [nearest] = ENGINE_OPTIONS.map((name) => ({ name, distance: editDistance(unknown.toLowerCase(), name) }))
    .filter(({ name, distance }) => distance <= name.length / 2)
    .sort((one, other) => one.distance - other.distance);
  const hint = nearest ? `did you mean \`${nearest.name}\`?` : "an engine has the options `watch` and `progress`";
  throw new RequestError({ code: "request", message: `unknown option \`${unknown}\``, hint });
}

/** Returns how many characters must be added, removed or replaced to make one text of another. */
function editDistance(from, to) {
  let distances = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = distances[column - 1] + (from[row - 1] === to[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, distances[column] + 1, next[column - 1] + 1));
    }
    distances = next;
  }
  return distances[to.length];
}

/** Checks that a repository to watch is a path. */
function checkFolder(repo) {
  if (typeof repo === "string") return;
  throw new RequestError({ code: "request", message: "a repository to watch must be a path, as a string" });
}

/** Checks that a signal is one. It need not be of this realm. */
function checkSignal(signal) {
  if (signal === undefined || signal === null) return;
  const { throwIfAborted, addEventListener } = signal;
  if (typeof throwIfAborted !== "function" || typeof addEventListener !== "function") {
    throw new RequestError({ code: "request", message: "`signal`: must be an AbortSignal" });
  }
}

/** Waits for a call, unless a signal ends it before. */
function abortable(promise, call, signal) {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => {
      call.cancel();
      reject(signal.reason);
    };
    signal.addEventListener("abort", abort, { once: true });
    const done = () => signal.removeEventListener("abort", abort);
    promise.then(resolve, reject).finally(done);
  });
}

/** Makes the JSON of a request. What JSON would leave out or turn into null is an error. */
function serialize(request) {
  const check = (name, value) => {
    const isLost = ["function", "symbol", "bigint"].includes(typeof value) || Object.is(value, NaN);
    if (!isLost && value !== Infinity && value !== -Infinity) return value;
    throw new RequestError({ code: "request", message: `\`${name}\`: not a value of JSON: ${String(value)}` });
  };
  try {
    return JSON.stringify(request, check);
  } catch (error) {
    if (error instanceof KitbagError) throw error;
    throw new RequestError({ code: "request", message: `not a value of JSON: ${error.message}` });
  }
}

function failure(error) {
  return new (error.isUsage ? RequestError : KitbagError)(error);
}

/** The engine of the functions below. */
let shared;
const engine = () => (shared ??= new Engine());

exports.Engine = Engine;
exports.KitbagError = KitbagError;
exports.RequestError = RequestError;
exports.pack = async (task, options) => engine().pack(task, options);
exports.preview = async (task, options) => engine().preview(task, options);
exports.overview = async (repo, options) => engine().overview(repo, options);
exports.search = async (task, options) => engine().search(task, options);
exports.findSymbol = async (name, options) => engine().findSymbol(name, options);
