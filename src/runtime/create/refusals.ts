import type { RailsConfig } from "../../config/rails-config.js";
import { formatPath } from "../../config/yaml/raw-node.js";
import { createDiagnostic, type Diagnostic } from "../../diagnostics/diagnostic.js";
import { ConfigError } from "../../diagnostics/errors.js";
import { didYouMean } from "../../diagnostics/suggestion.js";
import { parseFlowReference } from "../../engine/flow-reference.js";
import { isMap } from "../../engine/plain-data.js";
import { findLibraryFlow } from "../../library/manifest.js";
import type { RefusalText } from "../../library/refusals.js";
import type { RefusalWording } from "../../rails/services.js";
import { listedRails } from "../../rails/tools/tool-rails.js";

/** Keys of `rails.refusals` that are not names of flows. */
const KEYS = new Set(["by_language", "default"]);

/**
 * Reads `rails.refusals`; undefined if it is empty.
 *
 * @throws ConfigError `CF-104` for a flow that is not listed, or a refusal that is neither a text nor texts by language
 */
export async function readRefusals(config: RailsConfig): Promise<RefusalWording | undefined> {
  const { rails } = config.settings;
  const { by_language: byLanguage, default: fallback, ...flows } = rails.refusals;
  const listed = new Set(listedRails(rails).map(({ text }) => parseFlowReference(text).id));
  const problems: Diagnostic[] = [];
  const byFlow = new Map<string, RefusalText>(await multilingual(config, problems));
  const report = (key: string, message: string, hint: string | undefined): void => {
    const path = ["rails", "refusals", key];
    problems.push(createDiagnostic("CF-104", message, { span: config.spanOf(path), path: formatPath(path), hint }));
  };
  for (const [flow, refusal] of Object.entries({ ...flows, ...(fallback === null ? {} : { default: fallback }) })) {
    if (!KEYS.has(flow) && !listed.has(flow)) {
      const hint = didYouMean(flow, [...listed, ...KEYS]) ?? "name a listed rail without its parameters";
      report(flow, `\`${flow}\` is not among the rails of the configuration`, hint);
    } else if (!isRefusal(refusal)) {
      report(flow, `the refusal of \`${flow}\` is neither a text nor texts by language`, "write `{ en: …, de: … }`");
    } else if (!KEYS.has(flow)) byFlow.set(flow, refusal);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  const names = new Map([...listed].flatMap((flow) => listedNames(flow)));
  if (!byLanguage && fallback === null && byFlow.size + names.size === 0) return undefined;
  const { refusalWording } = await import("../../library/refusals.js");
  return refusalWording({ byLanguage, fallback: fallback ?? undefined, byFlow, listed: names });
}

/** Names of rules in the refusal of a flow. */
function listedNames(flow: string): readonly (readonly [string, Readonly<Record<string, string>>])[] {
  const names = findLibraryFlow(flow)?.flow.runs?.listed;
  return names === undefined ? [] : [[flow, names]];
}

const CODE = /^[a-z]{2,3}$/;

function isRefusal(value: unknown): value is RefusalText {
  if (typeof value === "string") return value.trim() !== "";
  if (!isMap(value) || Object.keys(value).length === 0) return false;
  return Object.entries(value).every(
    ([code, text]) => CODE.test(code) && typeof text === "string" && text.trim() !== "",
  );
}

/** Refusals by language of NeMo Guardrails' content safety: built-in ones, overridden by the configuration. */
async function multilingual(
  config: RailsConfig,
  problems: Diagnostic[],
): Promise<readonly (readonly [string, RefusalText])[]> {
  const settings = config.settings.rails.config["content_safety"];
  const section = isMap(settings) ? settings["multilingual"] : undefined;
  if (!isMap(section)) return [];
  const messages = section["refusal_messages"] as Readonly<Record<string, string>>;
  await checkLanguages(config, Object.keys(messages), problems);
  if (section["enabled"] !== true) return [];
  const { builtInRefusals } = await import("../../library/refusals.js");
  const texts = { ...builtInRefusals(), ...messages };
  return ["content safety check input", "content safety check output"].map((flow) => [flow, texts] as const);
}

/** Reports refusals in languages that no text is found to be in: they would never be used. */
async function checkLanguages(config: RailsConfig, codes: readonly string[], problems: Diagnostic[]): Promise<void> {
  if (codes.length === 0) return;
  const { RECOGNISED_LANGUAGES: known } = await import("../../library/refusals.js");
  for (const code of codes.filter((candidate) => !known.includes(candidate))) {
    const path = ["rails", "config", "content_safety", "multilingual", "refusal_messages", code];
    const hint = didYouMean(code, known) ?? "write codes of ISO 639-1, such as `de`";
    const message = `\`${code}\` is not the code of a language that is recognised`;
    problems.push(createDiagnostic("CF-104", message, { span: config.spanOf(path), path: formatPath(path), hint }));
  }
}
