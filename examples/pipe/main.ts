import { fileURLToPath } from "node:url";
import { StringOutputParser } from "@langchain/core/output_parsers";
import { ChatPromptTemplate } from "@langchain/core/prompts";
import { Guardrails } from "langchain-guardrails";
import { start, type ExampleOptions } from "../start.js";

const FOLDER = fileURLToPath(new URL("../../examples/pipe", import.meta.url));

export const REPLIES = ["Rye, spelt and white bread.", "A rye bread costs 4 euros."];

export async function run({ llm }: ExampleOptions): Promise<readonly string[]> {
  const prompt = ChatPromptTemplate.fromTemplate("You sell bread. Answer briefly.\n\n{input}");

  // #region pipe
  const guardrails = await Guardrails.fromPath(FOLDER, {
    actions: { mentions_price: ({ text }: { text?: unknown }) => /\d+ euros?/.test(String(text)) },
  });
  const chain = prompt.pipe(llm).pipe(new StringOutputParser()).pipe(guardrails);
  // #endregion

  const lines: string[] = [];
  for (const input of ["What do you bake?", "What does a rye bread cost?"]) {
    lines.push(`> ${input}`, `< ${String(await chain.invoke({ input }))}`);
  }
  return lines;
}

await start(import.meta.url, run, REPLIES);
