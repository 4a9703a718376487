import { HumanMessage } from "@langchain/core/messages";
import { actions, noRails, oneRail, selfChecks, twoRails } from "../configs.mjs";
import { InstantAgentModel, InstantChatModel, openAIFetch } from "../instant-model.mjs";
import { plainRuns, RunCounter, RunTracer } from "../tracing.mjs";

const messages = [new HumanMessage("When do you open?")];
const over = ({ guarded, bare }) => guarded - bare;

/** A guarded call and the bare call of the same instant model. */
function aroundInstant(config) {
  return async (library) => {
    const { Guardrails } = await library.entry();
    const model = new InstantChatModel();
    const guarded = (await Guardrails.fromConfig(config, { actions })).wrap(model);
    return { guarded: () => guarded.invoke(messages), bare: () => model.invoke(messages) };
  };
}

/** The same around a client of OpenAI whose server is a function. */
async function aroundChatOpenAI(library) {
  const { ChatOpenAI } = await import("@langchain/openai");
  const { Guardrails } = await library.entry();
  const model = new ChatOpenAI({ model: "main", apiKey: "none", maxRetries: 0, configuration: { fetch: openAIFetch } });
  const guarded = (await Guardrails.fromConfig(twoRails, { actions })).wrap(model);
  return { guarded: () => guarded.invoke(messages), bare: () => model.invoke(messages) };
}

async function selfChecked(library) {
  const { Guardrails } = await library.entry();
  const judge = new InstantChatModel("No");
  const models = { self_check_input: judge, self_check_output: judge };
  const model = new InstantChatModel();
  const guarded = (await Guardrails.fromConfig(selfChecks, { models })).wrap(model);
  return { guarded: () => guarded.invoke(messages), bare: () => model.invoke(messages) };
}

/** A tracing handler on the guarded call, and on plain steps of LangChain that open as many runs. */
async function traced(library) {
  const { Guardrails } = await library.entry();
  const { awaitAllCallbacks } = await import("@langchain/core/callbacks/promises");
  const guarded = (await Guardrails.fromConfig(twoRails, { actions })).wrap(new InstantChatModel());
  const counter = new RunCounter();
  await guarded.invoke(messages, { callbacks: [counter] });
  await awaitAllCallbacks();
  const plain = plainRuns(counter);
  const config = { callbacks: [new RunTracer()] };
  const drain = awaitAllCallbacks;
  return {
    guarded: { call: () => guarded.invoke(messages), drain },
    guardedTraced: { call: () => guarded.invoke(messages, config), drain },
    plain: { call: () => plain.invoke(messages), drain },
    plainTraced: { call: () => plain.invoke(messages, config), drain },
  };
}

/** Guarded calls with a trace of each, and without. */
async function withTraces(library) {
  const { Guardrails } = await library.entry();
  const { createTracing } = await library.entry("./tracing");
  const tracing = createTracing({ sinks: [{ name: "none", write: () => undefined }] });
  const open = async (options) =>
    (await Guardrails.fromConfig(twoRails, { actions, ...options })).wrap(new InstantChatModel());
  const [guarded, bare] = [await open({ tracing }), await open({ tracing: false })];
  return {
    guarded: { call: () => guarded.invoke(messages), drain: tracing.flush },
    bare: { call: () => bare.invoke(messages), drain: tracing.flush },
  };
}

/** An agent with the middleware, and the same agent without. */
function agent(options) {
  return async (library) => {
    const { createAgent } = await import("langchain");
    const { Guardrails } = await library.entry();
    const { guardrailsMiddleware } = await library.entry("./middleware");
    const guardrails = await Guardrails.fromConfig(twoRails, { actions });
    const model = new InstantAgentModel();
    const bare = createAgent({ model, tools: [] });
    const guarded = createAgent({ model, tools: [], middleware: [guardrailsMiddleware(guardrails, options)] });
    return { guarded: () => guarded.invoke({ messages }), bare: () => bare.invoke({ messages }) };
  };
}

/** Guarded calls over the bare call of the same model. */
export const wrapRows = [
  {
    name: "control",
    title: "the control: an instant model called bare",
    conditions: "nothing of this package loaded",
    unit: "µs",
    value: ({ bare }) => bare * 1000,
    open: () => {
      const model = new InstantChatModel();
      return { bare: () => model.invoke(messages) };
    },
  },
  {
    name: "local",
    title: "`wrap(model)`, one local input and one local output rail, over the bare call",
    conditions: "local",
    unit: "ms",
    target: 0.05,
    value: over,
    open: aroundInstant(twoRails),
  },
  {
    name: "local-langgraph",
    title: "`wrap(model)`, one local input and one local output rail, over the bare call",
    conditions: "local, LangGraph loaded",
    unit: "ms",
    langgraph: true,
    value: over,
    open: aroundInstant(twoRails),
  },
  {
    name: "no-rails",
    title: "`wrap(model)` without rails, over the bare call",
    conditions: "local",
    unit: "ms",
    value: over,
    open: aroundInstant(noRails),
  },
  {
    name: "one-output-rail",
    title: "`wrap(model)`, one local output rail, over the bare call",
    conditions: "local",
    unit: "ms",
    value: over,
    open: aroundInstant(oneRail),
  },
  {
    name: "chat-openai",
    title: "one local input and one local output rail around `ChatOpenAI`, over the bare call",
    conditions: "local",
    unit: "ms",
    target: 0.12,
    value: over,
    open: aroundChatOpenAI,
  },
  {
    name: "chat-openai-langgraph",
    title: "one local input and one local output rail around `ChatOpenAI`, over the bare call",
    conditions: "local, LangGraph loaded",
    unit: "ms",
    target: 0.12,
    langgraph: true,
    value: over,
    open: aroundChatOpenAI,
  },
  {
    name: "tracer",
    title: "one tracing handler more, over the same handler on as many plain LangChain runs",
    conditions: "local",
    unit: "×",
    target: 1.2,
    value: ({ guardedTraced, guarded, plainTraced, plain }) => (guardedTraced - guarded) / (plainTraced - plain),
    open: traced,
  },
  {
    name: "traces",
    title: "a trace of each call, over the same guarded call without",
    conditions: "local",
    unit: "ms",
    target: 0.05,
    value: over,
    open: withTraces,
  },
  {
    name: "judges",
    title: "self-check input and output, over the bare call",
    conditions: "judges, instant",
    unit: "ms",
    target: 0.17,
    value: over,
    // Two modes of a process show as a long upper tail.
    holds: ({ parts: { guarded } }) => guarded.p90 <= 1.5 * guarded.median,
    open: selfChecked,
  },
  {
    name: "judges-langgraph",
    title: "self-check input and output, over the bare call",
    conditions: "judges, instant, LangGraph loaded",
    unit: "ms",
    langgraph: true,
    value: over,
    open: selfChecked,
  },
  {
    name: "middleware",
    title: "`guardrailsMiddleware` around an agent, over the bare agent",
    conditions: "local, LangGraph loaded",
    unit: "ms",
    target: 0.8,
    langgraph: true,
    value: over,
    open: agent({}),
  },
  {
    name: "middleware-model-hook",
    title: '`guardrailsMiddleware` with `inputHook: "wrapModelCall"` around an agent, over the bare agent',
    conditions: "local, LangGraph loaded",
    unit: "ms",
    target: 0.8,
    langgraph: true,
    value: over,
    open: agent({ inputHook: "wrapModelCall" }),
  },
];
