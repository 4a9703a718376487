import type { CallEnd, CallSpan, SpanEnd, SpanStart } from "../engine/span.js";
import { attempt } from "../engine/walk.js";
import { textsIn } from "../turn/redact-data.js";
import { createRedactor, type HiddenText } from "../turn/redactor.js";
import type { Attributes } from "./attributes.js";
import type { StartedSpan, TraceStatus } from "./interaction.js";

/** Result of a turn. */
export type TurnEnd = Parameters<CallSpan["answered"]>[0];

/** A span during recording. */
export interface Entry {
  readonly started: StartedSpan;
  readonly facts: SpanStart | undefined;
  /** True for work inside a rail. */
  readonly isOfRail: boolean;
  readonly attributes: Attributes;
  end?: SpanEnd;
  error?: unknown;
  finishedAt?: number;
  status?: TraceStatus;
}

/** Removes texts that must not be in a trace. */
export type Redact = (text: string) => string;

/** Maximum length of a text in a trace, in characters. */
const MAX_TEXT = 20_000;

const PARAMETER = /^[\p{L}_$][\p{L}\p{N}_]{0,39}$/u;

/** Returns true for the status of a rail that releases its text. */
export function isPassing(status: TraceStatus | undefined): boolean {
  return status === "passed" || status === "modified";
}

/**
 * Returns the texts of a span by name.
 *
 * @param isUnreviewed - true to include texts that rails have not passed
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

/** Returns the redactor of a call, which removes blocked and rewritten texts and values hidden by pseudonyms. */
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

/** Truncates a text to the maximum length of a trace. */
export function shorten(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

/** Returns the texts that a rail removed. */
function rewritten(before: unknown, after: unknown): readonly (HiddenText | string)[] {
  if (typeof before === "string") return [{ text: before, replacement: typeof after === "string" ? after : undefined }];
  const left = new Set(textsIn(after));
  return textsIn(before).filter((text) => !left.has(text));
}
