import { createDiagnostic, type Diagnostic } from "../diagnostics/diagnostic.js";
import { locationOf, type Span } from "../diagnostics/source-file.js";
import type { Expression } from "../expressions/ast.js";
import type { FlowDefinition, Parameter } from "./ast.js";
import { readDecorators } from "./decorators.js";
import type { FlowSignatures } from "./expand/context.js";
import { expandFlow } from "./expand/statement.js";
import type { MergedFlow } from "./merge-flows.js";
import type { CompiledFlow, CompiledParameter } from "./program.js";
import { hashFlow } from "../engine/hasher.js";
import { lexRange } from "../syntax/lexer.js";

/** Fields that change when lines are added above a flow, and are not part of its meaning. */
const PLACES = {
  flow: new Set(["location", "sourceText", "places", "elements", "module", "comment"]),
  element: new Set(["place"]),
};

/** Compiles one flow, given the signatures of all flows of the program. */
export function compileFlow(
  { flow, module }: MergedFlow,
  signatures: FlowSignatures,
): { readonly flow: CompiledFlow; readonly diagnostics: readonly Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const { isOverride: _, ...settings } = readDecorators(flow, (code, message, span, hint) =>
    diagnostics.push(createDiagnostic(code, message, { span, hint })),
  );
  const expanded = expandFlow(flow, signatures);
  const template = docstringTemplateOf(flow);
  const compiled: Omit<CompiledFlow, "hash"> = {
    id: flow.id,
    module: module.name,
    parameters: flow.parameters.map(compileParameter),
    returnMembers: flow.returnMembers.map(compileParameter),
    elements: expanded.elements,
    places: expanded.places,
    ...settings,
    isNameless: flow.name === undefined,
    ...(flow.docstring === undefined ? {} : { docstring: flow.docstring }),
    ...(template ? { docstringTemplate: template } : {}),
    ...(flow.body[0]?.comment === undefined ? {} : { comment: flow.body[0].comment }),
    isHiddenFromPrompts: module.ast.isHiddenFromPrompts || isExcluded(settings.meta),
    location: locationOf(flow.headerSpan),
    sourceText: sourceTextOf(flow.span),
  };
  return {
    flow: { ...compiled, hash: hashFlow(compiled, PLACES) },
    diagnostics: [...diagnostics, ...expanded.diagnostics],
  };
}

function isExcluded(meta: CompiledFlow["meta"]): boolean {
  return ["llm_exclude", "exclude_from_llm"].some((tag) => Object.hasOwn(meta, tag) && meta[tag] === true);
}

export function compileParameter({ name, default: value }: Parameter): CompiledParameter {
  return value ? { name, default: value } : { name };
}

function docstringTemplateOf({ body: [first] }: FlowDefinition): Expression | undefined {
  return first?.kind === "Docstring" && first.value.kind === "Template" ? first.value : undefined;
}

/**
 * A flow as prompts show it: without the margin all its lines share, without comments and blank lines. Comments are found by
 * reading tokens, so a `#` in a string stays.
 */
function sourceTextOf({ source, start, end }: Span): string {
  const pieces: string[] = [];
  let at = start;
  for (const token of lexRange(source, start, end)) {
    pieces.push(source.text.slice(at, token.start).replace(/#[^\n]*/g, ""), source.text.slice(token.start, token.end));
    at = token.end;
  }
  pieces.push(source.text.slice(at, end));
  const lineStart = source.text.lastIndexOf("\n", start - 1) + 1;
  const margin = source.text.slice(lineStart, start);
  return pieces
    .join("")
    .split("\n")
    .map((line) => (margin.trim() === "" && line.startsWith(margin) ? line.slice(margin.length) : line).trimEnd())
    .filter((line) => line !== "")
    .join("\n");
}
