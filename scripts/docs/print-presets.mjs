// docs/presets.md: the rails of each preset, from their settings.
import { printYaml } from "./print-yaml.mjs";

const STAGES = ["input", "retrieval", "output", "tool_output", "tool_input"];

/** Prints the page of presets. */
export function printPresetsPage(presets) {
  const names = Object.keys(presets);
  const flowsOf = (name, stage) => presets[name].rails[stage]?.flows ?? [];
  const rows = STAGES.flatMap((stage) => {
    const flows = [...new Set(names.flatMap((name) => flowsOf(name, stage)))];
    return flows.map((flow) => {
      const marks = names.map((name) => (flowsOf(name, stage).includes(flow) ? "yes" : ""));
      return `| \`rails.${stage}\` | \`${flow}\` | ${marks.join(" | ")} |\n`;
    });
  });
  return `# Presets

A preset is a configuration to start from: rails that are chosen and measured together. \`local\` needs no model, no key and no
network. \`balanced\` and \`strict\` also ask a model. This page is made from the source (\`npm run docs\`); figures for each
detector are in [the guide to detectors](detectors.md).

\`\`\`yaml
extends: preset:local
rails:
  config:
    key_words: { words: [project orion] }
  input:
    flows: [detect key words on input]
\`\`\`

Settings of the configuration stand over those of the preset; its lists of rails come before those of the preset. In code,
\`Guardrails.preset("local", { overrides })\` does the same.

| stage | rail | ${names.map((name) => `\`${name}\``).join(" | ")} |
|---|---|${names.map(() => "---|").join("")}
${rows.join("")}
## Settings

All presets state these settings:

${block(presets.local.rails.config)}`;
}

function block(config) {
  return `\`\`\`yaml\n${printYaml({ rails: { config } })}\`\`\`\n`;
}
