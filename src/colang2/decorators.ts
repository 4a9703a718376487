import { didYouMean } from "../diagnostics/suggestion.js";
import type { DiagnosticCode } from "../diagnostics/codes.js";
import type { Span } from "../diagnostics/source-file.js";
import type { Expression } from "../expressions/ast.js";
import type { CallArgument, Decorator, FlowDefinition } from "./ast.js";
import { quoteText } from "../diagnostics/diagnostic.js";
import type { LoopSetting, MetaValue } from "./program.js";

/** Settings from the decorators of a flow. */
export interface FlowSettings {
  readonly isActive: boolean;
  readonly isOverride: boolean;
  readonly isInterruptible: boolean;
  readonly loop?: LoopSetting;
  readonly meta: Readonly<Record<string, MetaValue>>;
  readonly metaTemplates: Readonly<Record<string, Expression>>;
}

type Report = (code: DiagnosticCode, message: string, span: Span, hint?: string) => void;

const KNOWN: ReadonlySet<string> = new Set(["active", "loop", "meta", "override", "interruptible"]);

/** Reads the decorators of a flow, and reports their problems. */
export function readDecorators({ decorators, name }: FlowDefinition, report: Report): FlowSettings {
  const meta: Record<string, MetaValue> = Object.create(null) as Record<string, MetaValue>;
  const metaTemplates: Record<string, Expression> = Object.create(null) as Record<string, Expression>;
  const has = (wanted: string): boolean => decorators.some((decorator) => decorator.name.text === wanted);
  let loop: LoopSetting | undefined;
  for (const decorator of decorators) {
    const word = decorator.name.text;
    if (word === "loop") loop = readLoop(decorator, report) ?? loop;
    else if (word === "meta") readMeta(decorator, { meta, metaTemplates, report });
    else if (!KNOWN.has(word)) {
      const hint = didYouMean(word, KNOWN) ?? "it is kept, but means nothing";
      report("C2-303", `unknown decorator ${quoteText(`@${word}`)}`, decorator.name.span, hint);
    } else if (decorator.arguments[0]) {
      report("C2-303", `\`@${word}\` takes no arguments`, decorator.arguments[0].span, "leave them out");
    }
  }
  return {
    isActive: has("active") || name === undefined,
    isOverride: has("override"),
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
  {
    meta,
    metaTemplates,
    report,
  }: { meta: Record<string, MetaValue>; metaTemplates: Record<string, Expression>; report: Report },
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
