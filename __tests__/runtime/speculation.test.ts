import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { actionResult } from "../../src/actions/dispatcher.js";
import type { ActionContext } from "../../src/actions/action.js";
import { defineAction } from "../../src/actions/define-action.js";
import type { Generator, GeneratorRequest } from "../../src/turn/response.js";
import type { TurnOptions } from "../../src/turn/options.js";
import type { TurnResult } from "../../src/turn/result.js";
import { gate, openBench } from "./bench.js";
import { HeldLanguageModel, type Hold, StreamingHeldModel } from "../support/language-models/held-language-model.js";
import { propertyRuns } from "../support/property-runs.js";
import { expectNoUnhandledRejections } from "../support/unhandled-rejections.js";
import { type HeldInput, openHeldJudge } from "./held-judge.js";

const user = (content: string) => [{ role: "user" as const, content }];

const JUDGE = `
define bot deny
  "Not that."
define subflow judge
  $allowed = execute judge
  if not $allowed
    bot deny
    stop
`;
const DIALOG = `
define user ask price
  "how much is it"
define user ask stock
  "is there any left"
define bot tell price
  "Four euros."
define flow price
  user ask price
  bot tell price
define flow stock
  user ask stock
  $left = execute count_stock
  bot tell stock
`;
const speculative = (flows: string, more = ""): string =>
  `rails: {input: {flows: [${flows}], speculative: true}${more}}`;
const noHold: Hold = async () => undefined;
const verdict = (work: (context: ActionContext) => unknown) =>
  defineAction({ name: "judge", verdict: true }, (_params, context) => work(context));

expectNoUnhandledRejections();

/** A turn whose judge decides under control of the test. */
const open = (input: HeldInput = {}) => openHeldJudge("judge", { colang: JUDGE, yaml: speculative("judge"), ...input });

describe("a call that begins before the verdict", () => {
  it.each<[string, HeldInput, string, string]>([
    ["the general answer", {}, "An answer.", "An answer."],
    ["the user's own text to the model", { yaml: `passthrough: true\n${speculative("judge")}` }, "Direct.", "Direct."],
    [
      "the first of three calls",
      { colang: JUDGE + DIALOG, yaml: speculative("judge", ", dialog: {single_call: {enabled: false}}") },
      "ask price",
      "Four euros.",
    ],
    ["the one call of a dialogue", { colang: JUDGE + DIALOG }, "ask price\nbot tell price\n", "Four euros."],
    ["the same, streamed", { colang: JUDGE + DIALOG, streams: true }, "ask price\nbot tell price\n", "Four euros."],
  ])("%s is made once", async (_title, input, completion, text) => {
    const { runtime, model, asked, decide } = await open({ ...input, answer: () => [completion] });
    const running = runtime.turn(user("what is it?"), { log: { llmCalls: true } });
    await asked;
    decide(true);
    const result = await running;
    expect([result.text, model.begun.length, result.log.llmCalls?.length]).toEqual([text, 1, 1]);
  });

  it.each<[string, HeldInput]>([
    ["the general answer", {}],
    ["the one call of a dialogue", { colang: JUDGE + DIALOG, streams: true }],
  ])("%s is cancelled at a block, and its result never surfaces", async (_title, input) => {
    const { runtime, model, asked, decide } = await open({
      ...input,
      answer: () => ["a secret"],
      hold: () => new Promise(() => undefined),
    });
    const running = runtime.turn(user("hi"), {
      log: { llmCalls: true, internalEvents: true },
      outputVars: true,
      state: {},
    });
    await asked;
    decide(false);
    const result = await running;
    expect([result.status, result.text, model.aborted]).toEqual(["blocked", "Not that.", 1]);
    expect(result.log.llmCalls).toEqual([]);
    expect(JSON.stringify(result)).not.toContain("secret");
  });

  it("is cancelled at the first block in time, before it is decided which rail wins", async () => {
    const first = gate<boolean>();
    const ended = gate();
    const generator: Generator = Object.assign(async () => ({ text: "never" }), {
      begin: ({ signal }: GeneratorRequest) => signal.addEventListener("abort", () => ended.open()),
    });
    const { runtime } = await openBench({
      colang: `${JUDGE}define subflow slow\n  $fine = execute slow\n  if not $fine\n    bot deny\n    stop\n`,
      yaml: speculative("slow, judge"),
      actions: {
        judge: verdict(() => false),
        slow: defineAction({ name: "slow", verdict: true }, () => first.promise),
      },
    });
    const running = runtime.turn(user("hi"), { generator });
    await ended.promise;
    first.open(true);
    expect((await running).verdict.rail).toBe("judge");
  });

  it("fails as it would have failed later", async () => {
    const main = new HeldLanguageModel("main", () => new Error("out of tokens"), noHold);
    const { runtime } = await openBench({
      colang: JUDGE,
      yaml: speculative("judge"),
      main: main as never,
      actions: { judge: verdict(() => true) },
    });
    await expect(runtime.turn(user("hi"))).rejects.toThrow("out of tokens");
    expect(main.begun.length).toBe(1);
  });

  it("ends when the caller aborts", async () => {
    const { runtime, model, asked } = await open({ answer: () => ["one", "two"] });
    const caller = new AbortController();
    const running = runtime.turn(user("hi"), { config: { signal: caller.signal } });
    await asked;
    caller.abort(new Error("enough"));
    await expect(running).rejects.toThrow("enough");
    expect(model.begun.length).toBe(1);
  });
});

describe("text that a rail may still rewrite", () => {
  const LOUD = "define subflow loud\n  $user_message = execute loud\n";

  it("is sent to no model", async () => {
    const texts: string[] = [];
    const main = new HeldLanguageModel("main", (prompt) => (texts.push(prompt), ["fine"]), noHold);
    const { runtime } = await openBench({
      colang: JUDGE + LOUD,
      yaml: `passthrough: true\n${speculative("judge, loud")}`,
      main: main as never,
      actions: { judge: verdict(() => true), loud: () => "HI" },
    });
    expect((await runtime.turn(user("hi"))).text).toBe("fine");
    expect(texts).toEqual(["HI"]);
  });

  it("is requested again if a rail rewrites despite its declaration", async () => {
    const main = new HeldLanguageModel("main", (prompt) => [`echo ${prompt}`], noHold);
    const { runtime } = await openBench({
      colang: JUDGE,
      yaml: `passthrough: true\n${speculative("judge")}`,
      main: main as never,
      actions: { judge: verdict(() => actionResult({ returnValue: true, contextUpdates: { user_message: "other" } })) },
    });
    const result = await runtime.turn(user("hi"), { log: { llmCalls: true } });
    expect([result.text, main.begun, result.log.llmCalls?.length]).toEqual(["echo other", ["hi", "other"], 1]);
  });

  it("is sent to a wrapped runnable again too, and the first response is dropped", async () => {
    const begun: string[] = [];
    const generator: Generator = Object.assign(
      async ({ started: early, userMessage }: GeneratorRequest) => ({
        text: String((await early) ?? `late ${userMessage}`),
      }),
      { begin: async ({ userMessage }: GeneratorRequest) => (begun.push(userMessage), `early ${userMessage}`) },
    );
    const run = async (judged: unknown): Promise<string> => {
      const { runtime } = await openBench({
        colang: JUDGE,
        yaml: speculative("judge"),
        actions: { judge: verdict(() => judged) },
      });
      return (await runtime.turn(user("hi"), { generator })).text;
    };
    const other = actionResult({ returnValue: true, contextUpdates: { user_message: "other" } });
    expect([await run(true), await run(other), begun]).toEqual(["early hi", "late other", ["hi", "hi"]]);
  });
});

describe("a step that does more than call a model", () => {
  it.each<[string, string, string[]]>([
    ["an action of a flow waits for the verdict", "is there any left", ["judged", "counted"]],
    ["nothing else does", "how much is it", ["judged"]],
  ])("%s", async (_title, text, order) => {
    const seen: string[] = [];
    const { runtime } = await openBench({
      colang: JUDGE + DIALOG,
      yaml: speculative("judge"),
      answers: ['"Three."'],
      actions: {
        count_stock: () => (seen.push("counted"), 3),
        judge: verdict(async () => {
          for (let tick = 0; tick < 20; tick += 1) await Promise.resolve();
          seen.push("judged");
          return true;
        }),
      },
    });
    await runtime.turn(user(text));
    expect(seen).toEqual(order);
  });

  it("a generator that cannot start early is called after the rails", async () => {
    const seen: string[] = [];
    const { runtime } = await openBench({
      colang: JUDGE,
      yaml: speculative("judge"),
      actions: { judge: verdict(() => (seen.push("judged"), true)) },
    });
    await runtime.turn(user("hi"), { generator: async () => (seen.push("asked"), { text: "fine" }) });
    expect(seen).toEqual(["judged", "asked"]);
  });

  it("an action that replaces one of the pipeline waits too", async () => {
    const seen: string[] = [];
    const { runtime } = await openBench({
      colang: JUDGE,
      yaml: speculative("judge"),
      actions: {
        judge: verdict(() => (seen.push("judged"), true)),
        generate_user_intent: () => {
          seen.push("intent");
          return actionResult({ events: [{ type: "BotMessage", text: "mine" }] });
        },
      },
    });
    expect([(await runtime.turn(user("hi"))).text, seen]).toEqual(["mine", ["judged", "intent"]]);
  });

  it("a search is made once", async () => {
    const searched: string[] = [];
    const { runtime } = await openBench({
      colang: JUDGE,
      yaml: speculative("judge"),
      answers: ["From the book."],
      actions: { judge: verdict(() => true) },
      openKnowledge: async () => ({
        search: async (query: string) => (
          searched.push(query),
          [{ title: "Book", file: "book.md", body: "Page one.", metadata: {} }]
        ),
      }),
    });
    const result = await runtime.turn(user("what is in it?"));
    expect([result.text, searched, result.sources?.length]).toEqual(["From the book.", ["what is in it?"], 1]);
  });
});

describe("a setting without effect", () => {
  it.each<[string, string, string, string | undefined]>([
    ["no rails", "rails: {input: {speculative: true}}", "", "there are no input rails"],
    [
      "a rail that rewrites alone",
      speculative("loud"),
      'define subflow loud\n  $user_message = "A"',
      "it assigns `$user_message`",
    ],
    [
      "an action without a promise",
      speculative("check"),
      "define subflow check\n  execute check",
      "`check` is not declared",
    ],
    [
      "a rail that rewrites last",
      "rails: {input: {flows: [judge, loud], parallel: false, speculative: true}}",
      'define subflow loud\n  $user_message = "A"',
      "`loud` may still change",
    ],
    [
      "a rail that rewrites among all at once",
      "rails: {input: {flows: [loud, judge], parallel: true, speculative: true}}",
      'define subflow loud\n  $user_message = "A"',
      "`loud` may still change",
    ],
    ["a rail that rewrites first", speculative("judge, loud"), 'define subflow loud\n  $user_message = "A"', undefined],
    ["not requested", "rails: {input: {flows: [loud]}}", 'define subflow loud\n  $user_message = "A"', undefined],
  ])("%s", async (_title, yaml, colang, message) => {
    const actions = { judge: verdict(() => true), check: () => true };
    const { runtime } = await openBench({ colang: JUDGE + colang, yaml, actions });
    const found = runtime.warnings.filter(({ code }) => code === "CF-207").map(({ message }) => message);
    expect(found).toEqual(message === undefined ? [] : [expect.stringContaining(message)]);
  });
});

/** A configuration of the property, with the results of its rails and its model. */
interface Script {
  readonly rails: readonly string[];
  readonly style: "general" | "passthrough" | "classic" | "merged" | "streamed" | "wrapped" | "wrapped dialog";
  readonly parallel: "null" | "true" | "false";
  readonly text: string;
  readonly says: Readonly<Record<"judge" | "second", boolean | "fail">>;
  readonly intent: string;
}

const script: fc.Arbitrary<Script> = fc.record({
  rails: fc.shuffledSubarray(["judge", "second", "loud", "lying"], { minLength: 1 }),
  style: fc.constantFrom("general", "passthrough", "classic", "merged", "streamed", "wrapped", "wrapped dialog"),
  parallel: fc.constantFrom("null", "null", "false"),
  text: fc.constantFrom("hello", "how much is it", "is there any left", "tell me", "tell me"),
  says: fc.record({
    judge: fc.constantFrom(true, true, true, false, "fail" as const),
    second: fc.constantFrom(true, true, false),
  }),
  intent: fc.constantFrom("ask price", "ask stock", "ask weather"),
});

const RAILS = `${JUDGE}
define subflow second
  $allowed = execute second
  if not $allowed
    bot deny
    stop
define subflow loud
  $user_message = execute loud
define subflow lying
  execute lying
`;

async function play(script_: Script, speculates: boolean, hold: Hold): Promise<{ result: unknown; begun: number }> {
  const { rails, style, parallel, text, says, intent } = script_;
  const say = (name: keyof typeof says) => async () => {
    await hold(name);
    if (says[name] === "fail") throw new Error("out");
    return says[name];
  };
  const isDialog = style !== "general" && style !== "passthrough" && style !== "wrapped";
  const answer = (prompt: string): string[] => [`${intent}\n`, "bot tell ", `all\n  "About ${prompt.length}."\n`];
  const Model = style === "streamed" ? StreamingHeldModel : HeldLanguageModel;
  const model = new Model("main", answer, hold);
  const settings = [
    `rails: {input: {flows: [${rails.join(", ")}], parallel: ${parallel}, speculative: ${String(speculates)}}`,
    style === "classic" ? ", dialog: {single_call: {enabled: false}}}" : "}",
    style === "passthrough" ? "\npassthrough: true" : "",
  ];
  const { runtime } = await openBench({
    colang: RAILS + (isDialog ? DIALOG : ""),
    yaml: settings.join(""),
    main: model as never,
    actions: {
      judge: defineAction({ name: "judge", verdict: true }, say("judge")),
      second: defineAction({ name: "second", verdict: true }, say("second")),
      loud: async (_params: unknown, { context }: ActionContext) => {
        await hold("loud");
        return `${String(context["user_message"])}!`;
      },
      lying: defineAction({ name: "lying", verdict: true }, async (_params, { context }) => {
        await hold("lying");
        const message = String(context["user_message"]);
        return actionResult({ contextUpdates: message === "tell me" ? { user_message: "how much is it" } : {} });
      }),
      count_stock: async () => (await hold("stock"), 3),
    },
  });
  const ask = async ({ userMessages }: GeneratorRequest) => {
    await hold("wrapped");
    return `echo ${String(userMessages?.join("+"))}`;
  };
  const generator: Generator = Object.assign(
    async (request: GeneratorRequest) => ({
      text: await ((request.started as Promise<string> | undefined) ?? ask(request)),
    }),
    { begin: ask },
  );
  const options: TurnOptions = {
    log: { llmCalls: true, colangHistory: true },
    outputVars: true,
    state: {},
    ...(style.startsWith("wrapped") ? { generator } : {}),
  };
  const messages = text === "hello" ? [...user("well"), ...user(text)] : user(text);
  const result = await runtime.turn(messages, options).catch((error: unknown) => String(error));
  return { result: typeof result === "string" ? result : visible(result), begun: model.begun.length };
}

function visible({ status, text, verdict: { rail }, outputData, userMessage, log }: TurnResult): unknown {
  return {
    status,
    text,
    rail,
    outputData,
    userMessage,
    history: log.colangHistory,
    // The received part of a cancelled stream depends on time.
    calls: log.llmCalls?.map(({ task, prompt, completion }) => [task, prompt, completion.split("\n")[0]]),
  };
}

describe("a turn with speculation", () => {
  it("has the same result as without", async () => {
    await fc.assert(
      fc.asyncProperty(script, fc.scheduler(), async (given, scheduler) => {
        const inOrder = await play(given, false, noHold);
        const running = play(given, true, (what) => scheduler.schedule(Promise.resolve(), what));
        expect((await scheduler.waitFor(running)).result).toEqual(inOrder.result);
      }),
      { numRuns: propertyRuns(5) },
    );
  });
});
