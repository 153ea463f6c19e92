// Finds the files of this platform: the addon, and the launcher of the program beside it.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { KitbagError } = require("./errors.js");

/** Returns the name of the package for this platform. */
function platformPackage() {
  const { platform, arch } = process;
  if (platform !== "linux") return `@kitbag/${platform}-${arch}`;
  return `@kitbag/linux-${arch}-${isMusl() ? "musl" : "gnu"}`;
}

/** Whether the C library is musl: its `ldd` says so, and a report of Node, which takes longer, names no other. */
function isMusl() {
  try {
    return fs.readFileSync("/usr/bin/ldd", "utf8").includes("musl");
  } catch {
    return !process.report.getReport().header.glibcVersionRuntime;
  }
}

/** Returns the folder of the package for this platform. */
function folder() {
  const name = platformPackage();
  try {
    return path.dirname(require.resolve(`${name}/package.json`));
  } catch (cause) {
    const hint = "install it without `--omit=optional`, or use a platform that Kitbag is built for";
    throw new KitbagError({ code: "platform_package", message: `the package \`${name}\` is not installed`, hint, cause });
  }
}

/** Returns the path of the addon. */
exports.addon = () => path.join(folder(), "kitbag.node");

/** Loads the addon. */
exports.load = () => {
  const file = exports.addon();
  try {
    return require(file);
  } catch (cause) {
    const message = `cannot load \`${file}\`: ${cause.message}`;
    throw new KitbagError({ code: "platform_package", message, hint: "install the package again on this system", cause });
  }
};

/** Returns the path of the program. */
exports.launcher = () => path.join(folder(), process.platform === "win32" ? "kitbag.exe" : "kitbag");
