import type { SourceLocation } from "../diagnostics/source-file.js";
import type { Expression } from "../expressions/ast.js";

/**
 * Compiled form of Colang 1.0: per flow, a flat array of elements with absolute jump targets, as plain JSON. A position
 * equal to the length of the array is the end of the flow.
 */
interface ElementBase {
  readonly location: SourceLocation;
  /** The source line, for traces and prompts. */
  readonly text: string;
}

/** Matches any intent. */
export const ANY = "...";

/** A property that must be equal (`value`), present and not null (`exists`), or anything even if absent (`any`). */
export type PropertyTest =
  | { readonly name: string; readonly test: "equals"; readonly value: Expression }
  | { readonly name: string; readonly test: "exists" }
  | { readonly name: string; readonly test: "any" };

export interface EventMatcher {
  readonly kind: "Event";
  readonly type: string;
  readonly properties: readonly PropertyTest[];
}

/** Matches an intent of the user or a message of the bot by its name, or `ANY`; or an event. */
export type Matcher = { readonly kind: "User" | "Bot"; readonly intents: readonly string[] } | EventMatcher;

export type SayContent =
  | { readonly type: "intent"; readonly intent: string }
  | { readonly type: "literal"; readonly intent: string; readonly text: string }
  | { readonly type: "value"; readonly source: string; readonly value: Expression };

export interface ElementTarget {
  readonly name: string;
  readonly path: readonly string[];
}

/** A named argument if `name` is present, otherwise positional. */
export interface ElementArgument {
  readonly name?: string;
  readonly value: Expression;
}

/** Marks a kind without fields of its own. */
type NoFields = unknown;

/** Fields of the elements, by kind. */
interface Elements {
  /** Waits until one of the matchers matches. `bot ...` and `when bot x` are also matches: they never emit text. */
  Match: { readonly matchers: readonly Matcher[] };
  /**
   * Waits for one of several branches; each head is the position of a `Match`. The first match in source order wins.
   */
  Choice: { readonly heads: readonly number[] };
  Say: {
    readonly content: SayContent;
    /** The attached comment, shown to the model above the bot line. */
    readonly instructions?: string;
  };
  Run: {
    readonly action: string;
    readonly arguments: readonly ElementArgument[];
    readonly result?: ElementTarget;
  };
  Emit: { readonly type: string; readonly arguments: readonly ElementArgument[] };
  Stop: NoFields;
  /** Static (`flow`, a normalised id) or dynamic (`value`, whose text may include parameters). */
  Call: {
    readonly flow?: string;
    readonly value?: Expression;
    readonly arguments: readonly ElementArgument[];
    readonly result?: ElementTarget;
  };
  Assign: { readonly target: ElementTarget; readonly value: Expression };
  JumpIfNot: { readonly condition: Expression; readonly target: number };
  Jump: { readonly target: number };
  Check: { readonly condition: Expression };
  Return: { readonly values: readonly Expression[] };
}

/** An element of a flow. */
export type Element = {
  [Kind in keyof Elements]: ElementBase & { readonly kind: Kind } & Elements[Kind];
}[keyof Elements];

/** The element of a kind. */
export type ElementOf<Kind extends Element["kind"]> = Extract<Element, { readonly kind: Kind }>;

/** System: pipeline flows, rails, library flows and their callees. User: all others. */
export type Tier = "system" | "user";

export interface CompiledFlow {
  readonly id: string;
  readonly tier: Tier;
  readonly elements: readonly Element[];
  readonly parameters: readonly string[];
  /** Default: 1. */
  readonly priority: number;
  readonly allowMultiple: boolean;
  readonly isExtension: boolean;
  readonly isSubflow: boolean;
  readonly interruptible: boolean;
  /**
   * True for a flow of assignments and conditions, which nothing can start: it runs once when a conversation begins.
   */
  readonly isInitialiser: boolean;
  /** `meta {"continue": true}` on a rail: its utterances do not block. */
  readonly continues: boolean;
  /** `meta {"stream": …}` on an output rail: how much of a streamed response it must see at once. */
  readonly stream?: string;
  readonly location: SourceLocation;
  /** Dedented source without blank lines, for prompts. */
  readonly sourceText: string;
  /** Hash of elements and flags; live instances with another hash are dropped (CO-502). */
  readonly hash: string;
}

/** The compiled Colang 1.0 of a configuration. Flows are in load order, which decides ties. */
export interface Colang1Program {
  readonly dialect: "1.0";
  readonly hash: string;
  readonly flows: readonly CompiledFlow[];
  /** Intent to example utterances, in definition order. */
  readonly userMessages: Readonly<Record<string, readonly string[]>>;
  /** Variants by message; empty for messages declared without text. */
  readonly botMessages: Readonly<Record<string, readonly string[]>>;
  /** Read-only variables of expressions, such as `config`. */
  readonly constants: Readonly<Record<string, unknown>>;
}

/** Returns the positions where a flow may continue after an element. */
export function successorsOf(element: Element, at: number): readonly number[] {
  switch (element.kind) {
    case "Jump":
      return [element.target];
    case "JumpIfNot":
      return [at + 1, element.target];
    case "Choice":
      return element.heads;
    case "Return":
    case "Stop":
      return [];
    default:
      return [at + 1];
  }
}
