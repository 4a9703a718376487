import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { InstantChatModel } from "../instant-model.mjs";

const question = new HumanMessage("When do you open?");
const messages = [question];

/** Turns before the question. */
function history(turns) {
  const earlier = Array.from({ length: turns }, (_, turn) => [
    new HumanMessage(`What do you charge for repair number ${turn}, and how long does it take?`),
    new AIMessage(`Repair number ${turn} takes ${turn + 1} days. The price is known when we have seen the bicycle.`),
  ]);
  return [...earlier.flat(), question];
}

/** Rails that call a model, one of them in each configuration. */
const RAILS = [
  { name: "content-safety-input", flow: "content safety check input", type: "content_safety", reply: "safe" },
  { name: "content-safety-output", flow: "content safety check output", type: "content_safety", reply: "safe" },
  { name: "topic-safety", flow: "topic safety check input", type: "topic_control", reply: "on-topic" },
  { name: "topic-safety-1", flow: "topic safety check input", type: "topic_control", reply: "on-topic", turns: 1 },
  { name: "topic-safety-10", flow: "topic safety check input", type: "topic_control", reply: "on-topic", turns: 10 },
  { name: "self-check-input", flow: "self check input", type: "self_check_input", reply: "No" },
  { name: "self-check-output", flow: "self check output", type: "self_check_output", reply: "No" },
  { name: "llama-guard", flow: "llama guard check input", type: "llama_guard", reply: "safe" },
  {
    name: "llm-judge",
    flow: "llm judge check input",
    type: "llm_judge",
    reply: "No",
    config: { llm_judge: { policies: { medicine: "No advice on medicines." } } },
  },
  {
    name: "two-stage",
    flow: "self check input",
    type: "self_check_input",
    reply: "No",
    rails: { two_stage: { "self check input": { detectors: ["jailbreak"] } } },
  },
];

const JAILBREAK_SERVER = "http://jailbreak.test/model";

/** A server that finds nothing and is a function. */
async function jailbreakFetch() {
  return new Response('{"jailbreak": false}', { status: 200, headers: { "content-type": "application/json" } });
}

/** The same model behind guardrails of the same dialect that have no rail. */
async function wrapWithoutRail(Guardrails, version, model) {
  return (await Guardrails.fromConfig({ config: { colang_version: version, models: [] } }, { logger: false })).wrap(
    model,
  );
}

/** Guarded calls with the rail that calls a classifier over HTTP, the same without it, and the bare request. */
function withJailbreakModel(version) {
  return async (library) => {
    const { Guardrails } = await library.entry();
    globalThis.fetch = jailbreakFetch;
    const settings = {
      colang_version: version,
      models: [],
      rails: {
        input: { flows: ["jailbreak detection model"] },
        config: { jailbreak_detection: { server_endpoint: JAILBREAK_SERVER } },
      },
    };
    const model = new InstantChatModel();
    const guarded = (await Guardrails.fromConfig({ config: settings })).wrap(model);
    const withoutRail = await wrapWithoutRail(Guardrails, version, model);
    const body = JSON.stringify({ prompt: question.content });
    const request = { method: "POST", headers: { "content-type": "application/json" }, body };
    return {
      guarded: () => guarded.invoke(messages),
      withoutRail: () => withoutRail.invoke(messages),
      judge: async () => (await fetch(JAILBREAK_SERVER, request)).json(),
    };
  };
}

const TITLES = {
  "content-safety-input": "content safety of the user's message",
  "content-safety-output": "content safety of the bot's message",
  "topic-safety": "topic control",
  "topic-safety-1": "topic control after 1 turn",
  "topic-safety-10": "topic control after 10 turns",
  "self-check-input": "self check of the user's message",
  "self-check-output": "self check of the bot's message",
  "llama-guard": "Llama Guard",
  "llm-judge": "a judge with a policy",
  "two-stage": "self check after a detector",
  "jailbreak-model": "jailbreak detection by a model over HTTP",
};

/** Guarded calls with one rail, the same without it, and the bare call of the judge. */
function withRail({ flow, type, reply, turns = 0, config, rails = {} }, version) {
  return async (library) => {
    const { Guardrails } = await library.entry();
    const side = flow.endsWith("output") ? "output" : "input";
    const settings = {
      colang_version: version,
      models: [],
      rails: { [side]: { flows: [flow] }, ...rails, ...(config === undefined ? {} : { config }) },
    };
    const judge = new InstantChatModel(reply);
    const model = new InstantChatModel();
    const guardrails = await Guardrails.fromConfig({ config: settings }, { models: { [type]: judge } });
    const guarded = guardrails.wrap(model);
    const withoutRail = await wrapWithoutRail(Guardrails, version, model);
    const sent = history(turns);
    // As many messages as the rail shows its judge, in the form of a prompt.
    const shown = turns === 0 ? messages : sent.map(({ type, content }) => [type, content]);
    return {
      guarded: () => guarded.invoke(sent),
      withoutRail: () => withoutRail.invoke(sent),
      judge: () => judge.invoke(shown),
    };
  };
}

const OPENED = [
  ...RAILS.map((rail) => ({ ...rail, open: (version) => withRail(rail, version) })),
  { name: "jailbreak-model", open: withJailbreakModel },
];

/** One row for each rail that calls a model, in both dialects. */
export const modelRailRows = ["1.0", "2.x"].flatMap((version) =>
  OPENED.map(({ name, open }) => ({
    name: `${name}${version === "1.0" ? "" : "-colang2"}`,
    title: `Colang ${version === "1.0" ? "1" : "2"}: ${TITLES[name]}, over the guarded call without the rail and the bare judge`,
    conditions: "one judge, instant",
    unit: "ms",
    target: 0.1,
    value: ({ guarded, withoutRail, judge }) => guarded - withoutRail - judge,
    open: open(version),
  })),
);
