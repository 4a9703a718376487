// node import.mjs ROOT core|main: milliseconds of processor time of the imports of the main entry, or of the modules of LangChain's core
// that it loads.
import { join } from "node:path";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const CORE = [
  "@langchain/core/runnables",
  "@langchain/core/messages",
  "@langchain/core/callbacks/manager",
  "@langchain/core/language_models/chat_models",
  "@langchain/core/errors",
  "@langchain/core/outputs",
];

const [root, what] = process.argv.slice(2);
const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const start = process.cpuUsage();
for (const path of CORE) await import(path);
if (what === "main") await import(pathToFileURL(join(root, exports["."].default)).href);
const { user, system } = process.cpuUsage(start);
console.log((user + system) / 1000);
process.exit(0);
