import { describe, expect, it } from "@jest/globals";
import { Document } from "@langchain/core/documents";
import { getRetryable, LangChainError } from "@langchain/core/errors";
import { AIMessage, AIMessageChunk, HumanMessage } from "@langchain/core/messages";
import { StringOutputParser } from "@langchain/core/output_parsers";
import { ChatPromptValue, StringPromptValue } from "@langchain/core/prompt_values";
import { ChatPromptTemplate } from "@langchain/core/prompts";
import { RunnableLambda } from "@langchain/core/runnables";
import { readFileSync } from "node:fs";
import { GuardrailsError, InputShapeError } from "../../../src/diagnostics/errors.js";
import { verdictOf } from "../../../src/langchain/verdict.js";
import { GuardrailViolationError } from "../../../src/langchain/blocked.js";
import { scriptedModel } from "../../../src/testing/scripted-model.js";
import { fakeGuardrails, strictRail } from "../../support/langchain/fake-runtime.js";
import { DEFAULT_REFUSAL } from "../../../src/engine/default-refusal.js";
import { Guardrails } from "../../../src/index.js";

describe("input and output steps", () => {
  const { guardrails } = fakeGuardrails({ input: strictRail, output: strictRail, retrieval: strictRail });
  const prompt = ChatPromptTemplate.fromMessages([["human", "{question}"]]);

  describe("input()", () => {
    it.each<[string, unknown]>([
      ["a string", "hi"],
      ["a message", new HumanMessage("hi")],
      ["messages", [new HumanMessage("hi")]],
      ["a prompt", new ChatPromptValue([new HumanMessage("hi")])],
      ["an object", { question: "hi", other: 1 }],
    ])("passes %s on unchanged", async (_, value) => {
      expect(await guardrails.input<unknown>().invoke(value)).toBe(value);
    });

    it.each<[string, unknown, (value: never) => unknown, unknown]>([
      ["a string", "pin 1", (value) => value, "pin *"],
      [
        "a message",
        new HumanMessage({ content: "pin 1", id: "u" }),
        (value: HumanMessage) => [value.content, value.id],
        ["pin *", "u"],
      ],
      [
        "a string prompt",
        new StringPromptValue("pin 1"),
        (value: StringPromptValue) => [value.value, value.toString()],
        ["pin *", "pin *"],
      ],
      [
        "a chat prompt",
        new ChatPromptValue([new HumanMessage("pin 1")]),
        (value: ChatPromptValue) => [value.toChatMessages()[0]?.content, value instanceof ChatPromptValue],
        ["pin *", true],
      ],
      ["an object", { question: "pin 1", other: 1 }, (value) => value, { question: "pin *", other: 1 }],
    ])("rewrites %s in its own shape", async (_, value, read, expected) => {
      expect(read((await guardrails.input<unknown>().invoke(value)) as never)).toEqual(expected);
    });

    it("throws on a block, so no later step runs", async () => {
      const model = scriptedModel([]);
      const chain = guardrails.input<{ question: string }>().pipe(prompt).pipe(model);
      const error = await chain.invoke({ question: "bad words" }).catch((thrown: unknown) => thrown);
      expect(GuardrailViolationError.isInstance(error)).toBe(true);
      expect(error).toMatchObject({ refusal: "REFUSED", decision: { rail: "input rail", stage: "input" } });
      expect(model.calls).toHaveLength(0);
    });

    it("applies onBlocked instead", async () => {
      const refusing = guardrails.input<unknown>({ onBlocked: "refuse" });
      expect(await refusing.invoke({ question: "bad" })).toEqual({ question: "REFUSED" });
      const own = guardrails.input<unknown>({ onBlocked: (decision, value) => ({ rail: decision.rail, value }) });
      expect(await own.invoke("bad")).toEqual({ rail: "input rail", value: "bad" });
    });

    it("rethrows errors that a batch passes to it as input (T1)", async () => {
      const model = scriptedModel("fine");
      const inner = prompt.pipe(model);
      const chain = guardrails
        .input<{ question: string }>()
        .pipe(guardrails.wrap(inner))
        .pipe(guardrails.output<unknown>());
      const results = await chain.batch([{ question: "bad" }, { question: "hi" }], {}, { returnExceptions: true });
      expect(GuardrailViolationError.isInstance(results[0])).toBe(true);
      expect(results[1]).toMatchObject({ content: "fine" });
      const failure = new Error("earlier step");
      await expect(guardrails.output<unknown>().invoke(failure)).rejects.toBe(failure);
      await expect(guardrails.invoke(failure)).rejects.toBe(failure);
      await expect(guardrails.wrap(model).invoke(failure as never)).rejects.toBe(failure);
      expect(model.calls).toHaveLength(1);
    });

    it("refuses a value without a user's text", async () => {
      await expect(guardrails.input<unknown>().invoke(new AIMessage("a"))).rejects.toThrow(
        /expected a message of the user/,
      );
    });
  });

  describe("output()", () => {
    it("keeps type, id and metadata, and marks the verdict (A1.3)", async () => {
      const chunk = new AIMessageChunk({ content: "call 5", id: "m", response_metadata: { model_name: "x" } });
      const result = await guardrails.output<AIMessageChunk>().invoke(chunk);
      expect(AIMessageChunk.isInstance(result)).toBe(true);
      expect(result).toMatchObject({ content: "call *", id: "m", response_metadata: { model_name: "x" } });
      expect(verdictOf(result)?.decisions[0]?.status).toBe("modified");
    });

    it("returns the refusal of a string as a string", async () => {
      expect(await guardrails.output<string>().invoke("bad answer")).toBe("REFUSED");
    });

    it("reviews the named key", async () => {
      const step = guardrails.output<{ reply: string }>({ outputKey: "reply" });
      expect(await step.invoke({ reply: "bad" })).toEqual({ reply: "REFUSED" });
      await expect(step.invoke({ answer: "bad" } as never)).rejects.toThrow(InputShapeError);
    });

    it("collects a stream before it decides", async () => {
      const chain = prompt
        .pipe(scriptedModel("a bad answer"))
        .pipe(new StringOutputParser())
        .pipe(guardrails.output<string>());
      const pieces: string[] = [];
      for await (const piece of await chain.stream({ question: "hi" })) pieces.push(piece);
      expect(pieces).toEqual(["REFUSED"]);
    });

    it("gives rails the question and the evidence next to the response", async () => {
      const { guardrails: own, calls } = fakeGuardrails({ output: strictRail });
      const context = [new Document({ pageContent: "doc" }), "text"];
      await own.output<unknown>().invoke({ answer: "fine", question: "q", context });
      expect(calls[0]?.argument).toMatchObject({
        botMessage: "fine",
        userMessage: "q",
        relevantChunks: ["doc", "text"],
      });
    });
  });

  describe("retrieval()", () => {
    const documents = [
      new Document({ pageContent: "open\nat 9", metadata: { page: 1 } }),
      new Document({ pageContent: "closed", metadata: { page: 2 } }),
    ];

    it("keeps documents that did not change and rewrites the others", async () => {
      const result = await guardrails.retrieval<Document[]>().invoke(documents);
      expect(result[0]).toMatchObject({ pageContent: "open\nat *", metadata: { page: 1 } });
      expect(result[0]).toBeInstanceOf(Document);
      expect(result[1]).toBe(documents[1]);
    });

    it("works on an object and on strings", async () => {
      expect(await guardrails.retrieval<unknown>().invoke({ context: ["a 1"], question: "q" })).toEqual({
        context: ["a *"],
        question: "q",
      });
      expect(await guardrails.retrieval<unknown>({ contextKey: "docs" }).invoke({ docs: "a 1" })).toEqual({
        docs: "a *",
      });
    });

    it("throws on a block, or empties the evidence", async () => {
      await expect(guardrails.retrieval<unknown>().invoke(["bad"])).rejects.toThrow(GuardrailViolationError);
      expect(await guardrails.retrieval<unknown>({ onBlocked: "refuse" }).invoke({ context: ["bad"] })).toEqual({
        context: [],
      });
    });
  });

  describe("the other steps", () => {
    it("rail() classifies and never throws", async () => {
      expect(await guardrails.rail("input rail").invoke("bad")).toMatchObject({ status: "blocked", stage: "input" });
      expect(await guardrails.rail("output rail").invoke("fine")).toMatchObject({ status: "passed", stage: "output" });
      expect(await guardrails.rail("output rail").invoke({ user: "q", bot: "bad" })).toMatchObject({
        status: "blocked",
      });
    });

    it("the three stages compose", async () => {
      const chain = guardrails
        .canonicalForm()
        .pipe(guardrails.nextStep() as never)
        .pipe(guardrails.botMessage() as never);
      expect(await chain.invoke("bikes")).toMatchObject({ text: "bot says answer: ask about bikes" });
    });

    it("flow() takes messages and variables", async () => {
      const result = await guardrails
        .flow("greeting")
        .invoke({ messages: [new HumanMessage("hi")], variables: { bay: 7 } });
      expect(result).toMatchObject({ status: "finished", variables: { bay: 7 } });
    });

    it("branch() routes by verdict, even if a branch returns an empty value (T2)", async () => {
      const branch = guardrails.branch({
        stage: "input",
        pass: RunnableLambda.from((text: string) => `passed ${text}`),
        blocked: (_text: string) => "",
      });
      expect(await branch.invoke("pin 1")).toBe("passed pin *");
      expect(await branch.invoke("bad")).toBe("");
    });

    it.each<[string, object, unknown, unknown]>([
      ["`inputKey`", { inputKey: "ask" }, { ask: "pin 1" }, { ask: "pin *" }],
      [
        "`trustedKeys`",
        { trustedKeys: ["hint"], stage: "input" },
        { input: "hi", hint: "bad" },
        { input: "hi", hint: "bad" },
      ],
      ["`outputKey`", { outputKey: "reply" }, { reply: "call 5" }, { reply: "call *" }],
      [
        "`outputKey` next to `inputKey`",
        { inputKey: "ask", outputKey: "reply" },
        { ask: "a", reply: "bad" },
        "blocked",
      ],
    ])("branch() reads a value with %s, as wrap() does", async (_, options, value, expected) => {
      const branch = guardrails.branch({ ...options, pass: (passed: unknown) => passed, blocked: () => "blocked" });
      expect(await branch.invoke(value)).toEqual(expected);
    });

    it("branch() blocks parts that no rail can read, if `unseen` says so", async () => {
      const picture = new HumanMessage({
        content: [{ type: "image_url", image_url: { url: "data:image/png;base64,AA" } }],
      });
      const branches = { pass: () => "passed", blocked: () => "blocked" };
      expect(await guardrails.branch({ ...branches, unseen: "block" }).invoke(picture)).toBe("blocked");
      expect(await guardrails.branch({ ...branches, unseen: "allow" }).invoke(picture)).toBe("passed");
    });

    it.each<[string, "input" | "output", object]>([
      ["hi", "input", { status: "passed", blocked: false, output: "hi" }],
      ["pin 1", "input", { status: "modified", blocked: false, output: "pin *" }],
      ["bad", "output", { status: "blocked", blocked: true, output: "REFUSED" }],
    ])(
      "check(%j) at the %s rails reports in `blocked` whether the value was blocked",
      async (value, stage, expected) => {
        expect(await guardrails.check(value, { stage })).toMatchObject(expected);
      },
    );
  });

  describe("GuardrailViolationError (T8)", () => {
    const decision = { status: "blocked", stage: "input", rail: "r", durationMs: 0 } as const;
    const violation = new GuardrailViolationError({ decision, refusal: "no" });

    it("is a LangChain error, one of ours, and itself", () => {
      expect(LangChainError.isInstance(violation)).toBe(true);
      expect(GuardrailsError.isInstance(violation)).toBe(true);
      expect(GuardrailViolationError.isInstance(violation)).toBe(true);
      expect(violation.code).toBe("RL-105");
      expect(getRetryable(violation)).toBe(false);
    });

    it("does not match other LangChain errors", () => {
      expect(GuardrailViolationError.isInstance(new LangChainError("x"))).toBe(false);
      expect(GuardrailViolationError.isInstance(new Error("x"))).toBe(false);
    });
  });
});

describe("steps with input rails alone", () => {
  const FLOWS = {
    "1.0": 'define subflow block\n  if "bad" in $user_message\n    bot refuse to respond\n    stop\n',
    "2.x":
      'import core\n\nflow block\n  global $user_message\n  if search("bad", $user_message)\n    bot refuse to respond\n    abort\n',
  } as const;

  const VERSIONS = ["1.0", "2.x"] as const;

  function open(version: keyof typeof FLOWS): Promise<Guardrails> {
    const yaml = `colang_version: "${version}"\nrails: {input: {flows: [block]}}\n`;
    return Guardrails.fromConfig({ yaml, files: { "rails.co": FLOWS[version] } });
  }

  describe.each(VERSIONS)("a turn of input rails alone, Colang %s", (version) => {
    it.each([
      ["a good thing", "a good thing", false],
      ["a bad thing", DEFAULT_REFUSAL, true],
    ])("logs the rails and no generation: %s", async (text, response, stop) => {
      const guardrails = await open(version);
      const options = { rails: ["input"], log: { activatedRails: true, llmCalls: true } } as const;
      const result = await guardrails.generate([{ role: "user", content: text }], options);
      expect(result.response).toEqual([{ role: "assistant", content: response }]);
      expect(result.log?.activatedRails?.map((row) => [row.type, row.name, row.stop])).toEqual([
        ["input", "block", stop],
      ]);
      expect(result.log?.llmCalls).toEqual([]);
    });
  });

  describe("the default refusal", () => {
    it.each(["library/messages.v1.co", "colang2/stdlib/core.co"])("is that of %s", (path) => {
      const text = readFileSync(new URL(`../../../src/${path}`, import.meta.url), "utf8");
      expect(text).toContain(
        `bot refuse to respond\n  ${path.endsWith("v1.co") ? "" : "bot say "}"${DEFAULT_REFUSAL}"`,
      );
    });
  });
});

describe("serialized steps", () => {
  const { guardrails } = fakeGuardrails({});

  it.each([
    ["input()", guardrails.input(), "GuardrailsInput"],
    ["output()", guardrails.output(), "GuardrailsOutput"],
    ["retrieval()", guardrails.retrieval(), "GuardrailsRetrieval"],
    [
      "branch()",
      guardrails.branch({ pass: (value: string) => value, blocked: (value: string) => value }),
      "GuardrailsBranch",
    ],
    ["canonicalForm()", guardrails.canonicalForm(), "RuntimeStep"],
  ])("%s is serialized into traces under its own name", (_, step, name) => {
    expect(step.toJSON()).toMatchObject({ id: ["langchain_guardrails", "steps", name] });
  });
});
