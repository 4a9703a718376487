import { expect } from "@jest/globals";
import { InputShapeError } from "../../src/diagnostics/errors.js";
import type { EventDraft, GuardrailsEvent } from "../../src/engine/events.js";
import type { Scenario, ScenarioInput, WrittenEvent } from "./scenario.js";

/** Processes one batch of events and returns the sent events, in order. */
export type PlayBatch = (
  ...events: readonly GuardrailsEvent[]
) => readonly EventDraft[] | Promise<readonly EventDraft[]>;

/** Runs a scenario and expects after each step exactly one of its lists of events, or a refusal. */
export async function playScenario(scenario: Scenario, batch: PlayBatch): Promise<void> {
  const labels = new Map<string, EventDraft>();
  for (const [at, step] of scenario.steps.entries()) {
    const event = toEvent(step.input, labels, at);
    const events = event === undefined ? [] : [event];
    if (step.outputs === undefined) {
      await expect((async () => batch(...events))()).rejects.toThrow(InputShapeError);
      continue;
    }
    const sent = await batch(...events);
    const fitting = step.outputs.filter((expected) => fits(sent, expected));
    // A Jest matcher takes as long as a step of the engine, so it is only called to show a failure.
    if (fitting.length !== 1) expect({ step: step.text, sent }).toEqual({ step: step.text, sent: step.outputs });
    for (const [place, { label }] of (fitting[0] ?? []).entries()) {
      const labelled = sent[place];
      if (label !== undefined && labelled !== undefined) labels.set(label, labelled);
    }
  }
}

function toEvent(
  input: ScenarioInput,
  labels: ReadonlyMap<string, EventDraft>,
  at: number,
): GuardrailsEvent | undefined {
  switch (input.kind) {
    case "start":
      return undefined;
    case "user":
      return {
        type: "UtteranceUserActionFinished",
        action_uid: `u-${at}`,
        final_transcript: input.text,
        is_success: true,
      };
    case "event":
      return { type: input.event.name, ...input.event.parameters };
    case "labelled": {
      const started = labels.get(input.label);
      if (started === undefined) throw new Error(`no event has the label ${input.label}`);
      const action = started.type.replace(/^Start/, "");
      return { type: action + input.suffix, action_uid: started["action_uid"], ...input.parameters };
    }
  }
}

/** Compares names in order, and the listed parameters. */
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
