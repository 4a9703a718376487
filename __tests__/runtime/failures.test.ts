import { describe, expect, it } from "@jest/globals";
import { ModelError } from "../../src/diagnostics/errors.js";
import type { TurnMessage } from "../../src/turn/options.js";
import { openBench, type BenchInput, gate } from "./bench.js";
import type { ActionContext } from "../../src/actions/action.js";
import { defineAction } from "../../src/actions/define-action.js";
import { HeldLanguageModel } from "../support/language-models/held-language-model.js";
import { expectNoUnhandledRejections } from "../support/unhandled-rejections.js";

const user = (content: string): TurnMessage[] => [{ role: "user", content }];

const DIALOG = `
define user ping
  "ping"
define user break
  "break"
define bot hi
  "Hi."
define flow greet
  user ping
  $greeted = True
  bot hi
define flow broken
  user break
  $half = "done"
  BODY
  bot hi
`;
const broken = (body: string): string => DIALOG.replace("BODY", body);
const explode = (): never => {
  throw new Error("boom");
};
const APOLOGY = "Something broke.";
const MISSING = "No action {name}.";
const MESSAGES = `messages: {internal_error: "${APOLOGY}", action_missing: "${MISSING}"}`;

interface Failure extends BenchInput {
  readonly body: string;
  readonly text: string;
  readonly error: Readonly<Record<string, unknown>>;
}

const FAILURES: readonly (readonly [string, Failure])[] = [
  [
    "an action that throws",
    { body: "execute explode", actions: { explode }, text: APOLOGY, error: { code: "RL-201", action: "explode" } },
  ],
  [
    "an action that does not exist",
    { body: "execute vanish", text: "No action vanish.", error: { code: "RL-201", action: "vanish" } },
  ],
  [
    "an action that takes too long",
    {
      body: "execute sleep",
      yaml: "actions: {timeout_ms: 50}",
      actions: { sleep: () => new Promise(() => undefined) },
      text: APOLOGY,
      error: { action: "sleep", message: expect.stringContaining("50 ms") },
    },
  ],
  [
    "an action that returns a value that is not data",
    { body: "execute odd", actions: { odd: () => () => 1 }, text: APOLOGY, error: { code: "CO-407", action: "odd" } },
  ],
  [
    "an expression that cannot be evaluated",
    { body: '$x = 1 + "a"', text: APOLOGY, error: { flow: "broken", message: expect.stringContaining("main.co:") } },
  ],
  ["a message that is undefined", { body: "bot $nothing", text: APOLOGY, error: { code: "CO-401" } }],
  [
    "too many events",
    {
      body: "while True\n    bot hi",
      yaml: "limits: {events_per_turn: 60}",
      text: APOLOGY,
      error: { code: "RL-401", message: expect.stringContaining("flow `broken` keeps taking steps") },
    },
  ],
  [
    "too many model calls",
    {
      body: "while True\n    bot say more",
      yaml: "limits: {llm_calls_per_turn: 2}",
      answers: ["break", '"more"'],
      text: `more\n${APOLOGY}`,
      error: { code: "RL-401", message: expect.stringContaining("2 model calls") },
    },
  ],
  [
    "too many steps without an event",
    {
      body: "while True\n    $i = 1",
      yaml: "limits: {slide_steps: 50}",
      text: APOLOGY,
      error: { message: expect.stringContaining("50") },
    },
  ],
  [
    "calls that go too deep",
    {
      body: "do deeper",
      colang: `${broken("do deeper")}\ndefine subflow deeper\n  do deeper\n`,
      yaml: "limits: {call_depth: 5}",
      text: APOLOGY,
      error: { code: "CO-402", message: expect.stringContaining("5") },
    },
  ],
];

describe("a turn that fails", () => {
  it.each(FAILURES)("%s: the user sees the configured text, the log has the cause", async (_title, failure) => {
    const { body, text, error, yaml, answers, ...rest } = failure;
    const { runtime } = await openBench({
      colang: broken(body),
      ...rest,
      yaml: `${MESSAGES}\nrails: {dialog: {single_call: {enabled: false}}}\n${yaml ?? ""}`,
      answers: [...(answers ?? ["break"]), "ping"],
    });
    const first = await runtime.turn(user("1"), { state: {}, context: { given: 1 } });
    expect([first.status, first.text]).toEqual(["failed", text]);
    expect(first.log.errors).toEqual([expect.objectContaining(error)]);
    expect(first.log.errors[0]?.cause).toBeInstanceOf(Error);
    const second = await runtime.turn(user("2"), { state: first.state, outputVars: ["half", "greeted", "given"] });
    expect([second.status, second.text, second.log.errors]).toEqual(["answered", "Hi.", []]);
    expect(second.outputData).toEqual({ half: null, greeted: true, given: 1 });
  });

  it("shows the text before the failure, and no prompt shows the turn again", async () => {
    const { runtime, model } = await openBench({
      colang: broken("bot hi\n  execute explode"),
      yaml: MESSAGES,
      actions: { explode },
      answers: ["break", "ping"],
    });
    const first = await runtime.turn(user("lost words"), { state: {} });
    expect(first.utterances).toEqual(["Hi.", APOLOGY]);
    await runtime.turn(user("new words"), { state: first.state });
    expect(model.calls[1]?.text).not.toContain("lost words");
    expect(JSON.stringify(first.state)).not.toContain("lost words");
  });

  it("keeps a waiting dialog", async () => {
    const colang = `${broken("execute explode")}
define flow booking
  user ping
  bot which
  user ping
  bot booked
define bot which
  "Which?"
define bot booked
  "Booked."`.replace("define flow greet\n  user ping\n  $greeted = True\n  bot hi\n", "");
    const { runtime } = await openBench({ colang, actions: { explode }, answers: ["ping", "break", "ping"] });
    const replies: string[] = [];
    let state: unknown = {};
    for (const text of ["1", "2", "3"]) {
      const result = await runtime.turn(user(text), { state });
      replies.push(result.status === "failed" ? "failed" : result.text);
      state = result.state;
    }
    expect(replies).toEqual(["Which?", "failed", "Booked."]);
  });

  it("a model that fails reaches the caller", async () => {
    const cause = new ModelError("no network");
    const { runtime } = await openBench({ answers: [cause] });
    await expect(runtime.turn(user("hi"))).rejects.toBe(cause);
  });
});

describe("a failure inside a rail", () => {
  const rail = (body: string): string => `define subflow check\n  ${body}\n`;
  const yaml = "rails: {input: {flows: [check]}}";
  it.each<[string, BenchInput & { readonly body: string; readonly reason: string }]>([
    ["an action that throws", { body: "execute explode", actions: { explode }, reason: "boom" }],
    ["an expression", { body: '$x = 1 + "a"', reason: "in flow `check`" }],
    ["a loop", { body: "while True\n    $i = 1", yaml: `${yaml}\nlimits: {slide_steps: 50}`, reason: "50" }],
    [
      "a model",
      {
        body: "execute ask",
        actions: { ask: () => Promise.reject(new ModelError("no network")) },
        reason: "no network",
      },
    ],
  ])("is the rail's error and blocks: %s", async (_title, { body, reason, ...input }) => {
    const { runtime } = await openBench({ colang: rail(body), yaml, ...input });
    const generator = async () => ({ text: "never" });
    const result = await runtime.turn(user("hi"), { generator });
    expect([result.status, result.generated, result.decisions[0]?.status]).toEqual(["blocked", undefined, "error"]);
    expect(result.decisions[0]?.reason).toContain(reason);
    expect(result.log.errors[0]).toMatchObject({ flow: "check", message: expect.stringContaining(reason) });
  });

  it("does not quote the reviewed text", async () => {
    const actions = {
      look: (_params: unknown, { context }: { context: Readonly<Record<string, unknown>> }) => {
        throw new Error(`cannot read "${String(context["user_message"])}"`);
      },
    };
    const { runtime } = await openBench({ colang: rail("execute look"), yaml, actions });
    const result = await runtime.turn(user("the launch code is 4711"));
    expect(JSON.stringify([result.decisions, result.log.errors])).not.toContain("4711");
    expect(result.decisions[0]?.reason).toContain("cannot read");
  });

  it("cancels the other parallel rails when it is thrown", async () => {
    let reason: unknown;
    const wait = (_params: unknown, { signal }: { signal: AbortSignal }): Promise<never> =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          reason = signal.reason;
          reject(signal.reason as Error);
        });
      });
    const { runtime } = await openBench({
      colang: `${rail("execute explode")}define subflow slow\n  execute wait\n`,
      yaml: "rails: {input: {parallel: true, flows: [slow, check]}}",
      actions: { wait, explode },
      onError: "throw",
    });
    await expect(runtime.turn(user("hi"))).rejects.toThrow("boom");
    expect(reason).toMatchObject({ action: "explode" });
  });

  it.each([Number.POSITIVE_INFINITY, 0, 2 ** 40])("a time limit of %p does not end a rail", async (timeoutMs) => {
    const { runtime } = await openBench({
      colang: rail("execute pause"),
      yaml,
      actions: { pause: () => new Promise((resolve) => setImmediate(() => setImmediate(resolve))) },
      timeoutMs,
      answers: ["ok"],
    });
    expect((await runtime.turn(user("hi"))).status).toBe("answered");
  });

  it("a listener that fails changes no verdict", async () => {
    const { runtime } = await openBench({
      colang: rail('if $user_message == "bad"\n    bot deny\n    stop') + 'define bot deny\n  "No."\n',
      yaml,
      answers: ["ok"],
      onDecision: explode,
    });
    expect((await runtime.turn(user("bad"))).text).toBe("No.");
    const passed = await runtime.turn(user("good"));
    expect([passed.text, passed.log.errors[0]?.message]).toEqual(["ok", "`onDecision` failed: boom"]);
  });
});

describe("a call that the caller aborts", () => {
  const COLANG = `
define user ask price
  "how much is it"
define user ask stock
  "is there any left"
define flow price
  user ask price
  bot tell price
define flow stock
  user ask stock
  $left = execute act
  bot tell stock
define subflow one
  execute one
define subflow two
  execute two
define subflow change
  $user_message = execute change
define subflow chunks
  $relevant_chunks = execute chunks
define subflow answer
  execute answer
`;

  const YAML = (speculative: boolean): string => `rails:
  input: {flows: [change, one, two], speculative: ${String(speculative)}}
  retrieval: {flows: [chunks]}
  output: {flows: [answer]}
  dialog: {single_call: {enabled: false}}`;

  expectNoUnhandledRejections();

  describe.each([false, true])("a caller that aborts (speculation: %s)", (speculative) => {
    it.each([
      ["in a rail that rewrites", "change", "how much?"],
      ["in one of two concurrent rails", "two", "how much?"],
      ["in the first of them", "one", "how much?"],
      ["while the intent is found", "main 1", "how much?"],
      ["in an action of a flow", "act", "is there any left"],
      ["in a retrieval rail", "chunks", "how much is it"],
      ["while the message is generated", "main 1", "how much is it"],
      ["in an output rail", "answer", "how much is it"],
    ])("ends %s with the caller's reason, and no rejection is unhandled", async (_title, where, text) => {
      const caller = new AbortController();
      const reason = new Error("enough");
      const reached = gate();
      let received: unknown;
      const hang = (signal: AbortSignal | undefined): Promise<never> => {
        signal?.addEventListener("abort", () => (received = signal.reason));
        reached.open();
        return new Promise(() => undefined);
      };
      const work =
        (name: string) =>
        (_params: unknown, { signal }: ActionContext) =>
          where === name ? hang(signal) : name === "change" ? text : name === "chunks" ? "A chunk." : true;
      const main = new HeldLanguageModel(
        "main",
        () => ["ask price"],
        async () => undefined,
      );
      let calls = 0;
      const model = {
        engine: main.engine,
        name: main.name,
        family: main.family,
        native: main.native,
        generate: (...[prompt, parameters, scope]: Parameters<HeldLanguageModel["generate"]>) => {
          calls += 1;
          return where === `main ${calls}` ? hang(scope.signal) : main.generate(prompt, parameters, scope);
        },
      };
      const { runtime } = await openBench({
        colang: COLANG,
        yaml: YAML(speculative),
        main: model as never,
        actions: {
          one: defineAction({ name: "one", verdict: true }, work("one")),
          two: defineAction({ name: "two", verdict: true }, work("two")),
          ...Object.fromEntries(["change", "chunks", "answer", "act"].map((name) => [name, work(name)])),
        },
      });
      const config = { signal: caller.signal, configurable: { thread_id: "t" } };
      const running = runtime.turn([{ role: "user", content: text }], { config });
      await reached.promise;
      caller.abort(reason);
      await expect(running).rejects.toBe(reason);
      await new Promise((resolve) => setImmediate(resolve));
      expect(received).toBe(reason);
    });
  });
});
