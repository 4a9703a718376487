#!/usr/bin/env node
// The program `langchain-guardrails`: process-level code; commands are in `program.ts`.
import { createRequire } from "node:module";
import { type CommandLine, EXIT, Printer } from "./command-line.js";
import { interruptionOf } from "./interruption.js";
import { runCommandLine } from "./program.js";

const { version } = createRequire(import.meta.url)("langchain-guardrails/package.json") as { version: string };
const { stdin, stdout, stderr, env, argv } = process;
stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
  // A closed terminal also sends a signal, after which active requests may finish.
  if (code === "EIO") return;
  // A reader such as `head` may close the pipe.
  process.exit(code === "EPIPE" ? EXIT.ok : EXIT.problems);
});
// A report that cannot be written must not fail the command with another error.
stderr.on("error", () => undefined);

const commandLine: CommandLine = {
  stdin,
  stdout: new Printer(stdout, env),
  stderr: new Printer(stderr, env),
  terminal: stdin.isTTY && stdout.isTTY ? stdout : undefined,
  env,
  signal: interruptionOf(process, env),
};
process.exitCode = await runCommandLine(argv.slice(2), commandLine, version);
