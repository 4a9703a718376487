import type { SourceLocation } from "../diagnostics/source-file.js";
import type { Expression } from "../expressions/ast.js";

/**
 * The compiled form of a Colang 2.x flow: a flat list of instructions with absolute targets. Everything is plain
 * JSON. A target equal to the length of the list is the end of the flow.
 *
 * Kinds: *slide* instructions are executed at once, at a *wait* a head stays until an event comes, at an *act* until the
 * conflicts of its loop are resolved.
 *
 * Forks are named by numbers that are unique within a flow. A head belongs to the fork that made it; `Merge`, `Spawn` and
 * `Ready` name the nearest fork of that number around the head.
 */
export type Element = {
  [Kind in keyof Instructions]: Instructions[Kind] & {
    readonly kind: Kind;
    /** Index into `CompiledFlow.places`. */
    readonly place: number;
  };
}[keyof Instructions];

/** The instruction of a kind. */
export type ElementOf<Kind extends Element["kind"]> = Extract<Element, { readonly kind: Kind }>;

export interface ElementTarget {
  readonly name: string;
  readonly path: readonly ({ readonly member: string } | { readonly index: Expression })[];
}

/** Marks a kind without fields of its own. */
type NoFields = unknown;

/** Fields of the instructions, by kind. */
interface Instructions {
  /** Wait; always at address 0: the `StartFlow` event that made the instance. */
  Entry: NoFields;
  /** Slide: evaluates, then assigns. Member steps of the target are evaluated left to right after the value. */
  Set: {
    readonly target: ElementTarget;
    /** `+=` and `-=` read the target first and write what `+` or `-` gives. */
    readonly operator: "=" | "+=" | "-=";
    readonly value: Expression;
  };
  /** Slide: removes temporaries from the variable table, so that they keep nothing alive. */
  Forget: { readonly variables: readonly string[] };
  /** Slide: evaluates for its effects. */
  Evaluate: { readonly value: Expression };
  /** Slide: appends an internal event to the queue; `event` is the variable that gets its reference. */
  Emit: { readonly request: EventRequest | FlowsRequest; readonly event?: string };
  /**
   * Slide: allocates an instance uid, stores the flow reference in `variable`, registers the instance with the open scopes
   * of the head and appends `StartFlow`. Exactly one of `flow` and `flowValue` (a text, or the name of a generated flow).
   */
  StartFlow: {
    readonly flow?: string;
    readonly flowValue?: Expression;
    readonly arguments: readonly ElementArgument[];
    readonly variable: string;
    /** Gets the reference of the `StartFlow` event: `send f.Start() as $x`. */
    readonly event?: string;
    readonly activate: boolean;
    /** The instance uses the variable table of this one. */
    readonly shareContext: boolean;
  };
  /**
   * Slide: `start $s(args)`. A flow spec or flow reference does what `StartFlow` does, an action spec or action
   * reference what `NewAction` does; `variable` gets the reference. Anything else is a ColangValueError, and with `activate`
   * so is an action.
   */
  StartReference: {
    readonly value: Expression;
    readonly arguments: readonly ElementArgument[];
    readonly variable: string;
    readonly activate: boolean;
  };
  /** Slide: makes an action object (status initialized), owned by the flow and by all open scopes of the head. */
  NewAction: {
    readonly action: string;
    readonly arguments: readonly ElementArgument[];
    readonly variable: string;
  };
  /** Act: builds an outgoing event; `event` is the variable that gets its reference. */
  Act: { readonly request: EventRequest | ActionRequest | ActionsRequest; readonly event?: string };
  /**
   * Act or slide, as the value decides: a request to an action is an act, a request to a flow goes to the queue. A flow spec
   * takes `Stop` as `FlowsRequest` does. Without `request` the value is an event reference, which is sent again as a new event
   * with `arguments` laid over its payload. `Stop` of an action that is not starting or started has no effect.
   */
  SendReference: {
    readonly value: Expression;
    readonly request?: ActionRequestName | FlowRequestName;
    readonly deactivate: boolean;
    readonly arguments: readonly ElementArgument[];
    readonly event?: string;
  };
  /** Wait: `event` is the variable that gets the reference of the event. */
  Wait: {
    readonly pattern: Pattern;
    /** Does not count for "started". */
    readonly quiet: boolean;
    readonly event?: string;
    /** Variables the pattern reads, temporaries left out: it is evaluated again when one that is global was written. */
    readonly reads: readonly string[];
  };
  /** Wait: never satisfied. The head stays until its fork is merged; it counts as waiting for "started". */
  Idle: NoFields;
  Goto: { readonly target: number };
  /** Slide: jumps when the truth of the condition is `when`. */
  GotoIf: { readonly condition: Expression; readonly when: boolean; readonly target: number };
  /** Slide: jumps when the variable holds a flow reference (and not an action reference). */
  GotoIfFlow: { readonly variable: string; readonly target: number };
  /** Slide: `list` gets a copy of what is to be gone over (list items, set items, keys, characters), `index` 0. */
  BeginLoop: { readonly value: Expression; readonly list: string; readonly index: string };
  /** Slide: assigns the next item to `target` and adds one to `index`; without a next item jumps to `end`. */
  NextItem: {
    readonly list: string;
    readonly index: string;
    readonly target: ElementTarget;
    readonly end: number;
  };
  /** Slide: the head becomes dormant; child heads start at the targets, in this order, with its scores, handlers and scopes. */
  Fork: { readonly fork: number; readonly targets: readonly number[] };
  /**
   * Slide: adds one more child head to the fork, at `target`, with the scores of this head, and with the handlers and scopes
   * of the fork's dormant parent head.
   */
  Spawn: { readonly fork: number; readonly target: number };
  /**
   * Slide: notes that the branch of `fork` in which this head stands has finished its start phase, or has failed in it; the
   * first note of a branch counts. As soon as every branch the `Fork` made is noted, or stalled (nothing more can happen in
   * this round), and at least one did not fail, a head is added to the fork `into` at `target`, once for each time the fork is
   * made: with the best score list of the branches that did not fail, and with the handlers and scopes of the dormant parent
   * head of `into`.
   */
  Ready: { readonly fork: number; readonly failed: boolean; readonly into: number; readonly target: number };
  /** The head disappears without any effect on its fork. */
  Vanish: NoFields;
  /** Wait: stays until `count` heads of the fork are at this address, then the last one goes on. */
  Join: { readonly count: number };
  /**
   * Merge: resolves the fork. Of all heads of the fork that came to a `Merge` of it in this round the one with the
   * best score list goes on as the fork's parent head, behind its own `Merge`. Of equally good ones those with `failed` win
   *; the rest is a tie for the RNG.
   */
  Merge: { readonly fork: number; readonly failed: boolean };
  /** Slide: pushes a failure handler of the head. */
  PushHandler: { readonly target: number };
  /** Slide: removes the innermost failure handler of the head. */
  PopHandler: NoFields;
  /** Slide: opens a scope; scopes are named by numbers unique within a flow. */
  OpenScope: { readonly scope: number };
  /** Slide: ends everything that was started in the scope and is still alive. */
  CloseScope: { readonly scope: number };
  /**
   * Slide: removes the innermost handler and goes on there; without one the flow fails. A lost conflict, an impossible wait
   * and a violated wait at a head do the same.
   * INVARIANT: a jump to a handler removes it, so the code of a handler begins without it.
   */
  Fail: {
    /** `abort` of the program, for `fail_reason`. */
    readonly isAbort: boolean;
  };
  /** Slide: stores the return value and ends the flow. */
  Return: { readonly value?: Expression };
  Priority: { readonly value: Expression };
  Log: { readonly value: Expression };
  Print: { readonly value: Expression };
  Global: { readonly names: readonly string[] };
  /** Slide: `start_new_flow_instance:`. */
  RestartPoint: NoFields;
}

/** The origin of an instruction, and the first line of its statement, for traces and prompts. */
export interface ElementPlace {
  readonly location: SourceLocation;
  readonly text: string;
}

/**
 * Requests and patterns of the instructions of a flow, as plain JSON. Names of variables that begin with `%` are temporaries
 * of the compiler; they live in the variable table of the instance, and programs never see them.
 */

/** An argument to be evaluated when the instruction is executed; positional when `name` is absent. */
export interface ElementArgument {
  readonly name?: string;
  readonly value: Expression;
  /** `*list` adds its items as positional arguments, `**map` its entries as named ones. */
  readonly spread?: "*" | "**";
}

export type ActionRequestName = "Start" | "Stop" | "Change";

type FlowRequestName = "Start" | "Stop" | "Finish" | "Pause" | "Resume";

/** `send E(…)`: any event by its name, also `StartLampAction`; the instruction decides if it is internal. */
export interface EventRequest {
  readonly form: "event";
  readonly name: string;
  readonly arguments: readonly ElementArgument[];
}

/** A request to the action object in a variable. */
interface ActionRequest {
  readonly form: "action";
  readonly variable: string;
  readonly request: ActionRequestName;
  readonly arguments: readonly ElementArgument[];
}

/** A request to every running action of this name whose start arguments include `startArguments`: `stop A(…)`. */
export interface ActionsRequest {
  readonly form: "actions";
  readonly action: string;
  readonly request: "Stop" | "Change";
  readonly startArguments: readonly ElementArgument[];
  readonly arguments: readonly ElementArgument[];
}

/** A request to every live instance of this flow whose bound parameters include `flowArguments`. */
export interface FlowsRequest {
  readonly form: "flows";
  readonly flow: string;
  readonly request: Exclude<FlowRequestName, "Start">;
  /** `deactivate f(…)`: a stop request with `deactivate=True`. */
  readonly deactivate: boolean;
  readonly flowArguments: readonly ElementArgument[];
  /** Of the request itself: `Finish("value")`. */
  readonly arguments: readonly ElementArgument[];
}

/**
 * `match E(k=v)`: events of this name with these arguments. For the names of internal events the names of their fields
 * denote fields, all others the user part.
 */
interface EventPattern {
  readonly form: "event";
  readonly name: string;
  readonly arguments: readonly ElementArgument[];
}

/** `match A(args).X(k=v)`: `event` is the whole name, as `LampActionFinished` or `StartLampAction`. */
interface ActionPattern {
  readonly form: "action";
  readonly action: string;
  readonly event: string;
  /** Must be included in the start arguments of the action, if there are any. */
  readonly startArguments: readonly ElementArgument[];
  readonly arguments: readonly ElementArgument[];
}

/** `match f(args).X(k=v)`: any instance of the flow; `event` is the internal name, as `FlowFinished` or `StopFlow`. */
interface FlowPattern {
  readonly form: "flow";
  readonly flow: string;
  readonly event: string;
  /** Always user part; only what is given counts. */
  readonly flowArguments: readonly ElementArgument[];
  readonly arguments: readonly ElementArgument[];
}

/**
 * `match $r.X(k=v)`: bound to the flow instance or action that `value` denotes when the head arrives; `member` is `X` as
 * written (`Finished`, `ScriptUpdated`, `Stop`). Without `member` the value is an event reference, `match $e`.
 */
export interface ReferencePattern {
  readonly form: "reference";
  readonly value: Expression;
  readonly member?: string;
  readonly arguments: readonly ElementArgument[];
}

/** After `activate`: the instance in `variable` has started or has failed. */
interface ActivatedPattern {
  readonly form: "activated";
  readonly variable: string;
}

export type Pattern = EventPattern | ActionPattern | FlowPattern | ReferencePattern | ActivatedPattern;
