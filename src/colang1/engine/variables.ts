import type { Expression } from "../../expressions/ast.js";
import type { Scope } from "../../expressions/evaluate/runtime.js";
import { isMap, isTruthy, readOwn, toValue, type Value } from "../../expressions/values/value.js";

/** The source of the variables of flows: constants, the context, and `$event` as an instance sees it. */
interface VariableSource {
  readonly program: { readonly constants: Readonly<Record<string, unknown>> };
  readonly context: Readonly<Record<string, unknown>>;
  eventFor(instance: string | undefined): unknown;
}

/** Variables as an instance sees them while an event is processed: `$event`, constants, an overlay, the context. */
export class Variables implements Scope {
  /** Parts of expressions that `readPath` has read. */
  steps: number;

  /**
   * @param instance - `uid` of the instance
   * @param overlay - values that hide those of the context
   */
  constructor(
    readonly source: VariableSource,
    readonly instance: string | undefined,
    readonly overlay: ReadonlyMap<string, unknown> | undefined,
  ) {
    this.steps = 0;
  }

  lookup(name: string): Value {
    const { overlay } = this;
    if (name === "event") return toValue(this.source.eventFor(this.instance));
    const { program, context } = this.source;
    if (Object.hasOwn(program.constants, name)) return toValue(program.constants[name]);
    if (overlay?.has(name) === true) return toValue(overlay.get(name));
    return toValue(Object.hasOwn(context, name) ? context[name] : undefined);
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
      const map = readPath(variables, node.object);
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
