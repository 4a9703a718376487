import { fileURLToPath } from "node:url";
import { Guardrails } from "langchain-guardrails";
import { play, readDialogue } from "../dialogue.js";
import { start, type ExampleOptions } from "../start.js";

const FOLDER = fileURLToPath(new URL("../../examples/colang2-rag", import.meta.url));

export const DIALOGUE = readDialogue(`${FOLDER}/dialogue.txt`);
export const REPLIES = DIALOGUE.replies;

const actions = {
  hide_membership_numbers: ({ text }: { text: string }) => text.replaceAll(/\bM-\d+/g, "M-…"),
  leave_out_staff_notes: ({ text }: { text: string }) =>
    text
      .split("\n")
      .filter((line) => !line.startsWith("Note for the staff"))
      .join("\n"),
};

export async function run({ llm, interactive }: ExampleOptions): Promise<readonly string[]> {
  const guardrails = await Guardrails.fromPath(`${FOLDER}/config`, { llm, actions });
  return play(guardrails, DIALOGUE, { interactive });
}

await start(import.meta.url, run, REPLIES);
