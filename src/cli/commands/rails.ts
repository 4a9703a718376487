import { didYouMean } from "../../diagnostics/suggestion.js";
import { type CatalogRail, railCatalog } from "../../library/catalog.js";
import { type CommandLine, EXIT, type ExitCode, type Printer, UsageError } from "../command-line.js";

export interface RailsOptions {
  readonly json?: boolean;
  /** Show only rails of this stage. */
  readonly stage?: string;
}

type CatalogFlow = CatalogRail["flows"][number];

const STAGES = ["input", "retrieval", "output", "tool_output", "tool_input", "dialog"] as const;

/** `rails`: prints the catalog, or one rail with its settings and costs. */
export function runRails(name: string | undefined, options: RailsOptions, { stdout }: CommandLine): ExitCode {
  const all = railCatalog();
  const shownRails = name === undefined ? all : all.filter((rail) => isCalled(rail, name));
  if (name !== undefined && shownRails.length === 0) throw unknownRail(name, all);
  const wanted = shownRails.filter(({ flows }) => options.stage === undefined || flows.some(isAt(options.stage)));
  if (options.json === true) stdout.json(wanted);
  else if (name === undefined) printCatalogue(stdout, wanted, options.stage);
  else wanted.forEach((rail) => printRail(stdout, rail));
  return EXIT.ok;
}

function isCalled(rail: CatalogRail, name: string): boolean {
  return (
    rail.name === name ||
    rail.title.toLowerCase() === name.toLowerCase() ||
    rail.flows.some((flow) => flow.name === name)
  );
}

function isAt(stage: string): (flow: CatalogFlow) => boolean {
  return (flow) => flow.stage === stage;
}

function unknownRail(name: string, all: readonly CatalogRail[]): UsageError {
  const names = all.flatMap((rail) => [rail.name, ...rail.flows.map((flow) => flow.name)]);
  const longer = names.filter((each) => each.startsWith(`${name} `)).map((each) => `\`${each}\``);
  const meant = longer.length === 0 ? didYouMean(name, names) : `did you mean ${longer.slice(0, 3).join(" or ")}?`;
  const hint = meant ?? "`langchain-guardrails rails` lists all";
  return new UsageError(`no rail is called \`${name}\`; ${hint}`);
}

function printCatalogue(printer: Printer, rails: readonly CatalogRail[], only: string | undefined): void {
  for (const stage of STAGES.filter((candidate) => only === undefined || candidate === only)) {
    const rows = rails.flatMap((rail) => rail.flows.filter(isAt(stage)).map((flow) => ({ rail, flow })));
    if (rows.length === 0) continue;
    printer.line(stage, "bold");
    for (const { rail, flow } of rows) {
      printer.line(`  ${flow.name}`);
      const facts = [costText(rail), ...(flow.rewrites === true ? ["rewrites"] : [])].join(", ");
      printIndented(printer, `${rail.summary} (${facts})`, 4);
    }
    printer.line();
  }
}

function costText({ cost }: CatalogRail): string {
  return cost === "local" ? "in this process" : `asks a ${cost}`;
}

function printRail(printer: Printer, rail: CatalogRail): void {
  printer.line(rail.title, "bold");
  printIndented(printer, rail.summary, 2);
  for (const { name, stage, rewrites, needsEvidence } of rail.flows) {
    const facts = [
      stage,
      ...(rewrites === true ? ["rewrites"] : []),
      ...(needsEvidence === true ? ["needs evidence"] : []),
    ];
    printer.line(`  ${name} (${facts.join(", ")})`);
  }
  const { tasks = [], mainModel = false, environment = [] } = rail.needs ?? {};
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["cost", costText(rail)],
    ["settings", rail.settings === undefined ? undefined : `rails.config.${rail.settings}`],
    ["tasks", tasks.join(", ")],
    ["needs", [...(mainModel ? ["the main model"] : []), ...environment].join(", ")],
    ["leaves this process", rail.leaves],
  ];
  for (const [label, text] of rows)
    if (text !== undefined && text !== "") printIndented(printer, `${label}: ${text}`, 2);
}

/** Writes a text, wrapped to the width of the terminal. */
function printIndented(printer: Printer, text: string, indent: number): void {
  const width = Math.max(20, printer.columns - indent);
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      printer.line(" ".repeat(indent) + line, "dim");
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  printer.line(" ".repeat(indent) + line, "dim");
}
