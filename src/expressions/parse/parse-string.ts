import type { Token } from "../../syntax/token.js";
import type { Expression } from "../ast.js";
import { parseTemplate } from "./parse-template.js";
import type { ParseState } from "./parse-state.js";

/** strings = string { string }; adjacent ones are one text, as in Python, unless the dialect keeps them apart */
export function parseStrings(state: ParseState): Expression {
  const { cursor } = state;
  const first = cursor.next();
  let last = first;
  let height = 0;
  const parts: (string | Expression)[] = [];
  for (let token = first; ; token = cursor.next()) {
    last = token;
    for (const part of partsOf(state, token)) {
      if (typeof part !== "string") height = Math.max(height, state.height);
      addPart(parts, part);
    }
    const { kind } = cursor.peek();
    if (state.dialect.separateStrings || (kind !== "string" && kind !== "long-string")) break;
  }
  const place = { start: first.start, end: last.end };
  state.height = height;
  state.grow(place);
  if (parts.every((part) => typeof part === "string")) return { kind: "Literal", ...place, value: parts.join("") };
  return { kind: "Template", ...place, parts };
}

function partsOf(state: ParseState, token: Token): readonly (string | Expression)[] {
  const prefix = token.prefix?.toLowerCase();
  if (prefix === "b") state.malformed("bytes are not supported", token, "leave out the `b`");
  const isTemplate = prefix === "f" || (state.dialect.interpolateStrings && prefix !== "r");
  state.height = 0;
  return isTemplate ? parseTemplate(state, token) : [String(token.value ?? "")];
}

function addPart(parts: (string | Expression)[], part: string | Expression): void {
  const before = parts.at(-1);
  if (part === "") return;
  if (typeof part === "string" && typeof before === "string") parts[parts.length - 1] = before + part;
  else parts.push(part);
}
