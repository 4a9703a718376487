import type { Expression } from "../expressions/ast.js";
import { walkExpression } from "../expressions/walk-expression.js";
import type { CompiledFlow } from "./elements.js";

/** Returns the literal texts that flows give to the events they create. */
export function writtenTexts(flows: readonly CompiledFlow[]): ReadonlySet<string> {
  const texts = new Set<string>();
  const add = (part: Expression): void => {
    if (part.kind === "Literal" && typeof part.value === "string") texts.add(part.value);
  };
  for (const { elements } of flows) {
    for (const element of elements) {
      if (element.kind === "Emit") for (const { value } of element.arguments) walkExpression(value, add);
    }
  }
  return texts;
}
