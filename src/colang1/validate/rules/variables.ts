import { type SourceFile, createSpan, type Span, spanText } from "../../../diagnostics/source-file.js";
import { suggest } from "../../../diagnostics/suggestion.js";
import { walkExpression } from "../../../expressions/walk-expression.js";
import type { Statement, StatementOf, Target } from "../../ast.js";
import { reachable } from "../../compile-flow.js";
import { quotedVariable } from "../../lower/lower.js";
import { PREDEFINED_VARIABLES, RESERVED_VARIABLES, TEXT_VARIABLES } from "../../predefined-variables.js";
import { parametersOfRail } from "../rail-parameters.js";
import type { MergedMessage } from "../../merge-definitions.js";
import type { ProgramFacts } from "../program-facts.js";
import { expressionsOf, argumentsOf, blocksOf } from "../../walk.js";
import type { Rule, Report } from "./rule.js";
import type { Expression } from "../../../expressions/ast.js";

const SHORTEST = 5;
const SHORTEST_IN_RAILS = 3;

/**
 * CO-313: a variable that is read but never written. Callers and actions may set any variable, so a name that merely
 * is not written here proves nothing; reported is only one that looks like a slip of a name that is written or
 * predefined. Short names, and names that differ in a digit or a plural, are too often intended.
 */
export const nearVariables: Rule = (facts, report) => {
  const written = writtenVariables(facts);
  const nearest = new Map<string, string | undefined>();
  const reported = new Set<string>();
  const check = (name: string, source: SourceFile, start: number, end: number): void => {
    if (written.has(name)) return;
    if (isRail) return checkInRail(name, createSpan(source, start, end));
    if (!nearest.has(name)) nearest.set(name, nearestName(name, written));
    const near = nearest.get(name);
    if (near === undefined) return;
    const span = createSpan(source, start, end);
    report("CO-313", `variable \`$${name}\` is read but never written`, { span, hint: `did you mean \`$${near}\`?` });
  };
  /** A rail that decides by a variable that is always `None` protects nothing. */
  const checkInRail = (name: string, span: Span): void => {
    const place = `${span.source.name}:${span.start}`;
    if (reported.has(place)) return;
    reported.add(place);
    const near = name.length < SHORTEST_IN_RAILS ? undefined : suggest(name, written);
    if (near === undefined) {
      const hint = "assign it in a flow, or declare it under `context_variables`";
      report("CO-320", `no flow assigns the variable \`$${name}\` of a rail`, { span, hint });
    } else report("CO-210", `unknown variable \`$${name}\` in a rail`, { span, hint: `did you mean \`$${near}\`?` });
  };
  let isRail = false;
  const inRails = reachable(facts.deciding, facts.calls);
  return {
    statement: (statement, flow) => {
      isRail = inRails.has(flow.id);
      // No other flow can set the variables in the messages of a rail.
      const intent = isRail && statement.kind === "Say" && statement.intent?.text;
      const message = intent ? facts.merged.botMessages.get(intent) : undefined;
      if (message) checkMessage(message, check);
      const { source } = statement.span;
      for (const expression of expressionsOf(statement)) {
        walkExpression(expression, (part) => {
          const name = part.kind === "Variable" ? part.name : quotedVariable(part);
          if (name !== undefined) check(name, source, part.start, part.end);
        });
      }
    },
    program: () => {
      isRail = false;
      for (const message of facts.merged.botMessages.values()) checkMessage(message, check);
    },
  };
};

/** Checks the variables in the texts of a message; messages of the package are not checked. */
function checkMessage(
  { literals, origin }: MergedMessage,
  check: (name: string, source: SourceFile, start: number, end: number) => void,
): void {
  if (origin === "default" || origin === "library") return;
  for (const { span } of literals) {
    for (const { name, start, end } of variablesInText(span)) check(name, span.source, start, end);
  }
}

function nearestName(name: string, written: ReadonlySet<string>): string | undefined {
  if (name.length < SHORTEST) return undefined;
  const near = suggest(name, written);
  return near === undefined || near.length < SHORTEST || stem(near) === stem(name) ? undefined : near;
}

function stem(name: string): string {
  return name.replace(/[\d_]+$/, "").replace(/s$/, "");
}

/** Variables in the text of a message, found where they are written; `$$` is a dollar sign. */
function* variablesInText(span: Span): Generator<{ name: string; start: number; end: number }> {
  for (const match of spanText(span).matchAll(/\$\$|\$([A-Za-z_]\w*)/g)) {
    const start = span.start + match.index;
    if (match[1] !== undefined) yield { name: match[1], start, end: start + match[0].length };
  }
}

function writtenVariables(facts: ProgramFacts): Set<string> {
  const { input, flows, rails } = facts;
  const written = new Set([
    ...PREDEFINED_VARIABLES,
    ...(input.predefinedVariables ?? []),
    ...Object.keys(input.constants ?? {}),
    // A parameter that its rail does not read is reported by another rule.
    ...rails.flatMap((rail) => rail.parameters.filter((name) => parametersOfRail(facts, rail)?.names.has(name))),
  ]);
  for (const { definition, statements } of flows) {
    for (const parameter of definition.parameters) written.add(parameter);
    for (const statement of statements) {
      for (const name of writtenBy(statement)) written.add(name);
    }
  }
  return written;
}

function* writtenBy(statement: Statement): Generator<string> {
  for (const { name } of assignedNames(statement)) yield name;
  if (statement.kind !== "Emit" || statement.type.text !== "ContextUpdate") return;
  for (const { value } of statement.arguments) {
    if (value.kind !== "Map") continue;
    for (const { key } of value.entries) {
      if (key?.kind === "Literal" && typeof key.value === "string") yield key.value;
    }
  }
}

/** CO-308: `"$name"` as an argument stands for the variable, as it always did; without quotes it says so. */
export const quotedVariables: Rule = (_facts, report) => ({
  statement: (statement) => {
    for (const { value } of argumentsOf(statement)) {
      const name = quotedVariable(value);
      if (name === undefined) continue;
      report("CO-308", `the argument is the value of \`$${name}\`, not the text in quotes`, {
        span: createSpan(statement.span.source, value.start, value.end),
        hint: `write \`$${name}\` without quotes`,
      });
    }
  },
});

/** CO-117: `$config` and `$event` are set by the engine, and constants never change. */
export const reservedVariables: Rule = ({ input }, report) => {
  const constants = input.constants ?? {};
  return {
    statement: (statement) => {
      for (const { name, span } of assignedNames(statement)) {
        if (!RESERVED_VARIABLES.has(name) && !Object.hasOwn(constants, name)) continue;
        report("CO-117", `variable \`$${name}\` cannot be assigned`, { span, hint: "use a variable of another name" });
      }
    },
  };
};

/** Arguments of `do` are assignments as well. */
function* assignedNames(statement: Statement): Generator<{ readonly name: string; readonly span: Span }> {
  if ("target" in statement && statement.target) yield statement.target;
  for (const { name, start, end } of statement.kind === "Call" ? statement.arguments : []) {
    if (name !== undefined) yield { name, span: createSpan(statement.span.source, start, end) };
  }
}

const NO_MAP: ReadonlySet<Expression["kind"]> = new Set(["Literal", "List", "Set", "Template", "Compare", "Unary"]);

/**
 * CO-206: a property can be set only on a map. Reported where it is certain: a variable that always holds text, or one
 * that was given another value just before. The rest shows when the flow runs.
 */
export const propertyTargets: Rule = (_facts, report) => ({
  flow: ({ definition }) => checkBlock(definition.body, report),
});

function checkBlock(block: readonly Statement[], report: Report): void {
  const assigned = new Map<string, StatementOf<"Assign">>();
  for (const statement of block) {
    if ("target" in statement && statement.target) checkTarget(statement.target, assigned, report);
    if (statement.kind === "Assign") {
      if (statement.target.path.length > 0) continue;
      if (NO_MAP.has(statement.value.kind)) assigned.set(statement.target.name, statement);
      else assigned.delete(statement.target.name);
    } else {
      // Anything else may wait, jump or run an action, after which nothing is certain.
      assigned.clear();
      for (const inner of blocksOf(statement)) checkBlock(inner, report);
    }
  }
}

function checkTarget(
  { name, path, span }: Target,
  assigned: ReadonlyMap<string, StatementOf<"Assign">>,
  report: Report,
): void {
  const earlier = assigned.get(name);
  if (path.length === 0 || (!earlier && !TEXT_VARIABLES.has(name))) return;
  report("CO-206", `\`$${name}\` is not a map, so its property \`${path.join(".")}\` cannot be set`, {
    span,
    labels: earlier && [{ span: earlier.target.span, text: "given another value here" }],
    hint: earlier && `begin with \`$${name} = {}\``,
  });
}
