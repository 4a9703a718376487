import { createDiagnostic, type Diagnostic } from "../../diagnostics/diagnostic.js";
import { createSourceFile, positionAt, type SourceFile, type Span } from "../../diagnostics/source-file.js";
import type { ColangFile, Definition } from "../ast.js";
import type { YamlColang } from "../compile-input.js";
import { CoymlWriter, type YamlPath } from "./coyml-writer.js";
import { parseColang1 } from "../parse/parse.js";

/** Flows from the settings, as a parsed file. */
export interface YamlFlows {
  readonly file: ColangFile | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** Returns the location in the settings of a span in the text generated from them; undefined for any other span. */
  placeOf(span: Span): { readonly path: string; readonly span: Span | undefined } | undefined;
}

/**
 * Reads the key `flows` of the settings. Each element is written as its equivalent Colang line and parsed, so that both
 * notations mean the same and have a source text for prompts. Locations lead back to the settings line by line.
 */
export function readYamlFlows(yaml: YamlColang | undefined): YamlFlows {
  const none: YamlFlows = { file: undefined, diagnostics: [], placeOf: () => undefined };
  if (!yaml || yaml.flows === undefined || yaml.flows === null) return none;
  const name = yaml.source?.name ?? "config.yml";
  const writer = new CoymlWriter();
  writer.writeFlows(yaml.flows);
  const source = createSourceFile(name, writer.lines.map((line) => line.text).join("\n"));
  const placeOf: YamlFlows["placeOf"] = (span) => {
    if (span.source !== source) return undefined;
    const path = writer.lines[positionAt(source, span.start).line - 1]?.path ?? ["flows"];
    return { path: printPath(path), span: nearestSpan(path, yaml) };
  };
  const problems = writer.problems.map(({ message, hint, path }) =>
    createDiagnostic("CF-104", message, { hint, path: printPath(path), span: nearestSpan(path, yaml) }),
  );
  if (writer.lines.length === 0) return { ...none, diagnostics: problems };
  const parsed = parseColang1(source);
  const file = {
    ...parsed.file,
    definitions: parsed.file.definitions.map((flow) => withStableId(flow, source, writer)),
  };
  return { file, diagnostics: [...problems, ...parsed.diagnostics], placeOf };
}

/** Names an unnamed flow after its index in the list, since users never see its line. */
function withStableId(definition: Definition, source: SourceFile, writer: CoymlWriter): Definition {
  if (definition.kind !== "FlowDefinition" || definition.name) return definition;
  const line = positionAt(source, definition.span.start).line;
  return { ...definition, id: `anonymous-${source.name}-flows[${String(writer.lines[line - 1]?.path[1] ?? line)}]` };
}

/** Span of a value, or of its nearest enclosing value with one. */
function nearestSpan(path: YamlPath, yaml: YamlColang): Span | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const span = yaml.spanOf?.(path.slice(0, length));
    if (span) return span;
  }
  return undefined;
}

function printPath(path: YamlPath): string {
  return path
    .map((part, index) => (typeof part === "number" ? `[${part}]` : `${index > 0 ? "." : ""}${part}`))
    .join("");
}
