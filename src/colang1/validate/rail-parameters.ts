import { walkExpression } from "../../expressions/walk-expression.js";
import type { Statement } from "../ast.js";
import { reachable } from "../compile-flow.js";
import { namesInText, templateWords } from "../flow-effects.js";
import { quotedVariable } from "../lower/lower.js";
import type { FlowFacts, ListedRail, ProgramFacts } from "./program-facts.js";
import { expressionsOf } from "../walk.js";

/** Parameters of a rail. */
export interface RailParameters {
  /** Declared in the header, or read by the rail, its callees, its messages, or a prompt. */
  readonly names: ReadonlySet<string>;
  /** False if code or a dynamically called flow may read other names. */
  readonly isComplete: boolean;
}

/** Parameters of a rail; undefined for a rail without a flow. */
export function parametersOfRail(facts: ProgramFacts, { id }: ListedRail): RailParameters | undefined {
  if (!facts.flowsById.has(id)) return undefined;
  const names = new Set((facts.input.prompts ?? []).flatMap(templateWords));
  let isComplete = true;
  for (const flowId of reachable([id], facts.calls)) {
    const flow = facts.flowsById.get(flowId);
    if (flow === undefined) continue;
    for (const name of flow.definition.parameters) names.add(name);
    for (const statement of flow.statements) {
      for (const name of readBy(statement, facts)) names.add(name);
      isComplete &&= !readsMore(statement, flow);
    }
  }
  return { names, isComplete };
}

function* readBy(statement: Statement, { merged }: ProgramFacts): Generator<string> {
  for (const expression of expressionsOf(statement)) {
    const found: string[] = [];
    walkExpression(expression, (part) => {
      const name = part.kind === "Variable" ? part.name : quotedVariable(part);
      if (name !== undefined) found.push(name);
    });
    yield* found;
  }
  if (statement.kind !== "Say") return;
  const message = statement.intent === undefined ? undefined : merged.botMessages.get(statement.intent.text);
  for (const text of [...statement.variants.map(({ value }) => value), ...(message?.texts ?? [])]) {
    yield* namesInText(text);
  }
}

/** Actions of the configuration see every variable; those of the library take what their flows give them. */
function readsMore(statement: Statement, { origin }: FlowFacts): boolean {
  if (statement.kind === "Run") return origin !== "library" && origin !== "default";
  if (statement.kind === "Generate") return true;
  return statement.kind === "Call" && statement.flow === undefined;
}
