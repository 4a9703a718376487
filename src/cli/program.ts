import { Command, CommanderError, Option } from "commander";
import { GuardrailsError } from "../diagnostics/errors.js";
import { type CommandLine, EXIT, type ExitCode, type Printer, UsageError } from "./command-line.js";

/** Runs a command of the command line, and returns its exit code. */
export async function runCommandLine(
  argv: readonly string[],
  commandLine: CommandLine,
  version: string,
): Promise<ExitCode> {
  const ended: { code: ExitCode } = { code: EXIT.ok };
  const program = createProgram(commandLine, version, (code) => (ended.code = code));
  try {
    await program.parseAsync([...argv], { from: "user" });
    return ended.code;
  } catch (error) {
    return reportFailure(error, commandLine);
  }
}

const EXIT_CODES = `
Exit codes: 0 fine, 1 problems or failures, 2 blocked by a rail, 64 wrong arguments, 130 interrupted.`;

function createProgram(commandLine: CommandLine, version: string, end: (code: ExitCode) => void): Command {
  const { stdout, stderr } = commandLine;
  const program = new Command("langchain-guardrails")
    .description("Checks guardrails configurations and talks to them.")
    .version(version)
    .exitOverride()
    .showHelpAfterError("(see --help)")
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text, "red"),
      getOutHelpWidth: () => stdout.columns,
      getErrHelpWidth: () => stderr.columns,
    })
    .addHelpText("after", EXIT_CODES);
  const examples = (...lines: readonly string[]): string =>
    `\nExamples:\n${lines.map((line) => `  $ langchain-guardrails ${line}`).join("\n")}`;

  program
    .command("check")
    .description("report all mistakes of a configuration, without asking any model")
    .argument("<config>", "folder or file of the configuration")
    .option("--json", "print the problems as JSON")
    .option("--strict", "count warnings as problems")
    .addOption(noCode())
    .addHelpText("after", examples("check config", "check config --strict --json"))
    .action(async (path: string, options: object) => {
      const { runCheck } = await import("./commands/check.js");
      end(await runCheck(path, options, commandLine));
    });
  program
    .command("ask")
    .description("take one turn, and show what each rail decided (exit code 2: blocked)")
    .argument("<config>", "folder or file of the configuration")
    .argument("<text>", "message of the user")
    .option("--json", "print the turn as JSON")
    .addOption(offline())
    .addOption(reply())
    .addOption(noCode())
    .addHelpText(
      "after",
      examples('ask config "What does it cost?"', 'ask config "hi" --reply "My card is 4111 1111 1111 1111."'),
    )
    .action(async (path: string, text: string, options: object) => {
      const { runAsk } = await import("./commands/ask.js");
      end(await runAsk(path, text, options, commandLine));
    });
  program
    .command("rails")
    .description("list the rails that come with the package, or describe one")
    .argument("[name]", "name of a rail or of one of its flows")
    .addOption(new Option("--stage <stage>", "show rails of one stage").choices(STAGES))
    .option("--json", "print the catalogue as JSON")
    .addHelpText("after", examples("rails --stage input", 'rails "self check input"'))
    .action(async (name: string | undefined, options: object) => {
      const { runRails } = await import("./commands/rails.js");
      end(runRails(name, options, commandLine));
    });
  return program;
}

const STAGES = ["input", "retrieval", "output", "tool_output", "tool_input", "dialog"];

function noCode(): Option {
  return new Option("--no-code", "do not load code of the configuration");
}

function offline(): Option {
  return new Option("--offline", "replace all models by scripted ones; rails that ask a model pass");
}

function reply(): Option {
  const collect = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];
  return new Option("--reply <text>", "reply of the scripted main model, repeatable; implies --offline").argParser(
    collect,
  );
}

function reportFailure(error: unknown, { stderr, signal }: CommandLine): ExitCode {
  // Commander has written its message already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (signal.aborted) return EXIT.interrupted;
  if (error instanceof UsageError) {
    stderr.line(error.message, "red");
    return EXIT.usage;
  }
  printError(stderr, error);
  return EXIT.problems;
}

/** Problems of configurations explain themselves; only mistakes in code need a stack. */
function printError(stderr: Printer, error: unknown): void {
  const isKnown = GuardrailsError.isInstance(error);
  const text = !(error instanceof Error) ? String(error) : isKnown ? error.message : (error.stack ?? error.message);
  stderr.line(text, "red");
}
