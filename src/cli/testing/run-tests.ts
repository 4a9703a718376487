import { RE2JS } from "re2js";
import type { Clock } from "../../engine/events.js";
import type { GenerationResult } from "../../langchain/generation/generation-result.js";
import type { Guardrails } from "../../langchain/guardrails.js";
import { formatDecision } from "../../turn/format-decision.js";
import type { Script } from "../open-configuration.js";
import { replyText } from "../print-turn.js";
import type { TestConversation, TestTurn } from "./read-tests.js";

/** Result of a conversation. */
export interface TestResult {
  readonly file: string;
  readonly name: string;
  /** Turns with unmet expectations; empty if the conversation passed. */
  readonly failures: readonly TestFailure[];
  readonly durationMs: number;
}

export interface TestFailure {
  readonly user: string;
  readonly messages: readonly string[];
  /** The actual reply; absent if the turn threw. */
  readonly reply?: string;
  readonly decisions: readonly string[];
}

/** Replies of scripted models in a turn; each turn has its own replies. */
export class TestScript implements Script {
  #left = new Map<string, string[]>();

  begin({ reply = [], models = {} }: TestTurn): void {
    this.#left = new Map(Object.entries({ ...models, main: reply }).map(([type, texts]) => [type, [texts].flat()]));
  }

  next(type: string): string | undefined {
    return this.#left.get(type)?.shift();
  }
}

/** Returns true if the tests contain model replies. */
export function isScripted(conversations: readonly TestConversation[]): boolean {
  return conversations.some(({ turns }) =>
    turns.some(({ reply, models }) => reply !== undefined || models !== undefined),
  );
}

interface RunOptions {
  readonly script: TestScript;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** Runs a conversation up to its first failing turn, because later turns depend on it. */
export async function runTest(
  guardrails: Guardrails,
  { file, name, context, turns }: TestConversation,
  { script, signal, clock }: RunOptions,
): Promise<TestResult> {
  const begun = clock.now();
  let state: GenerationResult["state"] = undefined;
  const failures: TestFailure[] = [];
  for (const [index, turn] of turns.entries()) {
    script.begin(turn);
    const options = { state: state ?? {}, ...(index === 0 ? { context } : {}) };
    let failure: TestFailure | undefined;
    try {
      const result = await guardrails.generate([{ role: "user", content: turn.user }], options, { signal });
      state = result.state;
      failure = compare(turn, result);
    } catch (error) {
      signal.throwIfAborted();
      failure = { user: turn.user, messages: [error instanceof Error ? error.message : String(error)], decisions: [] };
    }
    if (failure === undefined) continue;
    failures.push(failure);
    break;
  }
  return { file, name, failures, durationMs: clock.now() - begun };
}

function compare(turn: TestTurn, result: GenerationResult): TestFailure | undefined {
  const reply = replyText(result);
  const messages = [...compareReply(turn, reply), ...compareVerdict(turn, result)];
  if (messages.length === 0) return undefined;
  return {
    user: turn.user,
    messages,
    reply,
    decisions: result.guardrails.decisions.map((decision) => formatDecision(decision)),
  };
}

function compareReply({ bot, contains = [], excludes = [], matches }: TestTurn, reply: string): readonly string[] {
  const missing = [contains].flat().filter((text) => !reply.includes(text));
  const excluded = [excludes].flat().filter((text) => reply.includes(text));
  return [
    ...(bot === undefined || bot.trim() === reply.trim() ? [] : [`expected the reply ${JSON.stringify(bot)}`]),
    ...missing.map((text) => `expected the reply to contain ${JSON.stringify(text)}`),
    ...excluded.map((text) => `expected the reply not to contain ${JSON.stringify(text)}`),
    ...(matches === undefined || RE2JS.compile(matches).matcher(reply).find()
      ? []
      : [`expected the reply to match ${matches}`]),
  ];
}

function compareVerdict({ blocked, rail }: TestTurn, { guardrails, log }: GenerationResult): readonly string[] {
  const messages: string[] = [];
  const by = guardrails.rail === undefined ? "" : ` by \`${guardrails.rail}\``;
  if (rail !== undefined && guardrails.rail !== rail) {
    const got = guardrails.blocked ? `it was blocked${by}` : "nothing blocked";
    messages.push(`expected a block by \`${rail}\`, but ${got}`);
  } else if (blocked !== undefined && guardrails.blocked !== blocked) {
    messages.push(blocked ? "expected a block, but nothing blocked" : `expected no block, but it was blocked${by}`);
  }
  // A failing turn responds with a message for the user, which no test expects by accident.
  return [...messages, ...log.errors.map(({ message }) => `the turn failed: ${message.replace(/\s+/g, " ")}`)];
}
