import type { CompiledFlow } from "./program.js";
import type { Expression } from "../expressions/ast.js";

/** The texts that flows give to other flows and to actions literally, as in `bot say "No."`. */
export function writtenTexts(flows: readonly CompiledFlow[]): ReadonlySet<string> {
  const texts = new Set<string>();
  const add = (value: Expression | undefined): void => {
    if (value?.kind === "Literal" && typeof value.value === "string") texts.add(value.value);
  };
  for (const { elements, parameters } of flows) {
    for (const { default: value } of parameters) add(value);
    for (const element of elements) {
      if (!("arguments" in element)) continue;
      for (const { value } of element.arguments) add(value);
    }
  }
  return texts;
}
