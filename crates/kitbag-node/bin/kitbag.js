#!/usr/bin/env node
// Runs the program `kitbag` of this platform.
"use strict";

const { spawn } = require("node:child_process");
const native = require("../native.js");

/** Returns the path of the program. Without one, it prints the reason, and exits. */
function launcher() {
  try {
    return native.launcher();
  } catch (error) {
    console.error(`error: ${error.message}`);
    process.exit(1);
  }
}

const child = spawn(launcher(), process.argv.slice(2), { stdio: "inherit" });
// A terminal sends Ctrl-C to the program as well, which then decides when to end.
process.on("SIGINT", () => {});
for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`error: cannot start kitbag: ${error.message}`);
  process.exitCode = 1;
});
child.on("exit", (status, signal) => {
  process.exitCode = status ?? 1;
  if (!signal) return;
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
