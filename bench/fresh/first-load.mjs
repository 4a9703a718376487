// node first-load.mjs ROOT load|answer: milliseconds of processor time of the first load of 100 flows in a process whose
// modules are imported, or of that load and a first turn.
import { join } from "node:path";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { HumanMessage } from "@langchain/core/messages";
import { dialog, word } from "../configs.mjs";

const [root, what] = process.argv.slice(2);
const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const { Guardrails } = await import(pathToFileURL(join(root, exports["."].default)).href);
const config = dialog(100);
const messages = [new HumanMessage(`tell me about topic ${word(7)}`)];
const start = process.cpuUsage();
const guardrails = await Guardrails.fromConfig(config);
if (what === "answer") await guardrails.invoke(messages);
const { user, system } = process.cpuUsage(start);
console.log((user + system) / 1000);
process.exit(0);
