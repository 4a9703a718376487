import { describe, expect, it } from "@jest/globals";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import type { Guardrails } from "../../../src/index.js";
import { type ThreadStore, ThreadStoreError } from "../../../src/langchain/threads.js";
import { type ScriptedValue, scriptedModel } from "../../../src/testing/index.js";
import { drain, realGuardrails } from "../../support/langchain/real-guardrails.js";
import { textOf } from "../../system/matrix/observe.js";

const BLOCKED = "a bad word about the vault";
const MASKED = "the number of the vault is 4711";
// Whole words: durations and ids may hold the same letters and digits.
const HIDDEN = /vault[^]*\bbad\b|\bbad\b[^]*vault|\b4711\b/;

const config = { configurable: { thread_id: "a" } };
const call = (text: string): AIMessage =>
  new AIMessage({ content: text, tool_calls: [{ name: "look", args: { q: text }, id: "1", type: "tool_call" }] });

const REPLIES: Readonly<Record<string, (text: string) => ScriptedValue>> = {
  "the question": () => "fine",
  "the response": (text) => text,
  "a response with a tool call": call,
  "a response with reasoning": (text) =>
    new AIMessage({
      content: [
        { type: "reasoning", reasoning: text },
        { type: "text", text },
      ],
    }),
};

const STORES: Readonly<Record<string, Partial<ThreadStore>>> = {
  "refuses the write": { set: () => false },
  fails: {
    set: () => {
      throw new Error("no disk");
    },
  },
};

const WAYS: Readonly<Record<string, (guardrails: Guardrails, text: string, reply: ScriptedValue) => Promise<unknown>>> =
  {
    invoke: (guardrails, text) => guardrails.invoke([new HumanMessage(text)], config),
    "generate with raw output": (guardrails, text) =>
      guardrails.generate(text, { llmOutput: true, outputVars: true, log: { internalEvents: true } }, config),
    "a wrapped model": (guardrails, text, reply) => guardrails.wrap(scriptedModel([reply])).invoke(text, config),
    "a stream of it": async (guardrails, text, reply) =>
      drain(await guardrails.wrap(scriptedModel([reply])).stream(text, config)),
  };

describe.each(["1.0", "2.x"] as const)("the error of a turn that is not stored in Colang %s", (version) => {
  const cells = Object.keys(WAYS).flatMap((way) =>
    Object.keys(REPLIES).flatMap((place) => Object.keys(STORES).map((store) => ({ way, place, store }))),
  );

  it.each(cells)("has only the reviewed response: $way, $place, a store that $store", async ({ way, place, store }) => {
    for (const text of [BLOCKED, MASKED]) {
      const reply = REPLIES[place]?.(text) ?? "";
      const threads = { get: () => undefined, set: () => true, delete: () => undefined, ...STORES[store] };
      const guardrails = await realGuardrails({ version, llm: scriptedModel([reply]), threads });
      const asked = place === "the question" ? text : "hi";
      const error: unknown = await WAYS[way]?.(guardrails, asked, reply).catch((reason: unknown) => reason);
      if (!ThreadStoreError.isInstance(error)) throw new Error(`no error of the store: ${textOf(error)}`);
      const isBlocked = text === BLOCKED;
      expect(error.result).toMatchObject({ status: isBlocked ? "blocked" : "answered" });
      if (isBlocked) expect(error.result?.text).toBe("REFUSED");
      expect(textOf(error)).not.toMatch(HIDDEN);
    }
  });
});
