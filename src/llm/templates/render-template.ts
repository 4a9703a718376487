import { ExpressionError, GuardrailsError, LimitError, TemplateError } from "../../diagnostics/errors.js";
import type { Expression } from "../../expressions/ast.js";
import type { ExpressionDialect } from "../../expressions/dialect.js";
import { compute } from "../../expressions/evaluate/evaluate.js";
import {
  DEFAULT_EVALUATION_LIMITS,
  type EvaluationLimits,
  Runtime,
  type Scope,
} from "../../expressions/evaluate/runtime.js";
import { itemsOf } from "../../expressions/functions/function-definition.js";
import { toPythonText } from "../../expressions/values/format.js";
import { isTruthy, toValueOr, UNDEFINED, type Value } from "../../expressions/values/value.js";

/** A statement of a compiled template. */
export type TemplateNode =
  | { readonly kind: "text"; readonly text: string }
  /** `path` is set for a variable or a property of one; an undefined value is reported under it. */
  | { readonly kind: "print"; readonly value: Expression; readonly path?: string | undefined }
  /** A precomputed value. */
  | { readonly kind: "known"; readonly value: Value }
  | ({ readonly kind: "if"; readonly test: Expression } & Branches)
  /** The variable is local to the innermost loop. */
  | { readonly kind: "set"; readonly name: string; readonly value: Expression }
  | ({
      readonly kind: "for";
      readonly names: readonly string[];
      /** True if each item has one value for each name. */
      readonly isPair: boolean;
      readonly items: Expression;
      readonly only?: Expression;
    } & Branches);

type ForNode = Extract<TemplateNode, { kind: "for" }>;

type Branches = Readonly<Record<"body" | "otherwise", readonly TemplateNode[]>>;

/** Returns the value of a free variable; undefined if there is none. */
export type ResolveVariable = (name: string) => unknown;

/** Receives the path of every printed value that is undefined. */
export type OnUndefined = (path: string) => void;

/**
 * Limits of one rendering; `steps` also counts loop iterations, `textLength` limits the output and any intermediate
 * text.
 */
const LIMITS: EvaluationLimits = { ...DEFAULT_EVALUATION_LIMITS, steps: 2_000_000, textLength: 8_388_608 };

/** Names under which a template reports limits. */
const LIMIT_NAMES: Readonly<Record<string, string>> = {
  steps: "template_steps",
  textLength: "template_output",
  listLength: "template_items",
  depth: "template_depth",
};

/** Renders the statements of a template. @throws TemplateError or LimitError */
export function renderTemplate(
  nodes: readonly TemplateNode[],
  dialect: ExpressionDialect,
  resolve: ResolveVariable,
  onUndefined?: OnUndefined,
): string {
  return guard(() => {
    const rendering = new Rendering(dialect, resolve, onUndefined);
    rendering.write(nodes);
    return rendering.text;
  });
}

/** Evaluates one expression of a template; a missing value is undefined. @throws TemplateError or LimitError */
export function evaluateTemplate(value: Expression, dialect: ExpressionDialect, resolve: ResolveVariable): unknown {
  const result = guard(() => new Rendering(dialect, resolve).compute(value));
  return result === UNDEFINED ? undefined : result;
}

/** One rendering: its loop variables and its text so far. All expressions share one work budget. */
class Rendering implements Scope {
  text = "";
  readonly #runtime: Runtime<ExpressionDialect>;
  readonly #locals = new Map<string, Value>();

  constructor(
    dialect: ExpressionDialect,
    readonly resolve: ResolveVariable,
    readonly onUndefined?: OnUndefined,
  ) {
    this.#runtime = new Runtime(dialect, this, { limits: LIMITS });
  }

  lookup(name: string): Value {
    const local = this.#locals.get(name);
    if (local !== undefined) return local;
    const value = this.resolve(name);
    // INVARIANT: identifiers are printed with all of their digits.
    if (typeof value === "bigint" && !Number.isSafeInteger(Number(value))) return String(value);
    return toValueOr(value, UNDEFINED);
  }

  compute(value: Expression): Value {
    return compute(this.#runtime, value);
  }

  write(nodes: readonly TemplateNode[]): void {
    for (const node of nodes) {
      if (node.kind === "text") this.#add(node.text);
      else if (node.kind === "print") this.#print(node);
      else if (node.kind === "known") this.#add(toPythonText(node.value, this.#runtime));
      else if (node.kind === "for") this.#loop(node);
      else if (node.kind === "set") this.#locals.set(node.name, this.compute(node.value));
      else this.write(isTruthy(this.compute(node.test)) ? node.body : node.otherwise);
    }
  }

  #print({ value, path }: Extract<TemplateNode, { kind: "print" }>): void {
    const found = this.compute(value);
    if (found === UNDEFINED && path !== undefined) this.onUndefined?.(path);
    this.#add(toPythonText(found, this.#runtime));
  }

  #loop(node: ForNode): void {
    const { names, items, only, body, otherwise } = node;
    const value = this.compute(items);
    const all = value === null || value === UNDEFINED ? [] : itemsOf(this.#runtime, "for", value);
    const list = only === undefined ? all : this.#select(node, all, only);
    if (list.length === 0) return this.write(otherwise);
    const locals = this.#locals;
    const restore = this.#keep(...names, "loop", ...assignedNames(body));
    const { length } = list;
    for (let at = 0; at < length; at += 1) {
      this.#runtime.enter();
      restore();
      this.#assign(node, list[at]);
      locals.set("loop", { index: at + 1, index0: at, first: at === 0, last: at === length - 1, length });
      this.write(body);
      this.#runtime.nesting -= 1;
    }
    restore();
  }

  /** Returns the items for which a condition holds. */
  #select(node: ForNode, items: readonly unknown[], condition: Expression): readonly unknown[] {
    const restore = this.#keep(...node.names);
    const selected = items.filter((item) => {
      this.#runtime.enter();
      this.#assign(node, item);
      this.#runtime.nesting -= 1;
      return isTruthy(this.compute(condition));
    });
    restore();
    return selected;
  }

  /** Gives the variables of a loop the values of an item. */
  #assign({ names, isPair }: ForNode, item: unknown): void {
    const parts = isPair ? itemsOf(this.#runtime, "for", toValueOr(item, UNDEFINED)) : [item];
    if (parts.length !== names.length) {
      this.#runtime.fail(`expected ${names.length} values for ${names.join(", ")}, got ${parts.length}`);
    }
    for (const [at, name] of names.entries()) this.#locals.set(name, toValueOr(parts[at], UNDEFINED));
  }

  /** Returns a function that gives variables their present values again. */
  #keep(...names: readonly string[]): () => void {
    const locals = this.#locals;
    const kept = names.map((name) => [name, locals.get(name)] as const);
    return () => {
      for (const [name, value] of kept) {
        if (value === undefined) locals.delete(name);
        else locals.set(name, value);
      }
    };
  }

  #add(text: string): void {
    this.#runtime.checkText(this.text.length + text.length, text.length);
    this.text += text;
  }
}

/** Names that statements assign, apart from those local to a loop among them. */
export function assignedNames(nodes: readonly TemplateNode[]): readonly string[] {
  return nodes.flatMap((node) => {
    if (node.kind === "set") return [node.name];
    return node.kind === "if" ? [...assignedNames(node.body), ...assignedNames(node.otherwise)] : [];
  });
}

/** Runs a rendering. Failures of expressions, filters and values become failures of the template. */
function guard<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    const limit = LimitError.isInstance(error) ? LIMIT_NAMES[error.limit] : undefined;
    if (LimitError.isInstance(error) && limit !== undefined) {
      const { maximum } = error;
      throw new LimitError(`the template exceeds ${maximum} of \`${limit}\``, { limit, maximum });
    }
    if (ExpressionError.isInstance(error)) throw new TemplateError(error.message, { code: error.code, cause: error });
    if (GuardrailsError.isInstance(error)) throw error;
    throw new TemplateError("the template cannot be rendered", { cause: error });
  }
}
