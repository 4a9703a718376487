import { GuardrailsError, LimitError } from "../diagnostics/errors.js";
import { findFilter, type FilterTable, type NamedArguments } from "./filter.js";
import { TEMPLATE_CONSTANTS } from "./template-check.js";
import { TemplateError } from "./template-error.js";
import { applyBinary, applyUnary } from "./template-operators.js";
import { filterCall, type FilterExpression, type TemplateExpression, type TemplateStatement } from "./template-tree.js";
import { formatTemplateValue, isTruthy, readProperty, TEMPLATE_TESTS } from "./template-value.js";

/** Gives the value of a free variable; undefined when there is none. */
export type ResolveVariable = (name: string) => unknown;

/** Told of every printed value that is undefined. */
export type OnUndefined = (name: string) => void;

interface RenderState {
  readonly resolve: ResolveVariable;
  readonly onUndefined: OnUndefined | undefined;
  readonly slots: unknown[];
  steps: number;
  length: number;
}

type Evaluate = (state: RenderState) => unknown;
type Emit = (state: RenderState) => string;

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

const MAX_STEPS = 1_000_000;
const MAX_OUTPUT = 8_388_608;

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

  const compileExpression = (node: TemplateExpression, scope: Scope): Evaluate => {
    switch (node.type) {
      case "Identifier":
        return compileName(node.value, scope);
      case "StringLiteral":
      case "IntegerLiteral":
      case "FloatLiteral": {
        const { value } = node;
        return () => value;
      }
      case "ArrayLiteral":
      case "TupleLiteral": {
        const items = node.value.map((item) => compileExpression(item, scope));
        return (state) => items.map((item) => item(state));
      }
      case "MemberExpression": {
        const object = compileExpression(node.object, scope);
        const { property } = node;
        if (node.computed) {
          const key = compileExpression(property, scope);
          return (state) => readProperty(object(state), key(state));
        }
        const key = property.type === "Identifier" || property.type === "IntegerLiteral" ? property.value : "";
        return (state) => readProperty(object(state), key);
      }
      case "UnaryExpression": {
        const operator = node.operator.value;
        const argument = compileExpression(node.argument, scope);
        return (state) => applyUnary(operator, argument(state));
      }
      case "BinaryExpression":
        return compileBinary(node, scope);
      case "FilterExpression":
        return compileFilter(node, scope);
      case "TestExpression": {
        const operand = compileExpression(node.operand, scope);
        const test = TEMPLATE_TESTS.get(node.test.value);
        const expected = !node.negate;
        return (state) => test?.(operand(state)) === expected;
      }
      case "Ternary": {
        const condition = compileExpression(node.condition, scope);
        const yes = compileExpression(node.trueExpr, scope);
        const no = compileExpression(node.falseExpr, scope);
        return (state) => (isTruthy(condition(state)) ? yes(state) : no(state));
      }
      case "SelectExpression": {
        const condition = compileExpression(node.test, scope);
        const value = compileExpression(node.lhs, scope);
        return (state) => (isTruthy(condition(state)) ? value(state) : undefined);
      }
      default:
        throw new TemplateError("this construct is not supported in templates");
    }
  };

  const compileName = (name: string, scope: Scope): Evaluate => {
    const slot = scope.get(name);
    if (slot !== undefined) return (state) => state.slots[slot];
    if (TEMPLATE_CONSTANTS.has(name)) {
      const value = TEMPLATE_CONSTANTS.get(name);
      return () => value;
    }
    return (state) => state.resolve(name);
  };

  const compileBinary = (node: Extract<TemplateExpression, { type: "BinaryExpression" }>, scope: Scope): Evaluate => {
    const operator = node.operator.value;
    const left = compileExpression(node.left, scope);
    const right = compileExpression(node.right, scope);
    if (operator === "and" || operator === "or") {
      const stopsOn = operator === "or";
      return (state) => {
        const value = left(state);
        return isTruthy(value) === stopsOn ? value : right(state);
      };
    }
    return (state) => applyBinary(operator, left(state), right(state), print);
  };

  const compileFilter = (node: FilterExpression, scope: Scope): Evaluate => {
    const { name, args } = filterCall(node);
    const filter = findFilter(options.filters, name);
    if (!filter) throw new TemplateError(`unknown filter \`${name}\``, { code: "PR-103" });
    const operand = compileExpression(node.operand, scope);
    const positional: Evaluate[] = [];
    const byName: (readonly [string, Evaluate])[] = [];
    for (const argument of args) {
      if (argument.type === "KeywordArgumentExpression") {
        byName.push([argument.key.value, compileExpression(argument.value, scope)]);
      } else positional.push(compileExpression(argument, scope));
    }
    return (state) => {
      step(state);
      const named = Object.create(null) as Record<string, unknown>;
      for (const [key, value] of byName) named[key] = value(state);
      const result = filter(
        operand(state),
        positional.map((value) => value(state)),
        named as NamedArguments,
      );
      if (typeof result === "string" && result.length > MAX_OUTPUT) throw limitError("template_output", MAX_OUTPUT);
      return result;
    };
  };

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
        return (state) => (isTruthy(test(state)) ? yes(state) : no(state));
      }
      case "For":
        return compileLoop(node, scope);
      default: {
        const value = compileExpression(node, scope);
        const path = pathOf(node);
        return (state) => {
          const found = value(state);
          if (found === undefined && path !== undefined) state.onUndefined?.(path);
          return print(found);
        };
      }
    }
  };

  const compileLiteral = (text: string, scope: Scope): Emit => {
    if (!options.compileText) return () => text;
    const emit = options.compileText(text, (name) => scope.has(name));
    return (state) => {
      return emit((name) => {
        const slot = scope.get(name);
        return slot === undefined ? state.resolve(name) : state.slots[slot];
      }, state.onUndefined);
    };
  };

  const compileLoop = (node: Extract<TemplateStatement, { type: "For" }>, scope: Scope): Emit => {
    const iterable = compileExpression(node.iterable, scope);
    const slot = slotCount;
    slotCount += 2;
    const body = compileAll(node.body, new Map([...scope, [node.loopvar.value, slot], ["loop", slot + 1]]));
    const otherwise = compileAll(node.defaultBlock, scope);
    return (state) => {
      const items = iterate(iterable(state));
      if (items.length === 0) return otherwise(state);
      let text = "";
      for (const [index, item] of items.entries()) {
        step(state);
        const last = index === items.length - 1;
        state.slots[slot] = item;
        state.slots[slot + 1] = { index: index + 1, index0: index, first: index === 0, last, length: items.length };
        text += body(state);
      }
      return text;
    };
  };

  const compileAll = (nodes: readonly TemplateStatement[], scope: Scope): Emit => {
    const parts = nodes.map((node) => compileStatement(node, scope));
    return (state) => {
      let text = "";
      for (const part of parts) text += count(state, part(state));
      return text;
    };
  };

  const all = compileAll(body, new Map());
  const significant = body.filter((node) => !isBlank(node));
  const [only] = significant;
  const single =
    significant.length === 1 && only && isExpression(only) ? compileExpression(only, new Map()) : undefined;
  const start = (resolve: ResolveVariable, onUndefined?: OnUndefined): RenderState => {
    return { resolve, onUndefined, slots: [], steps: 0, length: 0 };
  };
  return {
    render: (resolve, onUndefined) => guard(() => all(start(resolve, onUndefined))),
    evaluate: (resolve) => guard(() => (single ?? all)(start(resolve))),
  };
}

/** What a filter or a value throws is a failure of the template, except our own errors. */
function guard<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (GuardrailsError.isInstance(error)) throw error;
    throw new TemplateError("template cannot be rendered", { cause: error });
  }
}

function step(state: RenderState): void {
  if ((state.steps += 1) > MAX_STEPS) throw limitError("template_steps", MAX_STEPS);
}

/** Counts text once per block it passes through, which bounds it well before memory does. */
function count(state: RenderState, text: string): string {
  if ((state.length += text.length) > MAX_OUTPUT) throw limitError("template_output", MAX_OUTPUT);
  return text;
}

function limitError(limit: string, maximum: number): LimitError {
  return new LimitError(`template exceeds ${maximum} of \`${limit}\``, { limit, maximum });
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
