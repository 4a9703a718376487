import type { EventDraft, GuardrailsEvent } from "../engine/events.js";
import type { Entry } from "../turn/decision.js";
import type { RailDialect, RailRun, RailOutcome } from "./rail-dialect.js";
import { ENGINE_LIMITS, mapParts } from "../engine/walk.js";
import { splitLines } from "../turn/extra-text.js";
import { redactData } from "../turn/redact-data.js";
import type { Redactor } from "../turn/redactor.js";

/** Output rails that review utterances and exceptions of a rail, and the review by one of them. */
export interface Reviewers {
  readonly rails: readonly string[];
  readonly review: (rail: string, text: string) => Promise<RailOutcome>;
}

/**
 * Reviews a rail's utterances by output rails, unless the configuration writes them literally, as in `bot $variable`.
 * INVARIANT: text that a model or a user may have written reaches the user only after output rails passed it.
 *
 * @param isWritten - returns true for a text written in the configuration
 */
export async function reviewUtterances(
  run: RailRun,
  reviewers: Reviewers,
  isWritten: (text: string) => boolean,
): Promise<RailRun> {
  if (reviewers.rails.length === 0) return run;
  let reviewed = run;
  for (const text of run.utterances) {
    if (text === "" || isWritten(text)) continue;
    const { text: passed, block } = await reviewInOrder(reviewers, text);
    if (block !== undefined) return blockedBy(reviewed, text, block);
    if (passed !== text) reviewed = withText(reviewed, text, passed);
  }
  return reviewed;
}

/** Reviews a text by one rail after another, up to the first block. */
async function reviewInOrder(
  { rails, review }: Reviewers,
  text: string,
): Promise<{ readonly text: string; readonly block?: RailOutcome }> {
  let passed = text;
  for (const rail of rails) {
    const outcome = await review(rail, passed);
    if (outcome.blocked) return { text: passed, block: outcome };
    const { bot_message: rewritten } = outcome.contextUpdates;
    if (typeof rewritten === "string") passed = rewritten;
  }
  return { text: passed };
}

/** The refusal of the blocking rail replaces all utterances. */
function blockedBy(run: RailRun, text: string, { refusal, exception, entries }: RailOutcome): RailRun {
  return {
    context: withValue(run, text, refusal ?? null),
    isBlocked: true,
    utterances: refusal === undefined ? [] : [refusal],
    exception: exception ?? run.exception,
    entries: [...run.entries.filter((entry) => !isUtterance(entry)), ...entries],
  };
}

function withText(run: RailRun, text: string, passed: string): RailRun {
  return {
    ...run,
    context: withValue(run, text, passed),
    utterances: run.utterances.map((utterance) => (utterance === text ? passed : utterance)),
    entries: run.entries.map((entry) => {
      if (!isUtterance(entry)) return entry;
      const fields = Object.entries(entry).map(([name, value]) => [name, value === text ? passed : value] as const);
      return { ...entry, ...Object.fromEntries(fields) };
    }),
  };
}

function isUtterance(entry: Entry): entry is EventDraft {
  return entry.type?.includes("UtteranceBotAction") === true;
}

function withValue({ context }: RailRun, text: string, value: string | null): RailRun["context"] {
  return context["bot_message"] === text ? { ...context, bot_message: value } : context;
}

/**
 * Redacts an exception event created by a flow and reviews it by output rails. INVARIANT: texts of an exception are
 * released only if the configuration writes them or output rails have passed them.
 *
 * @param isWritten - returns true for a text written in the configuration
 * @param redactor - hides texts that rails blocked or rewrote
 */
export async function reviewException(
  event: GuardrailsEvent,
  reviewers: Reviewers,
  isWritten: (text: string) => boolean,
  redactor: Redactor | undefined,
): Promise<GuardrailsEvent> {
  const payload = payloadOf(event);
  const redacted = mapTexts(payload, (text) => (isWritten(text) ? text : (redactData(text, redactor, "mark") ?? "")));
  const open = openTexts(redacted, isWritten);
  if (open.length === 0 || reviewers.rails.length === 0) return withPayload(event, redacted);
  const { text: passed, block } = await reviewInOrder(reviewers, open.join("\n"));
  const replaced = block === undefined ? alignTexts(open, passed) : undefined;
  if (replaced === undefined) return block?.exception ?? withPayload(event, { message: BLOCKED });
  return withPayload(
    event,
    mapTexts(redacted, (text) => replaced.get(text) ?? text),
  );
}

/** Removes quotes of texts that rails blocked or rewrote, for exceptions of flows outside of rails. */
export function redactException(
  event: GuardrailsEvent,
  rails: Pick<RailDialect, "isWritten">,
  redactor: Redactor | undefined,
): GuardrailsEvent {
  if (redactor === undefined) return event;
  const redact = (text: string): string => (rails.isWritten(text) ? text : redactor.redact(text));
  return withPayload(event, mapTexts(payloadOf(event), redact));
}

/** Texts of an exception that are not written in the configuration. */
export function openTextsOf(event: GuardrailsEvent, isWritten: (text: string) => boolean): readonly string[] {
  return openTexts(payloadOf(event), isWritten);
}

const BLOCKED = "The message of this exception was blocked by a rail.";

/** Fields set by the engine. */
const ENGINE_FIELDS: ReadonlySet<string> = new Set(["type", "uid", "event_created_at", "source_uid"]);

const MIN_DIGITS = 6;

type Payload = Readonly<Record<string, unknown>>;

function payloadOf(event: GuardrailsEvent): Payload {
  return Object.fromEntries(Object.entries(event).filter(([name]) => !ENGINE_FIELDS.has(name)));
}

function withPayload(event: GuardrailsEvent, payload: unknown): GuardrailsEvent {
  const engine = Object.fromEntries(Object.entries(event).filter(([name]) => ENGINE_FIELDS.has(name)));
  return { ...engine, ...(payload as Payload), type: event.type };
}

function openTexts(payload: unknown, isWritten: (text: string) => boolean): readonly string[] {
  const texts = new Set<string>();
  mapTexts(payload, (text) => {
    if (text.trim() !== "" && !isWritten(text)) texts.add(text);
    return text;
  });
  return [...texts];
}

/** Maps each text to its reviewed form after a joint review; undefined if the lines can no longer be assigned. */
function alignTexts(texts: readonly string[], reviewed: string): ReadonlyMap<string, string> | undefined {
  const parts = texts.length === 1 ? [reviewed] : splitLines(texts, reviewed);
  return parts && new Map(texts.map((text, index) => [text, parts[index] ?? ""]));
}

/** Copies a value with other texts. Texts are strings, integers with many digits, and keys of several words. */
function mapTexts(value: unknown, map: (text: string) => string): unknown {
  return mapParts(
    value,
    {
      leaf: (leaf) => {
        if (typeof leaf === "string") return map(leaf);
        const digits = typeof leaf === "number" && Number.isInteger(leaf) ? String(leaf) : "";
        const mapped = digits.length < MIN_DIGITS ? digits : map(digits);
        return mapped === digits ? leaf : mapped;
      },
      key: (key) => (/^\w*$/.test(key) ? key : map(key)),
      beyond: () => null,
    },
    ENGINE_LIMITS,
  );
}
