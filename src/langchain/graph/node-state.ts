import type * as LangGraph from "@langchain/langgraph";
import { omitUndefined } from "../../engine/plain-data.js";
import type { GuardrailsMetadata } from "../../turn/decision.js";
import type { OnBlocked } from "../blocked.js";
import type { GuardedCall } from "../call.js";
import { type CommandLike } from "../tools/tool-output.js";
import type { PlainObject } from "../values/message-kinds.js";
import type { RunnableLike } from "@langchain/core/runnables";
import { ON_BLOCKED, type OptionTable } from "../../diagnostics/options.js";
import { GuardrailsError } from "../../diagnostics/errors.js";

/** One run of a node. */
export interface NodeRun {
  readonly state: PlainObject;
  readonly call: GuardedCall;
  readonly options: GuardrailsNodeOptions & { readonly messagesKey: string };
}

/** Writes of a guarded node. */
export interface NodeWork {
  /** Undefined if the node writes nothing. */
  readonly update?: PlainObject;
  /** The command of the node, for its direction. */
  readonly command?: CommandLike | undefined;
  /** The other parts of a list of commands and updates, without the messages that the update has. */
  readonly others?: readonly NodeWork[] | undefined;
}

/** Update of a node, before verdict and route are added. */
export interface NodeWrite {
  readonly update: PlainObject;
  readonly verdict: GuardrailsMetadata;
  /** Command of the guarded node, whose `goto` is kept. */
  readonly command?: object | undefined;
  /** Other parts of a list that the guarded node returned. */
  readonly others?: readonly NodeWork[] | undefined;
}

/** Rails that a node runs; `turn` is a whole guarded turn. */
export type NodeStage = "input" | "output" | "retrieval" | "turn";

/** Names of nodes, or `END`. */
export type Destination = string | readonly string[];

export interface GuardrailsNodeOptions<State extends object = Record<string, unknown>> {
  /** Channel of the messages. Default: `messages`. */
  readonly messagesKey?: string;
  /** Channel of the user's text, for states without messages. */
  readonly inputKey?: string;
  /** Channel of the response, for states without messages. */
  readonly outputKey?: string;
  /** Channel of the evidence. Default: `context`. */
  readonly contextKey?: string;
  /** Keep the evidence of a blocked response. Default: false. */
  readonly keepContext?: boolean;
  /** Channel that receives the verdict. */
  readonly verdictKey?: string;
  /** `turn` only: channel of the dialog, so that the graph's checkpointer stores it. */
  readonly stateKey?: string;
  /**
   * `replace` puts a note in the place of a blocked user message in the state, `remove` removes the message. Default: `replace`,
   * since many models require a user message before each response. Blocked tool results always become a note.
   */
  readonly blockedMessages?: "replace" | "remove";
  /**
   * Node to guard. It runs inside this one, and its update reaches the state and the streams only as the rails left it.
   * `output` and `turn` also take a model, which receives the messages of the state.
   */
  readonly around?: RunnableLike<State, unknown>;
  /** `turn` only: tools of the graph, which Colang 2.x flows call by name. */
  readonly tools?: readonly unknown[];
  /** Nodes to go to after a pass and after a block, with a `Command` instead of edges. */
  readonly goto?: { readonly passed?: Destination; readonly blocked?: Destination };
  /** Effect of a block. Default: `refuse`, which writes the refusal. A function returns the node's update. */
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

/** Makes a command with the update and the destination. LangGraph is loaded only when the first one is made. */
export async function makeCommand(update: object, goto: Destination, like?: CommandLike): Promise<object> {
  const { Command } = await loadLangGraph();
  const { graph } = like ?? {};
  const target = typeof goto === "string" ? goto : [...goto];
  // A node's command cannot resume an interrupt, so LangGraph ignores that field of it.
  const scope = omitUndefined({ graph: typeof graph === "string" ? graph : undefined });
  return new Command({ update: update as Record<string, unknown>, goto: target, ...scope });
}

/** INVARIANT: in a `try` block, so that bundlers accept that the package may be missing. */
async function loadLangGraph(): Promise<typeof LangGraph> {
  try {
    return await import("@langchain/langgraph");
  } catch (cause) {
    const message = "commands need the package `@langchain/langgraph`, which failed to load";
    throw new GuardrailsError(message, { code: "RL-101", cause });
  }
}
