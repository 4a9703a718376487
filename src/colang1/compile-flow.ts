import { lineText, positionAt, type SourceLocation } from "../diagnostics/source-file.js";
import type { FlowDefinition, Statement } from "./ast.js";
import type { CompiledFlow, Element, Tier } from "./elements.js";
import type { LowerContext, LoweredFlow } from "./lower/lower.js";
import { hashFlow } from "../engine/hasher.js";
import type { MergedFlow } from "./merge-definitions.js";

const MULTIPLE = new Set(["parallel", "recursive"]);
const UNINTERRUPTIBLE = new Set(["continuous", "noninterruptable", "non-interruptable"]);
const SLIDING: ReadonlySet<Element["kind"]> = new Set(["Assign", "JumpIfNot", "Jump", "Check", "Return"]);

/** Fields that depend on a flow's position but not on its meaning. */
const PLACES = {
  flow: new Set(["location", "sourceText", "elements"]),
  element: new Set(["location", "text"]),
};

/** Usage of a flow that affects its flags. */
interface FlowUse {
  readonly tier: Tier;
  /** Rails never start on their own, whatever their definition says. */
  readonly isRail: boolean;
}

type FlowFields = Omit<CompiledFlow, "hash" | "sourceText">;

/** Builds a compiled flow with flags, source text and hash around its elements, as plain data. */
export function compileFlow(
  definition: FlowDefinition,
  lowered: LoweredFlow,
  use: FlowUse,
  context: Pick<LowerContext, "locate">,
): CompiledFlow {
  const fields = flowFields(definition, lowered, use, context);
  return { ...fields, sourceText: sourceTextOf(definition), hash: hashFlow(fields, PLACES) };
}

/**
 * A flow of a program. Only prompts read its text and only stored conversations its hash, so both are computed on first
 * read.
 */
export class ProgramFlow implements CompiledFlow {
  readonly id: string;
  readonly tier: Tier;
  readonly elements: readonly Element[];
  readonly parameters: readonly string[];
  readonly priority: number;
  readonly allowMultiple: boolean;
  readonly isExtension: boolean;
  readonly isSubflow: boolean;
  readonly interruptible: boolean;
  readonly isInitialiser: boolean;
  readonly continues: boolean;
  readonly stream?: string;
  readonly location: SourceLocation;
  readonly #definition: FlowDefinition;
  /** The fields covered by the hash. */
  readonly #fields: FlowFields;
  #sourceText: string | undefined;
  #hash: string | undefined;

  constructor(fields: FlowFields, definition: FlowDefinition, elements = fields.elements) {
    this.id = fields.id;
    this.tier = fields.tier;
    this.elements = elements;
    this.parameters = fields.parameters;
    this.priority = fields.priority;
    this.allowMultiple = fields.allowMultiple;
    this.isExtension = fields.isExtension;
    this.isSubflow = fields.isSubflow;
    this.interruptible = fields.interruptible;
    this.isInitialiser = fields.isInitialiser;
    this.continues = fields.continues;
    if (fields.stream !== undefined) this.stream = fields.stream;
    this.location = fields.location;
    this.#definition = definition;
    this.#fields = fields;
  }

  static compile(
    definition: FlowDefinition,
    lowered: LoweredFlow,
    use: FlowUse,
    context: Pick<LowerContext, "locate">,
  ): ProgramFlow {
    return new ProgramFlow(flowFields(definition, lowered, use, context), definition);
  }

  get sourceText(): string {
    this.#sourceText ??= sourceTextOf(this.#definition);
    return this.#sourceText;
  }

  get hash(): string {
    this.#hash ??= hashFlow(this.#fields, PLACES);
    return this.#hash;
  }

  /**
   * Returns the flow with elements that test more strictly. INVARIANT: its meaning is unchanged, and so is its hash.
   */
  withElements(elements: readonly Element[]): ProgramFlow {
    return new ProgramFlow(this.#fields, this.#definition, elements);
  }
}

function flowFields(
  definition: FlowDefinition,
  lowered: LoweredFlow,
  use: FlowUse,
  context: Pick<LowerContext, "locate">,
): FlowFields {
  const { meta } = definition;
  const modifiers = definition.modifiers.map((modifier) => modifier.text);
  const isSubflow = use.isRail || definition.isSubflow || meta["subflow"] === true;
  return {
    id: definition.id,
    tier: use.tier,
    elements: lowered.elements,
    parameters: definition.parameters,
    priority: typeof meta["priority"] === "number" ? meta["priority"] : 1,
    allowMultiple: modifiers.some((name) => MULTIPLE.has(name)) || meta["allow_multiple"] === true,
    isExtension: modifiers.includes("extension") || meta["is_extension"] === true,
    isSubflow,
    interruptible: !modifiers.some((name) => UNINTERRUPTIBLE.has(name)) && meta["interruptable"] !== false,
    isInitialiser: !isSubflow && lowered.elements.every((element) => SLIDING.has(element.kind)),
    continues: meta["continue"] === true,
    ...(typeof meta["stream"] === "string" ? { stream: meta["stream"] } : {}),
    location: context.locate(definition.headerSpan),
  };
}

/** The lines from the first to the last statement, dedented and without blank lines. */
export function sourceTextOf({ body }: FlowDefinition): string {
  const first = body[0]?.span;
  const last = body.at(-1)?.span;
  if (!first || !last) return "";
  const from = positionAt(first.source, first.start).line;
  const to = positionAt(last.source, Math.max(last.start, last.end - 1)).line;
  const lines: string[] = [];
  for (let line = from; line <= to; line += 1) {
    const text = lineText(first.source, line).trimEnd();
    if (text !== "") lines.push(text);
  }
  const indent = Math.min(...lines.map((line) => line.length - line.trimStart().length));
  return lines.map((line) => line.slice(indent)).join("\n");
}

/** Ids of the flows that statements call by name. */
export function calledFlows(statements: readonly Statement[]): Set<string> {
  const called = new Set<string>();
  for (const statement of statements) {
    if (statement.kind === "Call" && statement.flow) called.add(statement.flow.text);
  }
  return called;
}

/** Returns the flows reachable by calls, including the given ones. */
export function reachable(from: Iterable<string>, calls: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const found = new Set<string>();
  const open = [...from];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    open.push(...(calls.get(id) ?? []));
  }
  return found;
}

/**
 * Assigns tiers. System flows are default and library flows and their replacements, rails, and flows called only by
 * those. A flow that a user flow also calls is a user flow, and so are its callees.
 */
export function assignTiers(
  flows: readonly MergedFlow[],
  rails: ReadonlySet<string>,
  calls: ReadonlyMap<string, ReadonlySet<string>>,
): Map<string, Tier> {
  const isRoot = ({ id, origin, replacesDefault }: MergedFlow): boolean =>
    origin === "default" || origin === "library" || replacesDefault || rails.has(id);
  const roots = new Set(flows.filter(isRoot).map((flow) => flow.id));
  const behindRoots = reachable(roots, calls);
  const users = flows.filter((flow) => !behindRoots.has(flow.id)).map((flow) => flow.id);
  const callsOfUsers = new Map([...calls].map(([id, called]) => [id, roots.has(id) ? new Set<string>() : called]));
  const behindUsers = reachable(users, callsOfUsers);
  return new Map(flows.map(({ id }) => [id, roots.has(id) || !behindUsers.has(id) ? "system" : "user"]));
}
