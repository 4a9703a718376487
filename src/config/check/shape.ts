import type { Diagnostic } from "../../diagnostics/diagnostic.js";
import { describeIssues } from "./issues.js";
import { type RawMap, toPlain } from "../yaml/raw-node.js";
import { type ParsedSettings, settingsSchema } from "../schema/settings-schema.js";

export { RAIL_SETTING_KEYS } from "../schema/rail-config.js";

/** Checks settings against the schema. INVARIANT: the only way to zod on the path of loading, so that it loads late. */
export function checkShape(root: RawMap): {
  readonly data?: ParsedSettings;
  readonly diagnostics: readonly Diagnostic[];
} {
  const schema = settingsSchema();
  // The schema runs once for a configuration, so compiling it would cost more than it saves.
  const parsed = schema.safeParse(toPlain(root), { jitless: true });
  if (parsed.success) return { data: parsed.data, diagnostics: [] };
  return { diagnostics: describeIssues(parsed.error.issues, root, schema) };
}
