// npm run docs: writes the generated pages of docs/.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { formatConfigurationPage } from "./docs/configuration-page.mjs";
import { printOptionsPage } from "./docs/print-options.mjs";
import { printMeasured } from "./docs/print-measured.mjs";
import { printPresetsPage } from "./docs/print-presets.mjs";
import { printRailsPage } from "./docs/print-rails.mjs";
import { replaceFigures } from "./eval/figures.mjs";

await import("./typescript-loader.mjs");
const { configJsonSchema } = await import("../src/config/schema/json-schema.ts");
const { railCatalog } = await import("../src/library/catalog.ts");
const { PRESETS } = await import("../src/library/presets.ts");
const ROOT = fileURLToPath(new URL("..", import.meta.url));
writeFileSync(join(ROOT, "docs", "options.md"), printOptionsPage(ROOT));
writeFileSync(join(ROOT, "docs", "configuration.md"), formatConfigurationPage(configJsonSchema()));
writeFileSync(join(ROOT, "docs", "rails.md"), printRailsPage(railCatalog()));
const measured = printMeasured(readFileSync(join(ROOT, "docs", "detectors.md"), "utf8"));
writeFileSync(join(ROOT, "docs", "presets.md"), printPresetsPage(PRESETS, railCatalog(), measured));
const README = join(ROOT, "README.md");
writeFileSync(README, replaceFigures(readFileSync(README, "utf8"), measured, "README.md"));
writeFileSync(join(ROOT, "docs", "decisions", "README.md"), printDecisions(join(ROOT, "docs", "decisions")));

/** The index of the decisions, by date. */
function printDecisions(folder) {
  const days = new Map();
  for (const name of readdirSync(folder).sort()) {
    const [date] = /^\d{4}-\d\d-\d\d(?=-)/.exec(name) ?? [];
    if (date === undefined) continue;
    const [title = ""] = readFileSync(join(folder, name), "utf8").split("\n", 1);
    days.set(date, [...(days.get(date) ?? []), `- [${title.replace(/^# /, "")}](${name})\n`]);
  }
  const sections = [...days].map(([date, entries]) => `\n## ${date}\n\n${entries.join("")}`);
  return `# Decisions

Each page holds one decision: context, choice, what was rejected. Later pages name the ones they amend.
${sections.join("")}`;
}
