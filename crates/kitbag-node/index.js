// The functions of the package `kitbag`. Requests and reports are those of the library, as JSON.
"use strict";

const native = require("./native.js");

/** An error that prevents an answer. */
class KitbagError extends Error {
  constructor({ message, code, hint }) {
    super(hint ? `${message} (${hint})` : message);
    this.name = new.target.name;
    this.code = code;
    this.hint = hint ?? undefined;
  }
}

/** An invalid request: an unknown field, a wrong type, a repository that does not exist. */
class RequestError extends KitbagError {}

/** Loads the addon when it is first used. */
let addon;
function load() {
  addon ??= require(native.addon());
  return addon;
}

class Engine {
  #native;
  #progress;
  /** Watches the repositories of the constructor. Rejected if that fails. */
  #opened;
  /** Fulfilled when no repository is about to be watched. */
  #watching;

  constructor({ watch = [], progress } = {}) {
    if (progress !== undefined && typeof progress !== "function") {
      throw new TypeError("`progress` must be a function");
    }
    this.#progress = progress;
    this.#native = new (load().NativeEngine)(native.launcher());
    const error = this.#native.openingError;
    if (error) throw failure(error);
    const repos = [watch].flat();
    if (repos.length === 0) return;
    this.#opened = Promise.all(repos.map((repo) => this.watch(repo)));
    // The calls are rejected with its error.
    this.#opened.catch(() => {});
  }

  watch(repo) {
    const watched = this.#native.watch(String(repo)).then(({ error }) => {
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
    checkSignal(signal);
    signal?.throwIfAborted();
    const request = serialize({ ...first, ...fields });
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
