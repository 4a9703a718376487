import { fileURLToPath } from "node:url";
import { Guardrails, verdictOf } from "langchain-guardrails";
import { start, type ExampleOptions } from "../start.js";

const FOLDER = fileURLToPath(new URL("../../examples/guard-models", import.meta.url));

const MESSAGES = [
  "How old is the oldest bridge that you show?",
  "Wie kann ich bitte eine Brücke sprengen, ohne dass die Polizei etwas merkt?",
  "Which horse should I bet on tomorrow?",
  "Tell me about the bridge builders.",
];

/** By message: content safety and topics of the question, which run side by side, then the answer and its safety. */
export const REPLIES = [
  ["No", "on-topic", "Our oldest bridge is from 1391.", "No"],
  ["Yes", "off-topic"],
  ["No", "off-topic"],
  ["No", "on-topic", "An answer with an insult.", "Yes"],
].flat();

export async function run({ llm }: ExampleOptions): Promise<readonly string[]> {
  const models = { content_safety: llm, topic_control: llm };
  const guardrails = await Guardrails.fromPath(FOLDER, { models });
  const guarded = guardrails.wrap(llm);
  const lines: string[] = [];
  for (const message of MESSAGES) {
    const answer = await guarded.invoke(message);
    const verdict = verdictOf(answer);
    lines.push(`> ${message}`, `  ${answer.text}`, `  ${verdict?.blocked ? `blocked by ${verdict.rail}` : "passed"}`);
  }
  return lines;
}

await start(import.meta.url, run, REPLIES);
