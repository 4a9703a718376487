import { describe, expect, it } from "@jest/globals";
import { assert, integer, property } from "fast-check";
import { compileColang2 } from "../../../src/colang2/compile.js";
import { EngineConversation, type ConversationOptions } from "../../../src/colang2/engine/conversation.js";
import { copyState } from "../../../src/colang2/engine/state/copy.js";
import { readState } from "../../../src/colang2/engine/state/stored/read-state.js";
import { writeState } from "../../../src/colang2/engine/state/stored/encode.js";
import { parseColang2 } from "../../../src/colang2/parse/parse.js";
import type { Colang2Program } from "../../../src/colang2/program.js";
import { isError } from "../../../src/diagnostics/diagnostic.js";
import { createSourceFile } from "../../../src/diagnostics/source-file.js";
import type { EventDraft, GuardrailsEvent } from "../../../src/engine/events.js";
import { brokenInvariants } from "../../../scripts/fuzz/engine-invariants.js";
import { type Happening, happenings, program } from "./program-arbitrary.js";
import { propertyRuns } from "../../support/property-runs.js";
import { checkConversation } from "../../../scripts/fuzz/check-conversation.js";
import { generateProgram } from "../../../scripts/fuzz/colang2-programs.js";
import { CORPORA } from "../../../scripts/fuzz/corpus.js";
import { generateText } from "../../../scripts/fuzz/mutate.js";
import { Random } from "../../../scripts/fuzz/random.js";
import { FUZZ_TARGETS } from "../../../scripts/fuzz/targets.js";

const LIMITS = {
  stepsPerAdvance: 200,
  internalEventsPerRound: 120,
  restartsPerRound: 8,
  instances: 120,
  flowDepth: 30,
  headsPerInstance: 60,
  foreignActions: 6,
};

function compile(text: string): Colang2Program {
  const { ast, diagnostics } = parseColang2(createSourceFile("main.co", text));
  const compiled = compileColang2({ modules: [{ name: "main.co", ast }] });
  const problems = [...diagnostics, ...compiled.diagnostics].filter(isError);
  if (compiled.program === undefined) throw new Error(`${problems.map(({ message }) => message).join()}\n${text}`);
  return compiled.program;
}

interface Played {
  readonly conversation: EngineConversation;
  readonly said: readonly string[];
  /** The conversation, stored and read after every event. */
  readonly states: readonly string[];
}

interface Checks {
  readonly seed: number;
  readonly storesAt?: (step: number) => boolean;
  readonly copiesAt?: (step: number) => boolean;
  readonly afterEach?: (conversation: EngineConversation, said: readonly EventDraft[]) => void;
}

function play(
  compiled: Colang2Program,
  events: readonly Happening[],
  { seed, storesAt, copiesAt, afterEach }: Checks,
): Played {
  const options: ConversationOptions = { seed, limits: LIMITS };
  let conversation = new EngineConversation(compiled, options);
  const said: string[] = [];
  const states: string[] = [];
  const started: EventDraft[] = [];
  for (const [step, happening] of [{ kind: "begin" } as const, ...events].entries()) {
    const sent: EventDraft[] = [];
    const take = (run: () => { readonly events: readonly EventDraft[] }): void => {
      const { events: now } = run();
      sent.push(...now);
      afterEach?.(conversation, now);
    };
    take(() => conversation.begin());
    const event = eventOf(happening, started);
    if (event !== undefined) take(() => conversation.process(event));
    // Hosts feed sent events back, up to a limit.
    for (const again of sent.slice(0, 4)) take(() => conversation.process(again));
    started.push(...sent.filter(({ type }) => type.startsWith("Start")));
    said.push(...sent.map((one) => JSON.stringify(one)));
    const state = JSON.stringify(writeState(conversation.state));
    states.push(state);
    if (storesAt?.(step) === true) {
      conversation = new EngineConversation(readState(compiled, JSON.parse(state), options));
    }
    if (copiesAt?.(step) === true) conversation = new EngineConversation(copyState(conversation.state));
  }
  return { conversation, said, states };
}

function eventOf(happening: Happening, started: readonly EventDraft[]): GuardrailsEvent | undefined {
  if (happening.kind === "begin") return undefined;
  if (happening.kind === "event") return { type: happening.type, n: happening.n };
  const start = started[happening.at];
  if (start === undefined) return { type: "LampActionFinished", action_uid: "theirs", is_success: true };
  const type = `${start.type.slice("Start".length)}${happening.member}`;
  return { type, action_uid: start["action_uid"], is_success: true };
}

const RUNS = { numRuns: propertyRuns(5), seed: 20261121 };

describe("any program, whatever happens", () => {
  it("keeps its invariants, within its budgets", () => {
    assert(
      property(program, happenings, (text, events) => {
        const owned = new Set<string>();
        play(compile(text), events, {
          seed: 1,
          afterEach: ({ state }, said) => {
            expect(brokenInvariants(state, owned)).toEqual([]);
            expect(said.length).toBeLessThanOrEqual(2 * LIMITS.internalEventsPerRound + LIMITS.instances);
          },
        });
      }),
      RUNS,
    );
  });

  it("has the same output and state for the same seed, stored and read again at any step", () => {
    assert(
      property(program, happenings, integer({ min: 0, max: 2 ** 32 - 1 }), (text, events, seed) => {
        const compiled = compile(text);
        const once = play(compiled, events, { seed });
        const often = play(compiled, events, { seed, storesAt: () => true });
        const sometimes = play(compiled, events, { seed, storesAt: (step) => (seed >> (step % 16)) % 2 === 1 });
        expect(often.said).toEqual(once.said);
        expect(often.states).toEqual(once.states);
        expect(sometimes.states).toEqual(once.states);
        const copied = play(compiled, events, { seed, copiesAt: (step) => (seed >> (step % 16)) % 2 === 0 });
        expect(copied.said).toEqual(once.said);
        expect(copied.states).toEqual(once.states);
      }),
      RUNS,
    );
  });

  it("ends with its last flow, and removed flows leave no records", () => {
    assert(
      property(program, happenings, (text, events) => {
        const { conversation } = play(compile(text), events, { seed: 2 });
        conversation.removeFlows(["main", "fa", "fb", "fc"]);
        const { state } = conversation;
        expect(brokenInvariants(state)).toEqual([]);
        const { data, index } = state;
        expect([data.flows.size, [...index.waiting.heads.keys()].length, index.loops.size]).toEqual([0, 0, 0]);
        expect([data.activations.size, index.dormant.size, index.heads.size]).toEqual([0, 0, 0]);
        for (const groups of [index.activations, index.ownerships, index.children]) {
          expect([...groups.entries()]).toEqual([]);
        }
      }),
      RUNS,
    );
  });
});

// Runs a program twice and stores it at every step: the output is the same, within the budgets, and only typed errors
// are thrown.
describe("any program", () => {
  it("generated at random repeats its output, also when it is stored and read", () => {
    assert(
      property(integer({ min: 0, max: 2 ** 31 }), (seed) => checkConversation(generateProgram(new Random(seed)))),
      { numRuns: propertyRuns(5), seed: 11 },
    );
  });

  it("made by changing valid sources repeats its output, also when it is stored and read", () => {
    const random = new Random(20261122);
    const check = (): void =>
      checkConversation(
        `flow main\n  match Never()\n${generateText(random, CORPORA.colang2, FUZZ_TARGETS.colang2.tokens)}`,
      );
    for (let run = 0; run < propertyRuns(25); run += 1) expect(check).not.toThrow();
  });
});
