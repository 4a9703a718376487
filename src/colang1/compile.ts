import { type Diagnostic, isError } from "../diagnostics/diagnostic.js";
import { type SourceFile, locationOf, type SourceLocation, type Span } from "../diagnostics/source-file.js";
import type { CompileFile, CompileInput } from "./compile-input.js";
import { readYamlFlows, type YamlFlows } from "./yaml/coyml.js";
import type { Colang1Program } from "./elements.js";
import type { MergedMessage } from "./merge-definitions.js";
import { gatherFacts } from "./validate/program-facts.js";
import { hashProgram } from "../engine/hasher.js";
import { strictRails } from "./strict-rails.js";
import { validateProgram } from "./validate/validate.js";

export interface CompileResult {
  /** Undefined if there are errors. */
  readonly program: Colang1Program | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Compiles the Colang 1.0 of a configuration: merges its files, lowers its flows and validates the whole. Never throws.
 * Parse problems are not repeated here, except those of flows in the settings.
 *
 * @example
 * ```ts
 * const { file } = parseColang1(createSourceFile("main.co", source));
 * const { program, diagnostics } = compileColang1({ files: [{ file, origin: "root" }] });
 * ```
 */
export function compileColang1(input: CompileInput): CompileResult {
  const yaml = readYamlFlows(input.yaml);
  const files: CompileFile[] = [...(yaml.file ? [{ file: yaml.file, origin: "yaml" as const }] : []), ...input.files];
  const facts = gatherFacts(input, files, (span) => locate(span, yaml));
  const found = [...yaml.diagnostics, ...sortByPlace(validateProgram(facts), files)];
  const diagnostics = found.map((diagnostic) => relocate(diagnostic, yaml));
  if (diagnostics.some(isError)) return { program: undefined, diagnostics };
  const flows = strictRails(
    facts.flows.map((flow) => flow.compiled),
    facts.deciding,
    facts.calls,
  );
  const userMessages = messageTexts(facts.merged.userMessages);
  const botMessages = messageTexts(facts.merged.botMessages);
  let hash: string | undefined;
  const program: Colang1Program = {
    dialect: "1.0",
    // Only stored conversations need it.
    get hash() {
      return (hash ??= hashProgram(flows, userMessages, botMessages));
    },
    flows,
    userMessages,
    botMessages,
    constants: input.constants ?? {},
  };
  return { program, diagnostics };
}

/** INVARIANT: message names come from users, so the record has no prototype that a name could reach. */
function messageTexts(messages: ReadonlyMap<string, MergedMessage>): Record<string, readonly string[]> {
  const record = Object.create(null) as Record<string, readonly string[]>;
  for (const [name, { texts }] of messages) record[name] = texts;
  return record;
}

function locate(span: Span, yaml: YamlFlows): SourceLocation {
  const place = yaml.placeOf(span);
  if (!place) return locationOf(span);
  return place.span ? locationOf(place.span) : { file: span.source.name, line: 1, column: 1 };
}

/** Moves a diagnostic about text generated from settings to the settings themselves. */
function relocate(diagnostic: Diagnostic, yaml: YamlFlows): Diagnostic {
  const place = diagnostic.span && yaml.placeOf(diagnostic.span);
  const labels = diagnostic.labels?.flatMap((label) => {
    const moved = yaml.placeOf(label.span);
    if (!moved) return [label];
    return moved.span ? [{ ...label, span: moved.span }] : [];
  });
  const { span: _span, labels: _labels, ...rest } = diagnostic;
  const span = place ? place.span : diagnostic.span;
  return {
    ...rest,
    ...(span ? { span } : {}),
    ...(labels?.length ? { labels } : {}),
    ...(place ? { path: place.path } : {}),
  };
}

/** Sorts by file, in file order, then by position; diagnostics without a location come last. */
function sortByPlace(diagnostics: readonly Diagnostic[], files: readonly CompileFile[]): Diagnostic[] {
  const rank = new Map<SourceFile, number>(files.map(({ file }, index) => [file.span.source, index]));
  const fileOf = ({ span }: Diagnostic): number => (span && rank.get(span.source)) ?? files.length;
  return [...diagnostics].sort((a, b) => fileOf(a) - fileOf(b) || (a.span?.start ?? 0) - (b.span?.start ?? 0));
}
