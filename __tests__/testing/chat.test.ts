import { describe, expect, it } from "@jest/globals";
import { chat } from "../../src/testing/chat.js";
import { unmark } from "../../src/testing/mark.js";
import { scriptedModel } from "../../src/testing/scripted-model.js";
import { fakeGuardrails, strictRail } from "../support/langchain/fake-runtime.js";

describe("chat", () => {
  it("reads as a dialogue, in a thread of its own", async () => {
    const { guardrails, calls } = fakeGuardrails({ input: strictRail });
    const talk = chat(guardrails.wrap(scriptedModel(["Hello!"])));
    await talk.user("hi");
    talk.bot("Hello!");
    talk.bot(/^Hello/);
    await talk.user("bad words");
    talk.bot("REFUSED");
    talk.blockedBy("input rail");
    expect(talk.decisions).toMatchObject([{ status: "blocked" }]);
    expect(talk.transcript).toBe("> hi\n< Hello!\n> bad words\n! input rail\n< REFUSED");
    const threads = calls.map(({ options }) => options?.config?.configurable?.["thread_id"]);
    expect(threads[0]).toBe(threads[1]);
    expect(threads[0]).toBeDefined();
  });

  it("shows the dialogue when an expectation fails", async () => {
    const { guardrails } = fakeGuardrails();
    const talk = chat(guardrails.wrap(scriptedModel(["Hello!"])));
    expect(() => talk.bot("x")).toThrow("no message has been sent yet");
    await talk.user("hi");
    expect(() => talk.bot("Bye")).toThrow("> hi\n< Hello!");
    expect(() => talk.blockedBy("r")).toThrow("expected the rail `r` to block");
  });
});

describe("unmark", () => {
  it("returns the text between the marks", () => {
    expect(unmark("a «bc» d")).toEqual({ text: "a bc d", start: 2, end: 4, marked: "bc" });
  });

  it.each(["none", "«open", "»x«", "«a» «b»"])("refuses %j", (source) => {
    expect(() => unmark(source)).toThrow("mark exactly one part");
  });
});
