import { isCommand } from "../tools/tool-output.js";
import type { Command } from "@langchain/langgraph";
import type { Runnable } from "@langchain/core/runnables";
import type { GuardedCall, GuardrailsCallOptions } from "../call.js";
import type { Guardrails } from "../guardrails.js";
import { type Host, hostOf } from "../host.js";
import { asksForTools, type PlainObject, isMessage, isObject } from "../values/message-kinds.js";
import { GuardrailsStep, type PseudonymUse } from "../step.js";
import type { PseudonymTable } from "../../actions/pseudonym-table.js";
import { restoreOutput } from "../tools/restored-output.js";
import { writeToGraph, verdictOf } from "../verdict.js";
import { InputShapeError } from "../../diagnostics/errors.js";
import {
  makeCommand,
  type Destination,
  type GuardrailsNodeOptions,
  NODE_OPTIONS,
  NODE_STAGES,
  type NodeStage,
  type NodeRun,
} from "./node-state.js";
import { checkOptions } from "../../diagnostics/options.js";
import { STAGES } from "./node-stages.js";
import type { GuardrailsMetadata } from "../../turn/decision.js";
import { shapeError } from "../shape-error.js";

/** The `type` of the chunks that nodes write to the `custom` stream; the rest is the verdict and the stage. */
export const VERDICT_CHUNK = "guardrails";

const END = "__end__";

type NodeOutput<State, Options> = Options extends { readonly goto: object }
  ? Command<unknown, Partial<State>>
  : Partial<State>;

/**
 * Rails as a node of a LangGraph graph. It writes what the rails changed: a refusal, texts that were rewritten, and for a
 * message that was blocked a note in its place, so that no later node, prompt or checkpoint reads it.
 *
 * - `input` looks at all messages since the last answer. Route on with `routeOnVerdict`, or with `goto`.
 * - `output` looks at the answer. Behind a node the answer is in the state and its streams already; with `around` the node
 *   runs inside and nothing of it is seen before it was reviewed.
 * - `retrieval` looks at the evidence under `contextKey`, and leaves it empty when it is blocked.
 * - `turn` is a whole turn: input rails, flows, an answer of `around` or of the configuration's model, output rails.
 *
 * Verdicts go to the `custom` stream, and to the channel `verdictKey` if there is one.
 *
 * @throws InputShapeError when run on a state in which the texts to check cannot be found
 *
 * @example
 * ```ts
 * const graph = new StateGraph(MessagesAnnotation)
 *   .addNode("guard", guardrailsNode(guardrails, "input"))
 *   .addNode("agent", guardrailsNode(guardrails, "output", { around: agentNode }))
 *   .addEdge(START, "guard")
 *   .addConditionalEdges("guard", routeOnVerdict, { passed: "agent", blocked: END })
 *   .compile();
 * ```
 */
export function guardrailsNode<
  State extends object,
  const Options extends GuardrailsNodeOptions<State> = GuardrailsNodeOptions<State>,
>(
  guardrails: Guardrails,
  stage: NodeStage,
  options?: Options,
): Runnable<State, NodeOutput<State, Options>, GuardrailsCallOptions> {
  checkOptions("guardrailsNode", options, NODE_OPTIONS);
  checkOptions("guardrailsNode", { stage }, { stage: { oneOf: NODE_STAGES } });
  const given = (options ?? {}) as unknown as GuardrailsNodeOptions;
  if (stage !== "retrieval" && given.inputKey !== undefined && given.outputKey === undefined) {
    throw new InputShapeError("a node with `inputKey` needs an `outputKey` too: it says where a refusal goes");
  }
  if (stage === "input" && given.around !== undefined) {
    throw new InputShapeError("an input node stands before the node it guards; `around` is for `output` and `turn`");
  }
  return new GuardrailsNode<State, NodeOutput<State, Options>>(hostOf(guardrails), stage, given);
}

class GuardrailsNode<State, Output> extends GuardrailsStep<State, Output> {
  static override lc_name(): string {
    return "GuardrailsNode";
  }

  override lc_namespace = ["langchain_guardrails", "graph"];
  readonly #stage: NodeStage;
  readonly #options: NodeRun["options"];

  constructor(host: Host, stage: NodeStage, options: GuardrailsNodeOptions) {
    super(host, `guardrails:${stage}`);
    this.#stage = stage;
    this.#options = { ...options, messagesKey: options.messagesKey ?? "messages" };
  }

  /** A node before the model gives pseudonyms, one behind it restores them; the thread of the graph is all that they share. */
  protected override get pseudonymUse(): PseudonymUse {
    if (this.#stage === "turn") return "turn";
    return this.#stage === "output" ? "restore" : "keep";
  }

  /** INVARIANT: a call of a tool keeps its pseudonyms, since the model reads it again when it has the result. */
  protected override restored(output: Output, table: PseudonymTable | undefined): Promise<Output> {
    const stays = this.#stage === "output" ? asksForTools : undefined;
    return restoreOutput(output, table, stays) as Promise<Output>;
  }

  protected override async process(state: State, call: GuardedCall): Promise<Output> {
    const options = this.#options;
    const run = { state: state as PlainObject, call, options };
    const { update, verdict, command } = await STAGES[this.#stage](run);
    writeToGraph(call.announce, { type: VERDICT_CHUNK, node: this.#stage, ...verdict });
    const { verdictKey, goto } = options;
    const write = verdictKey === undefined ? update : { ...update, [verdictKey]: verdict };
    const given = isCommand(command) ? command : undefined;
    // INVARIANT: what was blocked leads nowhere the guarded node wanted to go.
    const stop = given === undefined ? undefined : END;
    const next = verdict.blocked ? (goto?.blocked ?? stop) : (goto?.passed ?? (given?.goto as Destination | undefined));
    return (next === undefined ? write : await makeCommand(write, next, given)) as Output;
  }
}

/** Direction after a verdict. */
export type VerdictRoute = "passed" | "blocked";

/**
 * A conditional edge by the verdict on the last message: behind an input node that is the refusal, or the user's message.
 *
 * @throws InputShapeError for a state without messages
 *
 * @example
 * ```ts
 * graph.addConditionalEdges("guard", routeOnVerdict, { passed: "agent", blocked: END });
 * ```
 */
export function routeOnVerdict(state: { readonly messages?: unknown }): VerdictRoute {
  const { messages } = state;
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  if (!isMessage(last)) {
    const hint = "give the node a `verdictKey` and route with `routeOnVerdictIn(verdictKey)`";
    throw shapeError("this state has no messages to read a verdict from", state, hint);
  }
  return verdictOf(last)?.blocked === true ? "blocked" : "passed";
}

/**
 * A conditional edge by the verdict in a channel, for states without messages and for retrieval nodes.
 *
 * @example
 * ```ts
 * graph.addConditionalEdges("retrieve", routeOnVerdictIn("verdict"), { passed: "answer", blocked: END });
 * ```
 */
export function routeOnVerdictIn(verdictKey: string): (state: object) => VerdictRoute {
  return (state) => {
    const verdict: unknown = (state as Readonly<Record<string, unknown>>)[verdictKey];
    if (!isObject(verdict) || typeof verdict["blocked"] !== "boolean") {
      const hint = "run the node before it with this `verdictKey`, and declare the channel";
      throw shapeError(`there is no verdict in the channel \`${verdictKey}\``, state, hint);
    }
    return (verdict as unknown as GuardrailsMetadata).blocked ? "blocked" : "passed";
  };
}
