import { describe, expect, it } from "@jest/globals";
import { AIMessage } from "@langchain/core/messages";
import { Guardrails } from "../../../src/index.js";

const HIDDEN = "the forbidden plan";

const call = { id: "c1", type: "function", function: { name: "look", arguments: "{}" } };
const kwargs = (additional_kwargs: object) => new AIMessage({ content: "word", additional_kwargs } as never);
const block = (fields: object) => new AIMessage({ content: [{ name: "look", ...fields }] } as never);

/** Texts in fields of a response that have readers of their own, which do not read these texts. */
const BESIDE: Readonly<Record<string, () => AIMessage>> = {
  "an id of a sound": () => kwargs({ audio: { id: HIDDEN, transcript: "x" } }),
  "data of a sound": () => kwargs({ audio: { data: HIDDEN } }),
  "another field of a sound": () => kwargs({ audio: { note: HIDDEN } }),
  "a list in place of a sound": () => kwargs({ audio: [HIDDEN] }),
  "a text in place of a sound": () => kwargs({ audio: HIDDEN }),
  "a list in place of a refusal": () => kwargs({ refusal: [{ text: HIDDEN }] }),
  "an id of a raw call": () => kwargs({ tool_calls: [{ ...call, id: HIDDEN }] }),
  "another field of a raw call": () => kwargs({ tool_calls: [{ ...call, note: HIDDEN }] }),
  "another field of its function": () =>
    kwargs({ tool_calls: [{ ...call, function: { ...call.function, note: HIDDEN } }] }),
  "a key of a raw call": () => kwargs({ tool_calls: [{ ...call, [HIDDEN]: 1 }] }),
  "a text in place of raw calls": () => kwargs({ tool_calls: HIDDEN }),
  "another field of a function call": () => kwargs({ function_call: { ...call.function, note: HIDDEN } }),
  "a text in place of a function call": () => kwargs({ function_call: HIDDEN }),
  "an id in a map of ids": () => kwargs({ __openai_function_call_ids__: { c1: HIDDEN } }),
  "a text in place of a map of ids": () => kwargs({ __openai_function_call_ids__: HIDDEN }),
  "a signature in a map of signatures": () => kwargs({ __gemini_function_call_thought_signatures__: { c1: HIDDEN } }),
  "an id of a call of a server tool": () => block({ type: "server_tool_use", id: HIDDEN, input: {} }),
  "a status of a call": () => block({ type: "function_call", call_id: "c1", arguments: "{}", status: HIDDEN }),
  "a caller of a call": () => block({ type: "server_tool_call", id: "c1", args: {}, caller: { type: HIDDEN } }),
};

const COLANG = `define subflow check answer
  $allowed = execute look(text=$bot_message)
  if not $allowed
    bot refuse to respond
    stop
`;

describe("texts beside those that the reader of a field reads", () => {
  it.each(Object.entries(BESIDE))("are read by output rails: %s", async (_, message) => {
    const guardrails = await Guardrails.fromConfig(
      { colang: COLANG, config: { rails: { output: { flows: ["check answer"] } } } },
      { actions: { look: ({ text }: Readonly<Record<string, unknown>>) => !String(text).includes(HIDDEN) } },
    );
    const released = await guardrails.output().invoke(message());
    expect(JSON.stringify([released, { ...(released as AIMessage) }])).not.toContain(HIDDEN);
  });

  it.each(["audio", "tool_calls", "function_call"])("leave ids and bytes of %s as they are", async (key) => {
    const given = {
      audio: { id: "a1", data: "AAA", transcript: "word" },
      tool_calls: [call],
      function_call: call.function,
    };
    const seen: unknown[] = [];
    const guardrails = await Guardrails.fromConfig(
      { colang: COLANG, config: { rails: { output: { flows: ["check answer"] } } } },
      { actions: { look: ({ text }: Readonly<Record<string, unknown>>) => seen.push(text) > 0 } },
    );
    const own = { [key]: given[key as keyof typeof given] };
    const released = (await guardrails.output().invoke(kwargs(own))) as AIMessage;
    expect(released.additional_kwargs).toEqual(own);
    expect(seen).toEqual([key === "audio" ? expect.stringMatching(/^word(\s*word)?$/) : "word"]);
  });
});
