// node bench/peers/latency.mjs [--scale 0.2] [--repeats 3] [--json FILE]: the waiting times of ../latency.mjs for other
// guards around the same models. Rows are compared with the bare agent or the bare client that they wrap.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { HumanMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, openAIModerationMiddleware, piiMiddleware } from "langchain";
import { measureWirings, printLatency } from "../latency-run.mjs";
import { FORBIDDEN, pacedServer } from "../paced-server.mjs";
import { importPeer, installPeers } from "./packages.mjs";

installPeers();
const { GuardrailsOpenAI } = await importPeer("@openai/guardrails");
const { OpenAI } = await importPeer("openai");

const { values } = parseArgs({
  options: {
    scale: { type: "string", default: "1" },
    repeats: { type: "string", default: "3" },
    json: { type: "string" },
  },
});
const options = { repeats: Number(values.repeats) };
const server = await pacedServer({ scale: Number(values.scale) });
const connection = { apiKey: "none", maxRetries: 0, baseURL: server.url };

/** The texts that a user of an agent sees, as LangGraph streams messages. */
async function* agentTexts(agent, question) {
  const stream = await agent.stream({ messages: [new HumanMessage(question)] }, { streamMode: "messages" });
  for await (const [message] of stream) if (message.getType() === "ai") yield message.text;
}

async function* clientTexts(client, question) {
  const messages = [{ role: "user", content: question }];
  const stream = await client.chat.completions.create({ model: "main", messages, stream: true });
  for await (const chunk of stream) yield (chunk.llmResponse ?? chunk).choices?.[0]?.delta?.content ?? "";
}

const model = new ChatOpenAI({
  model: "main",
  apiKey: "none",
  maxRetries: 0,
  configuration: { baseURL: server.url },
});
const agent = (...middleware) => {
  const made = createAgent({ model, tools: [], middleware });
  return (question) => agentTexts(made, question);
};
const moderation = (exitBehavior) =>
  openAIModerationMiddleware({ model, checkInput: true, checkOutput: true, exitBehavior });
const detector = (text) =>
  [...text.matchAll(new RegExp(FORBIDDEN, "g"))].map(({ index, 0: found }) => ({
    type: "forbidden",
    text: found,
    start: index,
    end: index + found.length,
  }));
const pii = (strategy) => piiMiddleware("forbidden", { strategy, detector, applyToInput: true, applyToOutput: true });
const agents = [
  { name: "bare agent", stream: agent() },
  { name: "openAIModerationMiddleware, end", stream: agent(moderation("end")) },
  { name: "openAIModerationMiddleware, replace", stream: agent(moderation("replace")) },
  { name: "piiMiddleware, redact", stream: agent(pii("redact")) },
  { name: "piiMiddleware, block", stream: agent(pii("block")) },
];

const check = { name: "Moderation", config: { categories: ["violence"] } };
const stage = { version: 1, guardrails: [check] };
const openAI = async (pipeline) => {
  const client = await GuardrailsOpenAI.create({ version: 1, ...pipeline }, connection);
  return (question) => clientTexts(client, question);
};
const bareClient = new OpenAI(connection);
const clients = [
  { name: "bare client", stream: (question) => clientTexts(bareClient, question) },
  { name: "@openai/guardrails, input", stream: await openAI({ input: stage }) },
  { name: "@openai/guardrails, input and output", stream: await openAI({ input: stage, output: stage }) },
];

const agentRows = await measureWirings(server, agents, options);
printLatency(`LangChain's own middleware around an agent, scale ${values.scale}`, agentRows);
const clientRows = await measureWirings(server, clients, options);
printLatency(`@openai/guardrails around its client, scale ${values.scale}`, clientRows);
await server.close();
if (values.json) {
  const report = { scale: Number(values.scale), rows: [...agentRows, ...clientRows] };
  writeFileSync(values.json, `${JSON.stringify(report, undefined, 2)}\n`);
}
