import { violation } from "../blocked.js";
import type { BaseMessage } from "@langchain/core/messages";
import { withLangGraph } from "@langchain/langgraph/zod";
import { any } from "zod/v4";
import { $constructor, $ZodType, type $ZodTypeDef } from "zod/v4/core";
import { type Block, type GuardrailsMetadata, type RailDecision, summarizeDecisions } from "../../turn/decision.js";
import { isObject, roleOf } from "../values/message-kinds.js";
import { messageFingerprint } from "../tools/tool-calls.js";
import { verdictOf } from "../verdict.js";
import type { RunnableConfig } from "@langchain/core/runnables";
import { AsyncLocalStorageProviderSingleton } from "@langchain/core/singletons";
import { type RailSelection, RAIL_SELECTION } from "../../turn/options.js";
import { GuardedCall, openCall, traced } from "../call.js";
import type { Host } from "../host.js";
import { omitUndefined } from "../../engine/plain-data.js";
import { checkOptions, type OptionTable } from "../../diagnostics/options.js";
import { InputShapeError } from "../../diagnostics/errors.js";
import type { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import type { CallbackManager } from "@langchain/core/callbacks/manager";
import { hasHandlers, PARTIAL_METHODS, quarantineConfig, quietHandler, ForwardingHandler } from "../callbacks.js";
import { type AgentTurn, variablesOf } from "./agent-starts.js";
import { type ChannelWrite, writeToChannels } from "../isolation/graph-channels.js";
import { callbacksFor } from "../redaction/redacted-handler.js";

/** The channel that only this middleware reads and writes. Results of the agent lack it; LangGraph's streams of steps show it. */
const STATE_KEY = "_guardrails";

/** Progress of a turn, in a form that every checkpointer can store. */
export interface GuardrailsState {
  /** Fingerprints of the messages of this turn that passed the input rails. */
  readonly passed: readonly string[];
  readonly verdict: GuardrailsMetadata;
  /** Tokens of the reviews of its start, by the names of the guards. */
  readonly starts?: Readonly<Record<string, string>>;
}

/** Decisions on tool results that no model reads afterwards. */
interface LaterDecisions {
  readonly later: readonly RailDecision[];
}

/**
 * Guards that reviewed the start of a turn, by its progress. INVARIANT: progress that comes from a checkpoint or from another
 * agent is not in it, so that turn is reviewed again.
 */
const reviewers = new WeakMap<GuardrailsState, ReadonlySet<AgentGuard>>();

/** Notes that a guard has reviewed the start of the turn. */
export function noteStart(guard: AgentGuard, guardState: GuardrailsState): void {
  reviewers.set(guardState, new Set([guard]));
}

export function hasStarted(guard: AgentGuard, guardState: GuardrailsState | undefined): boolean {
  return guardState !== undefined && reviewers.get(guardState)?.has(guard) === true;
}

/** The progress of the same turn with another verdict. */
export function withTurnVerdict(guardState: GuardrailsState, verdict: GuardrailsMetadata): GuardrailsState {
  const after = { ...guardState, verdict };
  const guards = reviewers.get(guardState);
  if (guards !== undefined) reviewers.set(after, guards);
  return after;
}

/** Merges concurrent writes: tools that run in parallel, or two guards of one agent, write in the same step. */
function reduceState(
  earlier: unknown,
  update: GuardrailsState | LaterDecisions | undefined,
): GuardrailsState | undefined {
  const before = readState(earlier);
  const guardState = readState(update);
  if (guardState !== undefined) return withStartsOf(before, guardState);
  const later = isObject(update) ? update["later"] : undefined;
  if (before === undefined || !Array.isArray(later)) return before;
  const decisions = [...before.verdict.decisions, ...(later as RailDecision[])];
  return withTurnVerdict(before, { ...summarizeDecisions(decisions, false), blocked: before.verdict.blocked });
}

/** The progress that one guard writes, with that of other guards in the same run: each reviews the start of a turn once. */
function withStartsOf(before: GuardrailsState | undefined, update: GuardrailsState): GuardrailsState {
  const earlier = before === undefined ? undefined : reviewers.get(before);
  const reviewer = reviewers.get(update);
  if (before === undefined || earlier === undefined || reviewer === undefined) return update;
  if ([...earlier].every((guard) => reviewer.has(guard))) return update;
  const joined = {
    ...update,
    passed: [...new Set([...before.passed, ...update.passed])],
    starts: { ...before.starts, ...update.starts },
  };
  reviewers.set(joined, new Set([...earlier, ...reviewer]));
  return joined;
}

/** An object schema of one field: agents copy the schema twice in each call, and this class is copied in a third of the time. */
const StateSchema = $constructor("AgentStateSchema", (schema: $ZodType, def: $ZodTypeDef) => {
  $ZodType.init(schema, def);
  schema._zod.parse = (payload) => {
    const payloadValue = payload.value;
    if (!isObject(payloadValue))
      payload.issues.push({ code: "invalid_type", expected: "object", input: payloadValue, inst: schema });
    else payload.value = payloadValue[STATE_KEY] === undefined ? {} : { [STATE_KEY]: payloadValue[STATE_KEY] };
    return payload;
  };
});

const STATE_SHAPE = { [STATE_KEY]: withLangGraph(any().optional(), { reducer: { fn: reduceState as never } }) };

export const agentStateSchema = new StateSchema({ type: "object", shape: STATE_SHAPE } as $ZodTypeDef);

/**
 * Writes to the channel of this middleware from inside a node, and messages that replace others. An update returned by a
 * hook would write all messages again, and a later hook would cost the agent a step.
 *
 * @returns false if the node cannot write this way
 */
export function writeState(
  update: GuardrailsState | LaterDecisions,
  messages: readonly BaseMessage[] = NO_MESSAGES,
): boolean {
  const stateWrite: ChannelWrite = [STATE_KEY, update];
  return writeToChannels(nodeConfig(), messages.length === 0 ? [stateWrite] : [["messages", messages], stateWrite]);
}

const NO_MESSAGES: readonly BaseMessage[] = [];

/** Returns a state, or an update of one, with this progress. */
export function withState<Update extends object>(guardState: GuardrailsState, update: Update): Update {
  return Object.assign(update, { [STATE_KEY]: guardState });
}

/** The turn of a hook, by its state and its runtime. */
export function turnOf(state: object, runtime: AgentRuntime | undefined): AgentTurn {
  const guardState = stateOf(state);
  const { messages = NO_MESSAGES } = state as { readonly messages?: readonly BaseMessage[] };
  const isOfRun = guardState !== undefined && reviewers.has(guardState);
  return { own: guardState, isOfRun, messages, thread: runtime?.configurable?.["thread_id"] };
}

export function stateOf(state: object): GuardrailsState | undefined {
  return readState((state as Readonly<Record<string, unknown>>)[STATE_KEY]);
}

/** INVARIANT: clients can write anything to the channel. */
function readState(stored: unknown): GuardrailsState | undefined {
  if (!isObject(stored) || !Array.isArray(stored["passed"]) || !isObject(stored["verdict"])) return undefined;
  return Array.isArray(stored["verdict"]["decisions"]) ? (stored as unknown as GuardrailsState) : undefined;
}

/** All decisions of the turn so far: at its start and on every later message. */
export function turnVerdict(messages: readonly BaseMessage[], state: GuardrailsState): GuardrailsMetadata {
  // Assistant messages never pass input rails.
  const start = messages.findLastIndex(
    (message) => roleOf(message) !== "assistant" && state.passed.includes(messageFingerprint(message)),
  );
  const later = messages.slice(start + 1).flatMap((message) => verdictOf(message)?.decisions ?? []);
  const { blocked } = verdictOf(messages.at(-1) as BaseMessage) ?? { blocked: false };
  const decisions = [...state.verdict.decisions, ...later];
  return { ...summarizeDecisions(decisions, false), blocked };
}

/** Runtime that the hooks of a middleware receive with the state. */
export interface AgentRuntime {
  readonly signal?: AbortSignal | undefined;
  readonly configurable?: Record<string, unknown> | undefined;
  readonly writer?: ((chunk: unknown) => void) | undefined;
}

/** Config of the running agent node, read from LangGraph's async context because hooks do not receive it. */
function nodeConfig(): RunnableConfig | undefined {
  return AsyncLocalStorageProviderSingleton.getRunnableConfig() as RunnableConfig | undefined;
}

/**
 * Opens the guarded call of a hook; the caller closes it. Hooks of one agent run share variables that input rails have set.
 */
export function openAgentCall(guard: AgentGuard, runtime: AgentRuntime | undefined, state?: object): GuardedCall {
  const call = openNodeCall(guard.host, guard.rails, runtime);
  const variables = state === undefined ? undefined : variablesOf(guard, turnOf(state, runtime));
  if (variables !== undefined) call.conversation.assign(variables);
  return call;
}

function openNodeCall(host: Host, rails: RailSelection, runtime: AgentRuntime | undefined): GuardedCall {
  const { signal, configurable } = runtime ?? {};
  const node = traced(nodeConfig(), host);
  if (node === undefined) return openCall({ ...omitUndefined({ signal, configurable }), rails }, undefined, host);
  // LangGraph has already completed the config.
  const { runId: _id, runName: _name, ...config } = node;
  if (config.signal === undefined && signal !== undefined) config.signal = signal;
  if (config.configurable === undefined && configurable !== undefined) config.configurable = configurable;
  return GuardedCall.open(host, config, rails);
}

/**
 * The block, with the refusal text set in the options of the middleware.
 *
 * @throws GuardrailViolationError with `onBlocked: "throw"`
 */
export function shownBlock({ onBlocked }: AgentGuard, block: Block, refusal: string | undefined): Block {
  const shown = { ...block, refusal: refusal ?? block.refusal };
  if (onBlocked === "throw") throw violation(shown);
  return shown;
}

/** Writes a verdict to the graph's `custom` stream, if it has one. */
export function writeVerdict(runtime: AgentRuntime | undefined, verdict: GuardrailsMetadata): void {
  if (verdict.decisions.length > 0) runtime?.writer?.({ type: "guardrails", ...verdict });
}

/** Options of the middleware. Those that NeMo Guardrails has keep its names. */
export interface GuardrailsMiddlewareOptions {
  /** Name of the middleware. Names within one agent must differ. */
  readonly name?: string;
  /**
   * Hook that runs the input rails. In `beforeAgent`, only the same hook of middleware listed before sees a message first. In
   * `wrapModelCall`, the middleware takes half as long, but `beforeAgent` and `beforeModel` of other middleware, and
   * `wrapModelCall` of those listed before, see messages that no rail has read: choose it for an agent whose other middleware
   * has none of them. Default: `beforeAgent`.
   */
  readonly inputHook?: "beforeAgent" | "wrapModelCall";
  /** Check user messages once per turn, and results of tools without rails of their own. Default: true. */
  readonly enableInputRails?: boolean;
  /** Check responses of the model. Default: true. */
  readonly enableOutputRails?: boolean;
  /** Check tool calls and their results. Default: true. */
  readonly enableToolRails?: boolean;
  /** Replaces the refusal of an input rail. */
  readonly blockedInputMessage?: string;
  /** Replaces the refusal of an output rail. */
  readonly blockedOutputMessage?: string;
  /** Replaces the refusal of a tool rail, which the model reads. */
  readonly blockedToolMessage?: string;
  /** Effect of a block: `refuse` ends with the refusal, `throw` with a `GuardrailViolationError`. Default: `refuse`. */
  readonly onBlocked?: "refuse" | "throw";
  /** `true` means `onBlocked: "throw"`; the name in NeMo Guardrails. */
  readonly raiseOnViolation?: boolean;
  /** Rails that run: for each stage a boolean or the names of its rails. */
  readonly rails?: RailSelection;
}

const OPTIONS: OptionTable<GuardrailsMiddlewareOptions> = {
  name: "text",
  inputHook: { oneOf: ["beforeAgent", "wrapModelCall"] },
  enableInputRails: "boolean",
  enableOutputRails: "boolean",
  enableToolRails: "boolean",
  blockedInputMessage: "text",
  blockedOutputMessage: "text",
  blockedToolMessage: "text",
  onBlocked: { oneOf: ["refuse", "throw"] },
  raiseOnViolation: "boolean",
  rails: RAIL_SELECTION,
};

/** A guardrails object with the options of a middleware. */
export interface AgentGuard extends GuardrailsMiddlewareOptions {
  readonly host: Host;
  readonly name: string;
  readonly onBlocked: "refuse" | "throw";
  readonly rails: RailSelection;
}

/** @throws InputShapeError if `onBlocked` and `raiseOnViolation` contradict each other */
export function readOptions(host: Host, options: GuardrailsMiddlewareOptions): AgentGuard {
  checkOptions("guardrailsMiddleware", options, OPTIONS);
  const { raiseOnViolation, onBlocked = raiseOnViolation === true ? "throw" : "refuse" } = options;
  if (raiseOnViolation !== undefined && raiseOnViolation !== (onBlocked === "throw")) {
    throw new InputShapeError("expected either `raiseOnViolation` or `onBlocked`, got both");
  }
  return {
    ...options,
    host,
    name: options.name ?? "GuardrailsMiddleware",
    onBlocked,
    rails: {
      ...options.rails,
      ...(options.enableInputRails === false ? { input: false } : {}),
      ...(options.enableOutputRails === false ? { output: false } : {}),
      ...(options.enableToolRails === false ? { execution: false } : {}),
    },
  };
}

/**
 * INVARIANT: inner middleware may call a model of its own, and a tool's run ends before its result is reviewed. While
 * either runs, the node's handlers see no tokens and no such end, only released output. The config belongs to this
 * node: LangGraph creates one per node run.
 *
 * @returns handlers that receive reviewed output instead of the node's own, and a manager that notifies only stream
 *   consumers of runs whose end was reviewed
 */
export function quarantineNode(host: Host) {
  const config = nodeConfig() as (RunnableConfig & Record<string, unknown>) | undefined;
  if (config === undefined) return { handlers: [], restore: () => undefined };
  const before = partsOf(config);
  const quiet = quarantineConfig(config, host.rawTokens);
  const { callbacks } = config;
  const shown = callbacks === undefined ? undefined : callbacksFor(host, quiet.callbacks ?? []);
  const restore = (): void => assignShown(config, before);
  assignShown(config, { callbacks: shown, configurable: quiet.configurable, writer: (quiet as ShownParts).writer });
  if (!hasHandlers(callbacks) || shown === callbacks || host.rawTokens === "allow") return { handlers: [], restore };
  if (Array.isArray(callbacks)) return { handlers: releasedHandlers(callbacks as BaseCallbackHandler[]), restore };
  const all = callbacks as CallbackManager;
  const manager = all.copy();
  manager.handlers = all.handlers.filter((handler) => quietHandler(handler) === undefined);
  manager.inheritableHandlers = [];
  return { handlers: releasedHandlers(all.handlers), manager, restore };
}

/** Parts of a node's config that make its output visible. */
const SHOWN_PARTS = ["callbacks", "configurable", "writer"] as const;

type ShownParts = { readonly [Part in (typeof SHOWN_PARTS)[number]]?: unknown };

function partsOf({ callbacks, configurable, writer }: ShownParts): ShownParts {
  return { callbacks, configurable, writer };
}

function assignShown(config: Record<string, unknown>, from: ShownParts): void {
  for (const part of SHOWN_PARTS) if (config[part] !== from[part]) config[part] = from[part];
}

/** Handlers for the output held back: stream consumers unchanged; of other token handlers only the token callbacks. */
function releasedHandlers(handlers: readonly BaseCallbackHandler[]): BaseCallbackHandler[] {
  return handlers.flatMap((handler) => {
    const quiet = quietHandler(handler);
    if (quiet === undefined) return [handler];
    if (quiet === handler) return [];
    const { awaitHandlers: _awaitHandler } = handler;
    const traits = { ignoreChain: true, ignoreAgent: true, ignoreRetriever: true, _awaitHandler };
    return [new ForwardingHandler(handler, PARTIAL_METHODS, traits)];
  });
}
