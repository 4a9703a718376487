import type { Expression } from "../../src/expressions/ast.js";
import { childrenOf } from "../../src/expressions/walk-expression.js";

/** Returns the maximum nesting of string literals, each in a field of the outer one. */
export function stringLevels(node: Expression): number {
  if (node.kind === "Literal") return typeof node.value === "string" ? 1 : 0;
  if (node.kind === "Template") return 1 + levelsOfParts(node.parts);
  return highest(childrenOf(node));
}

function highest(nodes: readonly Expression[]): number {
  return nodes.reduce((levels, node) => Math.max(levels, stringLevels(node)), 0);
}

/** The format of a field is written without quotes, so only its own fields count. */
function levelsOfParts(parts: readonly (string | Expression)[]): number {
  return parts.reduce((levels: number, part) => {
    if (typeof part === "string") return levels;
    if (part.kind !== "Call" || part.function !== "format") return Math.max(levels, stringLevels(part));
    const [value, format] = part.arguments;
    const inFormat = format?.value.kind === "Template" ? levelsOfParts(format.value.parts) : 0;
    return Math.max(levels, value ? stringLevels(value.value) : 0, inFormat);
  }, 0);
}
