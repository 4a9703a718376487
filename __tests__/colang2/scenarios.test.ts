import { describe, expect, it } from "@jest/globals";
import type { EventDraft, GuardrailsEvent } from "../../src/engine/events.js";
import { InputShapeError } from "../../src/diagnostics/errors.js";
import { compileText, Driver } from "./engine-driver.js";
import { readScenarios, type Scenario, type ScenarioInput, type WrittenEvent } from "./scenario.js";

const scenarios = readScenarios().filter(({ source }) => !source.includes("import "));

const OPTIONS: Readonly<Record<string, { readonly conflictPolicy: "modality" }>> = {
  N36: { conflictPolicy: "modality" },
};

/** Each scenario is compiled once for all of its runs. */
const programs = new Map(scenarios.map(({ source }) => [source, compileText(source)]));

describe.each([
  ["in one go", false, [1, 2, 3, 4, 5, 6]],
  ["stored and read again at every step", true, [1, 2]],
])("conformance of the engine, %s", (_, roundTrips, seeds) => {
  it.each(scenarios.map((scenario) => [scenario.id, scenario.title, scenario] as const))(
    "%s %s",
    (id, _title, scenario) => {
      const program = programs.get(scenario.source) ?? compileText(scenario.source);
      for (const seed of seeds) play(scenario, new Driver(program, { ...OPTIONS[id], seed, roundTrips }));
    },
  );
});

function play(scenario: Scenario, driver: Driver): void {
  const labels = new Map<string, EventDraft>();
  for (const step of scenario.steps) {
    if (step.outputs === undefined) {
      expect(() => driver.batch(toEvent(step.input, labels) as GuardrailsEvent)).toThrow(InputShapeError);
      continue;
    }
    const event = toEvent(step.input, labels);
    const sent = event === undefined ? driver.batch() : driver.batch(event);
    const fitting = step.outputs.filter((expected) => fits(sent, expected));
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

function toEvent(input: ScenarioInput, labels: ReadonlyMap<string, EventDraft>): GuardrailsEvent | undefined {
  switch (input.kind) {
    case "start":
      return undefined;
    case "user":
      return {
        type: "UtteranceUserActionFinished",
        action_uid: `u-${input.text}`,
        final_transcript: input.text,
        is_success: true,
      };
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

/** Names in order, and the listed parameters. */
function fits(sent: readonly EventDraft[], expected: readonly WrittenEvent[]): boolean {
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
