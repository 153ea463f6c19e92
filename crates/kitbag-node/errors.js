// The errors of the package.
"use strict";

/** An error that prevents an answer. */
class KitbagError extends Error {
  constructor({ message, code, hint, cause }) {
    super(hint ? `${message} (${hint})` : message, cause && { cause });
    this.name = new.target.name;
    this.code = code;
    this.hint = hint ?? undefined;
  }
}

/** An invalid request: an unknown field, a wrong type, a repository that does not exist. */
class RequestError extends KitbagError {}

exports.KitbagError = KitbagError;
exports.RequestError = RequestError;
