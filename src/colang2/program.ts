import type { SourceLocation } from "../diagnostics/source-file.js";
import type { Expression } from "../expressions/ast.js";
import type { Element, ElementPlace } from "./elements.js";

/** A parameter or return member; its default is evaluated per start, with `$system` as the only variable. */
export interface CompiledParameter {
  readonly name: string;
  readonly default?: Expression;
}

/** The interaction loop of a flow: `"NEW"` is a fresh one per instance. */
export interface LoopSetting {
  readonly id: string;
  readonly priority: number;
}

/** A literal in a decorator. */
export type MetaValue = null | boolean | number | string | readonly MetaValue[] | { readonly [key: string]: MetaValue };

export interface CompiledFlow {
  readonly id: string;
  /** Named as in source: module path relative to the configuration, or `core` for a module of the standard library. */
  readonly module: string;
  readonly parameters: readonly CompiledParameter[];
  readonly returnMembers: readonly CompiledParameter[];
  readonly elements: readonly Element[];
  readonly places: readonly ElementPlace[];
  /** `@active`, or nameless. */
  readonly isActive: boolean;
  readonly isNameless: boolean;
  readonly isInterruptible: boolean;
  /** Absent: the loop of the parent. */
  readonly loop?: LoopSetting;
  /** All `@meta` tags merged. */
  readonly meta: Readonly<Record<string, MetaValue>>;
  /** A tag that is a template is evaluated in the scope of the flow; by tag name. */
  readonly metaTemplates: Readonly<Record<string, Expression>>;
  readonly docstring?: string;
  /** Comments directly above the first statement, which prompts show as what the flow does. */
  readonly comment?: string;
  /** The docstring as a template over the variables of the flow, when it interpolates. */
  readonly docstringTemplate?: Expression;
  /** Excluded from prompts by `@meta(llm_exclude=True)` or by the marker comment of its module. */
  readonly isHiddenFromPrompts: boolean;
  readonly location: SourceLocation;
  /** The source, dedented and without comments, for prompts. */
  readonly sourceText: string;
  /** Of the elements and flags, the same wherever the flow stands. */
  readonly hash: string;
}

/** A configuration's Colang 2.x, compiled. */
export interface Colang2Program {
  readonly dialect: "2.x";
  readonly hash: string;
  /** Imported modules first; later definitions of overridden flows are not among them. */
  readonly flows: readonly CompiledFlow[];
  /** Ids of the flows the engine activates before `main`, in this order. */
  readonly activeFlows: readonly string[];
  /** The value of `$system.config`. */
  readonly constants: Readonly<Record<string, unknown>>;
}
