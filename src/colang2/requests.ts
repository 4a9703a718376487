import type { Expression } from "../expressions/ast.js";

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
export type FlowRequestName = "Start" | "Stop" | "Finish" | "Pause" | "Resume";

/** `send E(…)`: any event by its name, also `StartLampAction`; the instruction decides if it is internal. */
export interface EventRequest {
  readonly form: "event";
  readonly name: string;
  readonly arguments: readonly ElementArgument[];
}

/** A request to the action object in a variable. */
export interface ActionRequest {
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
