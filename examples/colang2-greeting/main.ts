import { fileURLToPath } from "node:url";
import { Guardrails } from "langchain-guardrails";
import { chat } from "langchain-guardrails/testing";
import { start } from "../start.js";

const FOLDER = fileURLToPath(new URL("../../examples/colang2-greeting/config", import.meta.url));

/** No model is asked: the flows know what to say. */
export const REPLIES = [];

export async function run(): Promise<readonly string[]> {
  const guardrails = await Guardrails.fromPath(FOLDER);
  const dialogue = chat(guardrails);
  await dialogue.user("hello");
  await dialogue.user("when do you open?");
  await dialogue.user("tell me a joke");
  // Which of the two greetings comes is left to chance.
  return dialogue.transcript.replace(/< .*, and welcome/, "< Hello, and welcome").split("\n");
}

await start(import.meta.url, run, REPLIES);
