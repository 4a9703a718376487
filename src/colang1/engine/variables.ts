import type { Expression } from "../../expressions/ast.js";
import type { Scope } from "../../expressions/evaluate/runtime.js";
import { isMap, isTruthy, readOwn, toValue, type Value } from "../../expressions/values/value.js";

/** The source of the variables of flows: constants, the context, and `$event` as an instance sees it. */
interface VariableSource {
  readonly program: { readonly constants: Readonly<Record<string, unknown>> };
  readonly context: Readonly<Record<string, unknown>>;
  eventFor(instance: string | undefined): unknown;
}

/**
 * Variables as an instance sees them while an event is processed: `$event`, constants, an overlay, the context. One object
 * serves all expressions of an event, one after the other.
 */
export class Variables implements Scope {
  /** The `uid` of the instance whose expression it is. */
  instance: string | undefined;
  /** Values that hide those of the context. */
  overlay: ReadonlyMap<string, unknown> | undefined;
  /** Parts of expressions that `readPath` has read. */
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
 * Reads a path of variables, `$config.rails.input.flows`, or a condition of paths, `not $a and $b.c`, without the machinery of
 * an evaluation: most expressions of flows have this form. The value and the steps are those of `evaluate`.
 *
 * @returns undefined for every other expression, and where `evaluate` would fail
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

/** The keys of a map count as work, which only an evaluation measures. */
function truthOf(value: Value | undefined): boolean | undefined {
  return value === undefined || isMap(value) ? undefined : isTruthy(value);
}
