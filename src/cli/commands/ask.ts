import type { GenerationResult } from "../../langchain/generation/generation-result.js";
import { type CommandLine, EXIT, type ExitCode } from "../command-line.js";
import { openConfiguration, type OpenOptions } from "../open-configuration.js";
import { printTurn, turnToJson } from "../print-turn.js";

export interface AskOptions extends OpenOptions {
  readonly json?: boolean;
}

/** `ask`: runs one turn and prints its decisions. */
export async function runAsk(
  path: string,
  text: string,
  options: AskOptions,
  commandLine: CommandLine,
): Promise<ExitCode> {
  const guardrails = await openConfiguration(path, options, commandLine);
  const result = await guardrails.generate(text, {}, { signal: commandLine.signal });
  if (options.json === true) commandLine.stdout.json(turnToJson(result));
  else printTurn(commandLine.stdout, result);
  return exitCodeOf(result);
}

function exitCodeOf({ guardrails, log }: GenerationResult): ExitCode {
  if (guardrails.blocked) return EXIT.blocked;
  return log.errors.length > 0 ? EXIT.problems : EXIT.ok;
}
