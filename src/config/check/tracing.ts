import { type Diagnostic, report } from "../../diagnostics/diagnostic.js";
import { suggest } from "../../diagnostics/suggestion.js";
import { formatPath, itemsAt, keySpanAt, nodeAt, type RawMap, textAt } from "../yaml/raw-node.js";

/** Options of each adapter; other options of NeMo Guardrails have no effect here. */
const ADAPTERS: ReadonlyMap<string, readonly string[]> = new Map([
  ["FileSystem", ["name", "filepath"]],
  ["OpenTelemetry", ["name"]],
  ["Console", ["name"]],
]);

const FORMATS: ReadonlySet<string> = new Set(["opentelemetry", "legacy"]);

/** Checks the adapters and the format of `tracing`. */
export function checkTracing(root: RawMap, problems: Diagnostic[]): void {
  for (const [index, adapter] of itemsAt(root, ["tracing", "adapters"]).entries()) {
    if (adapter.kind !== "map") continue;
    const path = ["tracing", "adapters", index];
    const name = textAt(root, [...path, "name"]);
    if (name === undefined) continue;
    const known = ADAPTERS.get(name);
    const span = nodeAt(root, [...path, "name"])?.span;
    if (known === undefined) {
      const near = suggest(name, [...ADAPTERS.keys()]);
      const hint =
        near === undefined
          ? "pass your own destination as `tracing: createTracing({ sinks: [sink] })`"
          : `did you mean \`${near}\`?`;
      const message = `expected \`FileSystem\`, \`OpenTelemetry\` or \`Console\` as adapter, got \`${name}\``;
      report(problems, "CF-104", message, { span, hint, path: formatPath([...path, "name"]) });
      continue;
    }
    for (const key of adapter.entries.keys()) {
      if (known.includes(key)) continue;
      report(problems, "CF-202", `\`${key}\` of the adapter \`${name}\` has no effect`, {
        span: keySpanAt(root, [...path, key]),
        hint: name === "OpenTelemetry" ? "set it on the provider that the application registers" : `remove \`${key}\``,
        path: formatPath([...path, key]),
      });
    }
  }
  const format = textAt(root, ["tracing", "span_format"]);
  if (format === undefined || FORMATS.has(format)) return;
  report(problems, "CF-104", `expected \`opentelemetry\` or \`legacy\` as \`span_format\`, got \`${format}\``, {
    span: nodeAt(root, ["tracing", "span_format"])?.span,
    path: "tracing.span_format",
  });
}
