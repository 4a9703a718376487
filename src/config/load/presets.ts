import { type Diagnostic, report } from "../../diagnostics/diagnostic.js";
import { mergeRaw } from "../merge/merge.js";
import { formatPath, itemsAt, nodeAt, type RawMap, type RawNode, rawFromValue } from "../yaml/raw-node.js";

/** Settings by preset name. */
export type Presets = Readonly<Record<string, unknown>>;

const PREFIX = "preset:";

/** Merges the settings of extended presets below the configuration's own. Unknown names are reported. */
export async function withPresets(
  raw: RawMap,
  load: (() => Promise<Presets>) | undefined,
  problems: Diagnostic[],
): Promise<RawMap> {
  const single = nodeAt(raw, ["extends"]);
  const names = single?.kind === "scalar" ? [single] : itemsAt(raw, ["extends"]);
  if (names.length === 0 || load === undefined) return raw;
  const presets = await load();
  let merged = raw;
  for (const [index, node] of names.entries()) {
    const settings = presetOf(node, presets);
    if (settings === undefined) {
      const known = Object.keys(presets).map((name) => `\`${PREFIX}${name}\``);
      const given = node.kind === "scalar" ? String(node.value) : "a value that is not a name";
      const path = formatPath(single?.kind === "scalar" ? ["extends"] : ["extends", index]);
      const hint = `the presets are ${known.join(", ")}`;
      report(problems, "CF-104", `unknown preset \`${given.slice(0, 80)}\``, { span: node.span, path, hint });
      continue;
    }
    const added = rawFromValue(settings, problems);
    if (added.kind === "map") merged = mergeRaw(merged, added, { winner: "first" });
  }
  return merged;
}

function presetOf(node: RawNode, presets: Presets): unknown {
  if (node.kind !== "scalar" || typeof node.value !== "string" || !node.value.startsWith(PREFIX)) return undefined;
  const name = node.value.slice(PREFIX.length);
  return Object.hasOwn(presets, name) ? presets[name] : undefined;
}
