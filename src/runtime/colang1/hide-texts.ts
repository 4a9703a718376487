import { type Snapshot } from "../../colang1/engine/state.js";
import type { GuardrailsEvent } from "../../engine/events.js";
import { ENGINE_LIMITS, mapParts } from "../../engine/walk.js";
import { userMessages } from "../../turn/conversation.js";
import { hasStatus, type RailStage } from "../../turn/decision.js";
import { createRedactor, type Redactor } from "../../turn/redactor.js";
import type { Run } from "./run.js";

/** Event properties that hold names, which may happen to equal a user's text. */
const NAMES = /^(?:type|uid|id|action_name|flow_id|source|event_created_at|.*_uid)$/;

type Replace = (text: string) => string | null;

/**
 * Removes texts blocked or rewritten in a turn from its state and history, so that no variable, snapshot, stored
 * conversation or later prompt contains them. Unchanged variables cannot hold them.
 *
 * @param userTexts - original user texts of this turn
 * @param before - the variables before the turn
 * @returns the events for the history, and the texts to remove from anything else that is stored or logged
 */
export function hideTexts(
  run: Run,
  userTexts: readonly string[],
  before: Readonly<Record<string, unknown>>,
): { readonly events: readonly GuardrailsEvent[]; readonly redactor?: Redactor } {
  const earlier = run.turn.userTexts.slice(0, -1);
  const passed = earlier.length > 0 && run.events.some(({ type }) => type === "UserMessage");
  const events = passed ? [...userMessages(earlier), ...run.events] : run.events;
  const { rewrites, hidden: hiddenExtras } = run.turn;
  if (!run.stopped && rewrites.length + hiddenExtras.length === 0) return { events };
  const blocked = blockedTexts(run, userTexts);
  // Rewritten texts, each with its final form.
  const changes = rewrites.map(({ from }) => ({ text: from, replacement: run.turn.rewritesTo(from) }));
  const rewritten = [...changes, ...hiddenExtras];
  if (blocked.size + rewritten.length === 0) return { events };
  const shown = textsOf(run.events, "StartUtteranceBotAction", "script");
  const redactor = createRedactor([...blocked, ...rewritten], { shown });
  if (redactor === undefined) return { events };
  const hidden = createRedactor([...blocked], { shown });
  // Rails may keep part of a rewritten text on purpose, such as names that a later rail restores.
  const changed = createRedactor(rewritten, { parts: false });
  const replace: Replace = (text) => (hidden?.quotes(text) === true ? null : (changed?.redact(text) ?? text));
  const clean = <Holder extends Pick<Snapshot, "context">>(holder: Holder): Holder => ({
    ...holder,
    context: cleanContext(holder.context, before, replace),
  });
  const { state } = run;
  run.state = { ...clean(state), turns: state.turns.map(clean), call: state.call && clean(state.call) };
  // Event types and bot utterances stay unchanged.
  const cleaned = events.map((event) =>
    event.type === "StartUtteranceBotAction" || event.type === "UserMessage"
      ? event
      : { ...(cleanValue(event, replace) as GuardrailsEvent), type: event.type },
  );
  return { events: cleaned, redactor };
}

function isBlockedIn(run: Run, stage: RailStage): boolean {
  const decisions = run.turn.decisions.filter((decision) => decision.stage === stage);
  return run.stopped && hasStatus(decisions, "blocked", "error");
}

/** Every form in which rails saw the text they blocked. */
function blockedTexts(run: Run, userTexts: readonly string[]): ReadonlySet<string> {
  const { reviewed } = run.turn;
  const texts = new Set<string>();
  if (isBlockedIn(run, "input")) {
    for (const text of [...userTexts, ...run.turn.userTexts, ...reviewed.input]) texts.add(text);
  }
  if (isBlockedIn(run, "output")) {
    const released = new Set(textsOf(run.events, "StartUtteranceBotAction", "script"));
    for (const text of [...textsOf(run.events, "BotMessage", "text"), ...reviewed.output]) {
      if (!released.has(text)) texts.add(text);
    }
  }
  if (isBlockedIn(run, "retrieval")) {
    const chunks = run.state.context["relevant_chunks_sep"];
    for (const text of [...reviewed.retrieval, ...(Array.isArray(chunks) ? chunks : [])]) {
      if (typeof text === "string") texts.add(text);
    }
  }
  texts.delete("");
  return texts;
}

function textsOf(events: readonly GuardrailsEvent[], type: string, property: string): string[] {
  return events.flatMap((event) => {
    const text = event.type === type ? event[property] : undefined;
    return typeof text === "string" ? [text] : [];
  });
}

function cleanContext(
  context: Readonly<Record<string, unknown>>,
  before: Readonly<Record<string, unknown>>,
  replace: Replace,
): Readonly<Record<string, unknown>> {
  let cleaned: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(context)) {
    if (Object.hasOwn(before, name) && Object.is(before[name], value)) continue;
    const kept = cleanValue(value, replace);
    if (kept === value) continue;
    cleaned ??= { ...context };
    cleaned[name] = kept;
  }
  return cleaned ?? context;
}

/** Returns the same value if nothing in it was replaced. */
function cleanValue(value: unknown, replace: Replace): unknown {
  return mapParts(
    value,
    {
      leaf: (leaf) => (typeof leaf === "string" ? replace(leaf) : leaf),
      key: (key) => replace(key) ?? undefined,
      keeps: (key) => NAMES.test(key),
      beyond: () => null,
    },
    ENGINE_LIMITS,
  );
}
