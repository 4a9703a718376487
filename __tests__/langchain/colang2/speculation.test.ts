import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { AIMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { type GuardedChatModel, Guardrails, verdictOf } from "../../../src/index.js";
import { defineAction } from "../../../src/langchain/rails.js";
import { scriptedModel, type ScriptedReply } from "../../../src/testing/scripted-model.js";
import { drain } from "../../support/langchain/real-guardrails.js";
import { visibleJson } from "../../support/langchain/visible-json.js";

const JUDGE = `
import core

flow judge
  $allowed = await JudgeAction()
  if not $allowed
    bot say "REFUSED"
    abort
`;

/** With a \`main\` the flows decide when what is wrapped answers. */
const DIALOGS = {
  "rails alone": "",
  "a dialog": `
import passthrough

flow main
  global $asked
  user said something
  $asked = True
  $answer = await PassthroughLLMAction()
  await NoteAction()
  bot say $answer
`,
} as const;

const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);
beforeAll(() => void process.on("unhandledRejection", note));
afterAll(async () => {
  await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", note);
  expect(unhandled).toEqual([]);
});

function gate<Value = void>() {
  let open = (_value: Value): void => undefined;
  const promise = new Promise<Value>((resolve) => (open = resolve));
  return { promise, open: (value: Value) => open(value) };
}

/** Rails whose verdict the test gives, and a note of what was done. */
async function open(dialog: keyof typeof DIALOGS) {
  const verdict = gate<boolean>();
  const asked = gate();
  const done: string[] = [];
  const guardrails = await Guardrails.fromConfig(
    {
      colang: JUDGE + DIALOGS[dialog],
      config: { colang_version: "2.x", rails: { input: { flows: ["judge"], speculative: true } } },
    },
    {
      actions: {
        JudgeAction: defineAction({ name: "JudgeAction", verdict: true }, () => verdict.promise),
        NoteAction: () => void done.push("noted"),
      },
    },
  );
  const signals: AbortSignal[] = [];
  const reply: ScriptedReply = async (_messages, { signal }) => {
    if (signal !== undefined) signals.push(signal);
    asked.open();
    return "An answer.";
  };
  const settle = () => new Promise<void>((resolve) => void setImmediate(resolve));
  return { guardrails, reply, signals, done, asked, decide: verdict.open, settle };
}

const textOf = (model: GuardedChatModel) => async (): Promise<string> => (await model.invoke("hi")).text;
const streamOf = (model: GuardedChatModel) => async (): Promise<string> =>
  (await drain(await model.stream("hi"))).map((chunk) => (chunk as AIMessage).text).join("");

describe.each(["rails alone", "a dialog"] as const)("speculation around a model, with %s of Colang 2.x", (dialog) => {
  it.each([
    ["invoke", textOf],
    ["stream", streamOf],
  ])("%s: the model is asked before the verdict, once, and nothing is done", async (_title, ask) => {
    const { guardrails, reply, asked, decide, done, settle } = await open(dialog);
    const inner = scriptedModel([reply]);
    const running = ask(guardrails.wrap(inner))();
    let isOver = false;
    void running.then(() => (isOver = true));
    await asked.promise;
    await settle();
    expect([isOver, done]).toEqual([false, []]);
    decide(true);
    expect(await running).toBe("An answer.");
    inner.assertDone();
  });

  it("a block ends the model's call, and nothing of its answer leaves", async () => {
    const { guardrails, signals, asked, decide, done } = await open(dialog);
    const inner = scriptedModel([
      (_messages, { signal }) => {
        if (signal !== undefined) signals.push(signal);
        asked.open();
        return new Promise<string>((resolve) => signal?.addEventListener("abort", () => resolve("the secret answer")));
      },
    ]);
    const running = guardrails.wrap(inner).invoke("hi");
    await asked.promise;
    decide(false);
    const message = await running;
    expect([message.text, verdictOf(message)?.blocked, signals[0]?.aborted, done]).toEqual(["REFUSED", true, true, []]);
    expect(visibleJson(message)).not.toContain("secret");
  });

  it("tool calls wait for the verdict", async () => {
    const { guardrails, asked, decide } = await open(dialog);
    const call = { id: "1", name: "pay", args: {} };
    const inner = scriptedModel([() => (asked.open(), new AIMessage({ content: "", tool_calls: [call] }))]);
    const running = guardrails.wrap(inner).invoke("hi");
    await asked.promise;
    decide(false);
    expect((await running).tool_calls).toEqual([]);
  });

  it("reports the model's own error, whenever it came", async () => {
    const { guardrails, asked, decide, settle } = await open(dialog);
    const failure = new RangeError("too long");
    const running = guardrails.wrap(scriptedModel([() => (asked.open(), failure)])).invoke("hi");
    await asked.promise;
    await settle();
    decide(true);
    await expect(running).rejects.toBe(failure);
  });

  it.each([
    ["waits unless the caller promises that running it changes nothing", {}, [0, 1]],
    ["begins early where that is promised", { speculative: true }, [1, 1]],
  ])("a wrapped chain %s", async (_title, options, runs) => {
    const { guardrails, decide, settle } = await open(dialog);
    let count = 0;
    const chain = RunnableLambda.from((input: { input: string }) => ((count += 1), `echo ${input.input}`));
    const running = guardrails.wrap(chain, options).invoke({ input: "hi" });
    for (let round = 0; round < 10; round += 1) await settle();
    const early = count;
    decide(true);
    await running;
    expect([early, count]).toEqual(runs);
  });
});
