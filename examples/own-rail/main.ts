import { Guardrails } from "langchain-guardrails";
import { start, type ExampleOptions } from "../start.js";
import { politeness } from "./politeness.js";

export const REPLIES = ["Shut up and knead.", "That is a bad idea."];

export async function run({ llm }: ExampleOptions): Promise<readonly string[]> {
  // #region own-rail
  const config = { rails: { output: { flows: ["politeness soften output", "politeness check output"] } } };
  const guardrails = await Guardrails.fromConfig({ config }, { library: [politeness] });
  const model = guardrails.wrap(llm);
  // #endregion

  const lines: string[] = [];
  for (const question of ["How do I knead?", "Can I bake without flour?"]) {
    const answer = await model.invoke(question);
    lines.push(`> ${question}`, `< ${answer.text}`);
  }
  return lines;
}

await start(import.meta.url, run, REPLIES);
