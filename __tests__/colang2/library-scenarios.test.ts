import { describe, expect, it } from "@jest/globals";
import { compileColang2 } from "../../src/colang2/compile.js";
import { EngineConversation } from "../../src/colang2/engine/conversation.js";
import { readState } from "../../src/colang2/engine/stored/read-state.js";
import { writeState } from "../../src/colang2/engine/stored/write-state.js";
import { resolveImports } from "../../src/colang2/imports.js";
import type { Colang2Program } from "../../src/colang2/program.js";
import { isError } from "../../src/diagnostics/diagnostic.js";
import { createSourceFile } from "../../src/diagnostics/source-file.js";
import type { GuardrailsEvent } from "../../src/engine/events.js";
import { countingIds } from "../../src/engine/ids.js";
import { admitEvent, completeEvent } from "../../src/runtime/colang2/complete-event.js";
import { HostLoop } from "../../src/runtime/colang2/host-loop.js";
import { NO_LOCAL_ACTIONS } from "../../src/runtime/colang2/local-actions.js";
import { readScenarios, type Scenario, type ScenarioInput, type WrittenEvent } from "./scenario.js";

/** Those of the standard library that ask no model and manage no flows (spec 13.11). */
const LATER = new Set(["L10"]);
const scenarios = readScenarios().filter(({ source, id }) => source.includes("import ") && !LATER.has(id));

const source = { clock: { now: () => 0 }, ids: countingIds("e"), sourceUid: "test" };
const { signal } = new AbortController();

/** A conversation on the host loop of the runtime, stored and read again between the calls if wanted. */
class Host {
  readonly #program: Colang2Program;
  readonly #roundTrips: boolean;
  #engine: EngineConversation;

  constructor(text: string, seed: number, roundTrips: boolean) {
    const { modules, diagnostics } = resolveImports({ sources: [createSourceFile("main.co", text)] });
    const compiled = compileColang2({ modules });
    const problems = [...diagnostics, ...compiled.diagnostics].filter(isError);
    if (compiled.program === undefined || problems.length > 0) {
      throw new Error(`does not compile:\n${problems.map(({ message }) => message).join("\n")}`);
    }
    this.#program = compiled.program;
    this.#roundTrips = roundTrips;
    this.#engine = new EngineConversation(this.#program, { seed });
  }

  async batch(...events: readonly GuardrailsEvent[]): Promise<readonly GuardrailsEvent[]> {
    const loop = new HostLoop({
      engine: this.#engine,
      local: NO_LOCAL_ACTIONS,
      instantActions: new Set(["UtteranceBotAction"]),
      maxEvents: 500,
      complete: (draft) => completeEvent(draft, source),
    });
    const admitted = events.map((event) => admitEvent(event, source));
    const { output, overflow } = await loop.run(admitted, { signal, blocking: true });
    expect(overflow).toBeUndefined();
    if (this.#roundTrips) {
      const stored: unknown = JSON.parse(JSON.stringify(writeState(this.#engine.state)));
      this.#engine = new EngineConversation(readState(this.#program, stored));
    }
    // An utterance that is over at once is shown as `SAY`.
    return output.flatMap((event) => {
      if (event.type === "UtteranceBotActionStarted") return [];
      return event.type === "UtteranceBotActionFinished" ? [{ type: "SAY", script: event["final_script"] }] : [event];
    });
  }
}

describe.each([
  ["in one go", false],
  ["stored and read again after every call", true],
])("scenarios of the standard library (spec 13.11), %s", (_, roundTrips) => {
  it.each(scenarios.map((scenario) => [scenario.id, scenario.title, scenario] as const))(
    "%s %s",
    async (_id, _title, scenario) => {
      for (const seed of [1, 2, 3]) await play(scenario, new Host(scenario.source, seed, roundTrips));
    },
  );
});

async function play(scenario: Scenario, host: Host): Promise<void> {
  const labels = new Map<string, GuardrailsEvent>();
  let count = 0;
  for (const step of scenario.steps) {
    const event = toEvent(step.input, labels, (count += 1));
    const sent = (await (event === undefined ? host.batch() : host.batch(event))).filter(
      ({ timer_name: name }) => !String(name).startsWith("llm_polling"),
    );
    const fitting = (step.outputs ?? []).filter((expected) => fits(sent, expected));
    expect({ step: step.text, sent: fitting.length === 1 ? "as expected" : sent }).toEqual({
      step: step.text,
      sent: "as expected",
    });
    for (const [at, { label }] of (fitting[0] ?? []).entries()) {
      const labelled = sent[at];
      if (label !== undefined && labelled !== undefined) labels.set(label, labelled);
    }
  }
}

function toEvent(
  input: ScenarioInput,
  labels: ReadonlyMap<string, GuardrailsEvent>,
  count: number,
): GuardrailsEvent | undefined {
  switch (input.kind) {
    case "start":
      return undefined;
    case "user":
      return { type: "UtteranceUserActionFinished", action_uid: `u-${count}`, final_transcript: input.text };
    case "event":
      return { type: input.event.name, ...input.event.parameters };
    case "labelled": {
      const started = labels.get(input.label);
      if (started === undefined) throw new Error(`nothing is labelled ${input.label}`);
      const action = started.type.replace(/^Start/, "");
      return { type: action + input.suffix, action_uid: started["action_uid"], ...input.parameters };
    }
  }
}

function fits(sent: readonly GuardrailsEvent[], expected: readonly WrittenEvent[]): boolean {
  return (
    sent.length === expected.length &&
    expected.every(({ name, parameters }, at) => {
      const event = sent[at];
      return (
        event?.type === name &&
        Object.entries(parameters).every(([key, value]) => JSON.stringify(event[key]) === JSON.stringify(value))
      );
    })
  );
}
