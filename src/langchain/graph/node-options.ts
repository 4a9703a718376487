import type { RunnableLike } from "@langchain/core/runnables";
import { ON_BLOCKED, type OptionTable } from "../../diagnostics/options.js";
import type { OnBlocked } from "../call.js";

/** Which rails a node runs; `turn` is a whole guarded turn. */
export type NodeStage = "input" | "output" | "retrieval" | "turn";

/** Names of nodes, or `END`. */
export type Destination = string | readonly string[];

export interface GuardrailsNodeOptions<State extends object = Record<string, unknown>> {
  /** The channel of the messages; `messages` unless told. */
  readonly messagesKey?: string;
  /** The channel of the user's text, for states without messages. */
  readonly inputKey?: string;
  /** The channel of the answer, for states without messages. */
  readonly outputKey?: string;
  /** The channel of the evidence; `context` unless told. */
  readonly contextKey?: string;
  /** Leave the evidence of a blocked answer. Off by default. */
  readonly keepContext?: boolean;
  /** A channel that gets the verdict. */
  readonly verdictKey?: string;
  /** `turn` only: the channel that carries the dialog, so that the graph's checkpointer keeps it. */
  readonly stateKey?: string;
  /**
   * What a blocked message of the user becomes in the state: a note in its place, or nothing. A note unless told, since
   * many models want every answer to stand behind a message. Tools' results always become a note: their calls wait for them.
   */
  readonly blockedMessages?: "replace" | "remove";
  /**
   * The node whose work is guarded: it runs inside this one, and its update reaches the state and the streams only as the
   * rails left it. `output` and `turn` also take a model, which gets the messages
   * of the state; `retrieval` takes a node.
   */
  readonly around?: RunnableLike<State, unknown>;
  /** `turn` only: the tools of the graph. Flows of Colang 2.x ask for them by their names. */
  readonly tools?: readonly unknown[];
  /** Go on with a `Command` instead of edges. */
  readonly goto?: { readonly passed?: Destination; readonly blocked?: Destination };
  /** What a block does; a node writes the refusal unless told otherwise. What a function returns is the node's update. */
  readonly onBlocked?: OnBlocked;
}

export const NODE_OPTIONS: OptionTable<GuardrailsNodeOptions> = {
  messagesKey: "text",
  inputKey: "text",
  outputKey: "text",
  contextKey: "text",
  keepContext: "boolean",
  verdictKey: "text",
  stateKey: "text",
  blockedMessages: { oneOf: ["replace", "remove"] },
  around: "any",
  tools: "object",
  goto: "object",
  onBlocked: ON_BLOCKED,
};

export const NODE_STAGES = ["input", "output", "retrieval", "turn"] as const satisfies readonly NodeStage[];
