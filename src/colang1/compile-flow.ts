import { lineText, positionAt } from "../diagnostics/source-file.js";
import type { FlowDefinition } from "./ast.js";
import type { CompiledFlow, Element, Tier } from "./elements.js";
import type { LowerContext, LoweredFlow } from "./lower/lower.js";
import { hashFlow } from "../engine/hasher.js";

const MULTIPLE = new Set(["parallel", "recursive"]);
const UNINTERRUPTIBLE = new Set(["continuous", "noninterruptable", "non-interruptable"]);
const SLIDING: ReadonlySet<Element["kind"]> = new Set(["Assign", "JumpIfNot", "Jump", "Check", "Return"]);

/** Fields that change when lines are added above a flow, and are not part of its meaning. */
const PLACES = {
  flow: new Set(["location", "sourceText", "elements"]),
  element: new Set(["location", "text"]),
};

/** The use of a flow, as far as it changes its flags. */
export interface FlowUse {
  readonly tier: Tier;
  /** Rails never start on their own, however they were declared. */
  readonly isRail: boolean;
}

/** Puts flags, source text and hash around the elements of a flow. */
export function compileFlow(
  definition: FlowDefinition,
  lowered: LoweredFlow,
  use: FlowUse,
  context: Pick<LowerContext, "locate">,
): CompiledFlow {
  const { meta } = definition;
  const modifiers = definition.modifiers.map((modifier) => modifier.text);
  const isSubflow = use.isRail || definition.isSubflow || meta["subflow"] === true;
  const flow: Omit<CompiledFlow, "hash"> = {
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
    sourceText: sourceTextOf(definition),
  };
  return { ...flow, hash: hashFlow(flow, PLACES) };
}

/** The lines from the first statement to the last, dedented and without blank ones. */
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
