import type { FilterTable } from "./filter.js";
import { TemplateError } from "./template-error.js";
import { compileExpression as compileInContext, type Evaluate } from "./template-expression.js";
import {
  countStep,
  countText,
  guardTemplate,
  type OnUndefined,
  type ResolveVariable,
  startTemplateRun,
  type TemplateRun,
} from "./template-run.js";
import type { TemplateExpression, TemplateStatement } from "./template-tree.js";
import { formatTemplateValue, isTruthy } from "./template-value.js";

type Emit = (run: TemplateRun) => string;

/** Turns literal text into output; message templates read `$name` there. */
export type CompileText = (
  text: string,
  isLocal: (name: string) => boolean,
) => (resolve: ResolveVariable, onUndefined: OnUndefined | undefined) => string;

export interface EvaluateOptions {
  readonly filters: FilterTable;
  readonly compileText?: CompileText | undefined;
  readonly formatValue?: ((value: unknown) => string) | undefined;
}

/** Names of enclosing loops and the places of their values. */
type Scope = ReadonlyMap<string, number>;

export interface CompiledBody {
  render(resolve: ResolveVariable, onUndefined?: OnUndefined): string;
  /** The value of a template that is one single `{{ expression }}`; its text otherwise. */
  evaluate(resolve: ResolveVariable): unknown;
}

/**
 * Turns a checked tree into functions. We evaluate ourselves instead of running the package's interpreter: values stay
 * as they are (it would copy a whole conversation for every prompt), our filters are ordinary filters, and there is
 * nothing in here that could call into a value.
 */
export function compileBody(body: readonly TemplateStatement[], options: EvaluateOptions): CompiledBody {
  const print = options.formatValue ?? formatTemplateValue;
  let slotCount = 0;

  const compileExpression = (node: TemplateExpression, scope: Scope): Evaluate =>
    compileInContext(node, { scope, filters: options.filters, print });

  const compileStatement = (node: TemplateStatement, scope: Scope): Emit => {
    switch (node.type) {
      case "Comment":
        return () => "";
      case "StringLiteral":
        return compileLiteral(node.value, scope);
      case "If": {
        const test = compileExpression(node.test, scope);
        const yes = compileAll(node.body, scope);
        const no = compileAll(node.alternate, scope);
        return (run) => (isTruthy(test(run)) ? yes(run) : no(run));
      }
      case "For":
        return compileLoop(node, scope);
      default: {
        const value = compileExpression(node, scope);
        const path = pathOf(node);
        return (run) => {
          const found = value(run);
          if (found === undefined && path !== undefined) run.onUndefined?.(path);
          return print(found);
        };
      }
    }
  };

  const compileLiteral = (text: string, scope: Scope): Emit => {
    if (!options.compileText) return () => text;
    const emit = options.compileText(text, (name) => scope.has(name));
    return (run) => {
      return emit((name) => {
        const slot = scope.get(name);
        return slot === undefined ? run.resolve(name) : run.slots[slot];
      }, run.onUndefined);
    };
  };

  const compileLoop = (node: Extract<TemplateStatement, { type: "For" }>, scope: Scope): Emit => {
    const iterable = compileExpression(node.iterable, scope);
    const slot = slotCount;
    slotCount += 2;
    const body = compileAll(node.body, new Map([...scope, [node.loopvar.value, slot], ["loop", slot + 1]]));
    const otherwise = compileAll(node.defaultBlock, scope);
    return (run) => {
      const items = iterate(iterable(run));
      if (items.length === 0) return otherwise(run);
      let text = "";
      for (const [index, item] of items.entries()) {
        countStep(run);
        const last = index === items.length - 1;
        run.slots[slot] = item;
        run.slots[slot + 1] = { index: index + 1, index0: index, first: index === 0, last, length: items.length };
        text += body(run);
      }
      return text;
    };
  };

  const compileAll = (nodes: readonly TemplateStatement[], scope: Scope): Emit => {
    const parts = nodes.map((node) => compileStatement(node, scope));
    return (run) => {
      let text = "";
      for (const part of parts) text += countText(run, part(run));
      return text;
    };
  };

  const all = compileAll(body, new Map());
  const significant = body.filter((node) => !isBlank(node));
  const [only] = significant;
  const single =
    significant.length === 1 && only && isExpression(only) ? compileExpression(only, new Map()) : undefined;
  return {
    render: (resolve, onUndefined) => guardTemplate(() => all(startTemplateRun(resolve, onUndefined))),
    evaluate: (resolve) => guardTemplate(() => (single ?? all)(startTemplateRun(resolve))),
  };
}

function iterate(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (value === undefined || value === null) return [];
  if (typeof value === "string") return Array.from(value);
  if (typeof value === "object") return Object.keys(value);
  throw new TemplateError(`cannot loop over a ${typeof value}`);
}

/** `user.name` for an expression that is a plain path, which is what an undefined value is reported as. */
function pathOf(node: TemplateExpression): string | undefined {
  if (node.type === "Identifier") return node.value;
  if (node.type !== "MemberExpression") return undefined;
  const object = pathOf(node.object);
  const { property } = node;
  if (object === undefined) return undefined;
  if (!node.computed) return property.type === "Identifier" ? `${object}.${property.value}` : object;
  return property.type === "IntegerLiteral" ? `${object}[${property.value}]` : object;
}

function isBlank(node: TemplateStatement): boolean {
  return node.type === "Comment" || (node.type === "StringLiteral" && node.value.trim() === "");
}

function isExpression(node: TemplateStatement): node is TemplateExpression {
  return node.type !== "If" && node.type !== "For" && node.type !== "Comment" && node.type !== "StringLiteral";
}
