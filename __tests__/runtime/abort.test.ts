import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { ActionContext } from "../../src/actions/action.js";
import { defineAction } from "../../src/actions/define-action.js";
import { gate, openBench } from "./bench.js";
import { HeldLanguageModel } from "../support/language-models/held-language-model.js";

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

const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);
beforeAll(() => void process.on("unhandledRejection", note));
afterAll(async () => {
  await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", note);
  expect(unhandled).toEqual([]);
});

describe.each([false, true])("a caller that aborts (speculation: %s)", (speculative) => {
  it.each([
    ["in a rail that rewrites", "change", "how much?"],
    ["in one of two rails side by side", "two", "how much?"],
    ["in the first of them", "one", "how much?"],
    ["while the intent is found", "main 1", "how much?"],
    ["in an action of a flow", "act", "is there any left"],
    ["in a retrieval rail", "chunks", "how much is it"],
    ["while the words are found", "main 1", "how much is it"],
    ["in an output rail", "answer", "how much is it"],
  ])("%s is obeyed there, and nothing is left unhandled", async (_title, where, text) => {
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
