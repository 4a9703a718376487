// Every public way to pass a text, a call or a document to rails, as one table.
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { RunnableLambda } from "@langchain/core/runnables";
import { tool } from "@langchain/core/tools";
import { MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { createAgent } from "langchain";
import { z } from "zod/v4";
import type { Guardrails } from "langchain-guardrails";
import { guardrailsNode } from "langchain-guardrails/langgraph";
import { guardrailsMiddleware } from "langchain-guardrails/middleware";
import { scriptedModel } from "../../../src/testing/scripted-model.js";
import { drain } from "./real-guardrails.js";

/** The text that every surface passes to its rails. */
export const MARKED = "zanzibar 77";

export type Stage = "input" | "output" | "retrieval" | "tool_output" | "tool_input";

export interface Surface {
  readonly name: string;
  /** The stage whose rails see `MARKED`. */
  readonly stage: Stage;
  readonly run: (guardrails: Guardrails) => Promise<unknown>;
  /** Surfaces that report a verdict and never throw for a block. */
  readonly reports?: boolean;
  /** Text of the result when the rails passed `MARKED`; by default `MARKED`, and `fine` for input. */
  readonly passed?: string;
  /** Text of the result when they blocked it; by default the refusal. */
  readonly refused?: string;
  /** Reply of the configuration's own model. */
  readonly reply?: string;
}

const model = (reply = "fine") => scriptedModel([reply, reply, reply]);
const ask = [new HumanMessage(MARKED)];
const chain = (reply: string) => RunnableLambda.from(() => reply);

const lookUp = (result: string) =>
  tool(() => result, { name: "look_up", description: "d", schema: z.object({ q: z.string() }) });
const call = (q: string) => ({ name: "look_up", args: { q }, id: "c1", type: "tool_call" as const });

const afterCall = (result: string): BaseMessage[] => [
  new HumanMessage("hi"),
  new AIMessage({ content: "", tool_calls: [call("q")] }),
  new ToolMessage({ content: result, tool_call_id: "c1", name: "look_up" }),
];

const agentOf = (guardrails: Guardrails, q: string, result: string) =>
  createAgent({
    model: scriptedModel([new AIMessage({ content: "", tool_calls: [call(q)] }), "fine"]),
    tools: [lookUp(result)],
    middleware: [guardrailsMiddleware(guardrails)],
  });

const nodeOf = (guardrails: Guardrails, stage: "input" | "output") =>
  new StateGraph(MessagesAnnotation)
    .addNode("rails", guardrailsNode(guardrails, stage) as never)
    .addEdge("__start__", "rails")
    .addEdge("rails", "__end__")
    .compile();

export const SURFACES: readonly Surface[] = [
  { name: "wrap(model).invoke", stage: "input", run: (g) => g.wrap(model()).invoke(MARKED) },
  { name: "wrap(model).invoke", stage: "output", run: (g) => g.wrap(model(MARKED)).invoke("hi") },
  { name: "wrap(model).stream", stage: "input", run: async (g) => drain(await g.wrap(model()).stream(MARKED)) },
  { name: "wrap(model).stream", stage: "output", run: async (g) => drain(await g.wrap(model(MARKED)).stream("hi")) },
  { name: "wrap(model).batch", stage: "input", run: (g) => g.wrap(model()).batch([MARKED]) },
  { name: "wrap(chain).invoke", stage: "input", run: (g) => g.wrap(chain("fine")).invoke(MARKED as never) },
  { name: "wrap(chain).invoke", stage: "output", run: (g) => g.wrap(chain(MARKED)).invoke("hi" as never) },
  {
    name: "wrap(chain).stream",
    stage: "output",
    run: async (g) => drain(await g.wrap(chain(MARKED)).stream("hi" as never)),
  },
  { name: "input()", stage: "input", run: (g) => g.input().invoke(MARKED), passed: MARKED },
  { name: "output()", stage: "output", run: (g) => g.output().invoke(MARKED) },
  { name: "output() in a stream", stage: "output", run: async (g) => drain(await g.output().stream(MARKED)) },
  { name: "guardrails.invoke", stage: "input", run: (g) => g.invoke(ask) },
  { name: "guardrails.invoke", stage: "output", run: (g) => g.invoke(new AIMessage(MARKED)) },
  { name: "generate", stage: "input", run: (g) => g.generate(MARKED) },
  { name: "generate", stage: "output", run: async (g) => (await g.generate("hi")).response, reply: MARKED },
  { name: "guardrails.stream", stage: "input", run: async (g) => drain(await g.stream(ask)) },
  {
    name: "guardrails.stream",
    stage: "output",
    run: async (g) => drain(await g.stream([new HumanMessage("hi")])),
    reply: MARKED,
  },
  {
    name: "wrap(model) with a call",
    stage: "tool_output",
    run: (g) => g.wrap(scriptedModel([new AIMessage({ content: "", tool_calls: [call(MARKED)] })])).invoke("hi"),
  },
  {
    name: "wrap(model) after a result",
    stage: "tool_input",
    run: (g) => g.wrap(model()).invoke(afterCall(MARKED)),
    passed: "fine",
  },
  { name: "input() after a result", stage: "tool_input", run: (g) => g.input().invoke(afterCall(MARKED)) },
  {
    name: "middleware",
    stage: "output",
    run: (g) =>
      createAgent({ model: model(MARKED), tools: [], middleware: [guardrailsMiddleware(g)] }).invoke({
        messages: [new HumanMessage("hi")],
      }),
  },
  {
    name: "check",
    stage: "input",
    run: (g) => g.check(MARKED, { stage: "input" }),
    reports: true,
    passed: '"status":"passed"',
    refused: '"status":"blocked"',
  },
  {
    name: "check",
    stage: "output",
    run: (g) => g.check(MARKED, { stage: "output" }),
    reports: true,
    passed: '"status":"passed"',
    refused: '"status":"blocked"',
  },
  {
    name: "branch",
    stage: "input",
    run: (g) => g.branch({ pass: () => "passed", blocked: () => "blocked", stage: "input" }).invoke(MARKED),
    reports: true,
    passed: '"passed"',
    refused: '"blocked"',
  },
  {
    name: "rail()",
    stage: "input",
    run: (g) => g.rail("judge").invoke(MARKED),
    reports: true,
    passed: '"status":"error"',
    refused: '"status":"error"',
  },
  {
    name: "retrieval()",
    stage: "retrieval",
    run: (g) => g.retrieval().invoke([{ pageContent: MARKED, metadata: {} }]),
  },
  {
    name: "tool() arguments",
    stage: "tool_output",
    run: (g) => g.tool(lookUp("fine")).invoke(call(MARKED)),
    passed: "fine",
  },
  { name: "tool() result", stage: "tool_input", run: (g) => g.tool(lookUp(MARKED)).invoke(call("q")) },
  { name: "middleware", stage: "input", run: (g) => agentOf(g, "q", "fine").invoke({ messages: ask }) },
  {
    name: "middleware",
    stage: "tool_output",
    run: (g) => agentOf(g, MARKED, "fine").invoke({ messages: [new HumanMessage("hi")] }),
  },
  {
    name: "middleware",
    stage: "tool_input",
    run: (g) => agentOf(g, "q", MARKED).invoke({ messages: [new HumanMessage("hi")] }),
  },
  { name: "graph node", stage: "input", run: (g) => nodeOf(g, "input").invoke({ messages: ask }), passed: MARKED },
  {
    name: "graph node",
    stage: "output",
    run: (g) => nodeOf(g, "output").invoke({ messages: [new HumanMessage("hi"), new AIMessage(MARKED)] }),
  },
];
