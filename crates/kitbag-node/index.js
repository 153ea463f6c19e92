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
  #callbackError;

  constructor({ watch = [], progress } = {}) {
    if (progress !== undefined && typeof progress !== "function") {
      throw new TypeError("`progress` must be a function");
    }
    const report = progress && ((done, total) => this.#report(progress, done, total));
    this.#native = new (load().NativeEngine)(native.launcher(), report);
    for (const repo of [watch].flat()) this.watch(repo);
  }

  watch(repo) {
    const { error } = this.#native.watch(String(repo));
    if (error) throw failure(error);
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

  /** Calls the user's callback until it throws; the next call to end then fails with its error. */
  #report(progress, done, total) {
    if (this.#callbackError) return;
    try {
      progress(done, total);
    } catch (error) {
      this.#callbackError = { error };
    }
  }

  async #call(operation, first, options) {
    if (options === null || typeof options !== "object" || Array.isArray(options)) {
      throw new RequestError({ code: "request", message: "the options must be an object" });
    }
    const { signal, ...fields } = options;
    signal?.throwIfAborted();
    const request = serialize({ ...first, ...fields });
    const call = new (load().NativeCall)();
    const { json, error } = await abortable(this.#native.start(call, operation, request), call, signal);
    const failed = this.#callbackError;
    if (failed) {
      this.#callbackError = undefined;
      throw failed.error;
    }
    if (error) throw failure(error);
    return JSON.parse(json);
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
