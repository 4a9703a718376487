import { describe, expect, it } from "@jest/globals";
import { AIMessage, AIMessageChunk } from "@langchain/core/messages";
import { concat } from "@langchain/core/utils/stream";
import { Guardrails, verdictOf } from "../../../src/index.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { ChunkedModel } from "../streaming/chunked-model.js";

const VERSIONS = ["1.0", "2.x"] as const;
const WORD = "forbidden-word";
const RAW = JSON.stringify({ q: WORD });

const open = (version: string) =>
  Guardrails.fromConfig(
    { config: { colang_version: version, rails: { config: { tools: { forbidden_in_arguments: [WORD] } } } } },
    { logger: false },
  );

const piece = (args: string, name?: string, index = 0): AIMessageChunk =>
  new AIMessageChunk({
    content: "",
    id: "m",
    tool_call_chunks: [
      { type: "tool_call_chunk", args, index, ...(name === undefined ? {} : { name, id: `c${index}` }) },
    ],
  });

describe.each(VERSIONS)("copies of a tool call in Colang %s", (version) => {
  const call = (q: string) => ({ type: "tool_call" as const, name: "pay", args: { q }, id: "c0" });

  it.each<[string, AIMessage]>([
    [
      "Google's block",
      new AIMessage({ content: [{ type: "functionCall", functionCall: { name: "pay", args: { q: WORD } } }] }),
    ],
    [
      "OpenAI's block",
      new AIMessage({ content: [{ type: "function_call", id: "f", call_id: "c0", name: "pay", arguments: RAW }] }),
    ],
    [
      "the provider's raw response",
      new AIMessage({
        content: "",
        response_metadata: { output: [{ type: "function_call", id: "f", call_id: "c0", name: "pay", arguments: RAW }] },
      }),
    ],
    [
      "arguments with a key twice",
      new AIMessage({ content: [{ type: "tool_use", id: "c0", name: "pay", input: `{"q": "${WORD}", "q": "ok"}` }] }),
    ],
  ])("alone in %s are checked", async (_, message) => {
    const answer = await (await open(version)).wrap(scriptedModel([message])).invoke("pay");
    expect(verdictOf(answer)).toMatchObject({ blocked: true });
    expect(JSON.stringify(answer)).not.toContain(WORD);
  });

  it.each<[string, object]>([
    ["Google's block", { content: [{ type: "functionCall", functionCall: { name: "pay", args: { q: WORD } } }] }],
    ["OpenAI's block", { content: [{ type: "function_call", id: "f", call_id: "c0", name: "pay", arguments: RAW }] }],
    ["Anthropic's block", { content: [{ type: "tool_use", id: "c0", name: "pay", input: { q: WORD } }] }],
    [
      "the provider's fields",
      {
        additional_kwargs: { tool_calls: [{ id: "c0", type: "function", function: { name: "pay", arguments: RAW } }] },
      },
    ],
    [
      "the provider's raw response",
      {
        response_metadata: { output: [{ type: "function_call", id: "f", call_id: "c0", name: "pay", arguments: RAW }] },
      },
    ],
  ])("in %s get the checked arguments", async (_, copies) => {
    const message = new AIMessage({ content: "", ...copies, tool_calls: [call("fine")] });
    const answer = await (await open(version)).wrap(scriptedModel([message])).invoke("pay");
    expect(answer.tool_calls).toEqual([call("fine")]);
    expect(JSON.stringify(answer)).not.toContain(WORD);
  });

  it.each<[string, readonly AIMessageChunk[]]>([
    ["split in the word", [piece('{"q":"forbid', "pay"), piece('den-word"}')]],
    ["by character", [piece("", "pay"), ...Array.from(RAW, (character) => piece(character))]],
    ["among other calls", [piece('{"q":"forbid', "pay"), piece('{"q":"ok"}', "pay", 1), piece('den-word"}')]],
    ["with a key twice", [piece(`{"q":"ok",`, "pay"), piece(`"q":"${WORD}"}`)]],
    ["that never ends", [piece(`{"q":"${WORD}`, "pay")]],
    ["without a name", [piece(RAW, "")]],
    ["as a list", [piece(`["${WORD}"]`, "pay")]],
  ])("in a stream, %s, are not emitted", async (_, chunks) => {
    const emitted: AIMessageChunk[] = [];
    for await (const chunk of await (await open(version)).wrap(new ChunkedModel(chunks)).stream("pay"))
      emitted.push(chunk);
    expect(emitted.flatMap((chunk) => chunk.tool_calls ?? [])).toEqual([]);
    expect(JSON.stringify(emitted)).not.toContain("forbid");
  });

  it("in a stream get the arguments that rails have read", async () => {
    const chunks = [piece(`{"q":"${WORD}",`, "pay"), piece('"q":"fine"}')];
    const emitted: AIMessageChunk[] = [];
    for await (const chunk of await (await open(version)).wrap(new ChunkedModel(chunks)).stream("pay"))
      emitted.push(chunk);
    const whole = emitted.reduce((left, right) => concat(left, right));
    expect(whole.tool_calls).toMatchObject([{ name: "pay", args: { q: "fine" } }]);
    expect(whole.tool_call_chunks).toMatchObject([{ args: '{"q":"fine"}' }]);
  });
});
