import { type Diagnostic, report } from "../../diagnostics/diagnostic.js";
import { FALSE_WORDS, TRUE_WORDS } from "../schema/boolean-words.js";
import { formatPath, itemsAt, nodeAt, type RawMap, type RawNode } from "../yaml/raw-node.js";
import type { SettingsPath } from "../rails-config.js";

/** Data whose types no schema states. Each list of models has such a map in every entry. */
const FREE_DATA: readonly SettingsPath[] = [
  ["custom_data"],
  ["core", "embedding_search_provider", "parameters"],
  ["knowledge_base", "embedding_search_provider", "parameters"],
];

const MAX_REPORTED = 20;

/**
 * Warns of values in free data that YAML 1.1, which NeMo Guardrails reads, takes for something else: there `off` is
 * false and `010` is 8. Elsewhere the schema states the type of a value, so a wrong one is an error.
 */
export function checkYamlWords(root: RawMap, problems: Diagnostic[]): void {
  const models = itemsAt(root, ["models"]).map((_, index): SettingsPath => ["models", index, "parameters"]);
  const seen = new Set<RawNode>();
  let reported = 0;
  const check = (node: RawNode, path: SettingsPath): void => {
    if (seen.has(node) || reported === MAX_REPORTED) return;
    seen.add(node);
    if (node.kind === "list") for (const [index, item] of node.items.entries()) check(item, [...path, index]);
    else if (node.kind === "map") for (const [key, { value }] of node.entries) check(value, [...path, key]);
    else {
      const { span, value } = node;
      const written = span?.source.text.slice(span.start, span.end);
      const other = written === undefined ? undefined : readAsYaml11(written);
      if (other === undefined) return;
      reported += 1;
      const reading = typeof value === "string" ? "text" : `\`${String(value)}\``;
      report(problems, "CF-209", `\`${written}\` is ${reading} here, and \`${other}\` in NeMo Guardrails`, {
        span,
        hint: `write \`${other}\`, or quotes around it for text`,
        path: formatPath(path),
      });
    }
  };
  for (const path of [...FREE_DATA, ...models]) {
    const node = nodeAt(root, path);
    if (node !== undefined) check(node, path);
  }
}

/** The value of an unquoted word in YAML 1.1, if YAML 1.2 reads another one. */
function readAsYaml11(word: string): string | undefined {
  if (BOOLEANS.has(word)) return String(TRUE_WORDS.some((known) => known === word));
  const [, sign = "", digits = ""] = NUMBER.exec(word) ?? [];
  if (digits === "") return undefined;
  const plain = digits.replaceAll("_", "");
  if (plain.includes(":")) return sign + String(plain.split(":").reduce((sum, part) => sum * 60 + Number(part), 0));
  if (/^0[0-7]+$/.test(plain))
    return Number.parseInt(plain, 8) > 7 ? sign + String(Number.parseInt(plain, 8)) : undefined;
  if (/^0b[01]+$/.test(plain)) return sign + String(Number.parseInt(plain.slice(2), 2));
  return plain === digits ? undefined : sign + plain;
}

/** `true` and `false` in three letter cases are booleans in both. */
const BOOLEANS: ReadonlySet<string> = new Set(
  [...TRUE_WORDS, ...FALSE_WORDS].filter((word) => !["true", "false"].includes(word.toLowerCase())),
);

const NUMBER = /^([-+]?)(0b[01_]+|0[0-7_]+|[1-9][0-9_]*(?::[0-5]?[0-9])+|[1-9][0-9_]*)$/;
