import { describe, expect, it } from "@jest/globals";
import { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Guardrails, verdictOf } from "../../../src/index.js";
import { scriptedModel } from "../../../src/testing/index.js";

const VERSIONS = ["1.0", "2.x"] as const;
const WORD = "forbidden-word";

const open = (version: string, tools: object, more: object = {}) =>
  Guardrails.fromConfig(
    { config: { colang_version: version, rails: { config: { tools }, ...more } } },
    { logger: false },
  );

/** Names that a model or a server of tools may give to a tool. */
const NAMES = ["pay", "pay bill", "pagár_ñ", "支付", "constructor", "toString", "then", "a.b", "a*", "*", "$x", "🦊"];

const nested = (depth: number): unknown => (depth === 0 ? WORD : { a: nested(depth - 1) });

describe.each(VERSIONS)("patterns in tools in Colang %s", (version) => {
  it.each(NAMES)("belong to the tool %j alone", async (name) => {
    const guardrails = await open(version, {
      per_tool: { [name]: { forbidden_in_arguments: [WORD], forbidden_in_results: [WORD] } },
    });
    const verdict = async (called: string, q: string) => {
      const message = new AIMessage({ content: "", tool_calls: [{ name: called, args: { q }, id: "c" }] });
      return verdictOf(await guardrails.wrap(scriptedModel([message])).invoke("hi"))?.blocked;
    };
    expect(await verdict(name, WORD)).toBe(true);
    expect(await verdict(name, "fine")).toBe(false);
    expect(await verdict("other", WORD)).toBe(false);
    const schema = { type: "object", properties: { q: { type: "string" } } } as const;
    const guarded = guardrails.tool(tool(() => WORD, { name, description: "Pays.", schema }));
    expect(JSON.stringify(await guarded.invoke({ q: "fine" }))).not.toContain(WORD);
  });

  it.each<[string, unknown, boolean]>([
    ["a text", { q: WORD }, true],
    ["a name", { [WORD]: 1 }, true],
    ["a list in a list", { q: [[[WORD]]] }, true],
    ["an object 30 deep", { q: nested(30) }, true],
    ["more levels than are read", { q: nested(5_000) }, true],
    ["more values than are read", { q: Array.from({ length: 20_000 }, () => "x") }, true],
    ["a long text", { q: `${"x".repeat(1_000_000)}${WORD}` }, true],
    ["a number", { q: 424242 }, true],
    ["a number in a list", { q: [{ n: -424242 }] }, true],
    ["a boolean", { q: true }, true],
    ["`__proto__`", JSON.parse(`{"__proto__": {"q": "${WORD}"}}`), true],
    ["invisible characters", { q: "for\u200Bbid\u2060den-word" }, true],
    ["letters that look alike", { q: "f\u043Erbidden-word" }, true],
    ["wide letters", { q: "\uFF46orbidden-word" }, true],
    ["escapes in JSON in a text", { q: '{"x": "\\u0066orbidden-word"}' }, true],
    ["a pattern over two items", { q: ["forbidden-", "word"] }, true],
    ["a pattern over letters", { q: [...WORD] }, true],
    ["a pattern over two words", { q: ["rm", "-rf", "/"] }, true],
    ["a pattern over lists in a list", { q: [["rm"], [[["-rf /"]]]] }, true],
    ["a pattern over objects in a list", { q: [{ part: "rm " }, { part: "-rf /" }] }, true],
    ["a pattern over items in disguise", { q: ["r\u200Bm", "-\uFF52f /"] }, true],
    ["a pattern over 9,000 items", { q: Array.from({ length: 9_000 }, (_, at) => (at % 2 ? "-rf /" : "rm")) }, true],
    ["a pattern over two arguments", { q: ["rm"], to: ["-rf /"] }, false],
    ["items in another order", { q: ["-rf /", "rm"] }, false],
    ["nothing", {}, false],
    ["null", { q: null }, false],
    ["other values", { q: ["fine", 42, false] }, false],
  ])("are looked for in arguments: %s", async (_, args, blocked) => {
    const guardrails = await open(version, { forbidden_in_arguments: [WORD, "^-?424242$", "^true$", "rm +-rf"] });
    const message = new AIMessage({ content: "", tool_calls: [{ name: "pay", args: args as never, id: "c" }] });
    const answer = await guardrails.wrap(scriptedModel([message])).invoke("hi");
    expect(verdictOf(answer)).toMatchObject({ blocked });
    expect(answer.tool_calls).toHaveLength(blocked ? 0 : 1);
  });

  it.each<[string, string, boolean]>([
    ["a text", WORD, true],
    ["items of a list", '["forbidden-", "word"]', true],
    ["words in a list", '{"hits": [{"text": "rm"}, {"text": "-rf /"}]}', true],
    ["an escape of JSON", '{"a": "forbidden-word\\/"}', true],
    ["an escaped quote", '{"a": "say \\"hi\\""}', true],
    [
      "more than is read in arguments",
      JSON.stringify([...Array.from({ length: 50_000 }, () => "x"), "rm", "-rf"]),
      true,
    ],
    ["a list in a text that is not JSON", '["forbidden-", "word"', false],
    ["two fields", '{"a": "rm", "b": "-rf"}', false],
  ])("are looked for in results: %s", async (_, result, blocked) => {
    const guardrails = await open(version, { forbidden_in_results: [WORD, "rm +-rf", "word/", 'say "hi"'] });
    const schema = { type: "object", properties: {} } as const;
    const guarded = guardrails.tool(tool(() => result, { name: "pay", description: "Pays.", schema }));
    expect((await guarded.invoke({})) === result).toBe(!blocked);
  });

  it.each<[string, object, boolean]>([
    ["one item", { q: ["project orion"] }, true],
    ["two items", { q: ["project", "orion"] }, true],
    ["two arguments", { q: "project", to: "orion" }, false],
  ])("detectors look for words in %s", async (_, args, blocked) => {
    const rails = { tool_output: { flows: ["detect key words on tool output"] } };
    const guardrails = await Guardrails.fromConfig(
      {
        config: {
          colang_version: version,
          rails: { ...rails, config: { key_words: { words: ["project orion"] } } },
        },
      },
      { logger: false },
    );
    const message = new AIMessage({ content: "", tool_calls: [{ name: "pay", args: args as never, id: "c" }] });
    const answer = await guardrails.wrap(scriptedModel([message])).invoke("hi");
    expect(verdictOf(answer)).toMatchObject({ blocked });
  });

  it.each<[string, string, boolean]>([
    ["the field", `{"body": "${WORD}", "other": "fine"}`, true],
    ["the field twice", `{"body": "${WORD}", "body": "fine"}`, true],
    ["the field in an escape", '{"body": "\\u0066orbidden-word"}', true],
    ["no field", `{"other": "${WORD}"}`, true],
    ["no JSON", WORD, true],
  ])("are looked for in one field of a result: %s", async (_, result, blocked) => {
    const rails = { tool_input: { flows: ["tool result validation", "cel check tool input $argument=body"] } };
    const cel = { tool_input: { pay: { expressions: [`text.contains("${WORD}")`] } } };
    const guardrails = await Guardrails.fromConfig(
      { config: { colang_version: version, rails: { ...rails, config: { cel } } } },
      { logger: false },
    );
    const schema = { type: "object", properties: {} } as const;
    const guarded = guardrails.tool(tool(() => result, { name: "pay", description: "Pays.", schema }));
    expect((await guarded.invoke({})) === result).toBe(!blocked);
  });
});
