import type { RailsConfig } from "../../config/rails-config.js";
import { createSourceFile } from "../../diagnostics/source-file.js";
import { parseFlowReference } from "../../engine/flow-reference.js";
import { findLibraryFlow } from "../../library/manifest.js";
import { withRails } from "./tool-rules.js";

/**
 * Removes library dialog flows from the listed output rails, where NeMo Guardrails lists them: such a flow is started
 * by events rather than run as a rail. In Colang 1.0 it is always loaded; in Colang 2.x the list activates it.
 */
export function withDialogFlows(config: RailsConfig): RailsConfig {
  const { output } = config.settings.rails;
  const isDialog = (text: string): boolean => findLibraryFlow(parseFlowReference(text).id)?.flow.stage === "dialog";
  const listed = output.flows.filter(isDialog);
  if (listed.length === 0) return config;
  const changed = withRails(config, { output: { ...output, flows: output.flows.filter((text) => !isDialog(text)) } });
  // Without a dialog, nothing sends the events.
  if (config.settings.colang_version !== "2.x" || config.colang.length === 0) return changed;
  const source = createSourceFile("rails/dialog/flows.co", activation(listed));
  const generated = { source, origin: "import", isGenerated: true } as const;
  return { ...changed, colang: [...changed.colang, generated] };
}

function activation(listed: readonly string[]): string {
  const names = [...new Set(listed.map((text) => parseFlowReference(text).id))];
  const modules = [...new Set(names.flatMap((name) => findLibraryFlow(name)?.rail.name ?? []))];
  return [
    ...modules.map((name) => `import library.${name.replaceAll("-", "_")}`),
    "",
    "@active",
    "@meta(llm_exclude=True)",
    "flow listed dialog rails",
    ...names.map((name) => `  activate ${name}`),
    "  match NeverSent()",
    "",
  ].join("\n");
}
