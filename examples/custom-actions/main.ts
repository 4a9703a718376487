import { fileURLToPath } from "node:url";
import { Guardrails, verdictOf } from "langchain-guardrails";
import { defineAction } from "langchain-guardrails/rails";
import { z } from "zod/v4";
import { start, type ExampleOptions } from "../start.js";

const FOLDER = fileURLToPath(new URL("../../examples/custom-actions", import.meta.url));

export const REPLIES = ["Knead it for ten minutes."];

export async function run({ llm }: ExampleOptions): Promise<readonly string[]> {
  // #region custom-actions
  const countWords = defineAction(
    { name: "count_words", params: z.object({ text: z.string() }), verdict: true },
    ({ text }, { annotate }) => {
      const words = text.split(/\s+/).length;
      annotate({ reason: `${words} words`, score: words });
      return words;
    },
  );
  const guardrails = await Guardrails.fromPath(FOLDER, { llm, actions: { count_words: countWords } });
  // #endregion

  const model = guardrails.wrap(llm);
  const lines: string[] = [];
  for (const question of [
    "How long do I knead it?",
    "I have, as I have told you before, a dough that is, or seems to be, too wet: why?",
  ]) {
    const answer = await model.invoke(question);
    const [decision] = verdictOf(answer)?.decisions ?? [];
    lines.push(`> ${question}`, `< ${answer.text}`, `  ${decision?.rail} ${decision?.status}: ${decision?.reason}`);
  }
  return lines;
}

await start(import.meta.url, run, REPLIES);
