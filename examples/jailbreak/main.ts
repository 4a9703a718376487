import { fileURLToPath } from "node:url";
import { Guardrails } from "langchain-guardrails";
import { defineAction } from "langchain-guardrails/rails";
import { z } from "zod/v4";
import { play, readDialogue } from "../dialogue.js";
import { start, type ExampleOptions } from "../start.js";
import { findSigns, THRESHOLD } from "./jailbreak-signs.js";

const FOLDER = fileURLToPath(new URL("../../examples/jailbreak", import.meta.url));

export const DIALOGUE = readDialogue(`${FOLDER}/dialogue.txt`);
export const REPLIES = DIALOGUE.replies;

/** True for a text with enough signs; which ones they were stands in the decision, for logs only. */
const findJailbreakSigns = defineAction(
  { name: "find_jailbreak_signs", params: z.object({ text: z.string() }), verdict: true },
  ({ text }, { annotate }) => {
    const { score, found } = findSigns(text);
    annotate({ score, threshold: THRESHOLD, reason: found.length === 0 ? "no signs" : found.join(", ") });
    return score >= THRESHOLD;
  },
);

export async function run({ llm, interactive }: ExampleOptions): Promise<readonly string[]> {
  const guardrails = await Guardrails.fromPath(`${FOLDER}/config`, {
    llm,
    actions: { find_jailbreak_signs: findJailbreakSigns },
  });
  return play(guardrails, DIALOGUE, { interactive });
}

await start(import.meta.url, run, REPLIES);
