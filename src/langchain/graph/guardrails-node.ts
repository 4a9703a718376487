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
import { closeWork } from "./node-work.js";
import type { GuardrailsMetadata } from "../../turn/decision.js";
import { shapeError } from "../shape-error.js";

/** `type` of the chunks that nodes write to the `custom` stream; they also hold the verdict and the stage. */
export const VERDICT_CHUNK = "guardrails";

const END = "__end__";

type NodeOutput<State, Options> = Options extends { readonly goto: object }
  ? Command<unknown, Partial<State>>
  : Partial<State>;

/**
 * Runs rails as a node of a LangGraph graph. It writes what the rails changed: a refusal, rewritten texts, and a note
 * in place of a blocked message, so that no later node, prompt or checkpoint contains it.
 *
 * - `input` checks all messages since the last response. Continue with `routeOnVerdict` or `goto`.
 * - `output` checks the response. After a node, the response is already in the state and its streams; with `around`, the
 *   node runs inside and none of its output is visible before review.
 * - `retrieval` checks the evidence under `contextKey`, and empties it on a block.
 * - `turn` runs a whole turn: input rails, flows, a response by `around` or the configured model, output rails.
 *
 * Verdicts go to the `custom` stream and, if set, to the channel `verdictKey`.
 *
 * @throws InputShapeError when run on a state without the texts to check
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
  const nodeOptions = (options ?? {}) as unknown as GuardrailsNodeOptions;
  if (stage !== "retrieval" && nodeOptions.inputKey !== undefined && nodeOptions.outputKey === undefined) {
    throw new InputShapeError("expected `outputKey` along with `inputKey`: refusals are written to it");
  }
  if (stage === "input" && nodeOptions.around !== undefined) {
    throw new InputShapeError("expected no `around` for an `input` node; use it with `output` or `turn`");
  }
  return new GuardrailsNode<State, NodeOutput<State, Options>>(hostOf(guardrails), stage, nodeOptions);
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

  /** A node before the model creates pseudonyms and one after it restores them; they share only the graph's thread. */
  protected override get pseudonymUse(): PseudonymUse {
    if (this.#stage === "turn") return "turn";
    return this.#stage === "output" ? "restore" : "keep";
  }

  /** INVARIANT: a tool call keeps its pseudonyms, since the model reads it again together with the result. */
  protected override restored(output: Output, table: PseudonymTable | undefined): Promise<Output> {
    const stays = this.#stage === "output" ? asksForTools : undefined;
    return restoreOutput(output, table, stays) as Promise<Output>;
  }

  protected override async process(state: State, call: GuardedCall): Promise<Output> {
    const options = this.#options;
    const run = { state: state as PlainObject, call, options };
    const { update, verdict, command, others = [] } = await STAGES[this.#stage](run);
    writeToGraph(call.announce, { type: VERDICT_CHUNK, node: this.#stage, ...verdict });
    const { verdictKey, goto } = options;
    const write = verdictKey === undefined ? update : { ...update, [verdictKey]: verdict };
    const innerCommand = isCommand(command) ? command : undefined;
    // INVARIANT: after a block, the guarded node's `goto` is dropped.
    const stop = innerCommand === undefined ? undefined : END;
    const next = verdict.blocked
      ? (goto?.blocked ?? stop)
      : (goto?.passed ?? (innerCommand?.goto as Destination | undefined));
    const output = next === undefined ? write : await makeCommand(write, next, innerCommand);
    // INVARIANT: after a block, nothing else of the guarded node is written.
    const isList = others.length > 0 && !verdict.blocked;
    return (isList ? [output, ...others.map(closeWork)] : output) as Output;
  }
}

/** Route after a verdict. */
export type VerdictRoute = "passed" | "blocked";

/**
 * Routes on the verdict of the last message: after an input node, the refusal or the user's message.
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
    throw shapeError("expected a state with messages that carry verdicts", state, hint);
  }
  return verdictOf(last)?.blocked === true ? "blocked" : "passed";
}

/**
 * Routes on the verdict in a channel, for states without messages and for retrieval nodes.
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
      throw shapeError(`expected a verdict in the channel \`${verdictKey}\``, state, hint);
    }
    return (verdict as unknown as GuardrailsMetadata).blocked ? "blocked" : "passed";
  };
}
