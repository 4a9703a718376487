import { beforeAll, describe, expect, it } from "@jest/globals";
import { RunnableLambda } from "@langchain/core/runnables";
import { InMemoryStore } from "@langchain/core/stores";
import { InMemoryStore as GraphStore } from "@langchain/langgraph";
import {
  ConfigError,
  Guardrails,
  GuardrailsError,
  inputModeration,
  loadConfig,
  outputModeration,
} from "langchain-guardrails";
import { defineAction, defineRail } from "langchain-guardrails/rails";
import { createGuardrailsApp } from "langchain-guardrails/server";
import { fromKeyValueStore, fromLangGraphStore, MemoryThreadStore } from "langchain-guardrails/threads";
import { guardrailsNode } from "langchain-guardrails/langgraph";
import { guardrailsMiddleware, inputRailsMiddleware, outputRailsMiddleware } from "langchain-guardrails/middleware";
import {
  createJudge,
  evaluateFactChecking,
  evaluateHallucination,
  evaluateModeration,
} from "langchain-guardrails/eval";
import { createIntentMatcher } from "langchain-guardrails/matcher";
import { chat, eventChat, scriptedModel, scriptedServer } from "langchain-guardrails/testing";

let guardrails: Guardrails;

beforeAll(async () => {
  guardrails = await Guardrails.fromConfig({ yaml: "models: []" }, { logger: false });
});

const chain = RunnableLambda.from((text: string) => text);
const branches = { pass: chain, blocked: chain };
const CONTENT = { yaml: "models: []" };

type Call = (options: never) => unknown;

/** A function, a misspelt option of it, and the intended option. */
const SLIPS: readonly (readonly [string, Call, string, string])[] = [
  ["Guardrails.fromConfig", (o) => Guardrails.fromConfig(CONTENT, o), "onEror", "onError"],
  ["Guardrails.fromPath", (o) => Guardrails.fromPath("nowhere", o), "timeoutMS", "timeoutMs"],
  ["streaming", (streaming) => Guardrails.fromConfig(CONTENT, { streaming, logger: false }), "chunksize", "chunkSize"],
  ["guardrails.wrap(model)", (o) => guardrails.wrap(scriptedModel([]), o), "onblocked", "onBlocked"],
  ["guardrails.wrap(chain)", (o) => guardrails.wrap(chain, o), "inputkey", "inputKey"],
  ["guardrails.input", (o) => guardrails.input(o), "input_key", "inputKey"],
  ["guardrails.output", (o) => guardrails.output(o), "outputkey", "outputKey"],
  ["guardrails.retrieval", (o) => guardrails.retrieval(o), "contextkey", "contextKey"],
  ["guardrails.branch", (o: object) => guardrails.branch({ ...branches, ...o }), "stages", "stage"],
  ["guardrails.check", (o) => guardrails.check("x", o), "stge", "stage"],
  ["guardrails.generate", (o) => guardrails.generate("x", o), "outputvars", "outputVars"],
  ["guardrails.events", (o) => guardrails.events(o), "onDroped", "onDropped"],
  ["inputModeration", (o: object) => inputModeration({ rails: [], ...o }), "inputkey", "inputKey"],
  ["outputModeration", (o: object) => outputModeration({ rails: [], ...o }), "verdictkey", "verdictKey"],
  ["guardrailsMiddleware", (o) => guardrailsMiddleware(guardrails, o), "enableInputRail", "enableInputRails"],
  ["guardrailsMiddleware", (o) => inputRailsMiddleware(guardrails, o), "nam", "name"],
  ["guardrailsMiddleware", (o) => outputRailsMiddleware(guardrails, o), "onBlock", "onBlocked"],
  ["guardrailsNode", (o) => guardrailsNode(guardrails, "input", o), "messageKey", "messagesKey"],
  ["a call", (o) => guardrails.input().invoke("x", o), "rail", "rails"],
  ["a call", (o) => guardrails.invoke("x", o), "Rails", "rails"],
  ["a call", (o) => guardrails.wrap(scriptedModel(["fine"])).invoke("x", o), "rail", "rails"],
  ["a call", (o) => guardrails.generate("x", {}, o), "railz", "rails"],
  ["a call", async (o) => (await guardrails.output().stream("x", o)).getReader().read(), "rail", "rails"],
];

const store = new InMemoryStore<Uint8Array>();
const graph = new GraphStore();
const generate: Call = (o) => guardrails.generate("x", o);
const call: Call = (o) => guardrails.invoke("x", o);
const run = (): boolean => true;

/** The same for nested options, and for functions other than `Guardrails`. */
const INNER: readonly (readonly [string, Call, object, string, string])[] = [
  ["guardrails.generate", generate, { log: { activatedRail: true } }, "log.activatedRail", "activatedRails"],
  ["guardrails.generate", generate, { log: { llm_calls: true } }, "log.llm_calls", "llmCalls"],
  ["guardrails.generate", generate, { rails: { inptu: false } }, "rails.inptu", "input"],
  ["a call", (o) => guardrails.generate("x", {}, o), { rails: { outputs: false } }, "rails.outputs", "output"],
  ["a call", call, { rails: { ouput: ["a"] } }, "rails.ouput", "output"],
  ["a call", (o) => guardrails.wrap(chain).invoke("x", o), { rails: { Input: false } }, "rails.Input", "input"],
  [
    "a call",
    (o) => guardrails.wrap(scriptedModel([])).invoke("x", o),
    { rails: { dialogs: false } },
    "rails.dialogs",
    "dialog",
  ],
  ["a call", (o) => guardrails.input().batch(["x"], o), { rails: { inputs: false } }, "rails.inputs", "input"],
  [
    "guardrails.check",
    (o) => guardrails.check("x", o),
    { rails: { retrievals: true } },
    "rails.retrievals",
    "retrieval",
  ],
  [
    "guardrailsMiddleware",
    (o) => guardrailsMiddleware(guardrails, o),
    { rails: { executon: false } },
    "rails.executon",
    "execution",
  ],
  [
    "vectorStore",
    (vectorStore) => Guardrails.fromConfig(CONTENT, { vectorStore }),
    { knowledgebase: run },
    "knowledgebase",
    "knowledgeBase",
  ],
  [
    "vectorStore",
    (vectorStore) => Guardrails.fromConfig(CONTENT, { vectorStore }),
    { dialog: run, scoreToSimilarty: run },
    "scoreToSimilarty",
    "scoreToSimilarity",
  ],
  ["MemoryThreadStore", (o) => new MemoryThreadStore(o), { ttlMS: 5 }, "ttlMS", "ttlMs"],
  ["fromKeyValueStore", (o) => fromKeyValueStore(store, o), { singleProces: true }, "singleProces", "singleProcess"],
  [
    "fromLangGraphStore",
    (o) => fromLangGraphStore(graph, ["a"], o),
    { single_process: true },
    "single_process",
    "singleProcess",
  ],
  ["defineAction", (o: object) => defineAction({ name: "a", ...o }, run), { verdicts: true }, "verdicts", "verdict"],
  [
    "defineAction",
    (o: object) => defineAction({ name: "a", ...o }, run),
    { execute_async: true },
    "execute_async",
    "executeAsync",
  ],
];

/** The same for the other entry points. */
const ENTRIES: readonly (readonly [string, Call, string, string])[] = [
  ["loadConfig", (o) => loadConfig(CONTENT, o), "allowcode", "allowCode"],
  ["createIntentMatcher", (o: object) => createIntentMatcher({ examples: [], ...o }), "onprogress", "onProgress"],
  ["chat", (o) => chat(guardrails, o), "threadID", "threadId"],
  ["scriptedModel", (o) => scriptedModel([], o), "nam", "name"],
  ["scriptedServer", (o) => scriptedServer([], o), "embedding", "embeddings"],
  ["createJudge", (o) => createJudge(o), "lm", "llm"],
  ["evaluateModeration", (o) => evaluateModeration([], guardrails, o), "inputRail", "inputRails"],
  ["evaluateFactChecking", (o) => evaluateFactChecking([], guardrails, o), "concurency", "concurrency"],
  ["evaluateHallucination", (o) => evaluateHallucination([], guardrails, o), "judges", "judge"],
];

/** Options that are missing, and values that were not awaited. */
const promise: unknown = Promise.resolve({});
const WRONG: readonly (readonly [string, () => unknown, string])[] = [
  [
    "no `rails`",
    () => inputModeration({} as never),
    "expected a list of names for the option `rails` of `inputModeration`, got nothing",
  ],
  [
    "no options",
    () => outputModeration(undefined as never),
    "expected an object with the options of `outputModeration`, got nothing",
  ],
  [
    "a name in the place of `rails`",
    () => inputModeration({ rails: "a" } as never),
    "expected a list of names for the option `rails` of `inputModeration`, got `a`",
  ],
  [
    "no branch",
    () => guardrails.branch({ pass: chain } as never),
    "expected a value for the option `blocked` of `guardrails.branch`, got nothing",
  ],
  [
    "no examples",
    () => createIntentMatcher({} as never),
    "expected an object for the option `examples` of `createIntentMatcher`, got nothing",
  ],
  [
    "no name of an action",
    () => defineAction({} as never, run),
    "expected a text for the option `name` of `defineAction`, got nothing",
  ],
  [
    "no function",
    () => defineAction({ name: "a" }, undefined as never),
    "expected a function for the option `run` of `defineAction`, got nothing",
  ],
  [
    "no flows of a rail",
    () => defineRail({ name: "a" } as never),
    "for the option `flows` of `defineRail`, got nothing",
  ],
  [
    "no configurations",
    () => createGuardrailsApp({} as never),
    "for the option `configs` of `createGuardrailsApp`, got nothing",
  ],
  [
    "tools by name",
    () => Guardrails.fromConfig(CONTENT, { tools: {} } as never),
    "expected a list for the option `tools` of `Guardrails.fromConfig`, got an object",
  ],
  [
    "a promise of a model",
    () => Guardrails.fromConfig(CONTENT, { llm: promise } as never),
    "for the option `llm` of `Guardrails.fromConfig`, got a promise",
  ],
  [
    "a promise of another model",
    () => Guardrails.fromConfig(CONTENT, { models: { a: promise } } as never),
    "for the option `models.a` of `Guardrails.fromConfig`, got a promise",
  ],
  [
    "a promise to serve",
    () => createGuardrailsApp({ configs: { a: promise } } as never),
    "for the option `configs.a` of `createGuardrailsApp`, got a promise",
  ],
  [
    "a promise of options",
    () => guardrails.output(promise as never),
    "expected an object with the options of `guardrails.output`, got a promise",
  ],
  [
    "a promise to wrap",
    () => guardrails.wrap(promise as never),
    "expected a runnable or a function to wrap, got a promise",
  ],
  [
    "a promise of guardrails in an agent",
    () => guardrailsMiddleware(promise as never),
    "expected a guardrails object, got a promise",
  ],
  [
    "a promise of guardrails in a graph",
    () => guardrailsNode(promise as never, "input"),
    "expected a guardrails object, got a promise",
  ],
  ["a promise of guardrails in a test", () => chat(promise as never), "expected a guarded runnable, got a promise"],
  [
    "a promise of guardrails in a test of events",
    () => eventChat(promise as never),
    "expected a guardrails object, got a promise",
  ],
  [
    "a promise of an input",
    () => guardrails.generate(promise as never),
    "expected a prompt or a list of messages, got a promise",
  ],
];

const failure = async (run: () => unknown): Promise<unknown> => {
  try {
    await run();
    return undefined;
  } catch (error) {
    return error;
  }
};

describe("a missing option or a promise", () => {
  it.each(WRONG)("gets an error that names it: %s", async (_name, run, message) => {
    const error = (await failure(run)) as Error & { code?: string };
    expect(GuardrailsError.isInstance(error)).toBe(true);
    expect(error.message).toContain(message);
    expect(error.message.includes("write `await` in front of it")).toBe(message.endsWith("a promise"));
  });
});

describe("an unknown option", () => {
  it.each([...SLIPS, ...ENTRIES])("of `%s` is an error with a suggestion", async (surface, call, slip, meant) => {
    const error = await failure(() => call({ [slip]: surface === "a call" ? true : undefined } as never));
    expect(ConfigError.isInstance(error)).toBe(true);
    expect((error as ConfigError).diagnostics).toMatchObject([
      { code: "CF-103", message: `unknown option \`${slip}\` of \`${surface}\``, hint: `did you mean \`${meant}\`?` },
    ]);
  });

  it.each(INNER)(
    "of `%s` inside of an option is an error with a suggestion (%#)",
    async (surface, run, options, slip, meant) => {
      const error = await failure(() => run(options as never));
      expect(ConfigError.isInstance(error) ? error.diagnostics : error).toMatchObject([
        { code: "CF-103", message: `unknown option \`${slip}\` of \`${surface}\``, hint: `did you mean \`${meant}\`?` },
      ]);
    },
  );

  it.each(SLIPS.filter(([surface]) => surface !== "a call" && surface !== "guardrails.check"))(
    "of `%s` without a similar name is an error with the list",
    async (_surface, call) => {
      const error = await failure(() => call({ zzzzzzzz: 1 } as never));
      expect((error as ConfigError).diagnostics?.[0]?.hint).toMatch(/^the options are `/);
    },
  );

  it.each(
    SLIPS.filter(
      ([surface, call]) =>
        /^guardrails\.(?!check|branch)|^Guardrails|Node$|^streaming/.test(surface) && call.length === 1,
    ),
  )("of `%s` includes a value that is not an object", async (_surface, call) => {
    for (const given of ["text", null, 5, []]) {
      const error = await failure(() => call(given as never));
      expect([given, (error as ConfigError | undefined)?.code]).toEqual([given, "CF-104"]);
    }
  });

  it.each([["onBlocked"], ["timeoutMs"], ["keepContext"], ["streaming"], ["onError"]])(
    "`%s`, which belongs to another function, is an error of a call",
    async (name) => {
      await expect(guardrails.output().invoke("x", { [name]: 1 } as never)).rejects.toMatchObject({ code: "CF-103" });
      await expect(guardrails.check("x", { [name]: 1 } as never)).rejects.toMatchObject({ code: "CF-103" });
    },
  );

  it("is not a key that LangChain or LangGraph adds to a config", async () => {
    const config = {
      tags: [],
      configurable: {},
      recursionLimit: 3,
      store: {},
      writer: () => undefined,
      streamMode: "values",
    };
    expect(await guardrails.output().invoke("x", config as never)).toBe("x");
  });
});

describe("a value that an option does not take", () => {
  it.each<[string, Call, object, RegExp]>([
    ["onError", (o) => Guardrails.fromConfig(CONTENT, o), { onError: "alow" }, /did you mean `allow`/],
    ["onBlocked", (o) => guardrails.wrap(chain, o), { onBlocked: "thrw" }, /did you mean `throw`/],
    ["stage", (o) => guardrails.check("x", o), { stage: "inptu" }, /did you mean `input`/],
    [
      "mode",
      (streaming) => Guardrails.fromConfig(CONTENT, { streaming }),
      { mode: "windows" },
      /did you mean `window`/,
    ],
    ["timeoutMs", (o) => Guardrails.fromConfig(CONTENT, o), { timeoutMs: "5s" }, /expected a number.*`5s`/],
    ["inputKey", (o) => guardrails.input(o), { inputKey: 1n }, /expected a text.*bigint/],
    ["log", generate, { log: true }, /expected an object with the keys `activatedRails`/],
    ["log.llmCalls", generate, { log: { llmCalls: "yes" } }, /expected true or false for the option `log.llmCalls`/],
    ["rails", generate, { rails: "input" }, /expected an object with the keys `input`.*or a list/],
    ["rails.input", call, { rails: { input: "check words" } }, /expected true, false or a list of names/],
    ["rails", call, { rails: ["input"] }, /expected an object with the keys `input`/],
    ["values", (o) => fromKeyValueStore(store, o), { values: "byte" }, /did you mean `bytes`/],
    ["max", (o) => new MemoryThreadStore(o), { max: "10" }, /expected a number/],
    [
      "namespace",
      (o) => fromLangGraphStore(graph, o),
      { singleProcess: true },
      /expected a list of texts.*third argument/s,
    ],
    ["verdict", (o: object) => defineAction({ name: "a", ...o }, run), { verdict: "yes" }, /expected true or false/],
    ["onDecision", (o) => Guardrails.fromConfig(CONTENT, o), { onDecision: "log" }, /expected a function/],
    [
      "enableInputRails",
      (o) => guardrailsMiddleware(guardrails, o),
      { enableInputRails: "no" },
      /expected true or false/,
    ],
  ])("is an error: `%s`", async (_name, call, options, message) => {
    const error = await failure(() => call(options as never));
    expect(error).toMatchObject({ code: "CF-104" });
    expect((error as Error).message).toMatch(message);
  });

  it("is not a stage that a node does not have", () => {
    expect(() => guardrailsNode(guardrails, "inputs" as never)).toThrow(/did you mean `input`/);
  });
});
