import { describe, expect, it } from "@jest/globals";
import { Document } from "@langchain/core/documents";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { z } from "zod/v4";
import { Guardrails, type GuardrailsOptions, type RailDecision } from "../../../src/index.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { visibleJson } from "../../support/langchain/visible-json.js";
import { type Dialect, DIALECTS, railFlows } from "../../support/rail-flows.js";

describe("other keys", () => {
  const LOOK_BACK: Readonly<Record<Dialect, string>> = {
    "1.0": `
define subflow look back
  execute look(message=$user_message, input=$input)
`,
    "2.x": `
flow look back
  global $user_message
  global $input
  await LookAction(message=$user_message, input=$input)
`,
  };

  const colangOf = (dialect: Dialect): string =>
    railFlows(dialect, {
      judge: ["block", "user_message", "judge"],
      hide: ["rewrite", "user_message", "hide"],
    }) + LOOK_BACK[dialect];

  interface Seen {
    /** Texts that rails reviewed. */
    readonly judged: string[];
    /** Values that the chain received. */
    readonly given: unknown[];
    /** Variables after the input rails. */
    readonly later: { readonly message: unknown; readonly input: unknown }[];
  }

  async function open(
    dialect: Dialect,
    rails: readonly string[],
    options: GuardrailsOptions = {},
  ): Promise<{ guardrails: Guardrails; seen: Seen; chain: RunnableLambda<unknown, unknown> }> {
    const seen: Seen = { judged: [], given: [], later: [] };
    const actions = {
      judge: ({ text }: { text: string }) => {
        seen.judged.push(text);
        return !text.includes("bad");
      },
      hide: ({ text }: { text: string }) => text.replaceAll("Ada", "NAME"),
      look: (given: Seen["later"][number]) => void seen.later.push(given),
    };
    const named = Object.entries(actions).map(([name, run]) => [
      dialect === "1.0" ? name : `${name[0]?.toUpperCase()}${name.slice(1)}Action`,
      run,
    ]);
    const guardrails = await Guardrails.fromConfig(
      {
        colang: colangOf(dialect),
        config: { colang_version: dialect, rails: { input: { flows: [...rails] }, output: { flows: ["look back"] } } },
      },
      { actions: Object.fromEntries(named) as never, logger: false, ...options },
    );
    const chain = RunnableLambda.from((value: unknown) => {
      seen.given.push(value);
      return "fine";
    });
    return { guardrails, seen, chain };
  }

  const unseenAt = (path: string): object => ({
    decision: { rail: "unseen parts", metadata: { unseen: [expect.objectContaining({ path })] } },
  });

  describe.each(DIALECTS)("other keys of an input object in Colang %s", (dialect) => {
    it("are reviewed with the last text of the user, by one call of each rail", async () => {
      const { guardrails, seen, chain } = await open(dialect, ["judge"]);
      const input = { question: "hi", city: "Rome", profile: { notes: [{ text: "likes tea" }] }, size: 3, on: true };
      expect(await guardrails.wrap(chain).invoke(input)).toBe("fine");
      expect(seen.judged).toEqual(["hi\ncity: Rome\nprofile.notes.text: likes tea"]);
      expect(seen.given[0]).toBe(input);
    });

    it("are separate from the text that flows, prompts and later rails see", async () => {
      const { guardrails, seen, chain } = await open(dialect, ["hide"]);
      await guardrails.wrap(chain).invoke({ question: "I am Ada", friend: "Ada too", city: "Rome" });
      expect(seen.later).toEqual([{ message: "I am NAME", input: { friend: "NAME too", city: "Rome" } }]);
      expect(seen.given).toEqual([{ question: "I am NAME", friend: "NAME too", city: "Rome" }]);
    });

    it.each([
      ["the text alone", { question: "Ada", city: "Rome" }, { question: "NAME", city: "Rome" }],
      ["a key alone", { question: "hi", friend: "Ada" }, { question: "hi", friend: "NAME" }],
      ["a nested key", { question: "hi", a: { b: ["x", "Ada"] } }, { question: "hi", a: { b: ["x", "NAME"] } }],
      ["a text of several lines", { question: "hi", bio: "I\nam Ada\nx" }, { question: "hi", bio: "I\nam NAME\nx" }],
      ["a name of a key", { question: "hi", "of Ada": 1, city: "Rome" }, { question: "hi", city: "Rome" }],
      [
        "next to messages",
        { messages: [new HumanMessage("hi")], friend: "Ada" },
        { messages: [new HumanMessage("hi")], friend: "NAME" },
      ],
      [
        "a history as a string",
        { question: "hi", chat_history: "Ada: hello" },
        { question: "hi", chat_history: "NAME: hello" },
      ],
    ])("are masked in %s", async (_name, input, expected) => {
      const { guardrails, seen, chain } = await open(dialect, ["hide"]);
      expect(await guardrails.wrap(chain).invoke(input)).toBe("fine");
      expect(await guardrails.input().invoke(input)).toEqual(expected);
      expect(seen.given).toEqual([expected]);
    });

    it.each([
      ["a key", { question: "hi", city: "bad" }],
      ["a nested key", { question: "hi", a: { b: [{ c: "bad" }] } }],
      ["a name of a key", { question: "hi", "bad word": 1 }],
      ["a name of a nested key", { question: "hi", a: { "bad word": null } }],
      ["a key next to messages", { messages: [new HumanMessage("hi")], city: "bad" }],
      [
        "a value that a getter gives",
        {
          question: "hi",
          get city() {
            return "bad";
          },
        },
      ],
      [
        "data next to a text that flows reviewed before",
        { question: "hi", chat_history: [new HumanMessage("x"), new AIMessage("y")], city: "bad" },
      ],
      ["a date", { question: "hi", when: { toString: () => "bad" } as object, city: "bad" }],
    ])("block the call for %s", async (_name, input) => {
      const { guardrails, seen, chain } = await open(dialect, ["judge"]);
      expect(await guardrails.wrap(chain, { onBlocked: () => "refused" }).invoke(input)).toBe("refused");
      await expect(guardrails.input().invoke(input)).rejects.toThrow("blocked");
      expect(seen.given).toEqual([]);
    });

    it("are reviewed by one rail alone, and by `check`", async () => {
      const { guardrails, seen } = await open(dialect, ["judge"]);
      const input = { messages: [new HumanMessage("hi")], city: "bad" };
      expect((await guardrails.rail("judge").invoke(input)).status).toBe("blocked");
      expect((await guardrails.check(input)).status).toBe("blocked");
      expect(seen.judged).toEqual(["hi\ncity: bad", "hi\ncity: bad"]);
    });

    it("are removed with the text if a rail blocks", async () => {
      const { guardrails } = await open(dialect, ["judge"]);
      const input = { messages: [new HumanMessage("hi")], city: "bad", tone: "kind", size: 3 };
      const step = guardrails.input({ onBlocked: "refuse" });
      expect(await step.invoke(input)).toEqual({ messages: [new HumanMessage("REFUSED")], size: 3 });
      const chain = RunnableLambda.from((value: unknown) => value);
      const answer = await guardrails.wrap(chain).invoke(input);
      expect(JSON.stringify(answer)).not.toMatch(/bad|kind/);
    });

    it("can be trusted by their names", async () => {
      const { guardrails, seen, chain } = await open(dialect, ["judge", "hide"]);
      const input = { question: "hi", format_instructions: "a bad Ada", city: "Rome" };
      await guardrails.wrap(chain, { trustedKeys: ["format_instructions"] }).invoke(input);
      expect(seen.judged).toEqual(["hi\ncity: Rome"]);
      expect(seen.later).toEqual([{ message: "hi", input: { format_instructions: "a bad Ada", city: "Rome" } }]);
      expect(await guardrails.input({ trustedKeys: ["format_instructions"] }).invoke(input)).toBe(input);
      const all = await open(dialect, ["judge"], { trustedKeys: ["format_instructions"] });
      expect(await all.guardrails.wrap(all.chain).invoke(input)).toBe("fine");
      expect(await all.guardrails.input().invoke(input)).toBe(input);
      const messages = [new HumanMessage("hi")];
      const state = { messages, format_instructions: "a bad Ada" };
      expect((await all.guardrails.rail("judge").invoke(state)).status).toBe("passed");
      await expect(guardrails.input().invoke(input)).rejects.toThrow("blocked");
    });

    it("are in no stored conversation after a rail has blocked or masked them", async () => {
      const stored: string[] = [];
      const threads = {
        get: () => undefined,
        set: (_id: string, thread: unknown) => stored.push(visibleJson(thread)) > 0,
      };
      const options = { threads: { ...threads, delete: () => undefined } as never };
      const { guardrails, chain } = await open(dialect, ["judge", "hide"], options);
      const wrapped = guardrails.wrap(chain);
      const config = { configurable: { thread_id: "keys" } };
      await wrapped.invoke({ question: "hi", friend: "I am Ada", list: ["Ada", "Eve"] }, config);
      await wrapped.invoke({ question: "and", city: "bad", short: ["secret"] }, config);
      expect(stored).toHaveLength(2);
      expect(stored.join("\n")).not.toMatch(/Ada|bad|secret/);
    });

    it("reach no prompt of the dialog", async () => {
      const model = scriptedModel(["an answer"]);
      const { guardrails } = await open(dialect, ["judge"], { llm: model });
      await guardrails.invoke({ messages: [new HumanMessage("what is tea?")], city: "Rome of old" });
      expect(JSON.stringify(model.calls)).toContain("what is tea?");
      expect(JSON.stringify(model.calls)).not.toContain("Rome of old");
    });

    it.each([
      ["documents", { question: "hi", context: [new Document({ pageContent: "bad" })] }, undefined],
      ["a text", { question: "hi", context: "fine words" }, "hi\ncontext: fine words"],
      ["texts", { question: "hi", context: ["one", "two"] }, "hi\ncontext: one\ncontext: two"],
      ["data", { question: "hi", context: { note: "one" } }, "hi\ncontext.note: one"],
    ])("read %s under `context` as evidence or as a key", async (_name, input, judged) => {
      const { guardrails, seen, chain } = await open(dialect, ["judge"]);
      const answer = await guardrails.wrap(chain, { unseen: "allow" }).invoke(input);
      expect(answer).toBe("fine");
      expect(seen.judged).toEqual([judged ?? "hi"]);
      if (judged !== undefined) return;
      const refused = guardrails.wrap(chain, { unseen: "block", onBlocked: "throw" }).invoke(input);
      await expect(refused).rejects.toMatchObject(unseenAt("context"));
    });

    it.each([
      [
        "data that holds itself",
        () => {
          const knot: Record<string, unknown> = {};
          knot["self"] = knot;
          return knot;
        },
      ],
      ["more data than a reader visits", () => Array.from({ length: 20_000 }, () => "word")],
      [
        "data that is too deep",
        () => {
          let deep: unknown = "bad";
          for (let at = 0; at < 500; at += 1) deep = { deep };
          return deep;
        },
      ],
      [
        "a getter that fails",
        () => ({
          get text() {
            throw new Error("no");
          },
        }),
      ],
    ])("refuse %s by default", async (_name, make) => {
      const { guardrails, chain } = await open(dialect, ["judge"]);
      const input = { question: "hi", data: make() };
      const refused = guardrails.wrap(chain, { onBlocked: "throw" }).invoke(input);
      await expect(refused).rejects.toMatchObject(unseenAt("data"));
      expect(await guardrails.wrap(chain, { unseen: "allow" }).invoke(input)).toBe("fine");
    });
  });

  describe("the option `trustedKeys`", () => {
    it.each([
      ["the input key", { inputKey: "question", trustedKeys: ["question"] }, /`trustedKeys`.*`question`.*`inputKey`/],
      ["the context key", { contextKey: "docs", trustedKeys: ["docs"] }, /`trustedKeys`.*`docs`.*`contextKey`/],
      ["no list", { trustedKeys: "question" }, /a list of names for the option `trustedKeys`/],
    ])("refuses %s", async (_name, options, message) => {
      const { guardrails, chain } = await open("1.0", ["judge"]);
      expect(() => guardrails.wrap(chain, options as never)).toThrow(message);
    });
  });
});

describe("names of tools", () => {
  const COLANG = `${railFlows("1.0", {
    judge: ["block", "bot_message", "judge"],
    hide: ["rewrite", "bot_message", "hide"],
  })}
define subflow judge call
  execute fail(args=$tool_args)
`;

  const lookUp = tool(async () => "fine", {
    name: "look_up_2",
    description: "d",
    schema: z.object({ q: z.unknown() }),
  });
  const asking = (name: string, args: object = {}, content = ""): AIMessage =>
    new AIMessage({ content, tool_calls: [{ name, args: args as never, id: "c1", type: "tool_call" }] });

  async function open(
    rails: { readonly output?: readonly string[]; readonly tool_output?: readonly string[] },
    options: GuardrailsOptions = {},
  ): Promise<{ guardrails: Guardrails; judged: string[]; decisions: RailDecision[] }> {
    const judged: string[] = [];
    const decisions: RailDecision[] = [];
    const actions = {
      judge: ({ text }: { text: string }) => judged.push(text) > 0 && !text.includes("bad"),
      hide: ({ text }: { text: string }) => text.replaceAll("Ada", "NAME"),
      fail: ({ args }: { args: object }) => {
        throw new Error(`cannot read ${JSON.stringify(args)} of ${Object.keys(args).join(" ")}`);
      },
    };
    const section = Object.fromEntries(Object.entries(rails).map(([stage, flows]) => [stage, { flows: [...flows] }]));
    const guardrails = await Guardrails.fromConfig(
      { colang: COLANG, config: { rails: section } },
      { actions, logger: false, onDecision: (decision) => void decisions.push(decision), ...options },
    );
    return { guardrails, judged, decisions };
  }

  describe("a key called `__proto__` of an output object", () => {
    it.each([
      ["hide", "I met Ada", "I met NAME"],
      ["judge", "a bad one", "REFUSED"],
    ])("contains nothing that `%s` removes", async (rail, text, shown) => {
      const { guardrails } = await open({ output: [rail] });
      const object: unknown = JSON.parse(`{"output":"${text}","__proto__":"the answer is: ${text}","log":"${text}"}`);
      const chain = RunnableLambda.from(() => object);
      const result = (await guardrails.wrap(chain).invoke({ question: "hi" })) as { readonly output: string };
      expect(result.output).toBe(shown);
      expect(JSON.stringify(result)).not.toContain(text);
      expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    });
  });

  describe("names of tools in the calls of a model", () => {
    it("are not reviewed if the tool was offered", async () => {
      const { guardrails, judged } = await open({ output: ["judge"] });
      const model = guardrails.wrap(scriptedModel([asking("look_up_2")])).bindTools([lookUp]);
      expect((await model.invoke("hi")).tool_calls).toHaveLength(1);
      expect(judged.join()).not.toContain("look_up_2");
    });

    it.each([
      ["a bad name", "", "a bad name"],
      ["bad", "some text", "some text\nbad"],
    ])("are reviewed with the response if the tool was not offered: %s", async (name, content, read) => {
      const { guardrails, judged } = await open({ output: ["judge"] });
      const model = guardrails.wrap(scriptedModel([asking(name, {}, content)])).bindTools([lookUp]);
      const answer = await model.invoke("hi");
      expect(judged).toEqual([read]);
      expect(answer).toMatchObject({ content: "REFUSED", tool_calls: [] });
      expect(JSON.stringify(answer)).not.toContain("bad");
    });

    it.each([["invoke"], ["stream"]])("refuse the response if a rail changes them, with `%s`", async (way) => {
      const { guardrails } = await open({ output: ["hide"] });
      const model = guardrails.wrap(scriptedModel([asking("of Ada", {}, "fine")])).bindTools([lookUp]);
      let text = "";
      if (way === "invoke") text = JSON.stringify(await model.invoke("hi"));
      else for await (const chunk of await model.stream("hi")) text += JSON.stringify(chunk);
      expect(text).not.toMatch(/Ada|NAME/);
      expect(text).toContain('"blocked":true');
    });

    it("are recognised by their form if the tools are unknown", async () => {
      const { guardrails, judged } = await open({ output: ["judge"] });
      const plain = guardrails.wrap(scriptedModel([asking("look_up"), asking("bad words")]));
      expect((await plain.invoke("hi")).tool_calls).toHaveLength(1);
      expect(await plain.invoke("hi")).toMatchObject({ content: "REFUSED" });
      expect(judged.at(-1)).toBe("bad words");
      expect(judged.join()).not.toContain("look_up");
    });
  });

  describe("keys of arguments", () => {
    it("are quoted in no decision of a rail that failed over them", async () => {
      const { guardrails, decisions } = await open({ tool_output: ["judge call"] });
      const secret = "the secret 4711";
      const model = guardrails.wrap(scriptedModel([asking("look_up_2", { q: { [secret]: 1 } })])).bindTools([lookUp]);
      const answer = await model.invoke("hi");
      const result = await guardrails.tool(lookUp).invoke({ q: { [secret]: 1 } });
      expect(JSON.stringify([answer, result, decisions])).not.toContain("4711");
      expect(decisions.map(({ status }) => status)).toContain("error");
    });
  });
});
