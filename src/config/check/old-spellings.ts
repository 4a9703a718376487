import { type Diagnostic, report } from "../../diagnostics/diagnostic.js";
import {
  editMap,
  isEmpty,
  withEntry,
  withoutKey,
  childOf,
  keySpanAt,
  nodeAt,
  entryAt,
  type RawMap,
  type RawNode,
} from "../yaml/raw-node.js";

/** An old key and its current path. The JSON Schema lists these as deprecated. */
export interface OldSpelling {
  readonly old: readonly string[];
  readonly today: readonly string[];
  /** True for an accepted alias, which causes no warning. */
  readonly isAlias?: boolean;
}

export const OLD_SPELLINGS: readonly OldSpelling[] = [
  { old: ["rails", "input", "speculative_generation"], today: ["rails", "input", "speculative"], isAlias: true },
  { old: ["rails", "config", "private_ai_detection"], today: ["rails", "config", "privateai"], isAlias: true },
  { old: ["embedding_search_provider"], today: ["core", "embedding_search_provider"] },
  { old: ["sensitive_data_detection"], today: ["rails", "config", "sensitive_data_detection"] },
];

/**
 * Translates old spellings to current keys, so that the schema knows one spelling of each. Locations move along with
 * the values.
 */
export function translateOldSpellings(root: RawMap, problems: Diagnostic[]): RawMap {
  let result = root;
  for (const spelling of OLD_SPELLINGS) result = translate(result, spelling, problems);
  const version = result.entries.get("colang_version");
  if (version?.value.kind === "scalar" && version.value.value === 1) {
    // `colang_version: 1.0` without quotes is a number.
    result = withEntry(result, "colang_version", { ...version, value: { ...version.value, value: "1.0" } });
  }
  const streaming = result.entries.get("streaming");
  if (!isEmpty(streaming?.value)) {
    report(problems, "CF-202", "`streaming` has no effect", {
      span: streaming?.keySpan,
      hint: "streaming is chosen per call: use `stream` instead of `invoke`",
      path: "streaming",
    });
  }
  return translateNimAddress(result, problems);
}

function translate(root: RawMap, { old, today, isAlias }: OldSpelling, problems: Diagnostic[]): RawMap {
  const entry = entryAt(root, old);
  if (!entry) return root;
  const place = { span: entry.keySpan, path: old.join(".") };
  const without = editMap(root, old.slice(0, -1), (map) => withoutKey(map, old.at(-1) ?? ""));
  if (!isEmpty(nodeAt(root, today))) {
    report(problems, "CF-106", `\`${old.join(".")}\` and \`${today.join(".")}\` are the same setting`, {
      ...place,
      labels: [{ span: keySpanAt(root, today), text: "also set here" }],
      hint: `keep \`${today.join(".")}\``,
    });
    return without;
  }
  if (!isAlias) {
    const hint = `write it as \`${today.join(".")}\``;
    report(problems, "CF-202", `\`${old.join(".")}\` is an old spelling`, { ...place, hint });
  }
  return editMap(without, today.slice(0, -1), (map) => withEntry(map, today.at(-1) ?? "", entry));
}

const JAILBREAK = ["rails", "config", "jailbreak_detection"] as const;

function translateNimAddress(root: RawMap, problems: Diagnostic[]): RawMap {
  const settings = nodeAt(root, JAILBREAK);
  const url = childOf(settings, "nim_url");
  const port = childOf(settings, "nim_port");
  if (url === undefined && port === undefined) return root;
  const path = [...JAILBREAK, url === undefined ? "nim_port" : "nim_url"];
  const span = keySpanAt(root, path);
  const place = { span, path: path.join(".") };
  if (!isEmpty(childOf(settings, "nim_base_url"))) {
    const message = "`nim_url` and `nim_base_url` are the same setting";
    report(problems, "CF-106", message, { ...place, hint: "keep `nim_base_url`" });
  } else {
    const hint = "write the whole address as `nim_base_url`";
    report(problems, "CF-202", "`nim_url` and `nim_port` are old spellings", { ...place, hint });
  }
  return editMap(root, [...JAILBREAK], (map) => {
    const rest = withoutKey(withoutKey(map, "nim_url"), "nim_port");
    if (!isEmpty(rest.entries.get("nim_base_url")?.value) || url?.kind !== "scalar") return rest;
    const number = port?.kind === "scalar" && port.value !== null ? String(port.value) : "8000";
    const value: RawNode = { kind: "scalar", value: `http://${String(url.value)}:${number}/v1`, span: url.span };
    return withEntry(rest, "nim_base_url", { keySpan: span, value });
  });
}
