import { Guardrails } from "../../langchain/guardrails.js";
import { hostOf } from "../../langchain/host.js";
import type { TurnResult } from "../../turn/result.js";
import { type CommandLine, EXIT, type ExitCode, UsageError } from "../command-line.js";
import { openConfiguration, type OpenOptions } from "../open-configuration.js";
import { didYouMean } from "../../diagnostics/suggestion.js";
import { flowsOf, stepsOf } from "../../turn/flow-steps.js";
import { printSteps } from "../print-steps.js";
import { printTurn } from "../print-turn.js";

export interface DebugOptions extends OpenOptions {
  readonly json?: boolean;
  /** Also show steps of the package's flows. */
  readonly all?: boolean;
  /** Show only steps of this flow. */
  readonly flow?: string;
}

/** `debug`: runs turns and prints each step of their flows with its position in the source. */
export async function runDebug(
  path: string,
  texts: readonly string[],
  options: DebugOptions,
  commandLine: CommandLine,
): Promise<ExitCode> {
  const { stdout, stderr, signal } = commandLine;
  const turns: TurnResult[] = [];
  const opened = await openConfiguration(path, options, commandLine);
  const host = hostOf(opened);
  const guardrails = new Guardrails({ ...host, onTurn: (turn) => turns.push(turn) });
  const { config } = guardrails;
  const { flow: chosen } = options;
  if (chosen !== undefined && !host.runtime.hasFlow(chosen)) {
    const hint = didYouMean(chosen, flowsOf(config));
    throw new UsageError(`unknown flow \`${chosen}\`${hint === undefined ? "" : `; ${hint}`}`);
  }
  const shown: object[] = [];
  let wasSeen = false;
  let isBlocked = false;
  for (const text of texts) {
    turns.length = 0;
    const result = await guardrails.generate(text, {}, { configurable: { thread_id: "debug" }, signal });
    isBlocked = result.guardrails.blocked;
    const trace = turns.flatMap((turn) => turn.trace?.() ?? []);
    const all = stepsOf(trace, config, options.all === true || chosen !== undefined);
    const steps = chosen === undefined ? all : all.filter(({ flow }) => flow === chosen);
    wasSeen ||= steps.length > 0;
    if (options.json === true) shown.push({ user: text, steps: steps.map(({ kind: _kind, ...step }) => step) });
    else {
      stdout.line(`> ${text}`, "bold");
      printSteps(stdout, steps, config);
      printTurn(stdout, result);
    }
  }
  if (chosen !== undefined && !wasSeen) stderr.line(`no step of a flow \`${chosen}\``, "yellow");
  if (options.json === true) stdout.json(shown);
  return isBlocked ? EXIT.blocked : EXIT.ok;
}
