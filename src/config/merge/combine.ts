import { addAll } from "../../diagnostics/add-all.js";
import { createDiagnostic, type Diagnostic, isError } from "../../diagnostics/diagnostic.js";
import { ConfigError } from "../../diagnostics/errors.js";
import { createRailsConfig, writtenSettings } from "../load/create-config.js";
import type { LoadOptions } from "../load/load-options.js";
import { mergeRaw } from "./merge.js";
import type { KnowledgeDocument, RailsConfig } from "../rails-config.js";
import { type RawMap, scalarAt, withEntry } from "../yaml/raw-node.js";
import { inOrder, validateSettings } from "../check/validate.js";

export type CombineOptions = Pick<
  LoadOptions,
  "env" | "knownRailSettings" | "suppliedModels" | "namedModelEngines" | "builtInTasks"
>;

/**
 * Joins two configurations. Lists are concatenated, so the rails of `a` run first; where both set a value, that of `b`
 * wins. Models of one type must be the same model, and action servers the same server.
 *
 * @example
 * ```ts
 * const config = await combineConfigs(base, special);
 * config.path; // "base,special"
 * ```
 */
export async function combineConfigs(
  a: RailsConfig,
  b: RailsConfig,
  options: CombineOptions = {},
): Promise<RailsConfig> {
  const problems = [...conflictingModels(a, b), ...conflictingServers(a, b)];
  const raw = withoutRepeatedModels(mergeRaw(writtenSettings(a), writtenSettings(b), { winner: "second" }));
  const { settings, root, diagnostics } = await validateSettings(raw, options);
  addAll(problems, diagnostics.filter(isError));
  if (!settings || problems.length > 0) throw new ConfigError(inOrder(problems));
  const paths = [a.path, b.path].filter((path) => path !== undefined);
  return createRailsConfig({
    settings,
    root,
    colang: [...a.colang, ...b.colang],
    documents: withoutCopies([...a.documents, ...b.documents]),
    code: { inits: [...a.code.inits, ...b.code.inits], actions: [...a.code.actions, ...b.code.actions] },
    path: paths.length > 0 ? paths.join(",") : undefined,
    warnings: [...a.warnings, ...b.warnings],
  });
}

function conflictingModels(a: RailsConfig, b: RailsConfig): Diagnostic[] {
  return b.settings.models.flatMap((model, index) => {
    const other = a.settings.models.find(({ type }) => type === model.type);
    if (!other || (other.engine === model.engine && other.model === model.model)) return [];
    const [mine, theirs] = [other, model].map(({ engine, model: name }) => `\`${engine}/${name ?? ""}\``);
    const span = a.spanOf(["models", a.settings.models.indexOf(other), "type"]);
    return [
      createDiagnostic("CF-117", `two models of type \`${model.type}\`: ${mine} and ${theirs}`, {
        span: b.spanOf(["models", index, "type"]),
        labels: [{ span, text: "the other one is here" }],
        hint: "configurations that are combined must name the same model for a type",
        path: `models[${index}]`,
      }),
    ];
  });
}

function conflictingServers(a: RailsConfig, b: RailsConfig): Diagnostic[] {
  const [first, second] = [a.settings.actions_server_url, b.settings.actions_server_url];
  if (first === null || second === null || first === second) return [];
  return [
    createDiagnostic("CF-117", `two action servers: \`${first}\` and \`${second}\``, {
      span: b.spanOf(["actions_server_url"]),
      hint: "configurations that are combined must name the same action server",
      path: "actions_server_url",
    }),
  ];
}

/** Of two entries for the same model, the first is kept; they may differ in parameters. */
function withoutRepeatedModels(root: RawMap): RawMap {
  const entry = root.entries.get("models");
  if (entry?.value.kind !== "list") return root;
  const seen = new Set<unknown>();
  const items = entry.value.items.filter((item) => {
    const type = scalarAt(item, ["type"]);
    const isRepeated = type !== undefined && seen.has(type);
    seen.add(type);
    return !isRepeated;
  });
  return withEntry(root, "models", { ...entry, value: { ...entry.value, items } });
}

/** A document that both folders hold is one document, or searches would find it twice. */
function withoutCopies(documents: readonly KnowledgeDocument[]): readonly KnowledgeDocument[] {
  return [
    ...new Map(documents.map((document) => [JSON.stringify([document.path, document.content]), document])).values(),
  ];
}
