import type { Expression } from "../../expressions/ast.js";
import type { Scope } from "../../expressions/evaluate/runtime.js";
import { isMap, isTruthy, readOwn, toValue, type Value } from "../../expressions/values/value.js";

/** Source of flow variables: constants, the context, and `$event` as an instance sees it. */
interface VariableSource {
  readonly program: { readonly constants: Readonly<Record<string, unknown>> };
  readonly context: Readonly<Record<string, unknown>>;
  eventFor(instance: string | undefined): unknown;
}

/**
 * Variables as an instance sees them during an event: `$event`, constants, an overlay, the context. One object serves
 * all expressions of an event in turn.
 */
export class Variables implements Scope {
  /** The `uid` of the instance whose expression it is. */
  instance: string | undefined;
  /** Values that shadow the context. */
  overlay: ReadonlyMap<string, unknown> | undefined;
  /** Number of path steps evaluated by `readPath`. */
  steps = 0;
  readonly #source: VariableSource;

  constructor(source: VariableSource) {
    this.#source = source;
  }

  lookup(name: string): Value {
    const { overlay } = this;
    const { program, context } = this.#source;
    let value: unknown;
    if (name === "event") value = this.#source.eventFor(this.instance);
    else if (Object.hasOwn(program.constants, name)) value = program.constants[name];
    else if (overlay?.has(name) === true) value = overlay.get(name);
    else if (Object.hasOwn(context, name)) value = context[name];
    return typeof value === "object" || typeof value === "string" ? (value as Value) : toValue(value);
  }
}

/**
 * Evaluates a path of variables, `$config.rails.input.flows`, or a condition of paths, `not $a and $b.c`, without a
 * full evaluation, since most expressions have this form. Value and steps equal those of `evaluate`.
 *
 * @returns undefined for all other expressions, and where `evaluate` would fail
 */
export function readPath(variables: Variables, node: Expression): Value | undefined {
  variables.steps += 1;
  switch (node.kind) {
    case "Literal":
      return node.value;
    case "Variable":
      return variables.lookup(node.name);
    case "Member": {
      const { object } = node;
      const isVariable = object.kind === "Variable";
      if (isVariable) variables.steps += 1;
      const map = isVariable ? variables.lookup(object.name) : readPath(variables, object);
      if (map === undefined || !isMap(map) || node.name.startsWith("_")) return undefined;
      return readOwn(map, node.name) ?? null;
    }
    case "Unary": {
      const truth = node.operator === "not" ? truthOf(readPath(variables, node.operand)) : undefined;
      return truth === undefined ? undefined : !truth;
    }
    case "Logical": {
      const left = readPath(variables, node.left);
      const truth = truthOf(left);
      if (truth === undefined) return undefined;
      return truth === (node.operator === "and") ? readPath(variables, node.right) : left;
    }
    default:
      return undefined;
  }
}

/** The keys of a map count as work, which only a full evaluation measures. */
function truthOf(value: Value | undefined): boolean | undefined {
  return value === undefined || isMap(value) ? undefined : isTruthy(value);
}
