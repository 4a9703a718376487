import type { CallEnd, CallSpan, SpanEnd, SpanStart } from "../engine/span.js";
import { attempt } from "../engine/walk.js";
import { textsIn } from "../turn/redact-data.js";
import { createRedactor, type HiddenText } from "../turn/redactor.js";
import type { Attributes } from "./attributes.js";
import type { StartedSpan, TraceStatus } from "./interaction.js";

/** Result of a turn. */
export type TurnEnd = Parameters<CallSpan["answered"]>[0];

/** A span while it is recorded. */
export interface Entry {
  readonly started: StartedSpan;
  readonly facts: SpanStart | undefined;
  /** True for work of a rail. */
  readonly isOfRail: boolean;
  readonly attributes: Attributes;
  end?: SpanEnd;
  error?: unknown;
  finishedAt?: number;
  status?: TraceStatus;
}

/** Removes texts that may not be in a trace. */
export type Redact = (text: string) => string;

/** Longest text of a trace, in characters. */
const MAX_TEXT = 20_000;

const PARAMETER = /^[\p{L}_$][\p{L}\p{N}_]{0,39}$/u;

/** Returns true for the status of a rail that lets its text go on. */
export function isPassing(status: TraceStatus | undefined): boolean {
  return status === "passed" || status === "modified";
}

/**
 * Returns the texts of a span by name.
 *
 * @param isUnreviewed - true for texts that rails have not passed, too
 */
export function contentOf(
  { facts, end, isOfRail }: Entry,
  result: TurnEnd | undefined,
  redact: Redact,
  isUnreviewed = false,
): Record<string, string> {
  const isAnswered = isUnreviewed || result?.status === "answered";
  const content: Record<string, string> = {};
  const add = (name: string, value: unknown): void => {
    const text = typeof value === "string" ? value : (attempt(() => JSON.stringify(value)) ?? "");
    if (text !== "") content[name] = redact(text);
  };
  if (facts === undefined) {
    if (isAnswered) {
      add("input", result?.userMessage);
      add("output", result?.text);
    }
  } else if (facts.kind === "rail") add("input", facts.subject);
  else if (facts.kind === "action") {
    for (const [name, value] of Object.entries(facts.params)) if (PARAMETER.test(name)) add(`param.${name}`, value);
  } else {
    add("prompt", facts.prompt?.());
    // INVARIANT: a completion that the output rails have not passed is not part of a trace.
    if (isOfRail || isAnswered) add("completion", end?.text);
  }
  return content;
}

/** Returns the redactor of a call: what its rails blocked or rewrote, and values that pseudonyms replace, stay out of the trace. */
export function redactorOf(entries: readonly Entry[], { hidden: extras, hide }: CallEnd): Redact {
  const hidden: (HiddenText | string)[] = [...extras];
  for (const { facts, end, status } of entries) {
    if (facts?.kind !== "rail" || facts.isShadow === true) continue;
    if (status === "modified") hidden.push(...rewritten(facts.subject, end?.subject));
    else if (!isPassing(status)) hidden.push(...textsIn(facts.subject));
  }
  const redactor = createRedactor(hidden);
  return (text) => {
    const shown = redactor?.redact(text) ?? text;
    return shorten(hide?.(shown) ?? shown);
  };
}

/** Returns the beginning of a text that is longer than a trace keeps. */
export function shorten(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

/** Returns the texts that a rail took out of its subject. */
function rewritten(before: unknown, after: unknown): readonly (HiddenText | string)[] {
  if (typeof before === "string") return [{ text: before, replacement: typeof after === "string" ? after : undefined }];
  const left = new Set(textsIn(after));
  return textsIn(before).filter((text) => !left.has(text));
}
