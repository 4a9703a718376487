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

/** A config that may be made only when it is read. */
export interface ConfigSource {
  readonly runnableConfig: RunnableConfig | undefined;
  /** Those of the config, known without making it. */
  readonly callbacks?: RunnableConfig["callbacks"];
}

/** The second argument of every action. */
export interface ActionContext {
  /** The conversation's events, the last one being the request for this action. */
  readonly events: readonly GuardrailsEvent[];
  /** Context variables; a frozen view, changed only through `contextUpdates` of the result. */
  readonly context: Readonly<Record<string, unknown>>;
  readonly config: RailsSettings;
  readonly tasks: LlmTasks;
  /** The port over the models, for tasks. */
  readonly models: ModelSet;
  /** The main LangChain model, or the one registered as `<action>`; undefined without one. */
  readonly llm: unknown;
  /** All other LangChain models by type. */
  readonly llms: Readonly<Record<string, unknown>>;
  readonly kb: unknown;
  /** Opaque conversation state, for diagnostics. */
  readonly state: unknown;
  readonly signal: AbortSignal;
  /** The child config to hand on to every runnable called: callbacks, tags, metadata, configurable. */
  readonly runnableConfig: RunnableConfig;
  /** For task calls: records the call and counts it against the turn's limit. */
  readonly scope: TaskScope;
  /** Values registered under names (`registerActionParam`). */
  readonly services: Readonly<Record<string, unknown>>;
  /** Pseudonyms of the call; only for rails of the library. */
  readonly [PSEUDONYM_SLOT]?: PseudonymSlot;
  /** Rails on tools; only for actions of the package that are tools. */
  readonly [TOOL_REVIEW]?: ReviewTool;
  /** Messages of the conversation before the rail, as events; only for rails of the library. */
  readonly [PAST_MESSAGES]?: () => readonly GuardrailsEvent[];
  /** What `signal` follows; only for rails of the library. */
  readonly [ABORT_SOURCE]?: AbortSource;
  /** Pictures to look at; only for rails of the library. */
  readonly [IMAGE_SLOT]?: ImageSlot;
  /** Findings in the part of a streamed message that is checked; only for rails of the library. */
  readonly [KNOWN_FINDINGS]?: KnownFindings | undefined;
  /** Adds details to the decision of the rail that is running; ignored outside rails. */
  annotate(details: VerdictDetails): void;
}

/** Returned by an action that does more than yield a value. Made by `actionResult`, recognised by its brand. */
export interface ActionResult {
  readonly returnValue: unknown;
  readonly events: readonly EventDraft[];
  readonly contextUpdates: Readonly<Record<string, unknown>>;
  /** Parameters in the log of the turn, where rails on tools changed or refused them; default: those of the flow. */
  readonly loggedParams?: ActionParameters | undefined;
}

/** Parameters of an action by name. */
export type ActionParameters = Readonly<Record<string, unknown>>;

export type ActionFunction = (params: ActionParameters, context: ActionContext) => unknown;

/** An action, ready to run. */
export interface ActionDefinition {
  readonly kind: "action";
  readonly name: string;
  /** Hidden from prompts and never sent to an action server. */
  readonly system: boolean;
  /** A pure verdict changes nothing, so rails made of it may run concurrently. */
  readonly verdict: boolean;
  /** Stays here even when an action server offers the same name: runnables, which exist only in this process. */
  readonly local?: boolean;
  /** The events of a Colang 2.x session go on while it runs. */
  readonly executeAsync?: boolean;
  /** False where starting it in Colang 2.x takes nothing from other actions. */
  readonly conflicts?: boolean;
  /** A tool of the caller of this name is called instead. */
  readonly yieldsToTools?: boolean;
  /** Declared parameter names in order, for positional arguments. */
  readonly parameters?: readonly string[];
  /** Every parameter that the action takes; absent where that is not known. */
  readonly accepts?: readonly string[];
  /** Checks and completes the parameters; throws with a readable message. */
  readonly validate?: (params: ActionParameters) => ActionParameters;
  readonly run: ActionFunction;
}
