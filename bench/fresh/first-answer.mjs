// node first-answer.mjs ROOT core|guarded cpu|rss: milliseconds of processor time, or MiB of memory, that a process has
// used at its first response. `core` imports LangChain's core and calls a bare model.
import { join } from "node:path";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [root, what, unit] = process.argv.slice(2);
const { HumanMessage } = await import("@langchain/core/messages");
const { InstantChatModel } = await import("../instant-model.mjs");
const model = new InstantChatModel();
const messages = [new HumanMessage("When do you open?")];
if (what === "core") {
  await import("@langchain/core/runnables");
  await model.invoke(messages);
} else {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const { Guardrails } = await import(pathToFileURL(join(root, exports["."].default)).href);
  const { actions, twoRails } = await import("../configs.mjs");
  const guardrails = await Guardrails.fromConfig(twoRails, { actions });
  await guardrails.wrap(model).invoke(messages);
}
const { user, system } = process.cpuUsage();
console.log(unit === "cpu" ? (user + system) / 1000 : process.memoryUsage.rss() / 1048576);
process.exit(0);
