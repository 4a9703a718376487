import type { EventDraft, GuardrailsEvent } from "../../engine/events.js";
import type { ElementArgument, ElementOf } from "../elements.js";
import { readOwn, writeOwn } from "../../engine/variables.js";
import { equalValues } from "./equal-values.js";
import type { Offer, Processing } from "./processing.js";
import { isEventLimit } from "./slide.js";

/**
 * Returns the event that a step requests, with its values computed; undefined when that failed, which the processing records.
 */
export function draftOf(work: Processing, offer: Offer): EventDraft | undefined {
  try {
    return draft(work, offer);
  } catch (error) {
    if (isEventLimit(error)) throw error;
    work.fail(offer.instance, error, offer.element.location);
    return undefined;
  }
}

function draft(work: Processing, { instance, flow, element }: Offer): EventDraft | undefined {
  const valuesOf = (given: readonly ElementArgument[]): Record<string, unknown> => {
    const values: Record<string, unknown> = {};
    for (const [at, { name, value }] of given.entries()) {
      writeOwn(values, name ?? `$${at + 1}`, work.evaluate(value, instance) ?? null);
    }
    return values;
  };
  switch (element.kind) {
    case "Stop":
      return { type: "BotIntent", intent: "stop" };
    case "Say":
      return sayDraft(work, element, offerValue(work, element, instance));
    case "Run":
      return runDraft(element, flow.id, valuesOf(element.arguments));
    case "Emit":
      return emitDraft(element, valuesOf(element.arguments));
    default:
      return undefined;
  }

  function sayDraft(work: Processing, say: ElementOf<"Say">, value: unknown): EventDraft {
    const { content } = say;
    const instructions = say.instructions === undefined ? {} : { instructions: say.instructions };
    if (content.type === "intent") return { type: "BotIntent", intent: content.intent, ...instructions };
    if (content.type === "literal") {
      return { type: "BotIntent", intent: content.intent, text: content.text, ...instructions };
    }
    if (value === undefined || value === null) {
      const cause = { code: "CO-401", message: `message variable \`${content.source}\` is not defined` };
      work.fail(instance, cause, say.location);
    }
    return { type: "BotIntent", intent: content.source, value, ...instructions };
  }
}

function offerValue(work: Processing, { content }: ElementOf<"Say">, instance: Offer["instance"]): unknown {
  return content.type === "value" ? work.evaluate(content.value, instance) : undefined;
}

function runDraft(element: ElementOf<"Run">, flow: string, params: Record<string, unknown>): EventDraft {
  const { result } = element;
  return {
    type: "StartInternalSystemAction",
    action_name: element.action,
    action_params: params,
    action_result_key: result ? [result.name, ...result.path].join(".") : null,
    is_system_action: false,
    flow_id: flow,
  };
}

function emitDraft(element: ElementOf<"Emit">, values: Record<string, unknown>): EventDraft {
  // INVARIANT: a property cannot change what kind of event this is.
  const { type: _type, ...properties } = values;
  return { type: element.type, ...properties };
}

/** Returns true if an event is the one that a draft requested, completed by the run loop. */
export function realises(event: GuardrailsEvent, draft: EventDraft): boolean {
  if (event.type !== draft.type) return false;
  if (event.type === "StartInternalSystemAction") {
    return readOwn(event, "action_name") === draft["action_name"] && readOwn(event, "flow_id") === draft["flow_id"];
  }
  if (event.type === "BotIntent") return readOwn(event, "intent") === draft["intent"];
  return Object.keys(draft).every((key) => Object.hasOwn(event, key) && equalValues(event[key], draft[key]));
}
