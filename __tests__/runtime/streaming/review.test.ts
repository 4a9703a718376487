import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { actionResult } from "../../../src/actions/dispatcher.js";
import type { ActionContext } from "../../../src/actions/action.js";
import { defineAction } from "../../../src/actions/define-action.js";
import type { PartVerdict } from "../../../src/turn/response.js";
import type { Generator, TurnMessage } from "../../../src/turn/options.js";
import { DEFAULT_STREAM_PLAN, type StreamPlan } from "../../../src/turn/stream-plan.js";
import { type BenchInput, openBench } from "../bench.js";
import { type Window, WindowBuffer, type WindowUnit } from "../../../src/rails/review/window-buffer.js";

const COLANG = `
define bot deny
  "Not that."
define subflow judge
  $ok = execute judge
  if not $ok
    bot deny
    stop
define subflow hide
  meta {"stream": "word"}
  $bot_message = execute hide(text=$bot_message)
define subflow stamp
  meta {"stream": "word"}
  $bot_message = execute stamp(text=$bot_message)
define subflow rewrite
  $bot_message = execute hide(text=$bot_message)
define subflow rewrite in a helper
  do rewrite
define subflow sly
  execute sly
define subflow speak
  meta {"continue": true}
  bot deny
define subflow once
  if not $looked
    $looked = True
    $ok = execute judge
    if not $ok
      bot deny
      stop
define subflow typo
  meta {"stream": "wrod"}
  $ok = execute judge
`;

const user: readonly TurnMessage[] = [{ role: "user", content: "hi" }];
const output = (...flows: string[]): string => `rails: {output: {flows: [${flows.join(", ")}]}}`;
const plan: StreamPlan = { ...DEFAULT_STREAM_PLAN, contextSize: 1 };

/** A turn with a message in the given parts; returns the verdict of each part, the texts that the judge saw, and the result. */
async function take(parts: readonly (readonly string[])[], input: BenchInput, stream: StreamPlan = plan) {
  const seen: string[] = [];
  const { runtime } = await openBench({
    colang: COLANG,
    actions: {
      judge: defineAction({ name: "judge", verdict: true }, (_params, { context }) => {
        seen.push(String(context["bot_message"]));
        return !String(context["bot_message"]).includes("bad");
      }),
      hide: ({ text }: { text: string }) => text.replaceAll(/\d/g, "*"),
      stamp: ({ text }: { text: string }) => text.replaceAll("*", "#"),
      sly: (_params: unknown, { context }: ActionContext) =>
        actionResult({
          contextUpdates: { bot_message: String(context["bot_message"]).toUpperCase() },
        }),
    },
    ...input,
  });
  const verdicts: (PartVerdict | "no review")[] = [];
  const generator: Generator = async ({ review }) => {
    let text = "";
    if (review === undefined) verdicts.push("no review");
    for (const texts of parts) {
      text += texts.join("");
      const verdict = await review?.check({ texts });
      if (verdict !== undefined) verdicts.push(verdict);
      if (verdict?.kind === "blocked") break;
    }
    return { text };
  };
  const result = await runtime.turn(user, { generator, stream });
  return { verdicts, seen, result };
}

describe("the review of a response in parts", () => {
  it("shows judges each part after the end of the previous one, and runs nothing twice", async () => {
    const { verdicts, seen, result } = await take([["one ", "two "], ["three "], ["four"]], { yaml: output("judge") });
    expect(seen).toEqual(["one two ", "two three ", "three four"]);
    expect(verdicts).toMatchObject([{ kind: "passed" }, { kind: "passed" }, { kind: "passed" }]);
    expect([result.status, result.text]).toEqual(["answered", "one two three four"]);
    expect(result.decisions.map(({ rail, status }) => [rail, status])).toEqual([["judge", "passed"]]);
    expect(result.generated?.text).toBe("one two three four");
  });

  it("ends the turn with the refusal when a part is blocked, and stores no part of the message", async () => {
    const { verdicts, seen, result } = await take([["good "], ["ba"], ["d news"], ["more"]], { yaml: output("judge") });
    expect(verdicts.at(-1)).toEqual({ kind: "blocked" });
    expect(seen).toEqual(["good ", "good ba", "bad news"]);
    expect(result).toMatchObject({ status: "blocked", text: "Not that.", verdict: { stage: "output", rail: "judge" } });
    expect(result.decisions).toHaveLength(1);
    expect(result).not.toHaveProperty("generated");
  });

  it("blocks although nothing but spaces came before the block", async () => {
    const colang = `${COLANG}\ndefine subflow never\n  bot deny\n  stop`;
    const { result } = await take([[" "]], { colang, yaml: output("never") });
    expect([result.status, result.text]).toEqual(["blocked", "Not that."]);
  });

  it("rewrites words part by part, judges the result, and keeps the rewritten message", async () => {
    const { verdicts, seen, result } = await take([["pin ", "12 "], ["and 3"]], { yaml: output("judge", "hide") });
    expect(verdicts).toEqual([
      { kind: "passed", text: "pin ** " },
      { kind: "passed", text: "and *" },
    ]);
    expect(seen.join("")).not.toMatch(/\d/);
    expect(result.text).toBe("pin ** and *");
    expect(result.decisions.map(({ rail, status }) => [rail, status])).toEqual([
      ["hide", "modified"],
      ["judge", "passed"],
    ]);
  });

  it("keeps a strict order where configured to", async () => {
    const yaml = "rails: {output: {flows: [judge, hide], parallel: false}}";
    expect((await take([["pin 1 "], ["2"]], { yaml })).seen).toEqual(["pin 1 ", "pin 1 2"]);
  });

  it("keeps a strict order with alternating kinds of rails", async () => {
    const yaml = "rails: {output: {flows: [hide, judge, stamp], parallel: false}}";
    const { seen, result } = await take([["pin 1 "], ["2"]], { yaml });
    expect(seen).toEqual(["pin * ", "pin * *"]);
    expect(result.text).toBe("pin # #");
  });

  it.each([
    ["rewrites the response", "rewrite"],
    ["rewrites it in a flow that it calls", "rewrite in a helper"],
    ["utters another text", "speak"],
    ["reports an unknown name", "typo"],
    ["checks the facts of a whole response", "self check facts"],
  ])("needs the whole response for a rail that %s", async (_, rail) => {
    expect((await take([["pin 1"]], { yaml: output("judge", rail) })).verdicts).toEqual(["no review"]);
  });

  it.each([
    ["define flow process bot message\n  event BotMessage\n  create event StartUtteranceBotAction(script=$event.text)"],
    ['define bot take back\n  "(remove last message)"'],
    ["define flow look\n  event BotMessage\n  $seen = True"],
  ])("needs the whole response if a flow runs between the rails and the user: %s", async (extra) => {
    const { verdicts } = await take([["hi"]], { colang: `${COLANG}\n${extra}`, yaml: output("judge") });
    expect(verdicts).toEqual(["no review"]);
  });

  it("needs the whole message if the bot has already emitted a text", async () => {
    const colang = `${COLANG}
define user greet
  "hi"
define bot wait
  "One moment."
define flow
  user greet
  bot wait
  bot answer`;
    const { verdicts, result } = await take([["Here."]], { colang, yaml: output("judge") });
    expect([verdicts, result.text]).toEqual([["no review"], "One moment.\nHere."]);
  });

  it("buffers the rest if a judge-only rail rewrites, and then reviews the whole", async () => {
    const { verdicts, result } = await take([["one "], ["two"]], { yaml: output("sly") });
    expect(verdicts).toEqual([{ kind: "held" }, { kind: "held" }]);
    expect(result.text).toBe("ONE TWO");
    expect(result.decisions.map(({ status }) => status)).toEqual(["modified"]);
  });

  it("reviews every part with a rail that disables itself after a text", async () => {
    const { seen, result } = await take([["good "], ["bad"]], { yaml: output("once") });
    expect(seen).toEqual(["good ", "good bad"]);
    expect(result.status).toBe("blocked");
  });

  it("reports that no reader waits", async () => {
    const { runtime } = await openBench({ yaml: "models: []" });
    let guarded: boolean | undefined;
    await runtime.turn(user, {
      stream: plan,
      generator: async ({ review }) => {
        guarded = review?.guarded;
        return { text: "x" };
      },
    });
    expect(guarded).toBe(false);
  });

  it("decides at the end if everything is passed through", async () => {
    const stream = { ...plan, mode: "passthrough" } as const;
    const { verdicts, result } = await take([["bad"]], { yaml: output("judge") }, stream);
    expect(verdicts).toEqual([{ kind: "passed", text: "bad" }]);
    expect(result.status).toBe("blocked");
  });

  it("ends with the error of a rail where configured to", async () => {
    const actions = {
      judge: () => {
        throw new Error("down");
      },
    };
    const { result } = await take([["x"]], { yaml: output("judge"), actions });
    expect(result).toMatchObject({ status: "blocked", decisions: [{ status: "error" }] });
    await expect(take([["x"]], { yaml: output("judge"), actions, onError: "throw" })).rejects.toThrow("down");
  });
});

interface Plan {
  readonly chunkSize: number;
  readonly unit: WindowUnit;
}

const textsOf = (window: Window<string>): string[] => window.map(({ text }) => text);

/** The windows of a stream, each as its chunks. */
function windowsOf(pieces: readonly string[], plan: Plan): string[][] {
  const buffer = new WindowBuffer<string>(plan);
  const windows: string[][] = [];
  for (const piece of pieces) {
    buffer.push(piece, piece);
    for (let window = buffer.take(); window !== undefined; window = buffer.take()) windows.push(textsOf(window));
  }
  const rest = buffer.finish();
  if (rest.length > 0) windows.push(textsOf(rest));
  return windows;
}

describe("windows of a stream", () => {
  it.each<[string, string[], Plan, string[]]>([
    ["chunks by number", ["a", "b", "c", "d", "e"], { chunkSize: 2, unit: "chunk" }, ["a|b", "c|d", "e"]],
    ["chunks without text count nothing", ["", "a", "", "b", "c"], { chunkSize: 2, unit: "chunk" }, ["", "a||b", "c"]],
    ["words stay whole", ["foo b", "ar", " ba", "z"], { chunkSize: 2, unit: "word" }, ["foo b|ar", " ba|z"]],
    ["a space ends a word", ["foo ", "b", "ar "], { chunkSize: 1, unit: "word" }, ["foo ", "b|ar "]],
    ["lines stay whole", ["one ", "two\n", "thr", "ee"], { chunkSize: 1, unit: "line" }, ["one |two\n", "thr|ee"]],
    ["a line may begin a chunk", ["one", "\ntwo"], { chunkSize: 1, unit: "line" }, ["one", "\ntwo"]],
    ["a word without end is one window", ["a", "b", "c"], { chunkSize: 1, unit: "word" }, ["a|b|c"]],
  ])("%s", (_, pieces, plan, expected) => {
    expect(windowsOf(pieces, plan).map((window) => window.join("|"))).toEqual(expected);
  });

  it("emits nothing before the end once it waits", () => {
    const buffer = new WindowBuffer<number>({ chunkSize: 1, unit: "chunk" });
    buffer.wait();
    buffer.push(1, "a");
    buffer.push(2, "b");
    expect(buffer.take()).toBeUndefined();
    expect(buffer.finish()).toEqual([
      { item: 1, text: "a", reasoning: "" },
      { item: 2, text: "b", reasoning: "" },
    ]);
  });

  const pieces = fc.array(fc.string({ unit: fc.constantFrom("a", "b", " ", "\n", "5"), maxLength: 5 }), {
    maxLength: 40,
  });
  const plans = fc.record({
    chunkSize: fc.integer({ min: 1, max: 6 }),
    unit: fc.constantFrom("chunk", "word", "line"),
  });

  it("emits every chunk once and in order, whatever the plan", () => {
    fc.assert(
      fc.property(pieces, plans, (texts, plan) => {
        expect(windowsOf(texts, plan as Plan).flat()).toEqual(texts);
      }),
    );
  });

  it("rewrites words or lines like the whole text", () => {
    const rewrite = {
      word: (text: string) => text.replaceAll(/\S+/g, (word) => (word.includes("5") ? "*".repeat(word.length) : word)),
      line: (text: string) => text.replaceAll(/[^\n]+/g, (line) => (line.includes("5") ? "[gone]" : line)),
    };
    fc.assert(
      fc.property(pieces, fc.integer({ min: 1, max: 6 }), fc.constantFrom("word", "line"), (texts, chunkSize, unit) => {
        const windows = windowsOf(texts, { chunkSize, unit }).map((window) => rewrite[unit](window.join("")));
        expect(windows.join("")).toBe(rewrite[unit](texts.join("")));
      }),
    );
  });
});
