import { compileColang2 } from "../../src/colang2/compile.js";
import { EngineConversation, type ConversationOptions } from "../../src/colang2/engine/conversation.js";
import { readState } from "../../src/colang2/engine/state/stored/read-state.js";
import { writeState } from "../../src/colang2/engine/state/stored/encode.js";
import { parseColang2 } from "../../src/colang2/parse/parse.js";
import type { Colang2Program } from "../../src/colang2/program.js";
import { isError } from "../../src/diagnostics/diagnostic.js";
import { GuardrailsError } from "../../src/diagnostics/errors.js";
import { createSourceFile } from "../../src/diagnostics/source-file.js";
import type { EventDraft, GuardrailsEvent } from "../../src/engine/events.js";
import { brokenInvariants } from "./engine-invariants.js";
import { Random } from "./random.js";

const LIMITS = {
  stepsPerAdvance: 300,
  internalEventsPerRound: 100,
  restartsPerRound: 10,
  instances: 150,
  flowDepth: 40,
  headsPerInstance: 100,
  foreignActions: 8,
};
const OPTIONS: ConversationOptions = { seed: 3, limits: LIMITS };
const STEPS = 12;

/**
 * Runs a program with events derived from its text: without a break, once more, and stored and read again at every
 * step. All three must emit the same, and throw only GuardrailsErrors.
 */
export function checkConversation(text: string): void {
  const program = compile(text);
  if (program === undefined) return;
  const once = play(program, text, false);
  same("twice", once, play(program, text, false));
  same("stored and read", once, play(program, text, true));
}

function compile(text: string): Colang2Program | undefined {
  const { ast, diagnostics } = parseColang2(createSourceFile("fuzz.co", text));
  if (diagnostics.some(isError)) return undefined;
  return compileColang2({ modules: [{ name: "fuzz.co", ast }] }).program;
}

interface Played {
  readonly said: readonly string[];
  readonly state: string;
}

function play(program: Colang2Program, text: string, roundTrips: boolean): Played {
  const random = new Random(seedOf(text));
  const types = namesIn(text);
  let conversation = new EngineConversation(program, OPTIONS);
  const said: string[] = [];
  const running: EventDraft[] = [];
  const owned = new Set<string>();
  let pending: GuardrailsEvent[] = [];
  for (let step = 0; step < STEPS; step += 1) {
    const sent: EventDraft[] = [];
    for (const run of [() => conversation.begin(), ...pending.map((event) => () => conversation.process(event))]) {
      try {
        sent.push(...run().events);
      } catch (error) {
        if (!GuardrailsError.isInstance(error)) throw error;
        said.push(error.code);
      }
      const [broken] = brokenInvariants(conversation.state, owned);
      if (broken !== undefined) throw new Error(`it does not hold that ${broken}`);
      if (roundTrips) conversation = new EngineConversation(readState(program, stored(conversation), OPTIONS));
    }
    said.push(...sent.map((event) => JSON.stringify(event)));
    running.push(...sent.filter(({ type }) => type.startsWith("Start")));
    pending = [nextEvent(random, types, running), ...sent.slice(0, 5)];
  }
  const state = stored(conversation);
  const again = writeState(readState(program, state, OPTIONS));
  same("written again", JSON.stringify(state), JSON.stringify(again));
  return { said, state: JSON.stringify(state) };
}

function stored(conversation: EngineConversation): unknown {
  return JSON.parse(JSON.stringify(writeState(conversation.state)));
}

function nextEvent(random: Random, types: readonly string[], running: readonly EventDraft[]): GuardrailsEvent {
  const started = running[random.below(running.length)];
  if (started !== undefined && random.below(3) === 0) {
    const type = `${started.type.slice("Start".length)}${random.pick(["Started", "Finished", "StatusUpdated"])}`;
    return { type, action_uid: started["action_uid"], is_success: true };
  }
  return { type: random.pick(types), n: random.below(4) };
}

/** Names that may be events, with some that no flow waits for and some that must be refused. */
function namesIn(text: string): readonly string[] {
  const names = new Set([...text.matchAll(/\b[A-Z]\w{0,40}/g)].map(([name]) => name));
  return [...names, "Other", "FlowFinished"];
}

function seedOf(text: string): number {
  let seed = 7;
  for (let at = 0; at < text.length; at += 1) seed = Math.imul(seed, 31) + text.charCodeAt(at);
  return seed;
}

function same(what: string, left: unknown, right: unknown): void {
  const [first, second] = [JSON.stringify(left), JSON.stringify(right)];
  if (first === second) return;
  let at = 0;
  while (first[at] === second[at]) at += 1;
  const from = Math.max(0, at - 200);
  throw new Error(`${what} differs:\n${first.slice(from, at + 200)}\n${second.slice(from, at + 200)}`);
}
