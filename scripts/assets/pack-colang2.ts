import type { FlowDefinition } from "../../src/colang2/ast.js";
import { classifyName } from "../../src/colang2/event-names.js";
import { compileFlow } from "../../src/colang2/compile-flow.js";
import type { ModuleInput } from "../../src/colang2/merge-flows.js";
import { parseColang2 } from "../../src/colang2/parse/parse.js";
import type { CompiledFlow } from "../../src/colang2/program.js";
import type { FlowCore, FlowHead, Packed, PackedModule, PackedPlace } from "../../src/colang2/imports/import-place.js";
import { ProblemList } from "../../src/diagnostics/problem-list.js";
import { validateFlow } from "../../src/colang2/validate/validate.js";
import { groupsOf, specsOf, walkStatements } from "../../src/colang2/walk.js";
import type { Diagnostic } from "../../src/diagnostics/diagnostic.js";
import { createSourceFile, positionAt, type SourceFile } from "../../src/diagnostics/source-file.js";

/** A module of the package under the name it is imported by. */
export interface ModuleSource {
  readonly name: string;
  readonly text: string;
}

/**
 * Parses and compiles modules of the package into the form that `openModule` reads, as JSON, in the same order.
 *
 * @param around - further modules whose flows they call
 * @throws Error for the least remark on a module
 */
export function packModules(modules: readonly ModuleSource[], around: readonly ModuleSource[] = []): readonly string[] {
  const parsed = modules.map(parse);
  const flows = [...parsed, ...around.map(parse)].flatMap(({ ast }) => ast.flows);
  const definitions = new Map(flows.map((flow) => [flow.id, flow]));
  return parsed.map((module) => JSON.stringify(packModule(module, definitions)));
}

function parse({ name, text }: ModuleSource): ModuleInput {
  const { ast, diagnostics } = parseColang2(createSourceFile(name, text));
  refuse(diagnostics);
  return { name, ast };
}

function packModule(module: ModuleInput, definitions: ReadonlyMap<string, FlowDefinition>): PackedModule {
  const words = new Set<string>();
  const flows = module.ast.flows.map((flow) => {
    checkIndependence(flow);
    const asked = new AskedNames(definitions);
    const compiled = compileFlow({ flow, module }, asked);
    const problems = new ProblemList();
    validateFlow(flow, definitions, problems);
    refuse([...compiled.diagnostics, ...problems.all]);
    for (const name of asked.names) if (isWord(name)) words.add(name);
    return {
      head: packSpans(headOf(flow)),
      core: coreOf(compiled.flow),
      places: compiled.flow.places.map((place) => packPlace(flow.span.source, place)),
    };
  });
  const { imports, isHiddenFromPrompts } = module.ast;
  return { imports: imports.map(packSpans), isHiddenFromPrompts, words: [...words].sort(), flows };
}

function headOf({ body: _body, ...head }: FlowDefinition): FlowHead {
  return head;
}

function coreOf(flow: CompiledFlow): FlowCore {
  const {
    id: _id,
    module: _module,
    parameters: _parameters,
    returnMembers: _returnMembers,
    places: _places,
    location: _location,
    docstring: _docstring,
    ...core
  } = flow;
  return core;
}

/** Names whose meaning depends on whether a flow has them. */
function isWord(name: string): boolean {
  return classifyName(name, new Set()) !== classifyName(name, new Set([name]));
}

/** Records the names that the compiler looks up. */
class AskedNames extends Map<string, FlowDefinition> {
  readonly names = new Set<string>();

  override has(name: string): boolean {
    this.names.add(name);
    return super.has(name);
  }
}

/** INVARIANT: except for these names, the compiled form of a flow of the package does not depend on other flows. */
function checkIndependence(flow: FlowDefinition): void {
  walkStatements(flow.body, (statement) => {
    for (const { group } of groupsOf(statement)) {
      for (const { callee } of specsOf(group)) {
        // A generated value has the name of its parameter.
        if (callee.arguments.some(({ isGenerated, name }) => isGenerated && name === undefined)) {
          throw new Error(`flow \`${flow.id}\`: name the arguments that are generated`);
        }
      }
    }
  });
}

function packPlace(source: SourceFile, { location, text }: CompiledFlow["places"][number]): PackedPlace {
  const lineStart = source.lineStarts[location.line - 1] ?? 0;
  const start = lineStart + location.column - 1;
  if (!source.text.startsWith(text, start))
    throw new Error(`${location.file}:${location.line}: \`${text}\` is elsewhere`);
  return [start, text.length];
}

function packSpans<Value>(value: Value): Packed<Value> {
  const text = JSON.stringify(value, (key, part: unknown) => {
    if (key !== "span" && !key.endsWith("Span")) return part;
    const { start, end } = part as { readonly start: number; readonly end: number };
    return [start, end];
  });
  return JSON.parse(text) as Packed<Value>;
}

function refuse(diagnostics: readonly Diagnostic[]): void {
  for (const { code, message, span } of diagnostics) {
    const place = span ? `${span.source.name}:${positionAt(span.source, span.start).line}` : "";
    throw new Error(`${place} ${code} ${message}`);
  }
}
