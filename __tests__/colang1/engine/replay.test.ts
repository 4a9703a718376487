import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import type { Colang1Program } from "../../../src/colang1/elements.js";
import { advance } from "../../../src/colang1/engine/advance.js";
import { restoreState, serializeState } from "../../../src/colang1/engine/snapshot.js";
import type { EventDraft, GuardrailsEvent } from "../../../src/engine/events.js";
import { compileText } from "./compile-text.js";
import { Driver, pipelineActions, type DriverOptions } from "./driver.js";
import { PIPELINE } from "./flows.js";
import { replay } from "./oracle.js";
import { programs, scriptedActions, scripts } from "./random-flows.js";
import { propertyRuns } from "../../support/property-runs.js";

interface Play {
  readonly program: Colang1Program;
  readonly script: readonly EventDraft[];
  readonly choices: readonly number[];
}

const plays: fc.Arbitrary<Play> = fc.record({
  program: programs,
  script: scripts,
  choices: fc.array(fc.nat(20), { minLength: 1, maxLength: 6 }),
});

function play({ program, script, choices }: Play, watch: NonNullable<DriverOptions["watch"]>): Driver {
  const actions = { ...pipelineActions({ c: "x" }), ...scriptedActions(choices) };
  const driver = new Driver(program, { actions, watch, cap: 16 });
  for (const event of script) driver.send(event);
  return driver;
}

function freeze<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) freeze(inner);
  }
  return value;
}

/** A failing example should be readable: the flows as lists of statements. */
function describeProgram(program: Colang1Program): string {
  const lines = program.flows.map(({ id, elements, tier, priority, isExtension, allowMultiple, interruptible }) => {
    const marks = [
      tier === "system" ? "S" : "U",
      priority,
      isExtension && "ext",
      allowMultiple && "par",
      interruptible || "nonint",
    ];
    const body = elements.map((element) => {
      const { location: _location, text, ...rest } = element;
      return element.kind === "Match"
        ? JSON.stringify(element.matchers)
        : `${text} ${JSON.stringify(rest)}`.slice(0, 90);
    });
    return `${id} [${marks.filter(Boolean).join(" ")}]\n    ${body.join("\n    ")}`;
  });
  return lines.join("\n");
}

function aboutCase(program: Colang1Program, history: readonly GuardrailsEvent[]): string {
  const user = program.flows.filter((flow) => !PIPELINE.includes(flow));
  return [describeProgram({ ...program, flows: user }), ...history.map((event) => JSON.stringify(event))].join("\n");
}

const RUNS = propertyRuns(15);

describe("the incremental engine", () => {
  it("decides what a replay of the whole history decides", () => {
    fc.assert(
      fc.property(plays, (given) => {
        play(given, (history, drafts, state) => {
          const expected = replay(given.program, history);
          const live = state.instances.map(({ flow, at, status }) => `${flow}@${at} ${status}`);
          const actual = { drafts, live, context: state.context };
          const wanted = { ...expected, context: Object.fromEntries(expected.context) };
          const about = isDeepStrictEqual(actual, wanted) ? "" : aboutCase(given.program, history);
          expect({ ...actual, about }).toEqual({ ...wanted, about: "" });
        });
      }),
      { numRuns: RUNS },
    );
  });

  it("is pure: the same again for the same, and no input is touched", () => {
    fc.assert(
      fc.property(plays, (given) => {
        freeze(given.program);
        play(given, (_history, drafts, after, before, event) => {
          freeze([before, event]);
          const { state, events } = advance(given.program, before, event);
          expect({ state, events }).toEqual({ state: after, events: drafts });
        });
      }),
      { numRuns: RUNS / 3 },
    );
  });

  it("goes on the same way from a stored state", () => {
    fc.assert(
      fc.property(plays, (given) => {
        play(given, (_history, drafts, after, before, event) => {
          const stored: unknown = JSON.parse(JSON.stringify(serializeState(given.program, before)));
          const { state, events } = advance(given.program, restoreState(given.program, stored).state, event);
          expect({ state, events }).toEqual({ state: after, events: drafts });
        });
      }),
      { numRuns: RUNS / 3 },
    );
  });
});

describe("a conversation replayed", () => {
  it("gives the same steps", () => {
    const source = `
define flow booking
  user book repair
  bot which bike
  user give bike
  bot booked
define flow hours
  user ask hours
  bot hours
define extension flow ad
  bot hours
  bot hi
`;
    const program = compileText(source, PIPELINE);
    const driver = new Driver(program, {
      actions: pipelineActions({ chat: "chat back" }),
      watch: (history, drafts) => expect(drafts).toEqual(replay(program, history).drafts),
    });
    for (const text of ["book repair", "ask hours", "chat", "give bike"]) driver.say(text);
    expect(driver.history.filter((event) => event.type === "StartUtteranceBotAction")).toHaveLength(5);
  });
});
