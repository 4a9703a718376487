// Turns of random rails, observed with and without the engine.
import * as fc from "fast-check";
import { defineAction } from "../../src/actions/define-action.js";
import { actionResult } from "../../src/actions/dispatcher.js";
import type { ActionContext } from "../../src/actions/action.js";
import type { EventDraft } from "../../src/engine/events.js";
import type { TurnMessage, TurnOptions } from "../../src/turn/options.js";
import { openBench } from "./bench.js";

/** A turn without its rails. `most` is the largest limit of events that may end it; the default ends none. */
export const turnFields = (most: number) => ({
  verdicts: fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }),
  answer: fc.constantFrom("an answer", "", "bad words", "throws", "with evidence"),
  texts: fc.array(fc.constantFrom("hello", "a bad word", "x"), { minLength: 1, maxLength: 2 }),
  hasHistory: fc.boolean(),
  limit: fc.option(fc.integer({ min: 1, max: most }), { nil: 1000, freq: 2 }),
  rails: fc.option(
    fc.record(
      { input: fc.boolean(), output: fc.boolean(), retrieval: fc.boolean(), dialog: fc.boolean() },
      { requiredKeys: [] },
    ),
    { nil: undefined },
  ),
});

interface GivenTurn {
  readonly verdicts: readonly boolean[];
  readonly answer: string;
  readonly texts: readonly string[];
  readonly hasHistory: boolean;
}

interface Dialect {
  readonly colang: string;
  readonly yaml: string;
  /** The event that the action `speak` returns. */
  readonly speaks: EventDraft;
  /** Picks the variables that are compared; default: all. */
  readonly shown?: (context: Readonly<Record<string, unknown>>) => Record<string, unknown>;
}

const copyOf = (context: Readonly<Record<string, unknown>>): Record<string, unknown> => ({ ...context });

/** Properties of events that differ from turn to turn. */
const UNIQUE = new Set(["uid", "action_uid", "event_created_at", "action_finished_at", "action_uids"]);

/** Everything that a caller may see of a turn, with the inputs of its actions. */
export async function observeTurn(
  given: GivenTurn,
  { colang, yaml, speaks, shown: shownOf = copyOf }: Dialect,
  options: TurnOptions,
) {
  const seen: unknown[] = [];
  let asked = 0;
  const note = (name: string, params: object, { context, events }: ActionContext): void => {
    const shown = events.map(
      ({ uid: _u, event_created_at: _t, action_uid: _a, action_finished_at: _f, ...rest }) => rest,
    );
    seen.push({ name, params: { ...params }, context: shownOf(context), events: JSON.parse(JSON.stringify(shown)) });
  };
  const action = (name: string, run: (text: string) => unknown, verdict = true) =>
    defineAction({ name, verdict }, (params: { text?: unknown }, context) => {
      note(name, params, context);
      return run(String(params.text ?? ""));
    });
  const { verdicts } = given;
  const actions = {
    pass: action("pass", () => true),
    judge: action("judge", (text) => !text.includes("bad") && verdicts[asked++ % verdicts.length] === true),
    rewrite: action("rewrite", (text) => text.replace("bad", "good"), false),
    set: action("set", () => actionResult({ contextUpdates: { set: 1, a: false } }), false),
    verdict: action("verdict", () => ({ allowed: verdicts[asked++ % verdicts.length] === true, policy: ["one"] })),
    fail: action("fail", () => {
      throw new Error("it failed");
    }),
    speak: action("speak", () => actionResult({ events: [speaks] }), false),
    look: defineAction({ name: "look", verdict: true }, async (params: object, context) => {
      await Promise.resolve();
      note("look", params, context);
      return Object.keys(context.context).length;
    }),
  };
  const { runtime } = await openBench({ colang, yaml, actions, bare: true });
  const generator = async ({ userMessage, userMessages, rewritten, context }: Record<string, unknown>) => {
    seen.push({
      name: "generator",
      userMessage,
      userMessages,
      rewritten,
      context: shownOf(context as Readonly<Record<string, unknown>>),
    });
    if (given.answer === "throws") throw new Error("no answer");
    const evidence = given.answer === "with evidence" ? { relevantChunks: ["one", "two"] } : {};
    return { text: given.answer, value: given.answer, ...evidence };
  };
  const history: TurnMessage[] = given.hasHistory
    ? [
        { role: "user", content: "before" },
        { role: "assistant", content: "an earlier answer" },
      ]
    : [];
  const messages = [...history, ...given.texts.map((content) => ({ role: "user", content }) as const)];
  const call = { generator, ...options } as unknown as TurnOptions;
  const outcome = await runtime.turn(messages, call).then(
    ({ log, decisions, ...result }) => ({
      result: { ...result, verdict: { ...result.verdict, decisions: undefined } },
      decisions: decisions.map(({ durationMs: _d, ...rest }) => rest),
      errors: log.errors.map(({ code, message }) => `${code} ${message}`),
      warnings: log.warnings,
    }),
    (error: unknown) => ({ error: String(error) }),
  );
  const plain = (key: string, value: unknown) => {
    if (UNIQUE.has(key)) return undefined;
    // A turn that exceeds its limit ends on both paths, and names the event that exceeded it.
    return typeof value === "string" ? value.replace(/(expected at most \d+ events per turn), .*/, "$1") : value;
  };
  return JSON.parse(JSON.stringify({ outcome, seen }, plain)) as unknown;
}
