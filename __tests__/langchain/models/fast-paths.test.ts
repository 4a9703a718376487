import { describe, expect, it } from "@jest/globals";
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { AIMessageChunk } from "@langchain/core/messages";
import { concat } from "@langchain/core/utils/stream";
import * as fc from "fast-check";
import { Guardrails, verdictOf } from "../../../src/index.js";
import { ChunkedModel } from "../streaming/chunked-model.js";
import { realGuardrails } from "../../support/langchain/real-guardrails.js";
import { visibleJson } from "../../support/langchain/visible-json.js";
import { propertyRuns } from "../../support/property-runs.js";

/** The effect of the rail at a place on a text. */
type Does = "pass" | "block" | "rewrite" | "note" | "fail";

const INPUT = ["one", "two", "three"];
const OUTPUT = ["four", "five"];

function flow(name: string, text: "user_message" | "bot_message"): string {
  return `
define subflow ${name}
  $made = execute ${name}(text=$${text})
  if $made == "block"
    bot refuse ${name}
    stop
  if $made == "note"
    $noted = "${name}"
  if $made == "rewrite"
    $${text} = "${name} was here"

define bot refuse ${name}
  "REFUSED by ${name}"
`;
}

const COLANG = [...INPUT.map((name) => flow(name, "user_message")), ...OUTPUT.map((name) => flow(name, "bot_message"))];

/** The plan of the rails for the next call; a configuration is loaded once for all of them. */
let plan: readonly Does[] = [];

/** The same rails with actions that are done when they return, or with actions that take a while. */
async function open(isLate: (place: number) => boolean) {
  const order: string[] = [];
  const actions = Object.fromEntries(
    [...INPUT, ...OUTPUT].map((name, place) => {
      const act = (): string => {
        order.push(name);
        if (plan[place] === "fail") throw new Error("out of order");
        return plan[place] ?? "pass";
      };
      return [name, isLate(place) ? async () => (await Promise.resolve(), act()) : act];
    }),
  );
  const rails = { input: { flows: INPUT, parallel: false }, output: { flows: OUTPUT, parallel: false } };
  const guardrails = await Guardrails.fromConfig({ colang: COLANG.join("\n"), config: { rails } }, { actions });
  return { guarded: guardrails.wrap(new ChunkedModel(["an ", "answer"])), guardrails, order };
}

class Listener extends BaseCallbackHandler {
  readonly name = "listener";
}

const places = INPUT.length + OUTPUT.length;
const plans = fc.array(fc.constantFrom<Does>("pass", "pass", "pass", "block", "rewrite", "note", "fail"), {
  minLength: places,
  maxLength: places,
});

async function joined(stream: AsyncIterable<AIMessageChunk>): Promise<AIMessageChunk | undefined> {
  let whole: AIMessageChunk | undefined;
  for await (const chunk of stream) whole = whole === undefined ? chunk : concat(whole, chunk);
  return whole;
}

const said = (message: AIMessageChunk | undefined): string =>
  visibleJson([message?.content, message && verdictOf(message), message?.tool_calls, message?.usage_metadata]);

describe("rails whose actions are done when they return", () => {
  it("decide as they do when their actions take a while", async () => {
    const opened = await Promise.all([open(() => false), open((place) => place % 2 === 0), open(() => true)]);
    await fc.assert(
      fc.asyncProperty(plans, async (does) => {
        plan = does;
        const results: string[] = [];
        for (const { guarded, guardrails, order } of opened) {
          order.length = 0;
          const answer = await guarded.invoke("hello");
          const options = { rails: ["input"], outputVars: true, log: { activatedRails: true } } as const;
          const { guardrails: verdict, outputData, log } = await guardrails.generate("hello", options);
          results.push(`${said(answer)}${visibleJson([verdict, outputData, log.activatedRails, order])}`);
        }
        expect(new Set(results).size).toBe(1);
      }),
      { numRuns: propertyRuns(6) },
    );
  });
});

describe("a call without callbacks", () => {
  it("responds and streams as one with callbacks", async () => {
    const { guarded } = await open((place) => place % 2 === 0);
    const traced = { callbacks: [new Listener()] };
    await fc.assert(
      fc.asyncProperty(plans, async (does) => {
        plan = does;
        const alone = await guarded.invoke("hello");
        expect(said(alone)).toBe(said(await guarded.invoke("hello", traced)));
        const streamed = await joined(await guarded.stream("hello"));
        expect(said(streamed)).toBe(said(await joined(await guarded.stream("hello", traced))));
        expect(streamed?.content).toBe(alone.content);
      }),
      { numRuns: propertyRuns(6) },
    );
  });

  it.each([
    ["alone", {}],
    ["traced", { callbacks: [new Listener()] }],
  ])("ends with the caller's signal and with the model's own error (%s)", async (_, config) => {
    const guardrails = await realGuardrails({ output: ["check answer"] });
    const model = new ChunkedModel(["one ", "two"]);
    const failure = new Error("no more");
    model.before = (index) => {
      if (index === 1) throw failure;
    };
    const guarded = guardrails.wrap(model);
    const reason = new Error("gone");
    await expect(guarded.invoke("hello", { ...config, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const reading = async () => joined(await guarded.stream("hello", config));
    await expect(reading()).rejects.toBe(failure);
  });
});
