import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { actionResult } from "../../../src/actions/dispatcher.js";
import type { ActionContext } from "../../../src/actions/action.js";
import { defineAction } from "../../../src/actions/define-action.js";
import { countingIds, type IdSource } from "../../../src/engine/events.js";
import type { Generator, GeneratorRequest } from "../../../src/turn/response.js";
import type { TurnOptions } from "../../../src/turn/options.js";
import type { TurnResult } from "../../../src/turn/result.js";
import { gate, openBench } from "../bench.js";
import { HeldLanguageModel, type Hold, StreamingHeldModel } from "../../support/language-models/held-language-model.js";
import { propertyRuns } from "../../support/property-runs.js";
import { type HeldInput, openHeldJudge } from "../held-judge.js";

const user = (content: string) => [{ role: "user" as const, content }];

const JUDGE = `
import core

flow judge
  $allowed = await JudgeAction()
  if not $allowed
    bot say "Not that."
    abort
`;

/** A dialog: a fixed utterance, an intent from a model, a value from a model, an action, and small talk. */
const DIALOG = `
import llm

flow main
  activate llm continuation
  activate price
  activate stock
  activate weather
  match Never()

flow price
  user asked price
  bot say "Four euros."

flow user asked price
  user said "how much is it"

flow stock
  user said "is there any left"
  $left = await CountStockAction()
  bot say "There are {$left}."

flow weather
  global $mood
  user said "what is the weather like"
  $mood = ..."How the weather feels, as a text"
  bot say "It feels {$mood}."
`;
import { expectNoUnhandledRejections } from "../../support/unhandled-rejections.js";

const config = (flows: string, more = ""): string =>
  `colang_version: "2.x"\nrails: {input: {flows: [${flows}], speculative: true}${more}}`;
const noHold: Hold = async () => undefined;
const verdict = (work: (context: ActionContext) => unknown) =>
  defineAction({ name: "JudgeAction", verdict: true }, (_params, context) => work(context));

expectNoUnhandledRejections();

/** A turn whose judge decides under control of the test. */
const open = (input: HeldInput = {}) =>
  openHeldJudge("JudgeAction", { colang: JUDGE, yaml: config("judge"), ...input });

const intent = (): readonly string[] => ["user intent: user asked price"];

describe("a call of Colang 2.x that begins before the verdict", () => {
  it.each<[string, HeldInput, string, string]>([
    ["the general answer", {}, "hello", "An answer."],
    ["the user's own text to the model", { yaml: `passthrough: true\n${config("judge")}` }, "hello", "An answer."],
    ["the search for an intent", { colang: JUDGE + DIALOG, answer: intent }, "what does it cost", "Four euros."],
    ["a value", { colang: JUDGE + DIALOG, answer: () => ['"mild"'] }, "what is the weather like", "It feels mild."],
  ])("%s is made once", async (_title, input, said, text) => {
    const { runtime, model, asked, decide } = await open(input);
    const running = runtime.turn(user(said), { log: { llmCalls: true } });
    await asked;
    decide(true);
    const result = await running;
    expect([result.text, model.begun.length, result.log.llmCalls?.length]).toEqual([text, 1, 1]);
  });

  it.each<[string, HeldInput, string]>([
    ["the general answer", {}, "hello"],
    ["the search for an intent", { colang: JUDGE + DIALOG }, "what does it cost"],
  ])("%s is cancelled at a block, and its result never surfaces", async (_title, input, said) => {
    const { runtime, model, asked, decide } = await open({
      ...input,
      answer: () => ["a secret"],
      hold: () => new Promise(() => undefined),
    });
    const running = runtime.turn(user(said), {
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

  it("the wrapped runnable starts too, and is cancelled at a block", async () => {
    const begun = gate<AbortSignal>();
    const generator: Generator = Object.assign(async () => ({ text: "never" }), {
      begin: ({ signal }: GeneratorRequest) => begun.open(signal),
    });
    const { runtime, decide } = await open();
    const running = runtime.turn(user("hi"), { generator });
    const signal = await begun.promise;
    expect(signal.aborted).toBe(false);
    decide(false);
    expect([(await running).text, signal.aborted]).toEqual(["Not that.", true]);
  });

  it("fails as it would have failed later", async () => {
    const main = new HeldLanguageModel("main", () => new Error("out of tokens"), noHold);
    const { runtime } = await open({ main: main as never, actions: { JudgeAction: verdict(() => true) } });
    await expect(runtime.turn(user("hi"))).rejects.toThrow("out of tokens");
    expect(main.begun.length).toBe(1);
  });

  it("ends when the caller aborts", async () => {
    const { runtime, model, asked } = await open({ hold: () => new Promise(() => undefined) });
    const caller = new AbortController();
    const running = runtime.turn(user("hi"), { config: { signal: caller.signal } });
    await asked;
    caller.abort(new Error("enough"));
    await expect(running).rejects.toThrow("enough");
    expect([model.begun.length, model.aborted]).toEqual([1, 1]);
  });

  it("a search is made once", async () => {
    const searched: string[] = [];
    const { runtime } = await open({
      answer: () => ["From the book."],
      actions: { JudgeAction: verdict(() => true) },
      openKnowledge: async () => ({
        search: async (query: string) => (
          searched.push(query),
          [{ title: "Book", file: "book.md", body: "Page one.", metadata: {} }]
        ),
      }),
    });
    expect([(await runtime.turn(user("what is in it?"))).text, searched]).toEqual([
      "From the book.",
      ["what is in it?"],
    ]);
  });

  it("continues in the second turn of a conversation", async () => {
    const { runtime, model } = await open({
      colang: JUDGE + DIALOG,
      answer: intent,
      actions: { JudgeAction: verdict(() => true) },
    });
    const first = await runtime.turn(user("what does it cost"), { state: {} });
    const second = await runtime.turn(user("and how much was that"), { state: first.state });
    expect([first.text, second.text, model.begun.length]).toEqual(["Four euros.", "Four euros.", 2]);
  });
});

describe("a step that does more than call a model", () => {
  it.each<[string, string, Record<string, unknown>, string[]]>([
    ["an action of a flow waits for the verdict", "is there any left", {}, ["judged", "counted"]],
    [
      "an action of the user's in the place of ours waits too",
      "what does it cost",
      { GenerateUserIntentAction: "intent" },
      ["judged", "intent"],
    ],
    ["nothing else does", "how much is it", {}, ["judged"]],
  ])("%s", async (_title, text, own, order) => {
    const seen: string[] = [];
    const others = Object.entries(own).map(([name, what]) => [
      name,
      () => (seen.push(String(what)), "user asked price"),
    ]);
    const { runtime } = await open({
      colang: JUDGE + DIALOG,
      actions: {
        CountStockAction: () => (seen.push("counted"), 3),
        JudgeAction: verdict(async () => {
          await new Promise((resolve) => setImmediate(resolve));
          seen.push("judged");
          return true;
        }),
        ...Object.fromEntries(others),
      },
    });
    await runtime.turn(user(text));
    expect(seen).toEqual(order);
  });

  it("nothing is emitted before the verdict, and no rail reviews a message", async () => {
    const seen: string[] = [];
    const { runtime, model, asked, decide } = await open({
      colang: `${JUDGE}\nflow check answer\n  await CheckAction()\n`,
      yaml: config("judge", ", output: {flows: [check answer]}"),
      actions: {
        CheckAction: () => void seen.push("checked"),
        JudgeAction: verdict(async () => {
          await asked;
          for (let round = 0; round < 5; round += 1) await new Promise((resolve) => setImmediate(resolve));
          seen.push("judged");
          return true;
        }),
      },
    });
    decide(true);
    expect([(await runtime.turn(user("hi"))).text, seen, model.begun.length]).toEqual([
      "An answer.",
      ["judged", "checked"],
      1,
    ]);
  });

  it("retrieval rails wait for the verdict", async () => {
    const seen: string[] = [];
    const { runtime } = await open({
      colang: `${JUDGE}\nflow check chunks\n  await CheckAction()\n`,
      yaml: config("judge", ", retrieval: {flows: [check chunks]}"),
      actions: {
        CheckAction: () => void seen.push("checked"),
        JudgeAction: verdict(async () => {
          for (let round = 0; round < 5; round += 1) await new Promise((resolve) => setImmediate(resolve));
          seen.push("judged");
          return true;
        }),
      },
      openKnowledge: async () => ({
        search: async () => (seen.push("found"), [{ title: "Book", file: "b.md", body: "One.", metadata: {} }]),
      }),
    });
    await runtime.turn(user("hi"));
    expect(seen).toEqual(["found", "judged", "checked"]);
  });
});

describe("a setting without effect in Colang 2.x", () => {
  it.each<[string, string, string, string | undefined]>([
    ["no rails", "", "", "there are no input rails"],
    [
      "rails of the program itself",
      "",
      "import guardrails\nflow input rails $text\n  await judge\n",
      "waits for the flow `input rails`",
    ],
    ["both", "judge", "import guardrails\nflow input rails $text\n  await judge\n", "waits for the flow `input rails`"],
    ["a flow that waits for the stage", "judge", "flow spy\n  match StartInputRails()\n", "an event of their stage"],
    ["a rail that rewrites alone", "loud", 'flow loud\n  global $user_message\n  $user_message = "A"\n', "it assigns"],
    [
      "a rail that rewrites first",
      "judge, loud",
      'flow loud\n  global $user_message\n  $user_message = "A"\n',
      undefined,
    ],
    ["rails that only judge", "judge", "", undefined],
  ])("%s", async (_title, flows, colang, message) => {
    const { runtime } = await open({ colang: `${JUDGE}\n${colang}`, yaml: config(flows) });
    const found = runtime.warnings.filter(({ code }) => code === "CF-207").map(({ message }) => message);
    expect(found).toEqual(message === undefined ? [] : [expect.stringContaining(message)]);
  });
});

/** A configuration of the property, with the results of its rails and its model. */
interface Script {
  readonly rails: string;
  readonly style: keyof typeof STYLES;
  readonly texts: readonly string[];
  readonly says: Readonly<Record<"judge" | "second", boolean | "fail">>;
  readonly finds: string;
}

const STYLES = {
  general: ["", ""],
  passthrough: ["", "passthrough: true"],
  dialog: [DIALOG, ""],
  streamed: ["", ""],
  wrapped: ["", ""],
} as const;

const LISTS = [
  "{flows: [judge, second]",
  "{flows: [second, loud, judge]",
  "{flows: [lying, judge]",
  "{flows: [judge, loud, second], parallel: false",
];

const script: fc.Arbitrary<Script> = fc.record({
  rails: fc.constantFrom(...LISTS),
  style: fc.constantFrom("general", "passthrough", "dialog", "dialog", "dialog", "streamed", "wrapped"),
  texts: fc.array(
    fc.constantFrom("hello", "how much is it", "is there any left", "what is the weather like", "tell me"),
    { minLength: 1, maxLength: 2 },
  ),
  says: fc.record({
    judge: fc.constantFrom(true, true, true, false, "fail" as const),
    second: fc.constantFrom(true, true, false),
  }),
  finds: fc.constantFrom("user asked price", "user asked weather", "42"),
});

const RAILS = `${JUDGE}
flow second
  $allowed = await SecondAction()
  if not $allowed
    bot say "Not that either."
    abort

flow loud
  global $user_message
  $user_message = await LoudAction()

flow lying
  await LyingAction()

flow check answer
  await CheckAction()
`;

/** Current behaviour of a runtime's actions and model; compiling a configuration for every run would take long. */
interface World {
  hold: Hold;
  says: Script["says"];
  finds: string;
  readonly done: string[];
  readonly models: Readonly<Record<"whole" | "streamed", HeldLanguageModel>>;
  ids: IdSource;
  readonly runtime: Awaited<ReturnType<typeof openBench>>["runtime"];
}

const worlds = new Map<string, Promise<World>>();

function worldOf({ rails, style }: Script, speculates: boolean): Promise<World> {
  const key = [rails, ...STYLES[style], speculates].join(" ");
  const known = worlds.get(key) ?? createWorld({ rails, style }, speculates);
  worlds.set(key, known);
  return known;
}

async function createWorld({ rails, style }: Pick<Script, "rails" | "style">, speculates: boolean): Promise<World> {
  const says = { judge: true, second: true };
  const answer = (prompt: string): string[] =>
    prompt.includes("user intent:")
      ? [`user intent: ${world.finds}\n`, `bot action: bot say "${prompt.length}"`]
      : [`"${prompt.length}`, '"'];
  const hold: Hold = (what) => world.hold(what);
  const models = {
    whole: new HeldLanguageModel("main", answer, hold),
    streamed: new StreamingHeldModel("main", answer, hold),
  };
  const world: Omit<World, "runtime"> = { hold: noHold, says, finds: "", done: [], models, ids: countingIds() };
  const say = (name: keyof Script["says"]) => async () => {
    await world.hold(name);
    if (world.says[name] === "fail") throw new Error("out");
    return world.says[name];
  };
  const [colang, more] = STYLES[style];
  const { runtime } = await openBench({
    colang: RAILS + colang,
    yaml: `colang_version: "2.x"\nrails: {input: ${rails}, speculative: ${String(speculates)}}, output: {flows: [check answer]}}\n${more}`,
    main: models.whole as never,
    ids: { next: () => world.ids.next() },
    actions: {
      JudgeAction: defineAction({ name: "JudgeAction", verdict: true }, say("judge")),
      SecondAction: defineAction({ name: "SecondAction", verdict: true }, say("second")),
      LoudAction: async (_params: unknown, { context }: ActionContext) => {
        await world.hold("loud");
        return `${String(context["user_message"])}!`;
      },
      LyingAction: defineAction({ name: "LyingAction", verdict: true }, async (_params, { context }) => {
        await world.hold("lying");
        const message = String(context["user_message"]);
        return actionResult({ contextUpdates: message === "tell me" ? { user_message: "how much is it" } : {} });
      }),
      CountStockAction: async () => (await world.hold("stock"), world.done.push("counted"), 3),
      CheckAction: async (_params: unknown, { context }: ActionContext) => {
        await world.hold("check");
        world.done.push(`checked ${String(context["bot_message"])}`);
      },
    },
  });
  return Object.assign(world, { runtime });
}

async function play(given: Script, speculates: boolean, hold: Hold): Promise<unknown> {
  const world = await worldOf(given, speculates);
  Object.assign(world, { says: given.says, finds: given.finds, hold, ids: countingIds("t") });
  world.done.length = 0;
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
  const results: unknown[] = [];
  let state: unknown = {};
  for (const text of given.texts) {
    const options: TurnOptions = {
      log: { llmCalls: true, colangHistory: true },
      outputVars: true,
      state,
      main: world.models[given.style === "streamed" ? "streamed" : "whole"],
      ...(given.style === "wrapped" ? { generator } : {}),
    };
    const result = await world.runtime.turn(user(text), options).catch((error: unknown) => String(error));
    results.push(typeof result === "string" ? result : visible(result));
    if (typeof result !== "string") state = result.state;
  }
  return [results, ...world.done];
}

function visible({ status, text, verdict, decisions, outputData, userMessage, log, events }: TurnResult): unknown {
  const blocked = decisions.findIndex((decision) => decision.status === "blocked" || decision.status === "error");
  const first = blocked < 0 ? decisions.length : blocked;
  return {
    status,
    text,
    rail: verdict.rail,
    // Rails after the one that blocked may have decided before it.
    decisions: decisions.slice(0, first + 1).map((decision) => [decision.rail, decision.status]),
    outputData,
    userMessage,
    events: events?.map(({ type }) => type),
    errors: verdict.blocked ? [] : log.errors.map(({ message }) => message),
    history: log.colangHistory,
    calls: log.llmCalls?.map(({ task, prompt, completion }) => [task, prompt, completion]),
  };
}

describe("a turn of Colang 2.x with speculation", () => {
  it("has the same result as without, in any order of events", async () => {
    await fc.assert(
      fc.asyncProperty(script, fc.scheduler(), async (given, scheduler) => {
        const inOrder = await play(given, false, noHold);
        const running = play(given, true, (what) => scheduler.schedule(Promise.resolve(), what));
        expect(await scheduler.waitFor(running)).toEqual(inOrder);
      }),
      { numRuns: propertyRuns(4) },
    );
  });
});

describe("a session that speculates", () => {
  const said = (text: string) => ({ type: "UtteranceUserActionFinished", final_transcript: text });

  async function words(session: AsyncIterable<Readonly<Record<string, unknown>>>): Promise<string> {
    for await (const { type, final_script: script } of session) {
      if (type === "UtteranceBotActionFinished") return String(script);
    }
    return "";
  }

  it.each<[string, boolean, string, number, number]>([
    ["takes over every call of a text that passes", true, "Knock knock", 2, 0],
    ["ends them at a block", false, "Not that.", 1, 1],
  ])("%s", async (_title, passes, text, begun, aborted) => {
    const judged = gate<boolean>();
    let calls = 0;
    const { runtime, model } = await open({
      colang: JUDGE + DIALOG,
      answer: (prompt) =>
        prompt.includes("asked joke")
          ? ['bot intent: bot made joke\nbot action: bot say "Knock knock"']
          : ["user asked joke"],
      actions: { JudgeAction: verdict(() => judged.promise) },
      hold: async () => {
        calls += 1;
        if (calls === begun) judged.open(passes);
        if (!passes) await new Promise(() => undefined);
      },
    });
    const session = runtime.openSession();
    session.send(said("tell me a joke"));
    expect([await words(session), model.begun.length, model.aborted]).toEqual([text, begun, aborted]);
    session.close();
  });

  it("keeps the details of rails", async () => {
    const { runtime } = await open({
      colang: `${JUDGE}\nflow note\n  global $topic\n  $topic = "jokes"\n\nflow main\n  global $topic\n  user said something\n  bot say "On {$topic}"\n`,
      yaml: config("note, judge"),
      actions: { JudgeAction: verdict(() => true) },
    });
    const session = runtime.openSession();
    session.send(said("tell me a joke"));
    expect(await words(session)).toBe("On jokes");
    session.close();
  });
});
