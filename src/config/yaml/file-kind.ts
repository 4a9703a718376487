import { createDiagnostic, type Diagnostic } from "../../diagnostics/diagnostic.js";
import { type SourceFile, createSpan, type Span } from "../../diagnostics/source-file.js";

const MAX_LINES = 2000;
const COLANG_LINE = /^(?:define (?:user|bot|flow|subflow|extension|action)\b|flow [\w ]+$)/;
const YAML_KEY =
  /^(?:colang_version|models|rails|prompts|instructions|sample_conversation|import_paths|knowledge_base|custom_data):(?:\s|$)/;

/** Reports Colang in a text that should be YAML. */
export function looksLikeColang(source: SourceFile): Diagnostic | undefined {
  const line = firstLine(source, (text) => COLANG_LINE.test(text));
  if (!line) return undefined;
  return createDiagnostic("CF-107", "this is Colang, but YAML was expected", {
    span: line,
    hint: "save Colang in a file that ends in `.co`, or give it as `colang`",
  });
}

/** Reports YAML in a text that should be Colang: known top-level keys, and no Colang block. */
export function looksLikeYaml(source: SourceFile): Diagnostic | undefined {
  const line = firstLine(source, (text) => YAML_KEY.test(text));
  if (!line || firstLine(source, (text) => COLANG_LINE.test(text) || /^(?:import|include|use) /.test(text))) {
    return undefined;
  }
  return createDiagnostic("CF-107", "this is YAML, but Colang was expected", {
    span: line,
    hint: "save settings in a file that ends in `.yml`, or give them as `yaml`",
  });
}

function firstLine(source: SourceFile, matches: (line: string) => boolean): Span | undefined {
  let start = 0;
  for (let line = 0; line < MAX_LINES && start < source.text.length; line += 1) {
    const newline = source.text.indexOf("\n", start);
    const end = newline === -1 ? source.text.length : newline;
    const text = source.text.slice(start, Math.min(end, start + 200)).trimEnd();
    if (matches(text)) return createSpan(source, start, start + text.length);
    start = end + 1;
  }
  return undefined;
}
