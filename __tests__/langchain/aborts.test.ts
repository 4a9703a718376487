// A caller's signal at every phase of a call, on every surface.
import { getEventListeners } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { HumanMessage } from "@langchain/core/messages";
import { type Runnable, RunnableLambda } from "@langchain/core/runnables";
import { createAgent } from "langchain";
import { z } from "zod/v4";
import type { Guardrails } from "../../src/index.js";
import { guardrailsMiddleware } from "../../src/langchain/middleware.js";
import { type ScriptedModel, scriptedModel } from "../../src/testing/index.js";
import { drain, realGuardrails, type Version } from "../support/langchain/real-guardrails.js";

type Phase = "before" | "input" | "between" | "model" | "output" | "after";
type Config = { readonly signal: AbortSignal };
type Surface = (guardrails: Guardrails, model: ScriptedModel, config: Config) => Promise<unknown>;

const ALL: readonly Phase[] = ["before", "input", "between", "model", "output", "after"];
const INPUT: readonly Phase[] = ["before", "input", "after"];
const OUTPUT: readonly Phase[] = ["before", "output", "after"];
const TEXT = "one two three four five six";
const say = async function* (): AsyncGenerator<string> {
  yield* TEXT.split(/(?<= )/);
};
const asChain = (model: ScriptedModel): Runnable<string, string> =>
  RunnableLambda.from(async (text: string, config) => (await model.invoke(text, config)).text);
const pipe = (model: ScriptedModel): Runnable => model as unknown as Runnable;

const SURFACES: readonly (readonly [string, readonly Phase[], Surface])[] = [
  ["wrap(model).invoke", ALL, (g, model, config) => g.wrap(model).invoke("hi", config)],
  ["wrap(model).stream", ALL, async (g, model, config) => drain(await g.wrap(model).stream("hi", config))],
  ["wrap(model).batch", ALL, (g, model, config) => g.wrap(model).batch(["hi"], config)],
  ["wrap(chain).invoke", ALL, (g, model, config) => g.wrap(asChain(model)).invoke("hi", config)],
  ["wrap(chain).stream", ALL, async (g, model, config) => drain(await g.wrap(asChain(model)).stream("hi", config))],
  [
    "wrap(pipe).stream",
    ALL,
    async (g, model, config) =>
      drain(await g.wrap(RunnableLambda.from((text: string) => text).pipe(pipe(model))).stream("hi", config)),
  ],
  [
    "withRetry().invoke",
    ALL.filter((phase) => phase !== "between"),
    (g, model, config) => g.wrap(model).withRetry().invoke("hi", config),
  ],
  [
    "withFallbacks().invoke",
    ALL,
    (g, model, config) =>
      g
        .wrap(model)
        .withFallbacks([scriptedModel("unasked")])
        .invoke("hi", config),
  ],
  [
    "pipe(output()).stream",
    ["before", "model", "output", "after"],
    async (g, model, config) => drain(await pipe(model).pipe(g.output()).stream("hi", config)),
  ],
  ["input().invoke", INPUT, (g, _model, config) => g.input().invoke("hi", config)],
  ["output().invoke", OUTPUT, (g, _model, config) => g.output().invoke(TEXT, config)],
  ["output().stream", OUTPUT, async (g, _model, config) => drain(await g.output().stream(TEXT, config))],
  [
    "output() of a stream",
    ["output", "after"],
    async (g, _model, config) => drain(g.output<string>().transform(say(), config)),
  ],
  ["check", INPUT, (g, _model, config) => g.check("hi", { stage: "input", ...config })],
  ["rail()", INPUT, (g, _model, config) => g.rail("check words").invoke(new HumanMessage("hi"), config)],
  ["generate", INPUT, (g, _model, config) => g.generate("hi", { rails: ["input"] }, config)],
  [
    "an agent's middleware",
    ALL.filter((phase) => phase !== "between"),
    (g, model, config) =>
      createAgent({ model, tools: [], middleware: [guardrailsMiddleware(g)] }).invoke(
        { messages: [new HumanMessage("hi")] },
        config,
      ),
  ],
  [
    "structured output",
    ["before", "input", "between", "model"],
    (g, model, config) =>
      g
        .wrap(model)
        .withStructuredOutput(z.object({ dish: z.string() }))
        .invoke("hi", config),
  ],
];

const CELLS = SURFACES.flatMap(([surface, phases, call]) => phases.map((phase) => [phase, surface, call] as const));

const unhandled: unknown[] = [];
const note = (reason: unknown): void => void unhandled.push(reason);
const idle = async (): Promise<void> => {
  for (let index = 0; index < 5; index += 1) await new Promise((resolve) => setImmediate(resolve));
};

let visit: (phase: Phase) => unknown = () => undefined;
const made = new Map<Version, Guardrails>();
beforeAll(async () => {
  process.on("unhandledRejection", note);
  for (const version of ["1.0", "2.x"] as const) {
    const guardrails = await realGuardrails({
      version,
      input: ["check words"],
      output: ["check answer"],
      streaming: { chunkSize: 2, contextSize: 1 },
      logger: false,
      onCheck: async (text) => {
        if (text !== "hi") return visit("output");
        await visit("input");
        return visit("between");
      },
    });
    made.set(version, guardrails);
  }
});
afterAll(() => void process.off("unhandledRejection", note));

describe.each<Version>(["1.0", "2.x"])("an abort in Colang %s", (version) => {
  it.each(CELLS)(
    "at the phase `%s` of %s ends the call with its reason and leaves nothing open",
    async (phase, _, call) => {
      const caller = new AbortController();
      const reason = new Error("enough");
      const visited: Phase[] = [];
      visit = (name) => {
        visited.push(name);
        if (name !== phase) return undefined;
        caller.abort(reason);
        return name === "between" ? undefined : new Promise(() => undefined);
      };
      const signals: (AbortSignal | undefined)[] = [];
      const model = scriptedModel(async (_messages, { signal }) => {
        signals.push(signal);
        await visit("model");
        return TEXT;
      });
      const timers = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
      if (phase === "before") caller.abort(reason);
      const outcome = await call(made.get(version) as Guardrails, model, { signal: caller.signal }).then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      );
      if (phase === "after") {
        expect(outcome).toHaveProperty("value");
        caller.abort(reason);
      } else expect(outcome).toEqual({ error: reason });
      await idle();
      if (phase !== "after") expect(visited.slice(visited.indexOf(phase) + 1)).toEqual([]);
      expect(signals.length).toBe(visited.filter((name) => name === "model").length);
      expect(process.getActiveResourcesInfo().filter((name) => name === "Timeout").length).toBeLessThanOrEqual(timers);
      if (phase === "model") expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
      // LangGraph itself listens to a signal that has fired before the call.
      if (phase !== "before") expect(getEventListeners(caller.signal, "abort")).toEqual([]);
      expect(unhandled).toEqual([]);
    },
  );
});
