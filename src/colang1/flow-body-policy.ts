import type { Expression } from "../expressions/ast.js";
import type { Pattern, Statement, Target } from "./ast.js";
import { PREDEFINED_VARIABLES } from "./predefined-variables.js";

/** What bounds a flow that a model wrote. */
export interface WrittenFlowPolicy {
  readonly allowedActions: ReadonlySet<string>;
  readonly constants: Readonly<Record<string, unknown>>;
  intentsOf(text: string): readonly string[];
}

type IsAllowed<Kind extends Statement["kind"]> = (
  statement: Statement & { readonly kind: Kind },
  policy: WrittenFlowPolicy,
) => boolean;

const ALLOWED: { readonly [Kind in Statement["kind"]]: IsAllowed<Kind> } = {
  Match: ({ patterns }, policy) => patterns.every((pattern) => isUserPattern(pattern, policy)),
  When: ({ branches }, policy) =>
    branches.every(({ patterns }) => patterns.every((pattern) => isUserPattern(pattern, policy))),
  Say: ({ any, intent }) => !any && intent !== undefined,
  Assign: ({ target, value }, policy) => isOpen(target, policy) && isConstant(value),
  Generate: ({ target }, policy) => isOpen(target, policy),
  Run: ({ action, target }, policy) =>
    policy.allowedActions.has(action.text) && (target === undefined || isOpen(target, policy)),
  If: () => true,
  Pass: () => true,
  Emit: () => false,
  Call: () => false,
  While: () => false,
  Break: () => false,
  Continue: () => false,
  Label: () => false,
  Goto: () => false,
  Return: () => false,
  Check: () => false,
  Stop: () => false,
};

/** Whether a statement, apart from those inside it, may stand in a flow that a model wrote [D-20]. */
export function isAllowedInWrittenFlow(statement: Statement, policy: WrittenFlowPolicy): boolean {
  const isAllowed = ALLOWED[statement.kind] as IsAllowed<Statement["kind"]>;
  return isAllowed(statement, policy);
}

function isUserPattern(pattern: Pattern, policy: WrittenFlowPolicy): boolean {
  if (pattern.kind !== "UserPattern") return false;
  return pattern.text === undefined || policy.intentsOf(pattern.text.value).length > 0;
}

/** INVARIANT: no completion can set a variable that steers the pipeline, such as `$skip_output_rails`. */
function isOpen({ name }: Target, { constants }: WrittenFlowPolicy): boolean {
  return !PREDEFINED_VARIABLES.has(name) && !name.startsWith("_") && !Object.hasOwn(constants, name);
}

function isConstant(value: Expression): boolean {
  switch (value.kind) {
    case "Literal":
      return true;
    case "Unary":
      return isConstant(value.operand);
    case "List":
      return value.items.every(isConstant);
    case "Map":
      return value.entries.every(
        (entry) => entry.key !== undefined && isConstant(entry.key) && isConstant(entry.value),
      );
    default:
      return false;
  }
}
