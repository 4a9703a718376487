import { addAll } from "../diagnostics/add-all.js";
import type { Span } from "../diagnostics/source-file.js";
import type { FlowDefinition, Name, Statement, TextLiteral } from "./ast.js";
import { type CompileFile, ORIGINS, type Origin, type YamlColang, type ActionCatalog } from "./compile-input.js";
import { statementsOf } from "./walk.js";
import { toSnakeCaseName } from "../engine/events.js";

/** The definition that won a flow id, with its statements and its origin. */
export interface MergedFlow {
  readonly id: string;
  readonly definition: FlowDefinition;
  /** All of its statements, nested ones too, in source order. */
  readonly statements: readonly Statement[];
  readonly origin: Origin;
  /** True if it replaces a default flow of this id. */
  readonly replacesDefault: boolean;
}

/** The definition that won a message name. Messages from settings have no span. */
export interface MergedMessage {
  readonly texts: readonly string[];
  readonly literals: readonly TextLiteral[];
  readonly origin: Origin;
  readonly span?: Span;
}

/** Two definitions of one name with equal precedence. */
interface Duplicate<Definition> {
  readonly name: string;
  readonly first: Definition;
  readonly again: Definition;
}

export interface MergedDefinitions {
  /** In load order, which decides ties between flows. */
  readonly flows: readonly MergedFlow[];
  readonly userMessages: ReadonlyMap<string, MergedMessage>;
  readonly botMessages: ReadonlyMap<string, MergedMessage>;
  readonly duplicateFlows: readonly Duplicate<FlowDefinition>[];
  readonly duplicateMessages: readonly Duplicate<Span>[];
}

/** Merges flows and messages by the precedence of their origins. */
export function mergeDefinitions(files: readonly CompileFile[], yaml: YamlColang | undefined): MergedDefinitions {
  const ordered = ORIGINS.flatMap((origin) => files.filter((file) => file.origin === origin));
  const duplicateMessages: Duplicate<Span>[] = [];
  return {
    ...mergeFlows(ordered),
    userMessages: mergeMessages(ordered, yaml?.userMessages, userTexts, duplicateMessages),
    botMessages: mergeMessages(ordered, yaml?.botMessages, botTexts, duplicateMessages),
    duplicateMessages,
  };
}

function mergeFlows(files: readonly CompileFile[]): Pick<MergedDefinitions, "flows" | "duplicateFlows"> {
  const winners = new Map<string, { definition: FlowDefinition; origin: Origin; replacesDefault: boolean }>();
  const duplicateFlows: Duplicate<FlowDefinition>[] = [];
  for (const { file, origin } of files) {
    for (const definition of file.definitions) {
      if (definition.kind !== "FlowDefinition") continue;
      const winner = winners.get(definition.id);
      if (!winner) winners.set(definition.id, { definition, origin, replacesDefault: false });
      else if (winner.origin === origin) {
        duplicateFlows.push({ name: definition.id, first: winner.definition, again: definition });
      } else if (origin === "default") winner.replacesDefault = true;
    }
  }
  return {
    flows: [...winners].map(([id, winner]) => ({ id, statements: statementsOf(winner.definition.body), ...winner })),
    duplicateFlows,
  };
}

interface NamedTexts {
  readonly name: Name;
  readonly literals: readonly TextLiteral[];
  /** True if defined by the statement that emits it; duplicate texts are added once. */
  readonly isInline?: boolean;
}

type ReadTexts = (file: CompileFile) => Iterable<NamedTexts>;

function mergeMessages(
  files: readonly CompileFile[],
  settings: Readonly<Record<string, readonly string[]>> | undefined,
  read: ReadTexts,
  duplicates: Duplicate<Span>[],
): Map<string, MergedMessage> {
  const merged = new Map<string, MergedMessage>();
  for (const [name, texts] of Object.entries(settings ?? {})) merged.set(name, { texts, literals: [], origin: "yaml" });
  for (const file of files) {
    const own = new Map<string, { span: Span; literals: TextLiteral[] }>();
    for (const { name, literals, isInline } of read(file)) {
      const known = own.get(name.text) ?? { span: name.span, literals: [] };
      own.set(name.text, known);
      const isNew = (text: string): boolean => !known.literals.some((literal) => literal.value === text);
      addAll(known.literals, isInline ? literals.filter((literal) => isNew(literal.value)) : literals);
    }
    for (const [name, { span, literals }] of own) {
      const winner = merged.get(name);
      if (!winner) {
        merged.set(name, { texts: literals.map((literal) => literal.value), literals, origin: file.origin, span });
      } else if (winner.origin === file.origin && winner.span) {
        duplicates.push({ name, first: winner.span, again: span });
      }
    }
  }
  return merged;
}

function* userTexts({ file }: CompileFile): Generator<NamedTexts> {
  for (const definition of file.definitions) {
    if (definition.kind === "UserDefinition") yield { name: definition.name, literals: definition.examples };
  }
}

/** Yields the messages of blocks, and those defined by statements: `bot name "text"`. */
function* botTexts({ file }: CompileFile): Generator<NamedTexts> {
  for (const definition of file.definitions) {
    if (definition.kind === "BotDefinition") yield { name: definition.name, literals: definition.variants };
    if (definition.kind !== "FlowDefinition") continue;
    for (const statement of statementsOf(definition.body)) {
      if (statement.kind === "Say" && statement.intent && statement.variants.length > 0) {
        yield { name: statement.intent, literals: statement.variants, isInline: true };
      }
    }
  }
}

/** The action that a name in a flow refers to. `loose` means that only spaces or underscores differ. */
interface ActionMatch {
  readonly name: string;
  readonly loose: boolean;
}

/**
 * Finds an action by its name as written, otherwise without a trailing `Action` and in snake_case, otherwise with
 * spaces and underscores exchanged.
 *
 * @example
 * ```ts
 * resolveActionName("CheckStockAction", catalog); // { name: "check_stock", loose: false }
 * ```
 */
export function resolveActionName(written: string, catalog: Pick<ActionCatalog, "has">): ActionMatch | undefined {
  if (catalog.has(written)) return { name: written, loose: false };
  const snake = toSnakeCaseName(written);
  if (catalog.has(snake)) return { name: snake, loose: false };
  const loose = [written.replaceAll(" ", "_"), written.replaceAll("_", " ")].filter((name) => catalog.has(name));
  return loose.length === 1 && loose[0] !== undefined ? { name: loose[0], loose: true } : undefined;
}
