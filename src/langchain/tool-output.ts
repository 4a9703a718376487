import type { BaseMessage } from "@langchain/core/messages";
import type { RailDecision } from "../runtime/decision.js";
import type { Block } from "./blocked.js";
import type { GuardedCall } from "./call.js";
import { cloneMessage } from "./clone-message.js";
import { extractText, replaceText } from "./content.js";
import type { Host } from "./host.js";
import { isMessage, isObject, type PlainObject, roleOf } from "./message-kinds.js";
import type { ProposedCall } from "./tool-calls.js";
import { type CallSurroundings, reviewResult } from "./tool-review.js";
import { withVerdict } from "./verdict.js";
import { summarizeDecisions } from "../runtime/decision.js";

/** What a tool gave, as the rails left it. */
export interface OutputReview {
  readonly output: unknown;
  readonly decisions: readonly RailDecision[];
  readonly block?: Block;
}

/** Reviews one text that a tool gave. */
export type ReviewText = (
  text: string,
  failed: boolean,
) => Promise<{
  readonly text: string;
  readonly decisions: readonly RailDecision[];
  readonly block?: Block;
}>;

/**
 * Runs a tool and reviews what it gives, in any of its shapes: a text, data, a message, or a command of LangGraph with
 * messages in it. An error's text is what the model will be told, so it is reviewed too.
 *
 * @throws the tool's own error when its text passed
 */
export async function reviewToolOutput(
  host: Host,
  call: ProposedCall,
  guarded: GuardedCall,
  run: () => Promise<unknown>,
  about: CallSurroundings & { readonly review?: ReviewText | undefined } = {},
): Promise<OutputReview> {
  const isChecked = host.runtime.toolRails("tool_input", call.name, guarded.options).length > 0;
  const review: ReviewText | undefined =
    about.review ??
    (isChecked ? (text, failed) => reviewResult(host, { call, text, failed }, guarded, about) : undefined);
  if (review === undefined) return { output: await run(), decisions: [] };
  const ran = await run().then(
    (output) => ({ output }),
    (error: unknown) => ({ error }),
  );
  if ("output" in ran) return reviewOutput(ran.output, review);
  return reviewFailure(ran.error, review, guarded);
}

async function reviewFailure(error: unknown, review: ReviewText, guarded: GuardedCall): Promise<OutputReview> {
  if (isControlFlow(error, guarded)) throw error;
  const told = error instanceof Error ? error.message : String(error);
  const reviewed = await review(told, true);
  if (reviewed.block !== undefined) return { ...reviewed, output: undefined };
  // INVARIANT: an error whose text a rail rewrote never leaves with the old one, nor with its cause.
  throw reviewed.text === told ? error : new Error(reviewed.text);
}

/** Interrupts and aborts are no results; whoever runs the graph has to see them as they are. */
function isControlFlow(error: unknown, { config }: GuardedCall): boolean {
  return config.signal?.aborted === true || (isObject(error) && error["is_bubble_up"] === true);
}

async function reviewOutput(output: unknown, review: ReviewText): Promise<OutputReview> {
  if (isMessage(output)) return reviewMessage(output, review);
  if (isCommand(output)) return reviewCommand(output, review);
  const text = textOfData(output);
  const { text: after, ...reviewed } = await review(text, false);
  return { ...reviewed, output: after === text ? output : after };
}

async function reviewMessage(
  message: BaseMessage,
  review: ReviewText,
): Promise<OutputReview & { output: BaseMessage }> {
  const text = extractText(message);
  const failed = (message as { readonly status?: unknown }).status === "error";
  const { text: after, decisions, block } = await review(text, failed);
  if (block !== undefined) return { output: message, decisions, block };
  const changed = after === text ? message : withoutArtifact(replaceText(message, after));
  const output = decisions.length === 0 ? changed : withVerdict(changed, summarizeDecisions(decisions, false));
  return { output, decisions };
}

/** What a rail took out of the text may stand in what the text was made of. */
function withoutArtifact<M extends BaseMessage>(message: M): M {
  if ((message as { artifact?: unknown }).artifact === undefined) return message;
  return Object.assign(cloneMessage(message, {}), { artifact: undefined });
}

interface CommandLike {
  readonly lg_name: "Command";
  readonly update?: unknown;
}

export function isCommand(value: unknown): value is CommandLike {
  return isObject(value) && value["lg_name"] === "Command";
}

/** INVARIANT: of the messages a command brings, those of tools are reviewed and none is let through unread. */
async function reviewCommand(command: CommandLike, review: ReviewText): Promise<OutputReview> {
  const { update } = command;
  const messages = isObject(update) ? update["messages"] : undefined;
  if (!Array.isArray(messages)) return { output: command, decisions: [] };
  const decisions: RailDecision[] = [];
  const reviewed: unknown[] = [];
  for (const message of messages as readonly unknown[]) {
    if (!isMessage(message) || roleOf(message) !== "tool") {
      reviewed.push(message);
      continue;
    }
    const result = await reviewMessage(message, review);
    decisions.push(...result.decisions);
    if (result.block !== undefined) return { output: command, decisions, block: result.block };
    reviewed.push(result.output);
  }
  const copy = Object.assign(Object.create(Object.getPrototypeOf(command) as object) as CommandLike, command);
  return { output: Object.assign(copy, { update: { ...(update as PlainObject), messages: reviewed } }), decisions };
}

/** Data reaches the model as JSON. */
function textOfData(output: unknown): string {
  if (typeof output === "string") return output;
  if (output === undefined || output === null) return "";
  try {
    return JSON.stringify(output) ?? "";
  } catch {
    return String(output);
  }
}
