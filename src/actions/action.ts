import type { RunnableConfig } from "@langchain/core/runnables";
import type { RailsSettings } from "../config/settings.js";
import type { EventDraft, GuardrailsEvent } from "../engine/events.js";
import type { ModelSet } from "../llm/model.js";
import type { LlmTasks } from "../llm/task/task.js";
import type { TaskScope } from "../llm/task/call-model.js";
import type { AbortSource } from "../engine/async.js";
import type { ABORT_SOURCE } from "./abort-source.js";
import type { IMAGE_SLOT, ImageSlot } from "./image-slot.js";
import type { PAST_MESSAGES } from "./past-messages.js";
import type { KNOWN_FINDINGS, KnownFindings } from "./known-findings.js";
import type { PSEUDONYM_SLOT, PseudonymSlot } from "./pseudonym-table.js";
import type { ReviewTool, TOOL_REVIEW } from "./tool-review.js";

/** Details of a verdict that a rail's action adds to the `RailDecision`. */
export interface VerdictDetails {
  readonly reason?: string;
  readonly categories?: readonly string[];
  readonly score?: number;
  readonly threshold?: number;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** A config that may be created on demand. */
export interface ConfigSource {
  readonly runnableConfig: RunnableConfig | undefined;
  /** Callbacks of the config, available without creating it. */
  readonly callbacks?: RunnableConfig["callbacks"];
}

/** Runs user code so that runnables find the config without being given it. */
export type RunWithConfig = (source: ConfigSource, run: () => unknown) => unknown;

/** Second argument of every action. */
export interface ActionContext {
  /** Events of the conversation; the last one is the request for this action. */
  readonly events: readonly GuardrailsEvent[];
  /** Context variables: a frozen view, changed only through `contextUpdates` of the result. */
  readonly context: Readonly<Record<string, unknown>>;
  readonly config: RailsSettings;
  readonly tasks: LlmTasks;
  /** Model port, for tasks. */
  readonly models: ModelSet;
  /** The main LangChain model, or the one registered as `<action>`; undefined if there is none. */
  readonly llm: unknown;
  /** All other LangChain models by type. */
  readonly llms: Readonly<Record<string, unknown>>;
  readonly kb: unknown;
  /** Opaque conversation state, for diagnostics. */
  readonly state: unknown;
  readonly signal: AbortSignal;
  /** Child config to pass to every runnable called: callbacks, tags, metadata, configurable. */
  readonly runnableConfig: RunnableConfig;
  /** For task calls: records the call and counts it against the turn's limit. */
  readonly scope: TaskScope;
  /** Values registered by name (`registerActionParam`). */
  readonly services: Readonly<Record<string, unknown>>;
  /** Pseudonyms of the call; only for library rails. */
  readonly [PSEUDONYM_SLOT]?: PseudonymSlot;
  /** Runs the tool rails; only for the package's own actions that are tools. */
  readonly [TOOL_REVIEW]?: ReviewTool;
  /** Messages of the conversation before the rail, as events; only for rails of the library. */
  readonly [PAST_MESSAGES]?: () => readonly GuardrailsEvent[];
  /** Source of the abort that `signal` follows; only for rails of the library. */
  readonly [ABORT_SOURCE]?: AbortSource;
  /** Pictures to look at; only for rails of the library. */
  readonly [IMAGE_SLOT]?: ImageSlot;
  /** Known findings in the checked part of a streamed message; only for library rails. */
  readonly [KNOWN_FINDINGS]?: KnownFindings | undefined;
  /** Adds details to the decision of the running rail; ignored outside rails. */
  annotate(details: VerdictDetails): void;
}

/** Returned by an action that does more than yield a value; created by `actionResult`, recognised by its brand. */
export interface ActionResult {
  readonly returnValue: unknown;
  readonly events: readonly EventDraft[];
  readonly contextUpdates: Readonly<Record<string, unknown>>;
  /** Parameters in the log of the turn, if tool rails changed or refused them. Default: those of the flow. */
  readonly loggedParams?: ActionParameters | undefined;
}

/** Parameters of an action by name. */
export type ActionParameters = Readonly<Record<string, unknown>>;

export type ActionFunction = (params: ActionParameters, context: ActionContext) => unknown;

/** An action, ready to run. */
export interface ActionDefinition {
  readonly kind: "action";
  readonly name: string;
  /** True to hide it from prompts and never send it to an action server. */
  readonly system: boolean;
  /** True for a pure verdict without effects; rails made of such actions may run concurrently. */
  readonly verdict: boolean;
  /** True for actions that only exist in this process, such as runnables, even if an action server offers the name. */
  readonly local?: boolean;
  /** True if events of a Colang 2.x session are processed while it runs. */
  readonly executeAsync?: boolean;
  /** False if starting it in Colang 2.x does not compete with other actions. */
  readonly conflicts?: boolean;
  /** True if a tool of the caller with this name is called instead. */
  readonly yieldsToTools?: boolean;
  /** Declared parameter names in order, for positional arguments. */
  readonly parameters?: readonly string[];
  /** Every parameter that the action accepts; absent if unknown. */
  readonly accepts?: readonly string[];
  /** Validates and completes the parameters; throws with a readable message. */
  readonly validate?: (params: ActionParameters) => ActionParameters;
  readonly run: ActionFunction;
}
