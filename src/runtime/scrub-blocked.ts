import { contextOf, type Colang1State } from "../colang1/engine/state.js";
import type { GuardrailsEvent } from "../engine/events.js";
import type { Run } from "./run.js";

/** Shorter texts would wipe variables that only happen to hold them. */
const MIN_CONTAINED = 8;

/**
 * Takes what was blocked in a turn out of the state, so that no variable, no stored conversation and no result holds it.
 *
 * @param userTexts - the user's texts of this turn as they came
 */
export function scrubBlocked(run: Run, userTexts: readonly string[]): void {
  const inputBlocked = run.turn.decisions.some(({ stage, status }) => stage === "input" && isBlock(status));
  const outputBlocked = run.turn.decisions.some(({ stage, status }) => stage === "output" && isBlock(status));
  if (!run.stopped || (!inputBlocked && !outputBlocked)) return;
  const secrets = new Set<string>();
  if (inputBlocked) for (const text of [...userTexts, ...run.turn.userTexts]) secrets.add(text);
  if (outputBlocked) for (const text of unreleasedTexts(run)) secrets.add(text);
  secrets.delete("");
  run.state = withoutTexts(run.state, secrets, inputBlocked);
}

function isBlock(status: string): boolean {
  return status === "blocked" || status === "error";
}

/** Bot texts that went into the output stage and never came out. */
function unreleasedTexts(run: Run): string[] {
  const released = new Set(textsOf(run.events, "StartUtteranceBotAction", "script"));
  const current = contextOf(run.state)["bot_message"];
  const texts = [...textsOf(run.events, "BotMessage", "text"), ...(typeof current === "string" ? [current] : [])];
  return texts.filter((text) => !released.has(text));
}

function textsOf(events: readonly GuardrailsEvent[], type: string, property: string): string[] {
  return events.flatMap((event) => {
    const text = event.type === type ? event[property] : undefined;
    return typeof text === "string" ? [text] : [];
  });
}

function withoutTexts(state: Colang1State, secrets: ReadonlySet<string>, inputBlocked: boolean): Colang1State {
  const context: Record<string, unknown> = { ...contextOf(state) };
  for (const [name, value] of Object.entries(context)) {
    if (typeof value === "string" && holdsOneOf(value, secrets)) context[name] = null;
  }
  return { ...state, context, ...(inputBlocked ? { utterance: null } : {}) };
}

function holdsOneOf(value: string, secrets: ReadonlySet<string>): boolean {
  for (const secret of secrets) {
    if (value === secret || (secret.length >= MIN_CONTAINED && value.includes(secret))) return true;
  }
  return false;
}
