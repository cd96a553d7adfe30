#!/usr/bin/env node
// Starts the program of the package for this platform, which npm installed beside this one.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");

const { name } = require("../package.json");
const platform = `${name}-${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "sscg.exe" : "sscg";

let program;
try {
  program = require.resolve(`${platform}/bin/${file}`);
} catch {
  console.error(`error: the package ${platform} is not installed`);
  console.error(
    "hint: install without --omit=optional; if there is no such package, build the program: cargo install sscg-cli",
  );
  process.exit(2);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => {
  console.error(`error: cannot start ${program}: ${error.message}`);
  process.exit(2);
});
// The program decides when to end. Ctrl-C reaches it twice, as it is in the same group of processes; a signal to this
// process alone, once.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("exit", (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
