import type { PseudonymTable } from "../actions/pseudonym-table.js";
import { isPromise, type MaybePromise } from "../engine/async.js";
import type { UserInputOptions } from "./values/input-object.js";
import { wordSet } from "./values/message-kinds.js";
import type { CallbackManagerForChainRun } from "@langchain/core/callbacks/manager";
import { patchConfig, type RunnableConfig } from "@langchain/core/runnables";
import type { RailDecision, RailsStage } from "../turn/decision.js";
import { type RailSelection, type TurnOptions, RAIL_SELECTION } from "../turn/options.js";
import { quarantineConfig } from "./callbacks.js";
import type { GuardedConversation } from "../runtime/guarded-conversation.js";
import type { Host } from "./host.js";
import { announceDecisions, withoutQuotes } from "./verdict.js";
import { redactConfig } from "./redaction/redacted-handler.js";
import { checkOptions, type OptionRule, unknownOption } from "../diagnostics/options.js";
import { ConfigError } from "../diagnostics/errors.js";
import { suggest } from "../diagnostics/suggestion.js";
import { createDiagnostic } from "../diagnostics/diagnostic.js";

/** Options of one call of a guardrails runnable. */
export interface GuardrailsCallOptions extends RunnableConfig {
  /** Rails that run in this call: for each stage a boolean or the names of its rails. */
  rails?: RailSelection;
}

type Variables = Readonly<Record<string, unknown>>;

/** Key of the rails' context variables in `configurable`; LangChain drops other keys. */
export const CALL_VARIABLES: unique symbol = Symbol("guardrails.variables");

/**
 * Pseudonyms of a call, kept for the surface that restores them. INVARIANT: restoring happens after the run has ended,
 * so callbacks and traces only ever see pseudonyms.
 */
export class Pseudonymised {
  #call: GuardedCall | undefined;

  /** Notes the call whose result will be restored; a call it opens with other options replaces it. */
  follow(call: GuardedCall): void {
    this.#call = call;
    call.follower = this;
  }

  get table(): PseudonymTable | undefined {
    return this.#call?.pseudonyms;
  }

  /** Reads the pseudonyms of earlier calls on the same conversation. */
  async read(): Promise<void> {
    await this.#call?.conversation.pseudonyms.read();
  }
}

const NO_DECISIONS: readonly RailDecision[] = [];

/** One call of a guardrails runnable, with the guarded conversation that all its stages share. */
export class GuardedCall {
  readonly host: Host;
  /** Config for runs that this package announces: children of its run, with all handlers. */
  readonly announce: RunnableConfig;
  /** Config for everything behind the rails: without streaming consumers. */
  readonly config: RunnableConfig;
  readonly options: TurnOptions;
  /** Restores the result of the call. */
  follower: Pseudonymised | undefined;
  /** Decisions on evidence that passed, for the verdict on the response. */
  retrieved: readonly RailDecision[] = NO_DECISIONS;
  #conversation: GuardedConversation | undefined;

  constructor(host: Host, announce: RunnableConfig, options: TurnOptions & { readonly config: RunnableConfig }) {
    this.host = host;
    this.announce = announce;
    this.config = options.config;
    this.options = options;
  }

  /** Opens a call with the announcing config; a quarantined copy serves everything behind the rails. */
  static open(host: Host, announce: RunnableConfig, rails: RailSelection | undefined): GuardedCall {
    const config = quarantineConfig(announce, host.rawTokens);
    return new GuardedCall(host, announce, rails === undefined ? { config } : { config, rails });
  }

  /**
   * The conversation, opened on first access.
   *
   * @throws InputShapeError if the call selects a rail that the configuration does not list
   */
  get conversation(): GuardedConversation {
    const { runtime, onTurn, tracer } = this.host;
    const options =
      onTurn === undefined ? this.options : { ...this.options, explain: true, log: { internalEvents: true } };
    if (this.#conversation !== undefined) return this.#conversation;
    const conversation = runtime.open(options, {
      redact: withoutQuotes,
      notify: (decisions) => announceDecisions(decisions, this.announce),
      onTurn,
      tracer,
    });
    const { configurable } = this.config as { configurable?: { readonly [CALL_VARIABLES]?: Variables } };
    const variables = configurable?.[CALL_VARIABLES];
    if (variables !== undefined) conversation.assign(variables);
    return (this.#conversation = conversation);
  }

  /** Pseudonyms created by the call's rails. */
  get pseudonyms(): PseudonymTable | undefined {
    return this.#conversation?.pseudonyms.table;
  }

  /** Returns true if the stage has rails that may decide in this call. */
  hasRails(stage: RailsStage): boolean {
    return this.options.rails?.[stage] !== false && this.host.runtime.hasVerdictRails(stage);
  }

  /** Returns a separate call with these options, or with a signal that aborts with its stream's reader. */
  with({ signal, options }: { readonly signal?: AbortSignal; readonly options?: TurnOptions }): GuardedCall {
    const config = signal === undefined ? this.config : { ...this.config, signal };
    const derived = new GuardedCall(this.host, this.announce, { ...this.options, ...options, config });
    this.follower?.follow(derived);
    return derived;
  }

  /** Detaches from the caller's signal. */
  close(): void {
    this.#conversation?.close();
  }
}

/** Closes the call after the work, whether it succeeds or fails. */
export function runAndClose<Result>(call: GuardedCall, work: (call: GuardedCall) => Promise<Result>): Promise<Result>;
export function runAndClose<Result>(
  call: GuardedCall,
  work: (call: GuardedCall) => MaybePromise<Result>,
): MaybePromise<Result>;
export function runAndClose<Result>(
  call: GuardedCall,
  work: (call: GuardedCall) => MaybePromise<Result>,
): MaybePromise<Result> {
  let working: MaybePromise<Result>;
  try {
    working = work(call);
  } catch (error) {
    call.close();
    throw error;
  }
  if (isPromise(working)) return closeAfter(call, working);
  call.close();
  return working;
}

async function closeAfter<Result>(call: GuardedCall, working: Promise<Result>): Promise<Result> {
  try {
    return await working;
  } finally {
    call.close();
  }
}

/** Options for this package's run, with handlers that see no more than the host allows. */
export function traced<Options extends RunnableConfig | undefined>(
  options: Options,
  { redactTraces }: Pick<Host, "redactTraces">,
): Options {
  return redactTraces === true ? (redactConfig(options) as Options) : options;
}

/** Opens the call of a run. */
export function openCall(
  config: GuardrailsCallOptions,
  run: CallbackManagerForChainRun | undefined,
  host: Host,
): GuardedCall {
  checkCallOptions("a call", config);
  // Without a run manager, LangChain has already opened the run.
  const { rails, ...rest } = run === undefined ? traced(config, host) : config;
  return GuardedCall.open(host, patchConfig(rest, run === undefined ? {} : { callbacks: run.getChild() }), rails);
}

/** Rules for the options of every call. */
export const CALL_OPTIONS = { rails: RAIL_SELECTION } as const;

/** Keys that LangChain and LangGraph put on a config. */
const CONFIG_KEYS: ReadonlySet<string> = wordSet(
  "callbacks tags metadata runName runId configurable recursionLimit maxConcurrency timeout signal store",
  "writer context interrupt control executionInfo serverInfo toolCall toolCallId state rails stage promptIndex",
);

/** Options of other functions, which a call would ignore silently. */
const OPTIONS_OF_OTHERS: ReadonlySet<string> = wordSet(
  "onBlocked onError onDecision timeoutMs parallel logger streaming inputKey outputKey contextKey",
  "verdictKey keepContext trustedKeys toolRules unseen log llmParams llmOutput outputVars",
);

/**
 * Rejects misspelt options of a call and options that belong elsewhere. Other keys pass, since LangGraph adds its own
 * to a config.
 *
 * @throws ConfigError `CF-103` with all problems at once
 */
export function checkCallOptions(
  surface: "a call" | "guardrails.check",
  given: object,
  table: Readonly<Record<string, OptionRule>> = CALL_OPTIONS,
): void {
  const problems = Object.keys(given)
    .filter((name) => !CONFIG_KEYS.has(name) && !Object.hasOwn(table, name))
    .filter((name) => OPTIONS_OF_OTHERS.has(name) || suggest(name, Object.keys(table)) !== undefined)
    .map((name) => unknownOption(surface, name, table));
  if (problems.length > 0) throw new ConfigError(problems);
  const { rails } = given as { rails?: unknown };
  if (table === CALL_OPTIONS && rails === undefined) return;
  checkOptions(
    surface,
    Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(table, name))),
    table,
  );
}

/**
 * Rejects trusted keys with a meaning of their own: rails would not read the user's text.
 *
 * @throws ConfigError `CF-104`
 */
export function checkTrustedKeys(surface: string, options: UserInputOptions = {}): void {
  const { trustedKeys = [] } = options;
  const problems = (["inputKey", "contextKey"] as const).flatMap((option) => {
    const key = options[option];
    if (key === undefined || !trustedKeys.includes(key)) return [];
    const message = `expected other keys in the option \`trustedKeys\` of \`${surface}\`, got \`${key}\`, the \`${option}\``;
    const hint = "name only keys that the application fills itself, such as `format_instructions`";
    return [createDiagnostic("CF-104", message, { path: "options.trustedKeys", hint })];
  });
  if (problems.length > 0) throw new ConfigError(problems);
}

/** Throws the input if it is an error: a batch with `returnExceptions` passes errors of one step to the next. */
export function rethrowError(input: unknown): void {
  if (input instanceof Error) throw input;
}
