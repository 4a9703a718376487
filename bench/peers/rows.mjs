// Other JavaScript guards around the same models, and this package in the same blocks.
import { HumanMessage } from "@langchain/core/messages";
import { actions, twoRails } from "../configs.mjs";
import { InstantAgentModel, InstantChatModel, openAIFetch } from "../instant-model.mjs";
import { importPeer } from "./packages.mjs";

const QUESTION = "When do you open?";
const messages = [new HumanMessage(QUESTION)];
const KEYWORDS = { name: "Keyword Filter", config: { keywords: ["forbidden"] } };
const STAGE = { version: 1, guardrails: [KEYWORDS] };

/** Keyword filters called alone, once for the message and once for the response. */
async function keywordFilter(library) {
  const { instantiateGuardrails } = await importPeer("@openai/guardrails");
  const filters = await instantiateGuardrails(STAGE);
  const check = async (text) => {
    const [result] = await Promise.all(filters.map((filter) => filter.run({}, text)));
    if (result.tripwireTriggered) throw new Error("blocked");
  };
  const model = new InstantChatModel();
  const { Guardrails } = await library.entry();
  const ours = (await Guardrails.fromConfig(twoRails, { actions })).wrap(model);
  return {
    peer: async () => {
      await check(QUESTION);
      const { text } = await model.invoke(messages);
      await check(text);
    },
    ours: () => ours.invoke(messages),
    bare: () => model.invoke(messages),
  };
}

/**
 * The guarded client over the bare client, whose server is a function, and this package's guarded `ChatOpenAI` over the
 * bare one.
 */
async function client(library) {
  const { GuardrailsOpenAI } = await importPeer("@openai/guardrails");
  const { OpenAI } = await importPeer("openai");
  const { ChatOpenAI } = await import("@langchain/openai");
  const connection = { apiKey: "none", maxRetries: 0, fetch: openAIFetch };
  const bare = new OpenAI(connection);
  const guarded = await GuardrailsOpenAI.create({ version: 1, input: STAGE, output: STAGE }, connection);
  const model = new ChatOpenAI({ model: "main", apiKey: "none", maxRetries: 0, configuration: { fetch: openAIFetch } });
  const { Guardrails } = await library.entry();
  const ours = (await Guardrails.fromConfig(twoRails, { actions })).wrap(model);
  const request = { model: "main", messages: [{ role: "user", content: QUESTION }] };
  return {
    peer: () => guarded.chat.completions.create(request),
    peerBare: () => bare.chat.completions.create(request),
    ours: () => ours.invoke(messages),
    bare: () => model.invoke(messages),
  };
}

/** Middleware around an agent. */
function agent(make) {
  return async (library) => {
    const langchain = await import("langchain");
    const { Guardrails } = await library.entry();
    const { guardrailsMiddleware } = await library.entry("./middleware");
    const guardrails = await Guardrails.fromConfig(twoRails, { actions });
    const model = new InstantAgentModel();
    const with_ = (...middleware) => {
      const made = langchain.createAgent({ model, tools: [], middleware });
      return () => made.invoke({ messages });
    };
    return { peer: with_(make(langchain)), ours: with_(guardrailsMiddleware(guardrails)), bare: with_() };
  };
}

const detector = (text) =>
  [...text.matchAll(/forbidden/g)].map(({ index, 0: found }) => ({
    type: "forbidden",
    text: found,
    start: index,
    end: index + found.length,
  }));

const pii = ({ piiMiddleware }) =>
  piiMiddleware("forbidden", { strategy: "block", detector, applyToInput: true, applyToOutput: true });

/** Moderation whose endpoint responds at once. */
const moderation = ({ openAIModerationMiddleware }) => {
  const results = [{ flagged: false, categories: {}, category_scores: {} }];
  const client = { moderations: { create: async () => ({ results }) } };
  const model = { getName: () => "ChatOpenAI", _getClientOptions: () => ({}), client };
  return openAIModerationMiddleware({ model, checkInput: true, checkOutput: true });
};

const shared = {
  unit: "ms",
  module: import.meta.url,
  value: ({ peer, bare, peerBare = bare }) => peer - peerBare,
  ours: ({ ours, bare }) => ours - bare,
};

/** Guards of JavaScript; `row` names the row of the bench whose conditions they share. */
export const rows = [
  {
    ...shared,
    // It neither blocks nor traces, so it is not compared with a row.
    row: "filter-alone",
    name: "openai-keywords",
    peer: "keyword filter of @openai/guardrails",
    conditions: "local, called by itself before and after the model",
    open: keywordFilter,
  },
  {
    ...shared,
    row: "chat-openai",
    name: "openai-client",
    peer: "@openai/guardrails around its client",
    conditions: "local, keyword filters of input and output",
    open: client,
  },
  {
    ...shared,
    row: "middleware",
    name: "pii",
    peer: "piiMiddleware",
    conditions: "local, LangGraph loaded",
    langgraph: true,
    open: agent(pii),
  },
  {
    ...shared,
    row: "middleware",
    name: "moderation",
    peer: "openAIModerationMiddleware",
    conditions: "instant moderation, LangGraph loaded",
    langgraph: true,
    open: agent(moderation),
  },
];
