import { fileURLToPath } from "node:url";
import { Guardrails } from "langchain-guardrails";
import { play, readDialogue } from "../dialogue.js";
import { start, type ExampleOptions } from "../start.js";

const FOLDER = fileURLToPath(new URL("../../examples/fact-checking", import.meta.url));

export const DIALOGUE = readDialogue(`${FOLDER}/dialogue.txt`);
export const REPLIES = DIALOGUE.replies;

export async function run({ llm, interactive }: ExampleOptions): Promise<readonly string[]> {
  const guardrails = await Guardrails.fromPath(`${FOLDER}/config`, { llm });
  return play(guardrails, DIALOGUE, { interactive });
}

await start(import.meta.url, run, REPLIES);
