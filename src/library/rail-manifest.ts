import type { ActionFunction } from "../actions/action.js";
import type { DiagnosticCode } from "../diagnostics/codes.js";
import type { RailsSettings } from "../config/settings.js";
import type { Detector } from "../detectors/detector.js";
import type { Finding } from "../detectors/finding.js";
import type { FlowReferenceParameter } from "../engine/flow-reference.js";
import type { Logger } from "../diagnostics/logger.js";
import type { MaybePromise } from "../engine/async.js";

/** Stage of a flow. Rails on calls of tools stand under `tool_output`, rails on their results under `tool_input`. */
export type RailFlowStage = "input" | "output" | "retrieval" | "dialog" | "tool_output" | "tool_input";

/** The action behind a flow whose Colang is written from the manifest. */
export interface FlowAction {
  /**
   * Name of the action. A flow that rewrites assigns what it returns; any other flow blocks if it returns true.
   */
  readonly action: string;
  /**
   * True if the action returns `{ blocked, text }`: it blocks, or else the text takes the place of the one that was checked.
   * Default: false.
   */
  readonly blocks?: true;
  /**
   * Refusals and events of blocks by their case. Such an action returns `{ blocked, case }`; those of the flow are for any other
   * case. Default: none.
   */
  readonly cases?: Readonly<Record<string, Pick<FlowAction, "refusal" | "exception">>>;
  /** Values of the action's parameters besides `source` and `variant`; default: none. */
  readonly arguments?: Readonly<Record<string, string>>;
  /** Parameters of the flow besides `variant`, which the action takes over; default: none. */
  readonly parameters?: readonly string[];
  /**
   * Fields of a result that is an object, by the variables of the conversation that take them over. Such a flow blocks unless
   * its field `allowed` is true.
   */
  readonly sets?: Readonly<Record<string, string>>;
  /**
   * Variable of the conversation that asks for the rail once. The rail also runs where the text brings evidence of its own, and
   * else does nothing. Default: it always runs.
   */
  readonly onRequest?: string;
  /** Bot message of a block; default: `refuse to respond`. */
  readonly refusal?: string;
  /** Names of the rules that a built-in refusal lists, by the types of findings; default: it lists none. */
  readonly listed?: Readonly<Record<string, string>>;
  /** Event of a block under `enable_rails_exceptions`. */
  readonly exception?: string;
}

/** A flow that a configuration can list under `rails.<stage>.flows`; a dialog flow is started by events instead. */
export interface RailFlow {
  /** As it is listed, without parameters. */
  readonly name: string;
  readonly stage: RailFlowStage;
  /** Part of a streamed message that an output rail has to read at once; default: `window`. */
  readonly stream?: "window" | "word" | "line" | "findings" | "answer";
  /** It replaces the text; default: false. */
  readonly rewrites?: boolean;
  /** It replaces values by pseudonyms, which are restored in what leaves; default: false. */
  readonly isReversible?: boolean;
  /** It compares a text with evidence and does nothing without. */
  readonly needsEvidence?: boolean;
  /** It also looks at pictures, if its model or its service does; default: false. */
  readonly readsImages?: boolean;
  /** The action that decides, from which the flow is written in both dialects; absent where the folder has flows of its own. */
  readonly runs?: FlowAction;
}

/** Needs of a rail, checked when a configuration is loaded. */
interface RailNeeds {
  /** Tasks whose prompts it uses; a prompt of the configuration replaces ours. Default: none. */
  readonly tasks?: readonly string[];
  /** Type of the model that it asks; a reference names another one with `$model=type`. Default: the one of the task. */
  readonly modelType?: string;
  /** Types of models that it asks in the place of the main one, if the configuration has them; default: none. */
  readonly preferredModels?: readonly string[];
  /** The main model itself, where a model for its tasks is not enough; default: false. */
  readonly mainModel?: boolean;
  /** Environment variables that it reads; default: none. */
  readonly environment?: readonly string[];
}

/** An action of a rail: facts that are known without its code. */
interface RailAction {
  readonly name: string;
  /** Names of its parameters, in the order of positional arguments; default: none. */
  readonly parameters?: readonly string[];
  /** It only judges, as `verdict` of `defineAction`; default: true. */
  readonly verdict?: boolean;
}

/** The settings of a rail below `rails.config`, complete with defaults. */
export type RailSettings = Readonly<Record<string, unknown>>;

/** Code of a rail, loaded when a configuration lists one of its flows, or when one of its actions first runs. */
export interface RailCode {
  /** By name; each that the manifest states. */
  readonly actions: Readonly<Record<string, ActionFunction>>;
  /**
   * Turns the settings of the rail into what its actions use, once for each configuration. `railPart` gives an action the
   * result. A reported problem ends the loading of the configuration.
   */
  prepare?(settings: RailSettings, tools: PrepareTools): MaybePromise<unknown>;
}

/** A setting that cannot be honoured. */
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

/** Help for `prepare`. */
export interface PrepareTools {
  /** All settings of the configuration. */
  readonly config: RailsSettings;
  /** Values that the application has registered for actions, by name. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The flows of the rail that the configuration lists. */
  readonly listed: readonly ListedFlow[];
  /** `verdictsBy` of the manifest. */
  readonly verdictsBy: RailManifest["verdictsBy"];
  report(problem: SettingProblem): void;
  /** Receives what the application should know while the rail runs; never a text. */
  readonly logger: Logger | undefined;
  /**
   * Returns the scan that a flow of the rail joins, by its source and variant (`input`, `input strict`): the one that all
   * listed rails of the source share, or one of its own if the configuration does not list that flow.
   */
  scanOf(source: string): ScanGroup;
}

/** Detectors of several rails that scan a text at once. */
export interface ScanGroup {
  /** Adds the detectors of a rail; returns its own search. */
  add(rail: string, detectors: readonly Detector[], threshold: number): (text: string) => readonly Finding[];
}

/** Description of a rail: all that a configuration, a catalogue or a user needs to know before its code is loaded. */
export interface RailManifest {
  /** In kebab case: the folder of the rail, and its module in Colang 2.x (`library.self_check_input`). */
  readonly name: string;
  readonly title: string;
  /** One sentence for the catalogue. */
  readonly summary: string;
  readonly flows: readonly RailFlow[];
  /** Flows in place of some of `flows` where the settings ask for other work, such as masking instead of a block. */
  flowsFor?(settings: RailSettings): readonly RailFlow[];
  /**
   * Returns true if the service that it asks looks at pictures with these settings, which are empty if the configuration states
   * none; default: it does not.
   */
  seesImages?(settings: RailSettings): boolean;
  /** Key of its settings below `rails.config`; absent for a rail without settings. */
  readonly settings?: string;
  readonly needs?: RailNeeds;
  /** Cost of a check: work in this process, a call to a model, or a call to a service. */
  readonly cost: "local" | "model" | "network";
  /** Data that leave the process; default: none. */
  readonly leaves?: string;
  /**
   * `text` where the verdicts of its service depend on the text and the settings alone: not on the user, the conversation or the
   * time. The cache of verdicts keeps them; default: it does not.
   */
  readonly verdictsBy?: "text";
  readonly actions: readonly RailAction[];
  load(): Promise<RailCode>;
}
