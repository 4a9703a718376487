import { describe, expect, it } from "@jest/globals";
import { eventFactory, type EventDraft, countingIds } from "../../src/engine/events.js";

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

  it("keeps what the draft has, so that completing twice changes nothing", () => {
    const once = complete({ type: "StartUtteranceBotAction", uid: "mine", source_uid: "me", script: "Hi." });
    expect(once).toMatchObject({ uid: "mine", source_uid: "me" });
    expect(complete(once as EventDraft)).toEqual(once);
  });

  it("takes the sender's name", () => {
    expect(eventFactory({ sourceUid: "shop" })({ type: "Bell" })).toMatchObject({ source_uid: "shop" });
  });

  it("leaves prototypes alone", () => {
    const event = complete(JSON.parse('{"type":"Bell","__proto__":{"polluted":1}}') as EventDraft) as object;
    expect(Object.getPrototypeOf(event)).toBe(Object.prototype);
    expect(event).not.toHaveProperty("polluted");
  });
});
