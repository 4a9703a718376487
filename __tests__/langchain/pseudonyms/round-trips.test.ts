import { expect, it } from "@jest/globals";
import { AIMessageChunk, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { StringOutputParser } from "@langchain/core/output_parsers";
import { RunnableLambda } from "@langchain/core/runnables";
import { createAgent } from "langchain";
import * as fc from "fast-check";
import { z } from "zod/v4";
import { guardrailsMiddleware } from "langchain-guardrails/middleware";
import { Guardrails } from "../../../src/index.js";
import { ReplyingModel } from "../../support/langchain/replying-model.js";
import { propertyRuns, SUITE_SEED } from "../../support/property-runs.js";

const part = fc.oneof(
  fc.constantFrom("ada@example.org", "bob@example.net", "<EMAIL_1>", "<EMAIL_9>", "<EMA", "<", "IL_1>"),
  fc.string({ unit: fc.constantFrom(..."ab 1_<>\u00fc"), maxLength: 6 }),
);
const text = fc.array(part, { minLength: 1, maxLength: 8 }).map((parts) => `x ${parts.join(" ")} y`);
const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 });

const EMAILS = { entities: ["EMAIL_ADDRESS"] };
const config = (version: string) => ({
  colang_version: version,
  rails: {
    input: { flows: ["pseudonymise sensitive data on input"] },
    config: { sensitive_data_detection: { input: EMAILS } },
  },
});

/** A model that repeats the user's text in chunks of these sizes, as a text or as the argument of a call. */
function repeating(cuts: readonly number[], asCall = false): ReplyingModel {
  return new ReplyingModel((_, messages) => {
    const seen = messages.findLast((message) => message.getType() === "human")?.text ?? "";
    const whole = asCall ? JSON.stringify({ text: seen }) : seen;
    const chunks: string[] = [];
    for (let at = 0; at < whole.length;) {
      const size = cuts[chunks.length % cuts.length] ?? 1;
      chunks.push(whole.slice(at, at + size));
      at += size;
    }
    if (!asCall) return chunks;
    return chunks.map((args, index) => {
      const call = index === 0 ? { id: "c1", name: "extract" } : {};
      return new AIMessageChunk({ content: "", tool_call_chunks: [{ index: 0, args, ...call }] });
    });
  });
}

async function joined(chunks: AsyncIterable<unknown> | Promise<AsyncIterable<unknown>>): Promise<string> {
  let all = "";
  for await (const chunk of await chunks) all += typeof chunk === "string" ? chunk : (chunk as AIMessageChunk).text;
  return all;
}

interface Trip {
  readonly guardrails: Guardrails;
  readonly given: string;
  readonly cuts: readonly number[];
  /** Creates the model and records its prompts. */
  model(asCall?: boolean): ReplyingModel;
  /** A conversation of its own. */
  readonly thread: { readonly configurable: { readonly thread_id: string } };
}

const chainOver = ({ guardrails, model }: Trip) =>
  guardrails.wrap(
    RunnableLambda.from((given: string) => [new HumanMessage(given)])
      .pipe(model())
      .pipe(new StringOutputParser()),
  );

const stepsOver = ({ guardrails, model }: Trip) =>
  guardrails
    .input<string>()
    .pipe(RunnableLambda.from((given: string) => [new HumanMessage(given)]))
    .pipe(model())
    .pipe(new StringOutputParser())
    .pipe(guardrails.output<string>());

/** An agent, and the texts of its state and its stream. */
async function throughAgent(trip: Trip): Promise<string> {
  const middleware = [guardrailsMiddleware(trip.guardrails)];
  const agent = createAgent({ model: trip.model(), tools: [], middleware });
  const input = { messages: [new HumanMessage(trip.given)] };
  const streamed: string[] = [];
  let last: readonly BaseMessage[] = [];
  for await (const each of await agent.stream(input, { streamMode: ["messages", "values"] } as never)) {
    const [mode, value] = each as unknown as readonly ["messages" | "values", unknown];
    if (mode === "values") last = (value as { readonly messages: readonly BaseMessage[] }).messages;
    else streamed.push((value as readonly BaseMessage[])[0]?.text ?? "");
  }
  expect(last[0]?.text).toBe(trip.given);
  expect(streamed.join("")).toBe(last.at(-1)?.text);
  return last.at(-1)?.text ?? "";
}

/** Paths of a text to a model and back. */
const SURFACES: Readonly<Record<string, (trip: Trip) => Promise<string>>> = {
  model: async ({ guardrails, model, given }) => (await guardrails.wrap(model()).invoke(given)).text,
  "batch of a model": async ({ guardrails, model, given }) => {
    const [first, second] = await guardrails.wrap(model()).batch([given, `${given} `]);
    expect(second?.text).toBe(`${given} `);
    return first?.text ?? "";
  },
  "stream of a model": ({ guardrails, model, given }) => joined(guardrails.wrap(model()).stream(given)),
  "arguments of a call": async ({ guardrails, model, given }) =>
    String((await guardrails.wrap(model(true)).invoke(given)).tool_calls?.[0]?.args["text"]),
  "stream of a call": async ({ guardrails, model, given }) => {
    let whole: AIMessageChunk | undefined;
    for await (const chunk of await guardrails.wrap(model(true)).stream(given)) whole = whole?.concat(chunk) ?? chunk;
    return String(whole?.tool_calls?.[0]?.args["text"]);
  },
  "structured output": async ({ guardrails, model, given }) => {
    const structured = guardrails.wrap(model(true)).withStructuredOutput(z.object({ text: z.string() }), {
      name: "extract",
      method: "functionCalling",
    });
    return (await structured.invoke(given)).text;
  },
  chain: (trip) => chainOver(trip).invoke(trip.given),
  "stream of a chain": (trip) => joined(chainOver(trip).stream(trip.given)),
  steps: (trip) => stepsOver(trip).invoke(trip.given, trip.thread),
  "stream of steps": (trip) => joined(stepsOver(trip).stream(trip.given, trip.thread)),
  agent: throughAgent,
};

it.each(["1.0", "2.x"])(
  "restores what the model repeats on every surface, for any chunks: Colang %s",
  async (version) => {
    const colang = version === "2.x" ? { colang: "import core\n" } : {};
    const guardrails = await Guardrails.fromConfig({ ...colang, config: config(version) }, { logger: false });
    let threads = 0;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...Object.keys(SURFACES)), text, sizes, async (surface, given, cuts) => {
        const models: ReplyingModel[] = [];
        const model = (asCall?: boolean): ReplyingModel => {
          const made = repeating(cuts, asCall);
          models.push(made);
          return made;
        };
        threads += 1;
        const thread = { configurable: { thread_id: `thread ${threads}` } };
        const back = await SURFACES[surface]?.({ guardrails, given, cuts, model, thread });
        expect([surface, back]).toEqual([surface, given]);
        expect(models.flatMap(({ seen }) => seen).join()).not.toContain("@example");
      }),
      { ...SUITE_SEED, numRuns: propertyRuns(25, 5_000) },
    );
  },
);
