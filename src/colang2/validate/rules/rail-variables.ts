import { createSpan } from "../../../diagnostics/source-file.js";
import { didYouMean } from "../../../diagnostics/suggestion.js";
import { contextVariableNames } from "../../../engine/context-variables.js";
import type { FlowDefinition, Statement } from "../../ast.js";
import { quoteText } from "../../../diagnostics/diagnostic.js";
import { groupsOf, specsOf, walkExpressions, walkStatements } from "../../walk.js";
import type { RailScope, Rule } from "./rule.js";

/** Names shorter than this are near to every other short name. */
const SHORTEST = 3;

/** Returns the names that the variables of rails are compared with. */
export function railScope(flows: readonly FlowDefinition[], declared: readonly string[]): RailScope {
  const assigned = new Set<string>();
  for (const flow of flows) {
    const globals = globalsOf(flow);
    for (const name of writtenIn(flow)) if (globals.has(name)) assigned.add(name);
  }
  return { known: new Set([...contextVariableNames("2.x"), ...declared]), assigned };
}

/**
 * A variable that a rail reads and no flow assigns is always `None`, and a rail that decides by it protects nothing: an
 * error where it looks like a slip of a name that exists, else a warning.
 */
export const railVariables: Rule = ({ flow, rails, report }) => {
  if (rails === undefined) return;
  const globals = globalsOf(flow);
  const local = new Set(["self", "system", ...writtenIn(flow)]);
  const isShared = (name: string): boolean => rails.known.has(name) || rails.assigned.has(name);
  walkExpressions(flow, (part) => {
    if (part.kind !== "Variable" || part.name.startsWith("%")) return;
    const { name } = part;
    if (local.has(name) || (globals.has(name) && isShared(name))) return;
    const span = createSpan(flow.span.source, part.start, part.end);
    const shown = quoteText(`$${name}`);
    if (isShared(name)) {
      const hint = `write \`global $${name}\` in the flow`;
      report("C2-207", `variable ${shown} is not one of flow ${quoteText(flow.id)}, so it is \`None\``, span, hint);
      return;
    }
    const candidates = [...local, ...rails.known, ...rails.assigned];
    const near = name.length < SHORTEST ? undefined : didYouMean(name, candidates);
    const declare = "assign it in a flow, or declare it under `context_variables`";
    if (near === undefined) report("C2-313", `no flow assigns the variable ${shown} of a rail`, span, declare);
    else report("C2-207", `unknown variable ${shown} in a rail`, span, near.replace(/`([^`]+)`\?$/, "`$$$1`?"));
  });
};

function globalsOf(flow: FlowDefinition): ReadonlySet<string> {
  const names = new Set<string>();
  walkStatements(flow.body, (statement) => {
    if (statement.kind === "Global") for (const { text } of statement.names) names.add(text);
  });
  return names;
}

export function writtenIn(flow: FlowDefinition): readonly string[] {
  const names = [...flow.parameters, ...flow.returnMembers].map(({ name }) => name);
  walkStatements(flow.body, (statement) => names.push(...writtenBy(statement)));
  return names;
}

function writtenBy(statement: Statement): readonly string[] {
  const references = groupsOf(statement).flatMap(({ group }) =>
    specsOf(group).flatMap(({ reference }) => (reference ? [reference.text] : [])),
  );
  const target = "target" in statement && statement.target ? [statement.target.name] : [];
  const variable = statement.kind === "For" ? [statement.variable.text] : [];
  return [...references, ...target, ...variable];
}
