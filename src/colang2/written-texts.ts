import type { CompiledFlow } from "./program.js";
import type { Expression } from "../expressions/ast.js";
import { walkExpression } from "../expressions/walk-expression.js";

/** The texts that flows give to other flows, to actions and to events literally, as in `bot say "No."`. */
export function writtenTexts(flows: readonly CompiledFlow[]): ReadonlySet<string> {
  const texts = new Set<string>();
  const add = (value: Expression | undefined): void => {
    if (value?.kind === "Literal" && typeof value.value === "string") texts.add(value.value);
  };
  for (const { elements, parameters } of flows) {
    for (const { default: value } of parameters) add(value);
    for (const element of elements) {
      if ("arguments" in element) for (const { value } of element.arguments) add(value);
      if (element.kind !== "Act" && element.kind !== "Emit") continue;
      for (const { value } of element.request.arguments) walkExpression(value, add);
    }
  }
  return texts;
}
