// Runs ten-lines.ts: against OpenAI when OPENAI_API_KEY is set, else against a scripted server on this machine.
import { pathToFileURL } from "node:url";
import { scriptedServer } from "langchain-guardrails/testing";

/** Completions of the server: the input rail's question, the user's question, the output rail's question. */
export const REPLIES = ["No", "Soda bread: it needs no yeast and no kneading.", "No"];

export async function run(): Promise<readonly string[]> {
  if (process.env["OPENAI_API_KEY"] !== undefined) return [(await import("./ten-lines.js")).text];
  const server = await scriptedServer(REPLIES);
  Object.assign(process.env, { OPENAI_API_KEY: "none", OPENAI_BASE_URL: server.url });
  try {
    return [(await import("./ten-lines.js")).text];
  } finally {
    delete process.env["OPENAI_API_KEY"];
    delete process.env["OPENAI_BASE_URL"];
    await server.close();
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  if (process.env["OPENAI_API_KEY"] === undefined) console.log("OPENAI_API_KEY is not set: the answer is scripted.\n");
  await run();
}
