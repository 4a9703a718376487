import { describe, expect, it } from "@jest/globals";
import { AIMessage } from "@langchain/core/messages";
import { z } from "zod/v4";
import { ConfigError } from "../../src/diagnostics/errors.js";
import { Guardrails } from "../../src/index.js";
import { defineRail, type RailDefinition } from "../../src/langchain/rails.js";
import { scriptedModel } from "../../src/testing/index.js";

const WORDS = defineRail({
  name: "own-words",
  settings: z.object({ words: z.array(z.string()).default(["rude"]) }),
  flows: [
    {
      name: "own words check input",
      stage: "input",
      check: (text, { settings }) => {
        const found = (settings["words"] as string[]).some((word) => text.includes(word));
        return { blocked: found, ...(found ? { reason: "a word of the list" } : {}) };
      },
    },
    {
      name: "own words check output",
      stage: "output",
      refusal: "inform answer unknown",
      check: async (text) => Promise.resolve(text.includes("rude")),
    },
    { name: "own words soften output", stage: "output", rewrite: (text) => text.replaceAll("bad", "not good") },
  ],
});

const hideCards = (text: string): string => text.replaceAll(/4111 ?1111/g, "****");
const REFUSAL = "I'm sorry, I can't respond to that.";
const UNKNOWN = "I'm sorry, I don't know the answer to that.";

describe.each(["1.0", "2.x"] as const)("rails of an application in Colang %s", (version) => {
  const open = (stage: string, flow: string, settings = {}, library = [WORDS]) => {
    const colang = version === "2.x" ? { colang: "import core\n\nflow main\n  match Never()\n" } : {};
    const config = { colang_version: version, rails: { [stage]: { flows: [flow] }, config: settings } };
    return Guardrails.fromConfig({ ...colang, config }, { logger: false, library });
  };

  it.each([
    ["input", "own words check input", {}, "so rude", "blocked", REFUSAL],
    ["input", "own words check input", {}, "so kind", "passed", "so kind"],
    ["input", "own words check input", { own_words: { words: ["kind"] } }, "so kind", "blocked", REFUSAL],
    ["output", "own words check output", {}, "so rude", "blocked", UNKNOWN],
    ["output", "own words soften output", {}, "a bad day", "modified", "a not good day"],
  ] as const)("%s: %s with %j reads `%s`: %s", async (stage, flow, settings, text, status, output) => {
    const guardrails = await open(stage, flow, settings);
    expect(await guardrails.check(text, { stage })).toMatchObject({ status, output });
  });

  it.each<[string, (text: string) => string, object, object | undefined]>([
    ["texts and numbers", hideCards, { a: "4111 1111", n: 41111111, b: true }, { a: "****", n: "****", b: true }],
    ["a value in an item", hideCards, { a: ["4111 1111", "x", 5] }, { a: ["****", "x", 5] }],
    ["a value split by a blank", hideCards, { a: ["4111", "1111"] }, undefined],
    ["a value split within a number", hideCards, { a: ["pay 41", "111111 now"] }, undefined],
    ["a split value beside a whole one", hideCards, { a: ["4111 1111", "4111", "1111"] }, undefined],
    ["a value split over inner lists", hideCards, { a: [["4111"], { b: "1111" }] }, undefined],
    ["a value in two arguments", hideCards, { a: ["4111"], b: ["1111"] }, { a: ["4111"], b: ["1111"] }],
    ["a value that is removed", (text) => text.replaceAll("secret", ""), { a: ["sec", "ret"] }, undefined],
    ["capitals", (text) => text.toUpperCase(), { a: ["x", "y", true] }, { a: ["X", "Y", true] }],
    ["an addition", (text) => `${text}!`, { a: ["x", "y"] }, { a: ["x!", "y!"] }],
    ["shorter texts", (text) => text.slice(0, 3), { a: ["abcd", "efgh"] }, { a: ["abc", "efg"] }],
    ["no blanks around", (text) => text.trim(), { a: [" x ", " y"] }, { a: ["x", "y"] }],
    ["single blanks", (text) => text.replaceAll(/ +/g, " "), { a: ["x", "", "y  z"] }, { a: ["x", "", "y z"] }],
    ["keys that stay", (text) => text.toUpperCase(), { key: [{ inner: "x" }] }, { key: [{ inner: "X" }] }],
  ])("rewrite arguments of tools: %s", async (_, rewrite, args, rewritten) => {
    const flow = "own arguments";
    const rail = defineRail({ name: "own-arguments", flows: [{ name: flow, stage: "tool_output", rewrite }] });
    const config = { colang_version: version, rails: { tool_output: { flows: [flow] } } };
    const guardrails = await Guardrails.fromConfig({ config }, { logger: false, library: [rail] });
    const message = new AIMessage({ content: "", tool_calls: [{ name: "pay", args, id: "c" }] });
    const answer = await guardrails.wrap(scriptedModel([message])).invoke("hi");
    expect(answer.tool_calls?.[0]?.args).toEqual(rewritten);
  });

  it("have reasons in their decisions", async () => {
    const guardrails = await open("input", "own words check input");
    const decision = await guardrails.rail("own words check input").invoke("so rude");
    expect(decision).toMatchObject({ status: "blocked", reason: "a word of the list" });
  });

  it.each([false, true])("check thousands of chunks (asynchronous: %p)", async (isAsync) => {
    const check = (text: string) => (isAsync ? Promise.resolve(text === "rude") : text === "rude");
    const flow = "many chunks check retrieval";
    const rail = defineRail({ name: "many-chunks", flows: [{ name: flow, stage: "retrieval", check }] });
    const guardrails = await open("retrieval", flow, {}, [rail]);
    const chunks = Array.from({ length: 9_000 }, (_, index) => `chunk ${index}`);
    const judge = (relevantChunks: string[]) => guardrails.rail(flow).invoke({ relevantChunks });
    expect(await judge(chunks)).toMatchObject({ status: "passed" });
    expect(await judge([...chunks, "rude"])).toMatchObject({ status: "blocked" });
  });

  it("report settings that their schema refuses, when the configuration is loaded", async () => {
    const loading = open("input", "own words check input", { own_words: { words: 1 } });
    await expect(loading).rejects.toThrow(ConfigError);
    await expect(loading).rejects.toThrow("rails.config.own_words");
  });

  it("receive the whole context of an action", async () => {
    const seen: unknown[] = [];
    const looking = defineRail({
      name: "looking",
      flows: [
        {
          name: "look at input",
          stage: "input",
          check: (_, { signal, config, context, runnableConfig, llms, settings }) => {
            seen.push(signal instanceof AbortSignal, config.colang_version, context["user_message"], settings);
            seen.push(runnableConfig.signal === signal, Object.keys(llms));
            return false;
          },
        },
      ],
    });
    const guardrails = await open("input", "look at input", {}, [looking]);
    await guardrails.check("hello", { stage: "input" });
    expect(seen).toEqual([true, version, "hello", {}, true, []]);
  });

  it("replace no action of the package", async () => {
    const shadowing = defineRail({
      name: "shadowing",
      flows: [{ name: "detect regex pattern", stage: "input", check: () => false }],
    });
    const settings = { regex_detection: { input: { patterns: ["rude"] } } };
    const guardrails = await open("input", "regex check input", settings, [shadowing]);
    expect(await guardrails.check("so rude", { stage: "input" })).toMatchObject({ status: "blocked" });
  });

  it("cannot have the name of another rail", async () => {
    const loading = open("input", "own words check input", {}, [WORDS, WORDS]);
    await expect(loading).rejects.toThrow("there are two rails `own words check input`");
  });
});

describe("defineRail", () => {
  const check = () => false;
  const flow = { name: "my check", stage: "input", check } as const;
  it.each<[string, unknown, string]>([
    ["a name with blanks", { name: "my rail", flows: [flow] }, "`my rail` is not a valid name of a rail"],
    ["no flows", { name: "mine", flows: [] }, "the rail has no flows"],
    ["an unknown stage", { name: "mine", flows: [{ ...flow, stage: "dialog" }] }, "stage"],
    [
      "a flow that does nothing",
      { name: "mine", flows: [{ name: "x", stage: "input" }] },
      "either `check` or `rewrite`",
    ],
    ["a flow that does both", { name: "mine", flows: [{ ...flow, rewrite: String }] }, "either `check` or `rewrite`"],
    ["a flow in capitals", { name: "mine", flows: [{ ...flow, name: "My check" }] }, "is not a valid name of a flow"],
    ["an unknown option", { name: "mine", flows: [flow], stages: [] }, "stages"],
  ])("refuses %s", (_, definition, message) => {
    expect(() => defineRail(definition as RailDefinition)).toThrow(ConfigError);
    expect(() => defineRail(definition as RailDefinition)).toThrow(message);
  });
});
