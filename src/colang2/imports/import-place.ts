import { createSourceFile, type SourceFile, type Span, locationOf } from "../../diagnostics/source-file.js";
import type { ModuleInput } from "../merge-flows.js";
import type { FlowDefinition, ImportStatement, Statement } from "../ast.js";
import type { CompiledFlow } from "../program.js";
import { compileParameter } from "../compile-flow.js";
import { parseColang2 } from "../parse/parse.js";

/** A place where imports are looked up: the configuration, a directory of `COLANGPATH`, the modules of the package. */
export interface ImportPlace {
  /** For messages: `the configuration`, `/usr/share/colang`. */
  readonly name: string;
  /**
   * All modules below the directory of this path, or the one file with `.co` appended; undefined if there is neither. They may
   * be parsed already.
   */
  find(path: string): readonly (SourceFile | ModuleInput)[] | undefined;
  /** Paths of modules, for near names. */
  names?(): Iterable<string>;
  /** The hint for a path that cannot be there. */
  hintFor?(path: string): string | undefined;
}

/**
 * A place made of files that are known already, named by their paths with slashes.
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

/** A module that comes with the package: its source, and what `npm run assets` made of it. */
export interface ShippedSource {
  readonly text: string;
  readonly packed: string;
}

/**
 * The place of modules that come with the package; their names have no extension, so no file of a program is taken for one.
 * A module is opened when it is first imported, once for all programs.
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
