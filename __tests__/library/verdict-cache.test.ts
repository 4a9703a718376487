import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { AIMessage } from "@langchain/core/messages";
import { Guardrails, type RailDecision } from "langchain-guardrails";
import { VerdictCaches, VerdictReplies } from "../../src/library/judges/verdict-cache.js";
import { MemoryVerdictStore } from "../../src/library/judges/verdict-store.js";
import type { LanguageModel } from "../../src/llm/model.js";
import type { ReplyCache } from "../../src/llm/task/task.js";
import { scriptedModel } from "../../src/testing/scripted-model.js";
import { propertyRuns } from "../support/property-runs.js";

type Call = Parameters<ReplyCache["find"]>[0];

const model = (native: object, name = "judge"): LanguageModel => ({
  engine: "test",
  name,
  family: "chat",
  native,
  generate: () => Promise.resolve({ text: "No" }),
});

const JUDGE = model({});
const BASE: Call = {
  task: "self_check_input",
  model: JUDGE,
  scope: {},
  prompt: { kind: "messages", messages: [{ type: "user", content: "Block this? hello" }] },
  parameters: { temperature: 0, maxTokens: 9 },
};

/** A clock that tests advance. */
const clock = { at: 0, now: () => clock.at };

const OFF = { enabled: false, maxsize: 5, stats: { enabled: false, log_interval: null } };

function openCaches(
  cache: object = {},
  models: readonly object[] = [],
  logger?: { warn(): void; error(): void; info(line: string): void },
): VerdictCaches {
  const settings = { rails: { cache: { enabled: true, size: 3, ttl: 10, ...cache } }, models };
  return new VerdictCaches({
    settings: settings as never,
    models: { main: JUDGE, byType: { main: JUDGE } },
    clock,
    logger,
  });
}

async function isHit(caches: VerdictCaches, call: Call): Promise<boolean | "not cached"> {
  const place = await caches.repliesOf(call.model)?.find(call);
  return place === undefined ? "not cached" : place.text !== undefined;
}

describe("the key of a verdict", () => {
  const text = (content: string): Call["prompt"] => ({ kind: "messages", messages: [{ type: "user", content }] });

  it.each<[what: string, change: Partial<Call>, expected: boolean | "not cached"]>([
    ["the same call", {}, true],
    ["another task", { task: "self_check_output" }, false],
    ["another text", { prompt: text("Block this? hello!") }, false],
    ["other spaces", { prompt: text("Block this?  hello") }, false],
    ["a lone surrogate", { prompt: text("Block this? hello\ud800") }, false],
    [
      "the roles of messages",
      { prompt: { kind: "messages", messages: [{ type: "system", content: "Block this? hello" }] } },
      false,
    ],
    ["a prompt in one text", { prompt: { kind: "text", text: "Block this? hello" } }, false],
    [
      "an image",
      { prompt: { kind: "text", text: "x", images: [{ type: "image", url: "https://x.example/a.png" }] } },
      "not cached",
    ],
    ["messages of the application", { prompt: { kind: "native", messages: [] } }, "not cached"],
    ["another temperature", { parameters: { temperature: 1, maxTokens: 9 } }, false],
    ["a stop sequence", { parameters: { temperature: 0, maxTokens: 9, stop: ["\n"] } }, false],
    ["parameters in another order", { parameters: { maxTokens: 9, temperature: 0 } }, true],
    ["parameters of the call", { parameters: { temperature: 0, maxTokens: 9, extra: { top_p: 0.1 } } }, false],
    ["parameters that are not data", { parameters: { temperature: 0, extra: { f: () => 0 } } }, "not cached"],
    ["another model of the same name", { model: model({}) }, false],
    ["another name of the same model", { model: model(JUDGE.native as object, "judge-2") }, false],
    ["another thread", { scope: { config: { configurable: { thread_id: "t", checkpoint_ns: () => 0 } } } }, true],
    ["a setting of a configurable model", { scope: { config: { configurable: { model: "big" } } } }, false],
    ["an object in the config", { scope: { config: { configurable: { pool: new Map() } } } }, "not cached"],
  ])("depends on %s", async (_, change, expected) => {
    const caches = openCaches();
    await (await caches.repliesOf(JUDGE)?.find(BASE))?.keep("No");
    expect(await isHit(caches, { ...BASE, ...change })).toBe(expected);
  });

  it("shows no text to a store, and counts one that fails as empty", async () => {
    const keys: string[] = [];
    const warnings: string[] = [];
    const fail = (key: string): never => {
      keys.push(key);
      throw new Error("connection lost");
    };
    const logger = { warn: (line: string) => warnings.push(line), error: () => undefined } as never;
    const replies = new VerdictReplies({ store: { get: fail, set: fail }, ttlMs: 9, logger });
    const place = await replies.find(BASE);
    await place?.keep("No");
    expect(place?.text).toBeUndefined();
    expect(keys.join()).toMatch(/^([0-9a-f]{64}),\1$/);
    expect(warnings).toEqual(["the cache of verdicts failed, so rails ask their models"]);
  });
});

describe("the memory of verdicts", () => {
  it("forgets by age and by size", () => {
    clock.at = 0;
    const store = new MemoryVerdictStore(2, clock);
    store.set("a", "1", 10);
    store.set("b", "2", 20);
    clock.at = 9;
    expect([store.get("a"), store.get("b")]).toEqual(["1", "2"]);
    clock.at = 10;
    expect([store.get("a"), store.get("b")]).toEqual([undefined, "2"]);
    store.set("c", "3", 20);
    store.set("d", "4", 20);
    expect([store.get("b"), store.get("c"), store.get("d"), store.size]).toEqual([undefined, "3", "4", 2]);
  });

  it("caches no reply that is too long for a verdict", async () => {
    const caches = openCaches();
    await (await caches.repliesOf(JUDGE)?.find(BASE))?.keep("no ".repeat(2_000));
    expect(await isHit(caches, BASE)).toBe(false);
  });

  it.each([
    ["the settings of a model", { enabled: false }, [{ type: "main", cache: { ...OFF, enabled: true } }], true],
    ["neither", { enabled: false }, [{ type: "main", cache: OFF }], "not cached"],
    [
      "a model that does not exist",
      { enabled: false },
      [{ type: "x", cache: { ...OFF, enabled: true } }],
      "not cached",
    ],
  ])("is opened for %s", async (_, shared, models, expected) => {
    const caches = openCaches(shared, models);
    await (await caches.repliesOf(JUDGE)?.find(BASE))?.keep("No");
    expect(await isHit(caches, BASE)).toBe(expected);
  });

  it("writes the counts of a model to the log, at most once in an interval", async () => {
    const lines: string[] = [];
    const logger = { warn: () => undefined, error: () => undefined, info: (line: string) => lines.push(line) };
    const cache = { enabled: true, maxsize: 5, stats: { enabled: true, log_interval: 60 } };
    clock.at = 0;
    const caches = openCaches({ ttl: 100 }, [{ type: "main", cache }], logger as never);
    await (await caches.repliesOf(JUDGE)?.find(BASE))?.keep("No");
    await isHit(caches, BASE);
    clock.at = 60_000;
    await isHit(caches, BASE);
    await isHit(caches, BASE);
    expect(lines).toEqual(["cache of verdicts of the model `main`: 2 hits, 1 misses, 1 kept"]);
  });
});

/** Blocks texts with the word `bad`, supports answers with `right`, and finds some texts too hard. */
const judge = () =>
  scriptedModel(({ 0: first }) => {
    const text = first?.text ?? "";
    const judged = /<(?:message|draft|text|answer|response)>([^]*)$/.exec(text)?.[1] ?? text;
    if (judged.includes("hard")) return "Well, it depends.";
    if (judged.includes("filtered")) {
      return new AIMessage({ content: "No", response_metadata: { finish_reason: "content_filter" } });
    }
    return judged.includes("bad") ? "Yes" : "No";
  });

const responder = () => scriptedModel((messages) => `About ${messages.at(-1)?.text ?? ""}`);

interface Guarded {
  readonly guardrails: Guardrails;
  readonly judge: ReturnType<typeof judge>;
}

async function open(version: "1.0" | "2.x", rails: object = {}, more: object = {}): Promise<Guarded> {
  const own = judge();
  const config = {
    colang_version: version,
    rails: { input: { flows: ["self check input"] }, output: { flows: ["self check output"] }, ...rails },
  };
  const llm = responder();
  const models = { self_check_input: own, self_check_output: own };
  return { guardrails: await Guardrails.fromConfig({ config }, { llm, models, logger: false, ...more }), judge: own };
}

const CACHE = { cache: { enabled: true } };

/** Decisions without their costs. */
const plain = (decisions: readonly RailDecision[] = []) =>
  decisions.map(({ durationMs: _time, usage: _usage, metadata: { cached: _cached, ...metadata } = {}, ...rest }) => ({
    ...rest,
    metadata,
  }));

async function joined(stream: Promise<AsyncIterable<{ readonly text: string }>>): Promise<string> {
  let text = "";
  for await (const chunk of await stream) text += chunk.text;
  return text;
}

/** Surfaces that run judges over a text; each returns the result of its caller. */
const SURFACES: Readonly<Record<string, (guardrails: Guardrails, text: string) => Promise<unknown>>> = {
  "wrap, invoke": async (guardrails, text) => (await guardrails.wrap(responder()).invoke(text)).text,
  "wrap, stream": (guardrails, text) => joined(guardrails.wrap(responder()).stream(text)),
  "input step": (guardrails, text) => guardrails.input({ onBlocked: "refuse" } as never).invoke(text),
  "output step": (guardrails, text) => guardrails.output().invoke(text),
  check: async (guardrails, text) => {
    const { status, output, guardrails: verdict } = await guardrails.check(text, { stage: "input" });
    return { status, output, decisions: plain(verdict.decisions) };
  },
  rail: async (guardrails, text) => plain([(await guardrails.rail("self check input").invoke(text)) as RailDecision]),
  generate: async (guardrails, text) => (await guardrails.generate(text)).response,
};

describe.each(["1.0", "2.x"] as const)("cached verdicts in Colang %s", (version) => {
  it.each(Object.keys(SURFACES))("are those of the model: %s", async (surface) => {
    const call = SURFACES[surface];
    const cached = await open(version, CACHE);
    const plainly = await open(version);
    for (const text of ["hello", "bad words"]) {
      const seen = async ({ guardrails }: Guarded): Promise<unknown> =>
        call?.(guardrails, text).catch((error: unknown) => String(error));
      const expected = await seen(plainly);
      const first = await seen(cached);
      const asked = cached.judge.calls.length;
      expect([first, await seen(cached)]).toEqual([expected, expected]);
      expect(cached.judge.calls).toHaveLength(asked);
    }
  });

  it("are marked in decisions and traces, and use no budget", async () => {
    const { guardrails, judge: own } = await open(version, { ...CACHE, budget: { calls: 0, tokens: 100 } });
    const over = await guardrails.check("hello", { stage: "input" });
    expect(over.guardrails.decisions[0]?.status).toBe("error");
    expect(own.calls).toHaveLength(0);
    const free = await open(version, { ...CACHE, budget: { calls: 1 } });
    const ended: unknown[] = [];
    const callbacks = [{ handleChainEnd: (output: unknown) => ended.push(output) }];
    for (const cached of [false, true]) {
      const { guardrails: verdict } = await free.guardrails.check("hello", { stage: "input", callbacks } as never);
      const [decision] = verdict.decisions;
      expect(decision?.metadata).toEqual({ task: "self_check_input", ...(cached ? { cached: true } : {}) });
    }
    expect(JSON.stringify(ended)).toContain('"cached":true');
  });

  it.each(["hard", "filtered"])("do not hold replies that are unclear: %s", async (text) => {
    const { guardrails, judge: own } = await open(version, CACHE);
    const { guardrails: first } = await guardrails.check(text, { stage: "input" });
    const asked = own.calls.length;
    const { guardrails: second } = await guardrails.check(text, { stage: "input" });
    expect([first, second].map(({ decisions }) => decisions[0]?.status)).toEqual(["error", "error"]);
    expect(own.calls).toHaveLength(2 * asked);
  });

  it("are separate for each model of the caller", async () => {
    const { guardrails } = await open(version, { ...CACHE, output: { flows: [] } }, { models: {} });
    const strict = scriptedModel("Yes");
    const mild = scriptedModel(({ 0: first }) => (first?.text.includes("Must this message") ? "No" : "fine"));
    const texts: string[] = [];
    for (const llm of [mild, strict, mild]) texts.push((await guardrails.wrap(llm).invoke("hello")).text);
    expect(texts[0]).toBe("fine");
    expect(texts[1]).not.toBe("fine");
    expect(texts[2]).toBe("fine");
  });
});

it.each([
  ["the cache of its model", { enabled: true, maxsize: 5 }, {}],
  ["the cache of all models", { enabled: false }, { cache: { enabled: true } }],
])("a guard model has its verdicts in %s", async (_, cache, more) => {
  const guard = scriptedModel(({ 0: first }) => (first?.text.includes("bad") === true ? "unsafe\nS1" : "safe"));
  const config = {
    models: [{ type: "content_safety", engine: "test", model: "guard", cache }],
    rails: { input: { flows: ["content safety check input $model=content_safety"] }, ...more },
  };
  const models = { content_safety: guard };
  const guardrails = await Guardrails.fromConfig({ config }, { models, logger: false });
  const statuses: string[] = [];
  for (const text of ["hello", "bad", "hello", "bad"]) {
    statuses.push((await guardrails.check(text, { stage: "input" })).status);
  }
  expect(statuses).toEqual(["passed", "blocked", "passed", "blocked"]);
  expect(guard.calls).toHaveLength(2);
});

it("a guarded model with a cache responds like one without", async () => {
  const word = fc.constantFrom("good", "bad", "hard", "filtered", "Good", "good ", "\u200bgood");
  const texts = fc.array(
    fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(" ")),
    {
      minLength: 2,
      maxLength: 8,
    },
  );
  const versions = ["1.0", "2.x"] as const;
  const pairs = await Promise.all(
    versions.map(async (version) => [await open(version, { cache: { enabled: true, size: 4 } }), await open(version)]),
  );
  const surface = fc.constantFrom(...Object.keys(SURFACES));
  await fc.assert(
    fc.asyncProperty(fc.nat(1), surface, texts, async (version, name, given) => {
      const [cached, plainly] = pairs[version] as [Guarded, Guarded];
      for (const text of given) {
        const [left, right] = await Promise.all(
          [cached, plainly].map(({ guardrails }) =>
            SURFACES[name]?.(guardrails, text).catch((error: unknown) => String(error)),
          ),
        );
        expect(left).toEqual(right);
      }
    }),
    { numRuns: propertyRuns(12) },
  );
});
