// Prints how many milliseconds one import takes in this fresh process: `core` or `main`.
const CORE = [
  "@langchain/core/runnables",
  "@langchain/core/messages",
  "@langchain/core/callbacks/manager",
  "@langchain/core/language_models/chat_models",
  "@langchain/core/errors",
  "@langchain/core/outputs",
];

const start = performance.now();
if (process.argv[2] === "main") await import("langchain-guardrails");
else for (const path of CORE) await import(path);
process.stdout.write((performance.now() - start).toFixed(2));
