// docs/rails.md: the catalogue of rails, from their manifests.
import { readFileSync } from "node:fs";

const STAGES = [
  ["input", "Input rails", "under `rails.input.flows`"],
  ["output", "Output rails", "under `rails.output.flows`"],
  ["retrieval", "Retrieval rails", "under `rails.retrieval.flows`"],
  ["tool_output", "Rails on tool calls", "under `rails.tool_output.flows`"],
  ["tool_input", "Rails on results of tools", "under `rails.tool_input.flows`"],
  ["dialog", "Dialog flows", undefined],
];
const COSTS = { local: "this process", model: "one model call", network: "one network call" };

const STREAMS = {
  answer: "the whole response",
  window: "in windows",
  findings: "in windows",
  word: "in windows",
  line: "in windows",
};

/** Prints the page of a catalogue. */
export function printRailsPage(catalog) {
  const sections = STAGES.map(([stage, title, place]) => {
    const rows = catalog.flatMap((rail) =>
      rail.flows.filter((flow) => flow.stage === stage).map((flow) => rowOf(rail, flow)),
    );
    if (rows.length === 0) return "";
    return `## ${title}\n\n${place === undefined ? "Events start these flows, so you do not list them." : `List them ${place}.`}\n\n| flow | rail | cost | rewrites |${stage === "output" ? " in a stream |" : ""}\n|---|---|---|---|${stage === "output" ? "---|" : ""}\n${rows.join("")}\n`;
  });
  return `# Rails

These rails are built in. To use one, list its flow under its stage; each rail links to a page with an example and its settings:

\`\`\`yaml
rails:
  input:
    flows: [detect jailbreak on input]
\`\`\`

- **Cost**: the rail runs in this process, calls a model, or calls a service over the network.
- **Rewrites**: the rail may change the text.
- **In a stream**: the output rail reviews the response in windows, or only as a whole ([streaming](streaming.md)).

In Colang 2.x, listed rails are imported automatically. To call rails from your own flows, use \`import nemoguardrails.library\` for all
of them, or \`import nemoguardrails.library.<rail>\` for one, such as \`nemoguardrails.library.regex_detection\`.

To measure a rail before it blocks, to limit or cache its model calls, and to word its refusal, see [verdicts](verdicts.md). Rails on tools
are explained in [agents and tools](agents-and-graphs.md#tools), texts that no rail reads in [security](security.md).

In code, \`Guardrails.catalog()\` returns this list. This page is generated from the manifests (\`npm run docs\`).

${sections.join("")}## What each rail needs and sends

| rail | purpose | settings | needs | leaves the process |
|---|---|---|---|---|
${catalog.map(railRow).join("")}
## Settings of all detecting rails

Rails that run detectors in this process, such as \`detect secrets …\`, share these settings below \`rails.config.<rail>\`. Each may also be
set for one stage only, such as \`rails.config.secrets_detection.output.action\`.

- \`action\`: \`block\` the text, \`mask\` each finding, \`drop\` the retrieved chunk (retrieval only), or only \`report\`. Default: \`block\`.
- \`score_threshold\`: lowest score of a finding that counts, from 0 to 1. Default: 0.5.
- \`variants\`: other settings by name. List \`detect secrets on input $variant=strict\` to use the variant \`strict\`.

## Rails of your own

${own()}`;
}

const own =
  () => `\`defineRail\` defines a rail in TypeScript. It works in Colang 1.0 and 2.x configurations. Define it in your application or in a package:

${block("examples/own-rail/politeness.ts", "politeness")}
Then pass it as \`library\` and list its flows:

${block("examples/own-rail/main.ts", "own-rail")}
- \`check\` returns true to block, or \`{ blocked, reason, categories, score }\`. It may be asynchronous.
- Its second argument is the context of an action, with a signal and the settings of the rail.
- \`rewrite\` receives each text and number in the arguments of a tool; a number that changes becomes a text, and keys stay. The call
  is refused if the function, run over the joined items of a list, still changes text where two items meet.
- \`settings\` is a schema (zod, Standard Schema or JSON Schema) for \`rails.config.<name>\`. Invalid settings are an error when the
  configuration loads.
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
  const stream = flow.stage === "output" ? ` ${STREAMS[flow.stream ?? "window"]} |` : "";
  const rewrites = flow.rewrites === true ? "yes" : "";
  return `| \`${flow.name}\` | [${rail.title}](../src/library/${rail.name}/README.md) | ${COSTS[rail.cost]} | ${rewrites} |${stream}\n`;
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
