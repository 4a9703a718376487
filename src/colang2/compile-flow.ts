import { createDiagnostic, type Diagnostic, quoteText } from "../diagnostics/diagnostic.js";
import { locationOf, type Span } from "../diagnostics/source-file.js";
import type { Expression } from "../expressions/ast.js";
import type { FlowDefinition, Parameter, CallArgument, Decorator } from "./ast.js";
import type { FlowSignatures } from "./expand/context.js";
import { expandFlow } from "./expand/statement.js";
import type { MergedFlow } from "./merge-flows.js";
import type { CompiledFlow, CompiledParameter, LoopSetting, MetaValue } from "./program.js";
import { hashFlow } from "../engine/hasher.js";
import { lexRange } from "../syntax/lexer.js";
import { didYouMean } from "../diagnostics/suggestion.js";
import type { DiagnosticCode } from "../diagnostics/codes.js";

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
  const settings = readDecorators(flow, (code, message, span, hint) =>
    diagnostics.push(createDiagnostic(code, message, { span, hint })),
  );
  const expanded = expandFlow(flow, signatures);
  const [first] = flow.body;
  const template = first?.kind === "Docstring" && first.value.kind === "Template" ? first.value : undefined;
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
    ...(first?.comment === undefined ? {} : { comment: first.comment }),
    isHiddenFromPrompts:
      module.ast.isHiddenFromPrompts ||
      settings.meta["llm_exclude"] === true ||
      settings.meta["exclude_from_llm"] === true,
    location: locationOf(flow.headerSpan),
    sourceText: sourceTextOf(flow.span),
  };
  return {
    flow: { ...compiled, hash: hashFlow(compiled, PLACES) },
    diagnostics: [...diagnostics, ...expanded.diagnostics],
  };
}

export function compileParameter({ name, default: value }: Parameter): CompiledParameter {
  return value ? { name, default: value } : { name };
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

type Report = (code: DiagnosticCode, message: string, span: Span, hint?: string) => void;

const KNOWN: ReadonlySet<string> = new Set(["active", "loop", "meta", "override", "interruptible"]);

/** Reads the settings of a flow from its decorators, and reports their problems. */
function readDecorators({ decorators, name }: FlowDefinition, report: Report) {
  const meta = Object.create(null) as Record<string, MetaValue>;
  const metaTemplates = Object.create(null) as Record<string, Expression>;
  const has = (wanted: string): boolean => decorators.some((decorator) => decorator.name.text === wanted);
  let loop: LoopSetting | undefined;
  for (const decorator of decorators) {
    const word = decorator.name.text;
    if (word === "loop") loop = readLoop(decorator, report) ?? loop;
    else if (word === "meta") readMeta(decorator, meta, metaTemplates, report);
    else if (!KNOWN.has(word)) {
      const hint = didYouMean(word, KNOWN) ?? "it is kept, but means nothing";
      report("C2-303", `unknown decorator ${quoteText(`@${word}`)}`, decorator.name.span, hint);
    } else if (decorator.arguments[0]) {
      report("C2-303", `\`@${word}\` takes no arguments`, decorator.arguments[0].span, "leave them out");
    }
  }
  return {
    isActive: has("active") || name === undefined,
    isInterruptible: has("interruptible"),
    ...(loop ? { loop } : {}),
    meta: { ...meta },
    metaTemplates: { ...metaTemplates },
  };
}

/** `@loop(id, priority=0)` */
function readLoop(decorator: Decorator, report: Report): LoopSetting | undefined {
  const [first, second] = decorator.arguments.filter(({ name }) => name === undefined);
  const find = (wanted: string): CallArgument | undefined => decorator.arguments.find(({ name }) => name === wanted);
  const unknown = decorator.arguments.find(({ name }) => name !== undefined && name !== "id" && name !== "priority");
  if (unknown) {
    report("C2-303", `\`@loop\` has no ${quoteText(unknown.name ?? "")}`, unknown.span, "it has `id` and `priority`");
  }
  const given = first ?? find("id");
  const id = given && readLiteral(given, report);
  if (typeof id !== "string") {
    const hint = 'write `@loop("name")`, or `@loop("NEW")` for a loop of each instance';
    report("C2-303", "`@loop` without an id has no effect", given?.span ?? decorator.span, hint);
    return undefined;
  }
  const priorityGiven = second ?? find("priority");
  const priority = priorityGiven ? readLiteral(priorityGiven, report) : 0;
  if (typeof priority === "number" && Number.isInteger(priority)) return { id, priority };
  if (priorityGiven) report("C2-121", "`priority` is a whole number", priorityGiven.span, "write `priority=1`");
  return { id, priority: 0 };
}

function readMeta(
  { arguments: given }: Decorator,
  meta: Record<string, MetaValue>,
  metaTemplates: Record<string, Expression>,
  report: Report,
): void {
  for (const argument of given) {
    const { name, value, span } = argument;
    if (name === undefined) report("C2-121", "a tag has a name", span, "write `@meta(name=True)`");
    else if (value.kind === "Template") metaTemplates[name] = value;
    else {
      const read = readLiteral(argument, report);
      if (read !== undefined) meta[name] = read;
    }
  }
}

function readLiteral({ value, spread, isGenerated, span }: CallArgument, report: Report): MetaValue | undefined {
  const read = spread || isGenerated ? undefined : literalOf(value);
  if (read === undefined) {
    report("C2-121", "arguments of decorators are literals", span, "write a text, a number, `True`, `False` or `None`");
  }
  return read;
}

function literalOf(node: Expression): MetaValue | undefined {
  switch (node.kind) {
    case "Literal":
      return node.value;
    case "Unary": {
      const operand = literalOf(node.operand);
      if (typeof operand !== "number" || node.operator === "not" || node.operator === "~") return undefined;
      return node.operator === "-" ? -operand : operand;
    }
    case "List": {
      const items = node.items.map(literalOf);
      return items.every((item) => item !== undefined) ? items : undefined;
    }
    case "Map": {
      const entries = node.entries.map(
        ({ key, value }) => [key === undefined ? undefined : literalOf(key), literalOf(value)] as const,
      );
      if (!entries.every(([key, value]) => typeof key === "string" && value !== undefined)) return undefined;
      return Object.fromEntries(entries) as { readonly [key: string]: MetaValue };
    }
    default:
      return undefined;
  }
}
