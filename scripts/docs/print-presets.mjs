// docs/presets.md: the rails of each preset, from their settings.
import { printYaml } from "./print-yaml.mjs";

const STAGES = ["input", "retrieval", "output", "tool_output", "tool_input"];

const EFFECTS = { mask: "masks the finding", drop: "drops the document", report: "reports the finding" };

/**
 * Prints the page of presets.
 *
 * @param rails - the catalogue of rails
 * @param measured - table of figures
 */
export function printPresetsPage(presets, rails, measured) {
  const names = Object.keys(presets);
  const flowsOf = (name, stage) => presets[name].rails[stage]?.flows ?? [];
  const rows = STAGES.flatMap((stage) => {
    const flows = [...new Set(names.flatMap((name) => flowsOf(name, stage)))];
    return flows.map((flow) => {
      const marks = names.map((name) => (flowsOf(name, stage).includes(flow) ? "yes" : ""));
      const effect = effectOf(flow, stage, presets.local.rails.config, rails);
      return `| \`rails.${stage}\` | \`${flow}\` | ${effect} | ${marks.join(" | ")} |\n`;
    });
  });
  return `# Presets

A preset is a ready-made configuration to start from. \`local\` needs no model, API key or network. \`balanced\` and \`strict\` also ask a
model. [Detectors](detectors.md) has figures for each detector.

\`\`\`yaml
extends: preset:local
rails:
  config:
    key_words: { words: [project orion] }
  input:
    flows: [detect key words on input]
\`\`\`

Your settings override those of the preset, and your rails run before its rails. In code, use \`Guardrails.preset("local")\` or
\`Guardrails.preset("local", { overrides })\`. Lists are joined: \`entities: [EMAIL_ADDRESS]\` adds e-mail addresses to the personal
data that the preset masks.

| stage | rail | effect | ${names.map((name) => `\`${name}\``).join(" | ")} |
|---|---|---|${names.map(() => "---|").join("")}
${rows.join("")}
## Figures

Shares of the texts that the detectors of these rails find, and flag in error, with the number of texts. All rows, with intervals
and the sources of the data, are in [the guide to detectors](detectors.md#figures). Texts of your own differ: measure with them.

${measured}
Rails that ask a model (\`self check input\` and others) are as good as the model: [evaluation](evaluation.md) measures them.

## Settings

All presets use these settings:

${block(presets.local.rails.config)}`;
}

/** Effect of a rail on what it finds, from its settings: without an `action` it blocks. */
function effectOf(flow, stage, config, rails) {
  if (flow.startsWith("mask ")) return EFFECTS.mask;
  const settings = config[rails.find(({ flows }) => flows.some(({ name }) => name === flow))?.settings] ?? {};
  const action = settings[stage]?.action ?? settings.action;
  return EFFECTS[action] ?? "blocks";
}

function block(config) {
  return `\`\`\`yaml\n${printYaml({ rails: { config } })}\`\`\`\n`;
}
