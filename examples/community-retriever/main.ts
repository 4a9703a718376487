import { BM25Retriever } from "@langchain/community/retrievers/bm25";
import { Document } from "@langchain/core/documents";
import { Guardrails } from "langchain-guardrails";
import { start, type ExampleOptions } from "../start.js";

const NOTES = [
  "The workshop opens at nine and closes at five.",
  "A dented rim is straightened while you wait.",
  "Carbon frames are repaired by appointment only.",
];

const CONFIG = {
  instructions: [{ type: "general", content: "The bot works for a bicycle workshop. It answers from its notes." }],
  rails: { output: { flows: ["self check output"] } },
};

/** The model's completions: an answer and its verdict, for two questions. */
export const REPLIES = ["Yes, a dented rim is straightened while you wait.", "No", "Ask the idiots next door.", "Yes"];

export async function run({ llm }: ExampleOptions): Promise<readonly string[]> {
  // #region community-retriever
  const documents = NOTES.map((pageContent) => new Document({ pageContent }));
  const retriever = BM25Retriever.fromDocuments(documents, { k: 2 });
  const guardrails = await Guardrails.fromConfig({ config: CONFIG }, { llm, retriever });
  // #endregion
  const lines: string[] = [];
  for (const question of ["Can you straighten a dented rim?", "When do you repair carbon frames?"]) {
    const { response } = await guardrails.generate(question);
    lines.push(`> ${question}`, `< ${String(response)}`);
  }
  return lines;
}

await start(import.meta.url, run, REPLIES);
