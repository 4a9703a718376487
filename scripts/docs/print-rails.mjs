// docs/rails.md: the catalogue of rails, from their manifests.
import { readFileSync } from "node:fs";

const STAGES = [
  ["input", "Input rails", "under `rails.input.flows`"],
  ["output", "Output rails", "under `rails.output.flows`"],
  ["retrieval", "Retrieval rails", "under `rails.retrieval.flows`"],
  ["tool_output", "Rails on tool calls", "under `rails.tool_output.flows`"],
  ["tool_input", "Rails on results of tools", "under `rails.tool_input.flows`"],
  ["dialog", "Dialog flows", "nowhere: events start them"],
];
const COSTS = { local: "this process", model: "one model call", network: "one network call" };

/** Prints the page of a catalogue. */
export function printRailsPage(catalog) {
  const sections = STAGES.map(([stage, title, place]) => {
    const rows = catalog.flatMap((rail) =>
      rail.flows.filter((flow) => flow.stage === stage).map((flow) => rowOf(rail, flow)),
    );
    if (rows.length === 0) return "";
    return `## ${title}\n\nListed ${place}.\n\n| flow | rail | cost | rewrites | in a stream |\n|---|---|---|---|---|\n${rows.join("")}\n`;
  });
  return `# Rails

The rails that a configuration can list without defining them, by stage. \`Guardrails.catalog()\` returns the same facts. Each
rail has a page of its own with an example and its settings. This page is made from the manifests (\`npm run docs\`).

In Colang 2.x a listed rail is imported by itself; in code \`import nemoguardrails.library\` imports all of them, and
\`import nemoguardrails.library.<rail>\` one, such as \`nemoguardrails.library.regex_detection\`.

${sections.join("")}## Rails

| rail | purpose | settings | needs | leaves the process |
|---|---|---|---|---|
${catalog.map(railRow).join("")}
## Rails of your own

${own()}`;
}

const own =
  () => `\`defineRail\` describes a rail in TypeScript; its flows are written in the dialect of the configuration. A package exports
it, and an application passes it:

${block("examples/own-rail/politeness.ts", "politeness")}
${block("examples/own-rail/main.ts", "own-rail")}
A check returns true to block, or \`{ blocked, reason, categories, score }\`. It may be asynchronous, and gets the context of an
action, with a signal and the settings of the rail. \`settings\` is a schema (zod, Standard Schema or JSON Schema) of
\`rails.config.<name>\`; what it refuses is an error when the configuration loads.
`;

/** A region of an example as a block of code. */
function block(path, region) {
  const lines = readFileSync(new URL(`../../${path}`, import.meta.url), "utf8").split("\n");
  const start = lines.findIndex((line) => line.trim() === `// #region ${region}`);
  const end = lines.findIndex((line, index) => index > start && line.trim() === "// #endregion");
  const indent = /^ */.exec(lines[start])[0].length;
  return `\`\`\`ts\n${lines
    .slice(start + 1, end)
    .map((line) => line.slice(indent))
    .join("\n")}\n\`\`\`\n`;
}

function rowOf(rail, flow) {
  const stream = flow.stage === "output" ? (flow.stream ?? "window") : "";
  const rewrites = flow.rewrites === true ? "yes" : "";
  return `| \`${flow.name}\` | [${rail.title}](../src/library/${rail.name}/README.md) | ${COSTS[rail.cost]} | ${rewrites} | ${stream} |\n`;
}

function railRow(rail) {
  const { tasks = [], mainModel = false, environment = [] } = rail.needs ?? {};
  const needs = [
    ...tasks.map((task) => `a model for \`${task}\``),
    ...(mainModel ? ["the main model"] : []),
    ...environment.map((name) => `\`${name}\``),
  ];
  const settings = rail.settings === undefined ? "" : `\`rails.config.${rail.settings}\``;
  return `| [${rail.title}](../src/library/${rail.name}/README.md) | ${rail.summary} | ${settings} | ${needs.join(", ")} | ${rail.leaves ?? "nothing"} |\n`;
}
