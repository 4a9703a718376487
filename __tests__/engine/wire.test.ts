import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { GuardrailsError, InputShapeError, LimitError } from "../../src/diagnostics/errors.js";
import { currentEventName, currentPropertyName, translateLegacyEvent, readEvent } from "../../src/engine/wire.js";
import { toPlainData } from "../../src/engine/plain-data.js";

describe("names of the first generation", () => {
  it.each([
    [
      { type: "user_said", content: "hi" },
      { type: "UtteranceUserActionFinished", final_transcript: "hi" },
    ],
    [
      { type: "bot_said", content: "ho" },
      { type: "StartUtteranceBotAction", script: "ho" },
    ],
    [
      { type: "user_intent", intent: "greet" },
      { type: "UserIntent", intent: "greet" },
    ],
    [
      { type: "bot_intent", intent: "greet" },
      { type: "BotIntent", intent: "greet" },
    ],
    [
      { type: "start_action", action_name: "a" },
      { type: "StartInternalSystemAction", action_name: "a" },
    ],
    [
      { type: "action_finished", action_name: "a" },
      { type: "InternalSystemActionFinished", action_name: "a" },
    ],
    [
      { type: "context_update", data: { a: 1 } },
      { type: "ContextUpdate", data: { a: 1 } },
    ],
    [{ type: "listen" }, { type: "Listen" }],
  ])("%j", (old, current) => {
    expect(translateLegacyEvent(old)).toEqual(current);
    expect(currentEventName(old.type)).toBe(current.type);
  });

  it.each([{ type: "UserSilent", content: "x" }, { type: "constructor" }, { type: "start_flow", flow_id: "x" }])(
    "leaves %j alone",
    (event) => {
      expect(translateLegacyEvent(event)).toBe(event);
      expect(currentEventName(event.type)).toBeUndefined();
    },
  );

  it.each([
    ["user_said", "content", "final_transcript"],
    ["user_said", "other", "other"],
    ["user_said", "constructor", "constructor"],
    ["UserSilent", "content", "content"],
  ])("%s.%s is %s", (type, old, current) => {
    expect(currentPropertyName(type, old)).toBe(current);
  });
});

describe("readEvent", () => {
  it.each<[string, unknown]>([
    ["nothing", null],
    ["a text", "UserIntent"],
    ["a list", [{ type: "UserIntent" }]],
    ["a map without type", { intent: "greet" }],
    ["an empty type", { type: "" }],
    ["a type that is no text", { type: 1 }],
    ["an inherited type", Object.create({ type: "UserIntent" })],
  ])("refuses %s", (_title, value) => {
    expect(() => readEvent(value)).toThrow(InputShapeError);
  });

  it("makes a copy under current names", () => {
    const data = { list: [1, undefined, null], when: { toJSON: () => "noon" }, gone: undefined };
    const event = readEvent({ type: "context_update", data });
    expect(event).toEqual({ type: "ContextUpdate", data: { list: [1, null, null], when: "noon" } });
    data.list.push(2);
    expect(event["data"]).toMatchObject({ list: [1, null, null] });
  });

  it.each<[string, () => unknown]>([
    ["a great many values", () => ({ type: "E", k: Array.from({ length: 200_000 }, () => 0) })],
    ["deep nesting", () => ({ type: "E", k: JSON.parse("[".repeat(5000) + "]".repeat(5000)) as unknown })],
  ])("refuses %s", (_title, make) => {
    expect(() => readEvent(make())).toThrow(LimitError);
  });

  it("gives JSON or one of our errors, whatever it is given", () => {
    fc.assert(
      fc.property(
        fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true, withMap: true }),
        (value) => {
          try {
            const event = readEvent({ type: "E", value });
            expect(JSON.parse(JSON.stringify(event))).toEqual(event);
            expect(toPlainData(event)).toMatchObject({ ok: true, value: event });
          } catch (error) {
            expect(GuardrailsError.isInstance(error)).toBe(true);
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});
