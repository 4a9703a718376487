// Shared by the examples: the choice of the model and the start from the command line.
import { pathToFileURL } from "node:url";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { scriptedModel, type ScriptedReply } from "langchain-guardrails/testing";

export interface ExampleOptions {
  readonly llm: BaseChatModel;
  /** A person speaks instead of the script: there is a real model and a terminal. */
  readonly interactive?: boolean;
}

/** Runs an example when its file was started by node, with a real model if there is a key for one. */
export async function start(
  url: string,
  run: (options: ExampleOptions) => Promise<readonly string[]>,
  replies: readonly ScriptedReply[],
): Promise<void> {
  const { argv } = process;
  if (argv[1] === undefined || url !== pathToFileURL(argv[1]).href) return;
  const interactive = process.env["OPENAI_API_KEY"] !== undefined && process.stdin.isTTY === true;
  for (const line of await run({ llm: await chooseModel(replies), interactive })) console.log(line);
}

async function chooseModel(replies: readonly ScriptedReply[]): Promise<BaseChatModel> {
  if (process.env["OPENAI_API_KEY"] !== undefined) {
    const { ChatOpenAI } = await import("@langchain/openai");
    return new ChatOpenAI({ model: process.env["OPENAI_MODEL"] ?? "gpt-4o-mini", temperature: 0 });
  }
  console.log("OPENAI_API_KEY is not set: the model's answers below are scripted.\n");
  return scriptedModel(replies);
}
