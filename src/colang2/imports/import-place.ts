import { createSourceFile, type SourceFile, type Span, locationOf } from "../../diagnostics/source-file.js";
import type { ModuleInput } from "../merge-flows.js";
import type { FlowDefinition, ImportStatement, Statement } from "../ast.js";
import type { CompiledFlow } from "../program.js";
import { compileParameter } from "../compile-flow.js";
import { parseColang2 } from "../parse/parse.js";

/** An import location: the configuration, a directory of `COLANGPATH`, or the modules of the package. */
export interface ImportPlace {
  /** For messages: `the configuration`, `/usr/share/colang`. */
  readonly name: string;
  /**
   * Returns all modules below the directory of this path, or the file with `.co` appended; undefined if neither exists.
   * They may already be parsed.
   */
  find(path: string): readonly (SourceFile | ModuleInput)[] | undefined;
  /** Paths of modules, for suggestions. */
  names?(): Iterable<string>;
  /** Hint for a path that cannot exist. */
  hintFor?(path: string): string | undefined;
}

/**
 * A location made of known files, named by their paths with slashes.
 *
 * @example
 * ```ts
 * placeOfFiles("the configuration", [createSourceFile("shop/checkout.co", text)]).find("shop")?.length; // 1
 * ```
 */
export function placeOfFiles(name: string, files: readonly SourceFile[]): ImportPlace {
  return {
    name,
    find: (path) => {
      const below = files.filter((file) => file.name.startsWith(`${path}/`) && file.name.endsWith(".co"));
      if (below.length > 0) return below;
      const single = files.find((file) => file.name === `${path}.co`);
      return single ? [single] : undefined;
    },
    names: () => files.map((file) => file.name.replace(/\.co$/, "")),
  };
}

/** A module of the package: its source, and its compiled form by `npm run assets`. */
export interface ShippedSource {
  readonly text: string;
  readonly packed: string;
}

/**
 * The location of the package's modules; their names have no extension, so no program file is taken for one. A module
 * is opened when it is first imported, once for all programs.
 */
export function placeOfShipped(name: string, sources: ReadonlyMap<string, ShippedSource>): ImportPlace {
  const opened = new Map<string, ModuleInput>();
  return {
    name,
    find: (path) => {
      const known = opened.get(path);
      if (known !== undefined) return [known];
      const source = sources.get(path);
      if (source === undefined) return undefined;
      const module = openModule(createSourceFile(path, source.text), source.packed);
      opened.set(path, module);
      return [module];
    },
    names: () => sources.keys(),
  };
}

/** Plain data in which spans are the two offsets into the source of the module. */
export type Packed<Value> = Value extends Span
  ? readonly [start: number, end: number]
  : Value extends object
    ? { readonly [Key in keyof Value]: Packed<Value[Key]> }
    : Value;

/** All of a flow except its body. */
export type FlowHead = Omit<FlowDefinition, "body">;

/** Start and length of the text of an `ElementPlace`. */
export type PackedPlace = readonly [start: number, length: number];

/** Parts of a compiled flow that its header does not determine. */
export type FlowCore = Omit<
  CompiledFlow,
  "id" | "module" | "parameters" | "returnMembers" | "places" | "location" | "docstring"
>;

/** A packed module: plain JSON, made from its source by `npm run assets`. */
export interface PackedModule {
  readonly imports: readonly Packed<ImportStatement>[];
  readonly isHiddenFromPrompts: boolean;
  /** Names in the module that refer to actions and events, unless a flow has the name. */
  readonly words: readonly string[];
  readonly flows: readonly {
    readonly head: Packed<FlowHead>;
    readonly core: FlowCore;
    readonly places: readonly PackedPlace[];
  }[];
}

/**
 * Opens a module of the package without parsing it, since its flows are already compiled. Bodies in the syntax tree are
 * parsed on first use.
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
    places: places.map(([start, length]) => ({
      location: locationOf({ source, start, end: start }),
      text: source.text.slice(start, start + length),
    })),
    ...(head.docstring === undefined ? {} : { docstring: head.docstring }),
    location: locationOf(head.headerSpan),
  };
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
