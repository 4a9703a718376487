import type { ActionContext } from "../actions/action.js";
import { InputShapeError } from "../diagnostics/errors.js";
import { readOwn } from "../engine/plain-data.js";
import { ENGINE_LIMITS, mapParts } from "../engine/walk.js";
import { contextText } from "./context-text.js";
import type { RailFlowStage } from "./rail-manifest.js";
import { itemsOf, joinsOf, outermostLists, readToolSubject, textsOf, withAllKeys, withItems } from "./tool-subject.js";

/** Stages in which a rail reads a text. */
export type Source = Exclude<RailFlowStage, "dialog">;

export const SOURCES: readonly Source[] = ["input", "output", "retrieval", "tool_output", "tool_input"];

/** Text, texts or arguments that a rail of a stage checks. */
type Subject =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "texts"; readonly texts: readonly string[] }
  | { readonly kind: "arguments"; readonly args: unknown };

/**
 * Returns the texts that a rail checks.
 *
 * @param given - text or texts passed by the flow, which replace those of the context
 * @throws InputShapeError for an unknown source, and for arguments of a tool with more than 10,000 values
 */
export function subjectTexts(source: unknown, context: ActionContext, given: unknown): readonly string[] {
  return textsIn(readSubject(source, context, given));
}

/** Returns the texts to search: those that a rail checks, and the joined items of the lists in the arguments of a tool. */
export function searchedTexts(source: unknown, context: ActionContext, given: unknown): readonly string[] {
  const subject = readSubject(source, context, given);
  const texts = textsIn(subject);
  if (subject.kind !== "arguments") return texts;
  const joined = outermostLists(subject.args).flatMap((list) => joinsOf(itemsOf(list)));
  return joined.length === 0 ? texts : [...texts, ...joined.map(({ text }) => text)];
}

/** Functions that rewrite the texts of a rail's subject. */
export interface SubjectRewriter {
  /** Rewrites a text, or a number of arguments, which becomes a text if it changes. */
  text(text: string): string;
  /** Rewrites the texts, numbers and booleans of an outermost list in arguments together; default: each text by itself. */
  items?(items: readonly string[]): readonly string[];
  /** Rewrites a key of an object in arguments; default: keys stay. */
  key?(key: string): string;
}

/**
 * Rewrites each text that a rail checks; returns a text, a list of chunks, or the arguments of a tool.
 *
 * @throws InputShapeError for an unknown source, for arguments beyond the limits of the engine, and if two keys of an object
 *   would become the same
 */
export function rewriteSubject(
  source: unknown,
  context: ActionContext,
  given: unknown,
  rewriter: SubjectRewriter,
): unknown {
  const subject = readSubject(source, context, given);
  if (subject.kind === "text") return rewriter.text(subject.text);
  // An earlier rail represents "no chunks" by an empty text.
  if (subject.kind === "texts")
    return subject.texts.length === 0 ? "" : subject.texts.map((passage) => rewriter.text(passage));
  const { items, key } = rewriter;
  const keys = key === undefined ? {} : { key };
  const leaf = (value: unknown): unknown => {
    if (!["string", "number", "bigint"].includes(typeof value)) return value;
    const rewritten = rewriter.text(String(value));
    return rewritten === String(value) ? value : rewritten;
  };
  const whole = (value: object, parts: () => unknown): unknown =>
    items !== undefined && Array.isArray(value)
      ? withItems(value, items(itemsOf(value)), keys)
      : withAllKeys(value, parts());
  return mapParts(subject.args, { leaf, whole, ...keys }, ENGINE_LIMITS);
}

function textsIn(subject: Subject): readonly string[] {
  if (subject.kind === "text") return [subject.text];
  if (subject.kind === "texts") return subject.texts;
  const texts = textsOf(subject.args);
  if (texts === undefined) throw new InputShapeError("there is more in the arguments than can be looked through");
  return texts;
}

function readSubject(source: unknown, action: ActionContext, given: unknown): Subject {
  if (typeof given === "string") return { kind: "text", text: given };
  if (isTexts(given)) return { kind: "texts", texts: given };
  switch (source) {
    case "input":
      return { kind: "text", text: contextText(action.context, "user_message") };
    case "output":
      return { kind: "text", text: contextText(action.context, "bot_message") };
    case "retrieval": {
      const chunks = readOwn(action.context, "relevant_chunks_sep");
      if (isTexts(chunks) && chunks.length > 0) return { kind: "texts", texts: chunks };
      return { kind: "text", text: contextText(action.context, "relevant_chunks") };
    }
    case "tool_output":
      return { kind: "arguments", args: readToolSubject(action).args };
    case "tool_input":
      return { kind: "text", text: readToolSubject(action).result };
    default:
      throw new InputShapeError(`expected \`source\` to be one of ${SOURCES.join(", ")}`);
  }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
