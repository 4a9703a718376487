import type { ActionFunction } from "../actions/action.js";
import type { DiagnosticCode } from "../diagnostics/codes.js";
import type { RailsSettings } from "../config/settings.js";
import type { Detector } from "../detectors/detector.js";
import type { Finding } from "../detectors/finding.js";
import type { FlowReferenceParameter } from "../engine/flow-reference.js";
import type { Logger } from "../diagnostics/logger.js";
import type { MaybePromise } from "../engine/async.js";

/** Stage of a flow. `tool_output` has the rails on tool calls, `tool_input` those on tool results. */
export type RailFlowStage = "input" | "output" | "retrieval" | "dialog" | "tool_output" | "tool_input";

/** The action behind a flow whose Colang is written from the manifest. */
export interface FlowAction {
  /**
   * Name of the action. A rewriting flow assigns the result of the action to the text; any other flow blocks if the result is true.
   */
  readonly action: string;
  /**
   * True if the action returns `{ blocked, text }`: the flow blocks, or replaces the checked text by `text`. Default: false.
   */
  readonly blocks?: true;
  /**
   * Refusals and events by the kind of block. The action returns `{ blocked, case }`; for a case that is missing here, the flow
   * uses its own refusal and event. Default: none.
   */
  readonly cases?: Readonly<Record<string, Pick<FlowAction, "refusal" | "exception">>>;
  /** Further arguments of the action, in addition to `source` and `variant`; default: none. */
  readonly arguments?: Readonly<Record<string, string>>;
  /** Further parameters of the flow that it passes to the action, in addition to `variant`; default: none. */
  readonly parameters?: readonly string[];
  /**
   * Context variables that the flow sets, each with the field of the action's result that it receives. Such a flow blocks unless
   * the field `allowed` of the result is true.
   */
  readonly sets?: Readonly<Record<string, string>>;
  /**
   * Context variable that requests the rail for one message. The rail also runs if the checked value comes with evidence;
   * otherwise it does nothing. Default: the rail always runs.
   */
  readonly onRequest?: string;
  /** Bot message of a block; default: `refuse to respond`. */
  readonly refusal?: string;
  /** Names of rules for the built-in refusal to list, by type of finding; default: the refusal lists none. */
  readonly listed?: Readonly<Record<string, string>>;
  /** Type of the event that replaces the refusal if `enable_rails_exceptions` is set. */
  readonly exception?: string;
}

/** A flow that a configuration can list under `rails.<stage>.flows`; a dialog flow is started by events instead. */
export interface RailFlow {
  /** Name in a list of the configuration, without parameters. */
  readonly name: string;
  readonly stage: RailFlowStage;
  /** Smallest part of a streamed message that the output rail can check; default: `window`. */
  readonly stream?: "window" | "word" | "line" | "findings" | "answer";
  /** True if the flow rewrites the text; default: false. */
  readonly rewrites?: boolean;
  /** True if the flow replaces values by pseudonyms, which responses to the user get back as values; default: false. */
  readonly isReversible?: boolean;
  /** True if the flow compares a text with evidence; without evidence it does nothing. Default: false. */
  readonly needsEvidence?: boolean;
  /** True if the flow also checks pictures, provided that its model or service reads them; default: false. */
  readonly readsImages?: boolean;
  /** Action from which the flow is generated in both dialects; absent if the folder of the rail contains the flow as a file. */
  readonly runs?: FlowAction;
}

/** Requirements of a rail, checked when a configuration is loaded. */
interface RailNeeds {
  /** Tasks of the rail's model calls; a prompt of the configuration replaces the built-in one. Default: none. */
  readonly tasks?: readonly string[];
  /** Type of the model that the rail calls; a reference can name another one with `$model=type`. Default: the model of the task. */
  readonly modelType?: string;
  /** Types of models that the rail prefers to the main model if the configuration has them; default: none. */
  readonly preferredModels?: readonly string[];
  /** True if the rail calls the main model, even if its tasks have a model of their own; default: false. */
  readonly mainModel?: boolean;
  /** Environment variables that the rail reads; default: none. */
  readonly environment?: readonly string[];
}

/** Description of an action, available without loading its code. */
interface RailAction {
  readonly name: string;
  /** Names of its parameters, in the order of positional arguments; default: none. */
  readonly parameters?: readonly string[];
  /** True if the action only returns a verdict and has no other effect, like `verdict` of `defineAction`; default: true. */
  readonly verdict?: boolean;
}

/** Settings of a rail in `rails.config`, with defaults filled in. */
export type RailSettings = Readonly<Record<string, unknown>>;

/** Code of a rail, loaded when a configuration lists one of its flows or when one of its actions first runs. */
export interface RailCode {
  /** Actions by name: exactly those of the manifest. */
  readonly actions: Readonly<Record<string, ActionFunction>>;
  /**
   * Converts the settings of the rail for its actions, once for each configuration. Actions read the result with `railPart`. If a
   * problem is reported, the configuration does not load.
   */
  prepare?(settings: RailSettings, tools: PrepareTools): MaybePromise<unknown>;
}

/** A setting that is not valid. */
export interface SettingProblem {
  /** Keys below the settings of the rail. */
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly hint?: string | undefined;
  /** Code of the diagnostic; default: `CF-104`. */
  readonly code?: DiagnosticCode;
}

/** A flow of a rail as a configuration lists it. */
export interface ListedFlow {
  readonly name: string;
  readonly stage: RailFlowStage;
  /** Parameters of the reference, such as `$variant=strict`. */
  readonly parameters: readonly FlowReferenceParameter[];
}

/** Inputs and callbacks of `prepare`. */
export interface PrepareTools {
  /** All settings of the configuration. */
  readonly config: RailsSettings;
  /** Values that the application registered for actions, by name. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Name of the rail's settings below `rails.config`. */
  readonly section: string;
  /** The flows of the rail that the configuration lists. */
  readonly listed: readonly ListedFlow[];
  /** `verdictsBy` of the manifest. */
  readonly verdictsBy: RailManifest["verdictsBy"];
  report(problem: SettingProblem): void;
  /** Log of the application. INVARIANT: no line contains a text of a conversation. */
  readonly logger: Logger | undefined;
  /**
   * Returns the scan for a source and variant (`input`, `input strict`). All listed rails of a source share one scan; a flow that
   * the configuration does not list has its own.
   */
  scanOf(source: string): ScanGroup;
}

/** Detectors of several rails that scan a text in one pass. */
export interface ScanGroup {
  /** Adds the detectors of a rail; returns the function that finds their findings. */
  add(rail: string, detectors: readonly Detector[], threshold: number): (text: string) => readonly Finding[];
}

/** Description of a rail, for loading configurations and for the catalogue, without the code of the rail. */
export interface RailManifest {
  /** Name in kebab case. It names the folder of the rail and its module in Colang 2.x (`library.self_check_input`). */
  readonly name: string;
  readonly title: string;
  /** One sentence for the catalogue. */
  readonly summary: string;
  readonly flows: readonly RailFlow[];
  /** Returns flows that replace some of `flows` for these settings, such as flows that mask instead of blocking. */
  flowsFor?(settings: RailSettings): readonly RailFlow[];
  /**
   * Returns true if the service of the rail reads pictures with these settings, which are empty if the configuration has none.
   * Default: false.
   */
  seesImages?(settings: RailSettings): boolean;
  /** Key of the rail's settings in `rails.config`; absent for a rail without settings. */
  readonly settings?: string;
  readonly needs?: RailNeeds;
  /** Cost of a check: work in this process, a model call, or a request to a service. */
  readonly cost: "local" | "model" | "network";
  /** Data that leave the process, and their receiver; default: none. */
  readonly leaves?: string;
  /**
   * `text` if the verdicts of the service depend only on the text and the settings, not on the user, the conversation or the time.
   * The cache of verdicts then stores them. Default: no verdict is stored.
   */
  readonly verdictsBy?: "text";
  readonly actions: readonly RailAction[];
  load(): Promise<RailCode>;
}
