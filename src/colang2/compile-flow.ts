import { createDiagnostic, type Diagnostic } from "../diagnostics/diagnostic.js";
import { locationOf } from "../diagnostics/span.js";
import type { Expression } from "../expressions/ast.js";
import type { FlowDefinition, Parameter } from "./ast.js";
import { readDecorators } from "./decorators.js";
import type { FlowSignatures } from "./expand/context.js";
import { expandFlow } from "./expand/flow.js";
import type { MergedFlow } from "./merge-flows.js";
import type { CompiledFlow, CompiledParameter } from "./program.js";
import { hashFlow } from "./program-hash.js";
import { sourceTextOf } from "./source-text.js";

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
    flow: { ...compiled, hash: hashFlow(compiled) },
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
