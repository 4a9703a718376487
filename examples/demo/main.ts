// The main job without a key, a network or an LLM: a configuration of flows and local checks guards a retrieval chain.
//   npm run demo                      plays script.txt, then asks you if stdin is a terminal
//   npm run demo -- --script FILE     plays the lines of a file
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs, styleText } from "node:util";
import type { Runnable } from "@langchain/core/runnables";
import { formatDecision, Guardrails, type GuardrailsMetadata } from "langchain-guardrails";
import { MatcherEmbeddings } from "langchain-guardrails/matcher";
import { is_grounded } from "./grounding.js";
import { createHandbookChain, type HandbookAnswer } from "./handbook-chain.js";

/** Output of the guarded chain: an answer, the evidence when the chain was asked, and the verdict. */
export interface GuardedAnswer extends Partial<HandbookAnswer> {
  readonly answer: string;
  readonly guardrails: GuardrailsMetadata;
}

/** Compiled, this file lies elsewhere than its configuration and documents. */
const FOLDER = fileURLToPath(new URL("../../examples/demo", import.meta.url));

export async function createGuardedHandbook(): Promise<Runnable<{ question: string }, GuardedAnswer>> {
  const embeddings = new MatcherEmbeddings();
  const chain = await createHandbookChain(join(FOLDER, "documents"), embeddings);
  const guardrails = await Guardrails.fromPath(join(FOLDER, "chain"), { embeddings, actions: { is_grounded } });
  return guardrails.wrap(chain, {
    inputKey: "question",
    outputKey: "answer",
    contextKey: "context",
    verdictKey: "guardrails",
  }) as Runnable<{ question: string }, GuardedAnswer>;
}

/** Plays the lines of a script and returns the transcript, one list of lines for each exchange. */
export async function run(options: { readonly script?: string; readonly times?: boolean } = {}): Promise<string[][]> {
  const guarded = await createGuardedHandbook();
  const exchanges: string[][] = [];
  for (const question of readScript(options.script)) {
    exchanges.push(describe(question, await guarded.invoke({ question }), options.times ?? false));
  }
  return exchanges;
}

function readScript(path = join(FOLDER, "script.txt")): string[] {
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.map((line) => line.trim()).filter((line) => line !== "");
}

/** One exchange as lines: what was said, and what the rails decided about it. */
function describe(question: string, { answer, context, guardrails }: GuardedAnswer, times: boolean): string[] {
  const rails = guardrails.decisions.map(
    (decision) => `     ${formatDecision(decision, { time: times, reason: false })}`,
  );
  const source = context?.find(({ pageContent }) => pageContent === answer)?.metadata["source"];
  const by = guardrails.blocked ? "a rail" : source === undefined ? "a flow" : `the chain, from ${String(source)}`;
  return [`you  ${question}`, `bot  ${answer.replaceAll("\n", "\n     ")}`, ...rails, `     answered by ${by}`];
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { script: { type: "string" } } });
  const guarded = await createGuardedHandbook();
  const ask = async (question: string): Promise<void> => {
    const [you = "", bot = "", ...notes] = describe(question, await guarded.invoke({ question }), true);
    console.log([styleText("bold", you), bot, ...notes.map((note) => styleText("dim", note)), ""].join("\n"));
  };
  for (const line of readScript(values.script)) await ask(line);
  if (!process.stdin.isTTY || values.script !== undefined) return;

  console.log("Your turn: ask about opening hours, repairs or rental, or try to get past the rails. Ctrl+D ends.");
  const terminal = createInterface({ input: process.stdin, output: process.stdout, prompt: "> " });
  terminal.prompt();
  for await (const line of terminal) {
    if (line.trim() !== "") await ask(line.trim());
    terminal.prompt();
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
}
