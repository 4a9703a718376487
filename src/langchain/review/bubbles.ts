import { attempt } from "../../engine/walk.js";
import type { RailDecision } from "../../turn/decision.js";
import type { Decided, OutputReview } from "../tools/tool-review.js";
import { isPlainName, textsIn } from "../../turn/redact-data.js";
import { copyOf, isObject, type PlainObject } from "../values/message-kinds.js";

/** An interrupt or a command to the graph around, which LangGraph throws. */
interface Bubble extends Error {
  readonly is_bubble_up: true;
  interrupts?: unknown;
  command?: unknown;
}

export function isBubble(error: unknown): error is Bubble {
  return error instanceof Error && isObject(error) && error["is_bubble_up"] === true;
}

/**
 * Reviews what the graph around receives by way of an error: questions to a person, and what a command writes. INVARIANT: a
 * checkpointer and streams show both, so they are as much of a result as what is returned.
 *
 * @param error - gets the texts that the rails left
 */
export async function reviewBubble(error: Bubble, review: (value: unknown) => Promise<OutputReview>): Promise<Decided> {
  const decisions: RailDecision[] = [];
  const read = async (value: unknown): Promise<Decided & { readonly output?: unknown }> => {
    const { output, ...decided } = await review(value);
    decisions.push(...decided.decisions);
    return { ...decided, output: typeof value === "string" || typeof output !== "string" ? output : dataOf(output) };
  };
  const { command } = error;
  if (isObject(command)) {
    // LangGraph names the graph by an id.
    const { graph } = command;
    const withoutGraph = copyOf(command, { graph: undefined });
    const { output, block } = await read(withoutGraph);
    if (block !== undefined) return { decisions, block };
    if (output !== withoutGraph) error.command = Object.assign(output as object, { graph });
  }
  if (!Array.isArray(error.interrupts)) return { decisions };
  const interrupts: unknown[] = [];
  for (const item of error.interrupts as readonly unknown[]) {
    let reviewed = item;
    for (const part of isObject(item) ? PARTS : [undefined]) {
      const value = part === undefined ? item : (item as PlainObject)[part];
      if (part === "response_schema" ? !holdsTexts(value) : isSilent(value)) continue;
      const { output, block } = await read(value);
      if (block !== undefined) return { decisions, block };
      if (output !== value) reviewed = part === undefined ? output : { ...(reviewed as PlainObject), [part]: output };
    }
    interrupts.push(reviewed);
  }
  if (interrupts.every((item, index) => item === (error.interrupts as unknown[])[index])) return { decisions };
  const message = JSON.stringify(interrupts, undefined, 2);
  Object.assign(error, { interrupts, message, stack: `${error.name}: ${message}` });
  return { decisions };
}

/** Parts of an interrupt that are shown to a person: the question, and in newer versions of LangGraph the form of its response. */
const PARTS = ["value", "response_schema"] as const;

/** The dialect of a JSON Schema, which is not a text of the node. */
const DIALECT = /^https?:\/\/json-schema\.org\/[\w./-]+#?$/;

/** Returns true for a schema with more than key words and names of its fields. */
function holdsTexts(schema: unknown): boolean {
  return textsIn(schema).some((text) => !isPlainName(text) && !DIALECT.test(text));
}

function isSilent(value: unknown): boolean {
  return value === undefined || value === null || typeof value === "boolean";
}

/** Data whose JSON a rail has rewritten. */
function dataOf(text: string): unknown {
  return attempt(() => JSON.parse(text) as unknown) ?? text;
}
