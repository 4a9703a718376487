import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import {
  eventFactory,
  type EventDraft,
  countingIds,
  currentEventName,
  currentPropertyName,
  translateLegacyEvent,
  readEvent,
} from "../../src/engine/events.js";
import { GuardrailsError, InputShapeError, LimitError } from "../../src/diagnostics/errors.js";
import { toPlainData } from "../../src/engine/plain-data.js";
import { CONTEXT_VARIABLES, contextVariableNames, isReservedVariable } from "../../src/engine/context-variables.js";
import { mapParts, type Mapper, visitParts, WALK_LIMITS } from "../../src/engine/walk.js";
import { propertyRuns } from "../support/property-runs.js";

const NOW = "1970-01-01T00:00:00.000Z";
const BASE = { uid: "e-1", event_created_at: NOW, source_uid: "langchain-guardrails" };

function complete(draft: EventDraft): unknown {
  return eventFactory({ clock: { now: () => 0 }, ids: countingIds("e") })(draft);
}

describe("eventFactory", () => {
  it.each<[EventDraft, Record<string, unknown>]>([
    [{ type: "UserIntent", intent: "greet" }, { intent: "greet" }],
    [
      { type: "StartInternalSystemAction", action_name: "add" },
      { action_name: "add", action_uid: "e-2" },
    ],
    [
      { type: "InternalSystemActionFinished", action_uid: "a", status: "success" },
      { action_uid: "a", status: "success", is_success: true, action_finished_at: NOW },
    ],
    [
      { type: "InternalSystemActionFinished", action_uid: "a", status: "failed", failure_reason: "late" },
      { action_uid: "a", status: "failed", is_success: false, failure_reason: "late", action_finished_at: NOW },
    ],
    [
      { type: "BellActionFinished", action_uid: "a", is_success: true, failure_reason: "stale" },
      { action_uid: "a", is_success: true, action_finished_at: NOW },
    ],
    [
      { type: "BellActionStarted", action_uid: "a" },
      { action_uid: "a", action_started_at: NOW },
    ],
    [
      { type: "BellActionUpdated", action_uid: "a" },
      { action_uid: "a", action_updated_at: NOW },
    ],
    [
      { type: "StartUtteranceBotAction", script: "Hi." },
      { script: "Hi.", action_uid: "e-2", action_info_modality: "bot_speech", action_info_modality_policy: "replace" },
    ],
    [
      { type: "UtteranceUserActionFinished", action_uid: "a", final_transcript: "hi" },
      {
        action_uid: "a",
        final_transcript: "hi",
        is_success: true,
        action_finished_at: NOW,
        action_info_modality: "user_speech",
        action_info_modality_policy: "replace",
      },
    ],
  ])("completes %j", (draft, expected) => {
    expect(complete(draft)).toEqual({ ...BASE, type: draft.type, ...expected });
  });

  it("keeps the fields of the draft, so completing twice changes nothing", () => {
    const once = complete({ type: "StartUtteranceBotAction", uid: "mine", source_uid: "me", script: "Hi." });
    expect(once).toMatchObject({ uid: "mine", source_uid: "me" });
    expect(complete(once as EventDraft)).toEqual(once);
  });

  it("records the sender's name", () => {
    expect(eventFactory({ sourceUid: "shop" })({ type: "Bell" })).toMatchObject({ source_uid: "shop" });
  });

  it("ignores prototypes", () => {
    const event = complete(JSON.parse('{"type":"Bell","__proto__":{"polluted":1}}') as EventDraft) as object;
    expect(Object.getPrototypeOf(event)).toBe(Object.prototype);
    expect(event).not.toHaveProperty("polluted");
  });
});

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
    "does not change %j",
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
    ["a type that is not a string", { type: 1 }],
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

  it("returns JSON or throws a GuardrailsError, whatever its input", () => {
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
      { numRuns: propertyRuns(50) },
    );
  });
});

const FILES = ["src/colang2/stdlib", "src/library"].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".co") && !file.endsWith(".v1.co"))
    .map((file) => `${folder}/${file}`),
);

describe("the table of context variables", () => {
  it("has each name once", () => {
    const names = CONTEXT_VARIABLES.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each([
    "skip_output_rails",
    "triggered_input_rail",
    "user_message",
    "event",
    "variant",
    "output_rails_off",
    "system",
  ])("reserves `%s`", (name) => expect(isReservedVariable(name)).toBe(true));

  it.each(["relevant_chunks", "check_facts", "hallucination_warning", "city", "", "toString", "__proto__"])(
    "does not reserve `%s`",
    (name) => expect(isReservedVariable(name)).toBe(false),
  );

  it("lets a caller set only variables that no rail and no engine owns", () => {
    for (const { setBy, settable } of CONTEXT_VARIABLES) expect(settable).toBe(setBy === "developer");
  });

  it("includes the variables of the standard library only in Colang 2.x", () => {
    expect(contextVariableNames("2.x")).toContain("bot_talking_state");
    expect(contextVariableNames("1.0")).not.toContain("bot_talking_state");
  });

  it.each(FILES)("has every global variable of `%s`", (file) => {
    const lines = readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line.trim().startsWith("global "));
    const names = lines.flatMap((line) => [...line.matchAll(/\$(\w+)/g)].map((match) => match[1] ?? ""));
    expect(names.filter((name) => !contextVariableNames("2.x").includes(name))).toEqual([]);
  });
});

const nested = (levels: number, inner: unknown = "x"): unknown => {
  let value = inner;
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { key: value };
  return value;
};
const cyclic = (): Record<string, unknown> => {
  const value: Record<string, unknown> = { text: "x" };
  value["self"] = value;
  return value;
};
const failing = {
  text: "x",
  get broken(): string {
    throw new Error("no value");
  },
};

describe("a visit of parts", () => {
  const visited = (value: unknown, limits = WALK_LIMITS): readonly [readonly unknown[], boolean] => {
    const found: unknown[] = [];
    const isWhole = visitParts(
      value,
      (part, key) => {
        if (typeof part !== "object") found.push(key === undefined ? part : `${key}=${String(part)}`);
      },
      limits,
    );
    return [found, isWhole];
  };

  it.each<[string, unknown, readonly unknown[], boolean]>([
    ["a text", "x", ["x"], true],
    ["parts in order", { a: [1, { b: 2 }], c: 3 }, [1, "b=2", "c=3"], true],
    ["as many levels as the limit", nested(WALK_LIMITS.depth), ["x"], true],
    ["more levels", nested(WALK_LIMITS.depth + 1), [], false],
    ["levels without end", nested(50_000), [], false],
    ["a cycle", cyclic(), ["text=x"], true],
    ["a getter that fails", failing, ["text=x"], false],
  ])("visits %s", (_title, value, found, isWhole) => {
    expect(visited(value)).toEqual([found, isWhole]);
  });

  it("ends at the number of values", () => {
    expect(visited(["a", "b", "c"], { depth: 2, values: 3 })).toEqual([[], false]);
    expect(visited(["a", "b"], { depth: 2, values: 3 })).toEqual([["a", "b"], true]);
  });

  it("skips parts that the visitor rejects", () => {
    const found: unknown[] = [];
    visitParts([{ skip: 1 }, "x"], (part) => (found.push(part), Array.isArray(part)));
    expect(found).toEqual([[{ skip: 1 }, "x"], { skip: 1 }, "x"]);
  });
});

describe("a map of parts", () => {
  const upper: Mapper = { leaf: (leaf) => (leaf === "x" ? "X" : leaf === "-" ? undefined : leaf) };

  it.each<[string, unknown, unknown]>([
    ["a text", "x", "X"],
    ["texts", { a: ["x", "y"], b: 1 }, { a: ["X", "y"], b: 1 }],
    ["what is removed", { a: "-", b: ["-", "x"] }, { b: ["X"] }],
    ["as many levels as the limit", nested(WALK_LIMITS.depth), nested(WALK_LIMITS.depth, "X")],
  ])("changes %s", (_title, value, expected) => {
    expect(mapParts(value, upper)).toEqual(expected);
  });

  it("returns the value itself if nothing changes, also at entries without a value", () => {
    const value = { a: ["y", undefined], b: { c: undefined } };
    expect(mapParts(value, upper)).toBe(value);
  });

  it("keeps the class and own keys such as `__proto__`", () => {
    class Point {
      label = "x";
    }
    const after = mapParts(new Point(), upper) as Point;
    expect([after, after instanceof Point]).toEqual([{ label: "X" }, true]);
    const mapped = mapParts(JSON.parse('{ "__proto__": "x" }'), upper) as object;
    expect(Object.entries(mapped)).toEqual([["__proto__", "X"]]);
  });

  it.each<[string, unknown]>([
    ["more levels than the limit", nested(WALK_LIMITS.depth + 1)],
    ["levels without end", nested(50_000)],
    ["a cycle", cyclic()],
    ["a getter that fails", failing],
  ])("fails at %s with a GuardrailsError, unless a rule handles it", (_title, value) => {
    expect(() => mapParts(value, upper)).toThrow(InputShapeError);
    expect(() => mapParts(value, { ...upper, beyond: () => null })).not.toThrow();
  });

  it("maps a part that occurs twice once", () => {
    const shared = { a: "x" };
    const { one, two } = mapParts({ one: shared, two: shared }, upper) as { one: unknown; two: unknown };
    expect(one).toBe(two);
  });

  it("visits many occurrences of few objects in little time", () => {
    let value: unknown = "x";
    for (let level = 0; level < 30; level += 1) value = [value, value];
    expect(JSON.stringify(mapParts([value], { leaf: (leaf) => leaf, whole: () => "seen" }))).toBe('"seen"');
    let after = mapParts(value, upper);
    while (Array.isArray(after)) [after] = after as unknown[];
    expect(after).toBe("X");
  });

  it("copies getters, hidden properties and cycles where configured", () => {
    const value = Object.defineProperty(cyclic(), "hidden", { value: "secret", enumerable: false });
    const copy = mapParts(value, { ...upper, copies: true }) as Record<string, unknown>;
    expect(copy["self"]).toBe(copy);
    expect(Reflect.ownKeys(copy)).toEqual(["text", "self"]);
  });

  it("changes keys, keeps entries and continues with other rules", () => {
    const kept: Mapper = { leaf: (leaf) => leaf };
    const mapper: Mapper = {
      ...upper,
      whole: (value, parts) => (Object.hasOwn(value, "raw") ? parts(kept) : parts()),
      key: (key) => (key === "gone" ? undefined : key.trim()),
      keeps: (key) => key === "id",
    };
    const value = { id: "x", gone: "x", " a ": "x", inner: { raw: "x" } };
    expect(mapParts(value, mapper)).toEqual({ id: "x", a: "X", inner: { raw: "x" } });
  });
});
