import { describe, expect, it } from "@jest/globals";
import type { EventDraft, GuardrailsEvent } from "../../../src/engine/events.js";
import { TestHost } from "../../runtime/colang2/generation/host.js";
import { readScenarios, type Scenario, type ScenarioInput, type WrittenEvent } from "../scenario.js";

const scenarios = readScenarios().filter(({ source }) => source.includes("import "));

/** These run in the host; everything else is handed out and answered by the scenario. */
const LOCAL = ["AddFlowsAction", "RemoveFlowsAction", "CheckFlowDefinedAction", "CheckValidFlowExistsAction"];

describe("conformance of the standard library", () => {
  it("has every scenario", () => {
    const library = Array.from({ length: 12 }, (_, at) => `L${String(at + 1).padStart(2, "0")}`);
    expect(scenarios.map(({ id }) => id)).toEqual(["N39", "N46", ...library]);
  });

  it.each(scenarios.map((scenario) => [scenario.id, scenario.title, scenario] as const))(
    "%s %s",
    async (_, __, scenario) => {
      await play(scenario, await TestHost.make(scenario.source, { local: LOCAL }));
    },
  );
});

async function play(scenario: Scenario, host: TestHost): Promise<void> {
  const labels = new Map<string, EventDraft>();
  for (const step of scenario.steps) {
    const event = toEvent(step.input, labels);
    const sent = await (event === undefined ? host.batch() : host.batch(event));
    const fitting = (step.outputs ?? []).find((expected) => fits(sent, expected));
    expect({ step: step.text, sent: fitting === undefined ? sent : "as expected" }).toEqual({
      step: step.text,
      sent: "as expected",
    });
    for (const [at, { label }] of (fitting ?? []).entries()) {
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
      } as unknown as GuardrailsEvent;
    case "event":
      return { type: input.event.name, ...input.event.parameters } as unknown as GuardrailsEvent;
    case "labelled": {
      const started = labels.get(input.label);
      if (started === undefined) throw new Error(`nothing is labelled ${input.label}`);
      const action = started.type.replace(/^Start/, "");
      return {
        type: action + input.suffix,
        action_uid: started["action_uid"],
        ...input.parameters,
      } as unknown as GuardrailsEvent;
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
