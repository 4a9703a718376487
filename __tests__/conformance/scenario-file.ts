import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";

/** One exchange of a scenario: its input, and the expected output lines. */
export interface ScenarioTurn {
  readonly text?: string;
  readonly event?: Readonly<Record<string, unknown>>;
  readonly context?: Readonly<Record<string, unknown>>;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly assistant?: string;
  readonly lines: string[];
  readonly exception?: string;
}

export interface Scenario {
  readonly id: string;
  readonly title: string;
  readonly colang: string;
  readonly yaml: string;
  readonly completions: readonly string[];
  readonly turns: readonly ScenarioTurn[];
}

/**
 * Reads the scenario files of a folder: a Colang block, then per case `llm:` completions, `>` user texts, `!` events,
 * `context:`/`options:`/`assistant:` for the turn they stand at, `<` expected lines.
 */
export function readScenarios(folder: string): readonly Scenario[] {
  const prelude = readFileSync(join(folder, "prelude.co"), "utf8");
  return readdirSync(folder)
    .filter((name) => name.endsWith(".txt"))
    .sort()
    .flatMap((name) => parseScenarios(readFileSync(join(folder, name), "utf8"), prelude));
}

function parseScenarios(text: string, prelude: string): Scenario[] {
  const [head = "", ...cases] = text.split(/\n== /);
  const own = /```colang\n([\s\S]*?)\n```/.exec(head)?.[1] ?? "";
  const colang = /^prelude: none$/m.test(head) ? own : `${prelude}\n${own}`;
  const groupYaml = /^yaml: (.*)$/m.exec(head)?.[1] ?? "";
  return cases.map((body) => parseCase(body, colang, groupYaml));
}

function parseCase(body: string, colang: string, groupYaml: string): Scenario {
  const [heading = "", ...lines] = body.split("\n");
  const completions: string[] = [];
  const turns: ScenarioTurn[] = [];
  let yaml = groupYaml;
  let pending: { context?: Record<string, unknown>; options?: Record<string, unknown> } = {};
  for (const line of lines) {
    const [, mark = "", rest = ""] =
      /^(llm:|yaml:|context:|options:|assistant:|exception:|>|!|<) ?(.*)$/.exec(line) ?? [];
    const last = turns.at(-1);
    if (mark === "llm:") completions.push(JSON.parse(rest) as string);
    else if (mark === "yaml:") yaml = rest;
    else if (mark === "context:") pending.context = load(rest) as Record<string, unknown>;
    else if (mark === "options:") pending.options = load(rest) as Record<string, unknown>;
    else if (mark === ">" || mark === "!") {
      const input = mark === ">" ? { text: rest } : { event: JSON.parse(rest) as Record<string, unknown> };
      turns.push({ ...input, ...pending, lines: [] });
      pending = {};
    } else if (last && mark === "assistant:") turns[turns.length - 1] = { ...last, assistant: rest };
    else if (last && mark === "exception:") turns[turns.length - 1] = { ...last, exception: rest };
    else if (last && mark === "<") last.lines.push(rest);
    else if (line.trim() !== "") throw new Error(`unreadable line in scenario ${heading}: ${line}`);
  }
  const [, id = "", title = ""] = /^(S\d+) (.*)$/.exec(heading) ?? [];
  return { id, title, colang, yaml, completions, turns };
}
