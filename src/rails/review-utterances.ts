import type { EventDraft } from "../engine/events.js";
import type { Entry } from "../turn/decision.js";
import type { RailRun } from "./rail-dialect.js";
import type { RailOutcome } from "./stage-request.js";

/** Runs one output rail over an utterance of another rail. */
export type ReviewText = (rail: string, text: string) => Promise<RailOutcome>;

/**
 * Reviews utterances of a rail that the configuration does not word, such as `bot $variable`, by output rails.
 * INVARIANT: nothing reaches the user that a model or a user may have worded and that no output rail has passed.
 *
 * @param isWritten - returns true for a text that the configuration itself words
 */
export async function reviewUtterances(
  run: RailRun,
  rails: readonly string[],
  isWritten: (text: string) => boolean,
  review: ReviewText,
): Promise<RailRun> {
  if (rails.length === 0) return run;
  let reviewed = run;
  for (const text of run.utterances) {
    if (text === "" || isWritten(text)) continue;
    const { text: passed, block } = await reviewInOrder(rails, text, review);
    if (block !== undefined) return blockedBy(reviewed, text, block);
    if (passed !== text) reviewed = withText(reviewed, text, passed);
  }
  return reviewed;
}

/** Reviews a text by one rail after the other, up to the first block. */
export async function reviewInOrder(
  rails: readonly string[],
  text: string,
  review: ReviewText,
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

/** The refusal of the rail that blocked replaces all utterances. */
function blockedBy(run: RailRun, text: string, { refusal, exception, entries }: RailOutcome): RailRun {
  return {
    context: withValue(run.context, text, refusal ?? null),
    isBlocked: true,
    utterances: refusal === undefined ? [] : [refusal],
    exception: exception ?? run.exception,
    entries: [...run.entries.filter((entry) => !isUtterance(entry)), ...entries],
  };
}

function withText(run: RailRun, text: string, passed: string): RailRun {
  return {
    ...run,
    context: withValue(run.context, text, passed),
    utterances: run.utterances.map((each) => (each === text ? passed : each)),
    entries: run.entries.map((entry) => (isUtterance(entry) ? withScript(entry, text, passed) : entry)),
  };
}

function isUtterance(entry: Entry): entry is EventDraft {
  return entry.type?.includes("UtteranceBotAction") === true;
}

function withScript(event: EventDraft, text: string, passed: string): EventDraft {
  const fields = Object.entries(event).map(([name, value]) => [name, value === text ? passed : value] as const);
  return { ...event, ...Object.fromEntries(fields) };
}

function withValue(
  context: Readonly<Record<string, unknown>>,
  text: string,
  value: string | null,
): Readonly<Record<string, unknown>> {
  if (context["bot_message"] !== text) return context;
  return { ...context, bot_message: value };
}
