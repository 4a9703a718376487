import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { MemoryVectorStore } from "@langchain/classic/vectorstores/memory";
import type { Document } from "@langchain/core/documents";
import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { RunnableLambda, type Runnable } from "@langchain/core/runnables";
import { contentWords } from "./grounding.js";

export interface HandbookAnswer {
  readonly answer: string;
  readonly context: readonly Document[];
}

/**
 * A retrieval chain over the markdown files of a folder. Where a real chain asks a model, this one extracts: it answers
 * with the sentence that shares most with the question.
 */
export async function createHandbookChain(
  folder: string,
  embeddings: EmbeddingsInterface,
): Promise<Runnable<{ question: string }, HandbookAnswer>> {
  const sentences = readdirSync(folder)
    .filter((name) => name.endsWith(".md"))
    .sort()
    .flatMap((name) => readSentences(join(folder, name), name));
  const store = await MemoryVectorStore.fromTexts(
    sentences.map(({ text }) => text),
    sentences.map(({ source }) => ({ source })),
    embeddings,
  );
  const retriever = store.asRetriever(6);
  return RunnableLambda.from(async ({ question }: { question: string }, config) => {
    const context = await retriever.invoke(question, config);
    return { answer: extract(question, context), context };
  });
}

function readSentences(path: string, source: string): { text: string; source: string }[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("#"))
    .map((text) => ({ text, source }));
}

/** The sentence that shares most with the question; a word that stands in few sentences counts for more. */
function extract(question: string, documents: readonly Document[]): string {
  const sentences = documents.map(({ pageContent }) => ({ text: pageContent, words: contentWords(pageContent) }));
  const score = (words: ReadonlySet<string>): number => {
    const common = [...contentWords(question)].filter((word) => words.has(word));
    return common.reduce((sum, word) => sum + 1 / sentences.filter((other) => other.words.has(word)).length, 0);
  };
  const ranked = sentences.map(({ text, words }) => ({ text, score: score(words) }));
  return ranked.reduce((best, next) => (next.score > best.score ? next : best), { text: "", score: -1 }).text;
}
