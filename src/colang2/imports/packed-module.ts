import { type Span, locationOf, type SourceFile } from "../../diagnostics/source-file.js";
import type { FlowDefinition, ImportStatement, Statement } from "../ast.js";
import type { CompiledFlow } from "../program.js";
import { compileParameter } from "../compile-flow.js";
import type { ElementPlace } from "../elements.js";
import type { ModuleInput } from "../merge-flows.js";
import { parseColang2 } from "../parse/parse.js";

/** Plain data in which spans are the two offsets into the source of the module. */
export type Packed<Value> = Value extends Span
  ? readonly [start: number, end: number]
  : Value extends object
    ? { readonly [Key in keyof Value]: Packed<Value[Key]> }
    : Value;

/** All of a flow but its body. */
export type FlowHead = Omit<FlowDefinition, "body">;

/** Start and length of the text of an `ElementPlace`. */
export type PackedPlace = readonly [start: number, length: number];

/** The parts of a compiled flow that its head does not determine. */
export type FlowCore = Omit<
  CompiledFlow,
  "id" | "module" | "parameters" | "returnMembers" | "places" | "location" | "docstring"
>;

/** A module as the package carries it: plain JSON, made of its source by `npm run assets`. */
export interface PackedModule {
  readonly imports: readonly Packed<ImportStatement>[];
  readonly isHiddenFromPrompts: boolean;
  /** Names in the module that are those of actions and events as long as no flow is called so. */
  readonly words: readonly string[];
  readonly flows: readonly {
    readonly head: Packed<FlowHead>;
    readonly core: FlowCore;
    readonly places: readonly PackedPlace[];
  }[];
}

/**
 * Opens a module of the package without parsing it: its flows are compiled already. The syntax tree is that of the source,
 * whose bodies are parsed on first use.
 *
 * @param packed - a `PackedModule` as JSON
 */
export function openModule(source: SourceFile, packed: string): ModuleInput {
  const { imports, isHiddenFromPrompts, words, flows } = JSON.parse(packed) as PackedModule;
  let parsed: ReadonlyMap<string, FlowDefinition> | undefined;
  const bodyOf = (id: string): readonly Statement[] => {
    parsed ??= new Map(parseColang2(source).ast.flows.map((flow) => [flow.id, flow]));
    return parsed.get(id)?.body ?? [];
  };
  const definitions: FlowDefinition[] = [];
  const compiled = new Map<string, CompiledFlow>();
  for (const { head: packedHead, core, places } of flows) {
    const head = unpack<FlowHead>(source, packedHead);
    definitions.push({
      ...head,
      get body() {
        return bodyOf(head.id);
      },
    });
    compiled.set(head.id, openFlow(source, head, { core, places }));
  }
  return {
    name: source.name,
    ast: {
      kind: "Module",
      imports: imports.map((statement) => unpack<ImportStatement>(source, statement)),
      flows: definitions,
      isHiddenFromPrompts,
      span: { source, start: 0, end: source.text.length },
    },
    shipped: { flows: compiled, words },
  };
}

function openFlow(
  source: SourceFile,
  head: FlowHead,
  { core, places }: { readonly core: FlowCore; readonly places: readonly PackedPlace[] },
): CompiledFlow {
  return {
    ...core,
    id: head.id,
    module: source.name,
    parameters: head.parameters.map(compileParameter),
    returnMembers: head.returnMembers.map(compileParameter),
    places: places.map((place) => openPlace(source, place)),
    ...(head.docstring === undefined ? {} : { docstring: head.docstring }),
    location: locationOf(head.headerSpan),
  };
}

function openPlace(source: SourceFile, [start, length]: PackedPlace): ElementPlace {
  return { location: locationOf({ source, start, end: start }), text: source.text.slice(start, start + length) };
}

/** Restores the spans in place; the value was just read and has no other owner. */
function unpack<Value>(source: SourceFile, packed: Packed<Value>): Value {
  restoreSpans(source, packed);
  return packed as Value;
}

function restoreSpans(source: SourceFile, value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  const record = value as Record<string, unknown>;
  for (const key of Object.keys(record)) {
    const part = record[key];
    if (key === "span" || key.endsWith("Span")) {
      const [start, end] = part as Packed<Span>;
      record[key] = { source, start, end };
    } else restoreSpans(source, part);
  }
}
