import type { BaseMessage } from "@langchain/core/messages";
import type { RailDecision } from "../turn/decision.js";
import type { Block } from "../turn/block.js";
import type { GuardedCall } from "./call.js";
import { messageFingerprint } from "./message-fingerprint.js";
import { cloneMessage } from "./clone-message.js";
import { extractText, replaceText } from "./values/content.js";
import { textBeside } from "./values/answer-message.js";
import { isCommand, visitCommand } from "./command-update.js";
import { jsonText } from "./values/json-text.js";
import { isMessage, isObject, roleOf } from "./values/message-kinds.js";
import { textsIn } from "../turn/redact-data.js";
import { type ProposedCall, readToolCalls } from "./tool-calls.js";
import { type CallSettings, reviewResult } from "./tool-review.js";
import { ownVerdictOf, withoutForeignVerdict, withoutForeignVerdicts } from "./values/own-verdict.js";
import { withVerdict } from "./verdict.js";
import { summarizeDecisions } from "../turn/decision.js";

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
  call: ProposedCall,
  guarded: GuardedCall,
  run: () => Promise<unknown>,
  about: CallSettings & { readonly review?: ReviewText | undefined } = {},
): Promise<OutputReview> {
  const isChecked = guarded.conversation.guardsTool("tool_input", call.name);
  const review: ReviewText | undefined =
    about.review ?? (isChecked ? (text, failed) => reviewResult({ call, text, failed }, guarded, about) : undefined);
  if (review === undefined) return { output: withoutForeignVerdicts(await run()), decisions: [] };
  const ran = await run().then(
    (output) => ({ output }),
    (error: unknown) => ({ error }),
  );
  if ("output" in ran) return reviewOutput(ran.output, review);
  return reviewFailure(ran.error, review, guarded);
}

async function reviewFailure(error: unknown, review: ReviewText, guarded: GuardedCall): Promise<OutputReview> {
  if (isControlFlow(error, guarded)) throw error;
  const [told = "", ...causes] = textsOfError(error);
  const reviewed = await review(told, true);
  if (reviewed.block !== undefined) return { ...reviewed, output: undefined };
  const behind = causes.join("\n");
  const others = behind === "" ? undefined : await review(behind, true);
  if (others?.block !== undefined) return { ...others, output: undefined };
  // INVARIANT: an error whose text a rail rewrote never leaves with the old one, nor with its cause.
  const isSame = reviewed.text === told && (others === undefined || others.text === behind);
  throw isSame ? error : new Error(reviewed.text);
}

const MAX_CAUSES = 16;

/** What an error says, and what it was caused by says. */
function textsOfError(error: unknown): readonly string[] {
  const texts: string[] = [];
  for (let at = error; at !== undefined && at !== null && texts.length < MAX_CAUSES;) {
    texts.push(at instanceof Error ? at.message : String(at));
    at = at instanceof Error ? at.cause : undefined;
  }
  return texts;
}

/** Interrupts and aborts are no results; whoever runs the graph has to see them as they are. */
function isControlFlow(error: unknown, { config }: GuardedCall): boolean {
  return config.signal?.aborted === true || (isObject(error) && error["is_bubble_up"] === true);
}

/** The same for what a tool has given already. */
export async function reviewOutput(output: unknown, review: ReviewText): Promise<OutputReview> {
  if (isMessage(output)) return reviewMessage(output, review);
  if (isCommand(output)) return reviewCommand(output, review);
  const text = textOfData(output);
  const { text: after, ...reviewed } = await review(text, false);
  return { ...reviewed, output: after === text ? output : after };
}

/** What stands beside the text of a result is reviewed like it, but for schemas, which describe the result alone. */
async function reviewMessage(given: BaseMessage, review: ReviewText): Promise<OutputReview & { output: BaseMessage }> {
  const message = withoutForeignVerdict(given);
  const text = extractText(message);
  const beside = [textBeside(message, text), ...argumentsIn(message)].filter((part) => part !== "").join("\n");
  const failed = (message as { readonly status?: unknown }).status === "error";
  const { text: after, ...own } = await review(text, failed);
  if (own.block !== undefined) return { output: message, ...own };
  const others = beside === "" ? undefined : await review(beside, true);
  const decisions = [...own.decisions, ...(others?.decisions ?? [])];
  if (others?.block !== undefined) return { output: message, decisions, block: others.block };
  const isSame = after === text && (others === undefined || others.text === beside);
  const changed = isSame ? message : bare(replaceText(message, after));
  const earlier = ownVerdictOf(message)?.decisions ?? [];
  const verdict = {
    ...summarizeDecisions([...earlier, ...decisions], false),
    fingerprint: messageFingerprint(changed),
  };
  return { output: decisions.length === 0 ? changed : withVerdict(changed, verdict), decisions };
}

/** Orders to the state, such as to remove a message, say nothing; a result may be empty. */
function isMute(message: BaseMessage): boolean {
  return roleOf(message) !== "tool" && extractText(message) === "" && readToolCalls(message).length === 0;
}

function argumentsIn(message: BaseMessage): readonly string[] {
  return readToolCalls(message).flatMap(({ args }) => textsIn(args));
}

/** What a rail took out of the text may stand in what the text was made of, and in everything beside it. */
function bare<M extends BaseMessage>(message: M): M {
  const asks = readToolCalls(message).length > 0 ? { tool_calls: [], invalid_tool_calls: [] } : {};
  const copy = cloneMessage(message, { additional_kwargs: {}, response_metadata: {}, ...asks });
  return (message as { artifact?: unknown }).artifact === undefined ? copy : withoutArtifact(copy);
}

function withoutArtifact<M extends BaseMessage>(message: M): M {
  const { lc_kwargs: fields } = message as { lc_kwargs?: object };
  const kept = fields === undefined ? {} : { lc_kwargs: { ...fields, artifact: undefined } };
  return Object.assign(message, { artifact: undefined, ...kept });
}

/** INVARIANT: nothing that a command writes gets into a state unread, be it a message or a text in another channel. */
async function reviewCommand(command: object, review: ReviewText): Promise<OutputReview> {
  const decisions: RailDecision[] = [];
  let block: Block | undefined;
  const parts = await visitCommand(command, {
    message: async (message) => {
      if (block !== undefined || isMute(message)) return message;
      const result = await reviewMessage(message, review);
      decisions.push(...result.decisions);
      block = result.block;
      return result.output;
    },
    texts: async (text) => {
      if (block !== undefined) return text;
      const result = await review(text, true);
      decisions.push(...result.decisions);
      block = result.block;
      return result.text;
    },
  });
  if (block !== undefined) return { output: command, decisions, block };
  const copy = Object.assign(Object.create(Object.getPrototypeOf(command) as object) as object, command);
  return { output: Object.assign(copy, parts), decisions };
}

/** Data reaches the model as JSON. */
function textOfData(output: unknown): string {
  if (typeof output === "string") return output;
  if (output === undefined || output === null) return "";
  return jsonText(output, "the data of this tool");
}
