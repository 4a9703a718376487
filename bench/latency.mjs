// node bench/latency.mjs [--scale 0.2] [--repeats 3] [--only NAME,...] [--json FILE]: the time that a user waits for a
// guarded response compared with a bare one, at a provider's pace. A scale below 1 makes provider and judge faster, and
// the share of the package larger. A run takes about two minutes at full scale. Run `npm run build` first. bench/peers/
// measures other guards.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { ChatOpenAI } from "@langchain/openai";
import { Guardrails } from "langchain-guardrails";
import { defineAction } from "langchain-guardrails/rails";
import { measureWirings, printLatency } from "./latency-run.mjs";
import { FORBIDDEN, PACE, pacedServer } from "./paced-server.mjs";

const { values } = parseArgs({
  options: {
    scale: { type: "string", default: "1" },
    repeats: { type: "string", default: "3" },
    only: { type: "string" },
    json: { type: "string" },
  },
});

const server = await pacedServer({ scale: Number(values.scale) });
const client = (model) =>
  new ChatOpenAI({ model, apiKey: "none", maxRetries: 0, temperature: 0, configuration: { baseURL: server.url } });
const main = client("main");
const judge = client("judge");

const LOCAL = `
define subflow second judge
  $blocked = execute ask_judge(text=$user_message)
  if $blocked
    bot refuse words
    stop

define bot refuse words
  "I cannot talk about that."

define subflow check words
  $allowed = execute check_words(text=$bot_message)
  if not $allowed
    bot refuse words
    stop
`;
const content = "Should this be blocked? {{ user_input }} {{ bot_response }}";
const prompts = ["self_check_input", "self_check_output"].map((task) => ({ task, content }));
const verdict = { verdict: true };
const actions = {
  check_words: defineAction({ name: "check_words", ...verdict }, ({ text }) => !String(text).includes(FORBIDDEN)),
  ask_judge: defineAction({ name: "ask_judge", ...verdict }, async ({ text }, { signal }) =>
    (await judge.invoke(String(text), { signal })).text.startsWith("Yes"),
  ),
};
const two = { flows: ["self check input", "second judge"] };

/**
 * A model with an input judge and one output rail; with `local` it searches words, otherwise a judge reads the
 * response.
 */
async function guarded({ input = {}, output = {}, local = false, streaming }) {
  const rails = {
    input: { flows: ["self check input"], ...input },
    output: { flows: [local ? "check words" : "self check output"], ...output },
  };
  const guardrails = await Guardrails.fromConfig(
    { colang: LOCAL, config: { rails, prompts } },
    {
      models: { self_check_input: judge, self_check_output: judge },
      actions,
      ...(streaming === undefined ? {} : { streaming }),
    },
  );
  return guardrails.wrap(main);
}

const buffer = { mode: "buffer" };
const WIRINGS = [
  ["bare model", () => main],
  ["sequential, whole answer held back", () => guarded({ input: { parallel: false }, streaming: buffer })],
  ["sequential, windows, judge", () => guarded({ input: { parallel: false } })],
  ["sequential, windows, local rail", () => guarded({ input: { parallel: false }, local: true })],
  ["sequential, two input judges", () => guarded({ input: { ...two, parallel: false }, local: true })],
  ["parallel, two input judges", () => guarded({ input: two, local: true })],
  ["speculative, two input judges", () => guarded({ input: { ...two, speculative: true }, local: true })],
  ["speculative, whole answer held back", () => guarded({ input: { speculative: true }, streaming: buffer })],
  ["speculative, windows, judge", () => guarded({ input: { speculative: true } })],
  ["speculative, windows, local rail", () => guarded({ input: { speculative: true }, local: true })],
];

async function* texts(model, question) {
  for await (const chunk of await model.stream(question)) yield chunk.text;
}

const wanted = values.only?.split(",");
const wirings = [];
for (const [name, make] of WIRINGS) {
  if (wirings.length > 0 && wanted !== undefined && !wanted.some((word) => name.includes(word))) continue;
  const model = await make();
  wirings.push({ name, stream: (question) => texts(model, question) });
}
const rows = await measureWirings(server, wirings, {
  repeats: Number(values.repeats),
  judge: PACE.judge * Number(values.scale),
});
await server.close();
printLatency(`one input judge and one output rail around a stream, scale ${values.scale}`, rows);
if (values.json) writeFileSync(values.json, `${JSON.stringify({ scale: Number(values.scale), rows }, undefined, 2)}\n`);
