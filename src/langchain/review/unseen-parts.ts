import { andThen } from "../../engine/async.js";
import type { BaseMessage } from "@langchain/core/messages";
import { type Block, blockWith, type RailDecision, type RailsStage, summarizeDecisions } from "../../turn/decision.js";
import type { GuardedCall } from "../call.js";
import { withoutTexts } from "../values/content-blocks.js";
import type { UserInput } from "../values/input-object.js";
import { unseenInMessage, wholeText } from "../values/message-extras.js";
import { roleOf } from "../values/message-kinds.js";
import { imagesIn, unseenInInput, type UserImage, userTextOf } from "../values/read-user-input.js";
import type { UnseenPart } from "../values/unseen.js";
import { announceDecisions } from "../verdict.js";

export interface GovernedParts {
  readonly decisions: readonly RailDecision[];
  readonly block?: Block;
}

export const NO_PARTS: GovernedParts = { decisions: [] };

/** Kinds that applications send and receive on purpose; all other kinds are of unknown shape. */
const KNOWN_KINDS: ReadonlySet<string> = new Set(
  "image,audio,video,file,artifact,invalid tool call,tool message,key".split(","),
);

/** Rail name of the decision about these parts. */
const UNSEEN_RAIL = "unseen parts";

const MAX_LISTED = 20;

/**
 * Decides about the parts of a value that no rail of the stage can read. The host's policy applies to every kind;
 * without one, known kinds are reported and others block.
 */
export function governParts(
  call: GuardedCall,
  stage: RailsStage,
  read: () => readonly UnseenPart[],
): Promise<GovernedParts> | GovernedParts {
  const policy = call.host.unseen;
  const parts = call.hasRails(stage) ? read() : [];
  if (parts.length === 0 || policy === "allow") return NO_PARTS;
  const blocking = parts.filter(({ kind }) => (policy ?? (KNOWN_KINDS.has(kind) ? "report" : "block")) === "block");
  const first = blocking[0];
  const unseen = [...blocking, ...parts.filter((part) => !blocking.includes(part))].slice(0, MAX_LISTED);
  const decision = { stage, rail: UNSEEN_RAIL, durationMs: 0, metadata: { unseen } };
  const decisions: readonly RailDecision[] =
    first === undefined
      ? [{ status: "passed", ...decision }]
      : [{ status: "blocked", ...decision, reason: `no rail can read the part \`${first.path}\`` }];
  const verdict = { ...summarizeDecisions(decisions), blocked: true };
  const governed = first === undefined ? { decisions } : { decisions, block: { refusal: "", verdict } };
  return andThen(announceDecisions(decisions, call.announce), () => governed);
}

/**
 * Decides about the non-text parts of an input: rails check images if their model supports them, and the host's policy
 * applies to all others.
 */
export function governInput(
  call: GuardedCall,
  input: UserInput,
  seen?: ReadonlySet<number>,
): Promise<GovernedParts> | GovernedParts {
  const parts = call.hasRails("input") ? unseenInInput(input, seen) : [];
  const images = parts.length === 0 ? [] : imagesIn(input, parts);
  if (images.length === 0 || call.conversation.imageRails.length === 0) return governParts(call, "input", () => parts);
  return lookAtImages(call, input, { parts, images });
}

async function lookAtImages(
  call: GuardedCall,
  input: UserInput,
  { parts, images }: { readonly parts: readonly UnseenPart[]; readonly images: readonly UserImage[] },
): Promise<GovernedParts> {
  const looked = new Set(images.map(({ part }) => part));
  const blocks = [...new Set(images.map(({ block }) => block))];
  const review = await call.conversation.images({ images: blocks, text: userTextOf(input), bare: withoutTexts });
  const { decisions } = review.verdict;
  if (review.block !== undefined) return { decisions, block: review.block };
  const others = await governParts(call, "input", () => parts.filter((part) => !looked.has(part)));
  const all = [...decisions, ...others.decisions];
  return others.block === undefined ? { decisions: all } : { decisions: all, block: blockWith(others.block, all) };
}

/**
 * Checks the non-text parts of user messages answered in earlier turns, as those of pending ones. Returns the messages to hide:
 * those with an image that a rail blocks, or with a part that `unseen` blocks.
 */
export async function hideEarlierParts(
  call: GuardedCall,
  messages: readonly BaseMessage[],
): Promise<ReadonlySet<BaseMessage>> {
  const { conversation } = call;
  const hidden = new Set<BaseMessage>();
  if (!call.hasRails("input")) return hidden;
  for (const [index, message] of messages.entries()) {
    const parts = roleOf(message) === "user" ? unseenInMessage(message, `messages[${index}]`) : [];
    if (parts.length === 0) continue;
    const images = conversation.imageRails.length === 0 ? [] : imagesIn({ messages }, parts);
    const looked = new Set(images.map(({ part }) => part));
    const blocks = [...new Set(images.map(({ block }) => block))];
    const isRefused =
      blocks.length > 0 &&
      (await conversation.earlierImages({ images: blocks, text: wholeText(message), bare: withoutTexts }));
    const others = isRefused
      ? NO_PARTS
      : await governParts(call, "input", () => parts.filter((part) => !looked.has(part)));
    conversation.noteEarlier(others.decisions.map(aboutHistory));
    if (isRefused || others.block !== undefined) hidden.add(message);
  }
  return hidden;
}

/** A block hides the message and not the call, so its decision is a change. */
function aboutHistory(decision: RailDecision): RailDecision {
  const status = decision.status === "passed" ? "passed" : "modified";
  return { ...decision, status, metadata: { ...decision.metadata, history: true } };
}
