#!/usr/bin/env node
// Runs the program `kitbag` of this platform.
"use strict";

const { spawn } = require("node:child_process");
const native = require("../native.js");

const child = spawn(native.launcher(), process.argv.slice(2), { stdio: "inherit" });
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
