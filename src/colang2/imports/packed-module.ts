import type { Span } from "../../diagnostics/span.js";
import type { FlowDefinition, ImportStatement } from "../ast.js";
import type { CompiledFlow } from "../program.js";

/** Plain data in which spans are the two offsets into the source of the module. */
export type Packed<Value> = Value extends Span
  ? readonly [start: number, end: number]
  : Value extends object
    ? { readonly [Key in keyof Value]: Packed<Value[Key]> }
    : Value;

/** All of a flow but its body. */
export type FlowHead = Omit<FlowDefinition, "body">;

/** Where the text of an `ElementPlace` begins, and how long it is. */
export type PackedPlace = readonly [start: number, length: number];

/** What of a compiled flow its head does not tell. */
export type FlowCore = Omit<
  CompiledFlow,
  "id" | "module" | "parameters" | "returnMembers" | "places" | "location" | "docstring"
>;

/** A module as the package carries it: plain JSON, made of its source by `npm run assets`. */
export interface PackedModule {
  readonly imports: readonly Packed<ImportStatement>[];
  readonly isHiddenFromPrompts: boolean;
  /** Names in the module that are those of actions and events as long as no flow is called so (R-CLASS). */
  readonly words: readonly string[];
  readonly flows: readonly {
    readonly head: Packed<FlowHead>;
    readonly core: FlowCore;
    readonly places: readonly PackedPlace[];
  }[];
}
