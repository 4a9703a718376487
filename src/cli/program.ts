import { Command, CommanderError } from "commander";
import { type CommandLine, CommandError, EXIT, type ExitCode, UsageError } from "./command-line.js";
import { defineCommands } from "./define-commands.js";

const EXIT_CODES = `
Exit codes: 0 fine, 1 problems or failures, 2 blocked by a rail, 64 wrong arguments, 130 interrupted.`;

/** Runs a command of the command line, and returns its exit code. */
export async function runCommandLine(
  argv: readonly string[],
  commandLine: CommandLine,
  version: string,
): Promise<ExitCode> {
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
  let ended: ExitCode = EXIT.ok;
  let asJson = false;
  program.hook("preAction", (_program, command) => {
    asJson = command.getOptionValue("json") === true;
  });
  defineCommands(program, commandLine, (code) => (ended = code));
  await defineCompletion(program, argv[0] === "complete");
  try {
    refuseUnknownTopic(program, argv);
    await program.parseAsync([...argv], { from: "user" });
    return ended;
  } catch (error) {
    if (asJson && !commandLine.signal.aborted) stdout.json(await failureToJson(error));
    return reportFailure(error, argv, commandLine);
  }
}

/** Adds the command used by shell completion, whose code loads when it runs. */
async function defineCompletion(program: Command, isAsked: boolean): Promise<void> {
  if (isAsked) {
    const { default: addCompletion } = await import("@bomb.sh/tab/commander");
    addCompletion(program);
    return;
  }
  program
    .command("complete")
    .description("print a script that completes commands in a shell")
    .argument("<shell>", "zsh, bash, fish or powershell")
    .addHelpText("after", "\nExamples:\n  $ source <(langchain-guardrails complete bash)");
}

/** For an unknown command, Commander would show the help text of the program. */
function refuseUnknownTopic(program: Command, [first, topic]: readonly string[]): void {
  if (first !== "help" || topic === undefined || topic === "help" || topic.startsWith("-")) return;
  if (!program.commands.some((command) => command.name() === topic)) program.error(`error: unknown command '${topic}'`);
}

async function reportFailure(
  error: unknown,
  argv: readonly string[],
  { stderr, signal }: CommandLine,
): Promise<ExitCode> {
  // Commander has already written its message. After a requested help text, it repeats the current exit code of the process.
  if (error instanceof CommanderError) {
    const isWanted = error.exitCode === 0 || (argv[0] === "help" && error.code === "commander.help");
    return isWanted ? EXIT.ok : EXIT.usage;
  }
  if (signal.aborted) return EXIT.interrupted;
  stderr.line(await describe(error), "red");
  return error instanceof UsageError ? EXIT.usage : EXIT.problems;
}

/** Returns the failure of a command as JSON, for programs that read its `--json` output. */
async function failureToJson(error: unknown): Promise<object> {
  const { DiagnosticError } = await import("../diagnostics/errors.js");
  const { diagnosticToJson } = await import("./print-diagnostics.js");
  const diagnostics = DiagnosticError.isInstance(error) ? error.diagnostics : [];
  const message = error instanceof Error ? error.message : String(error);
  return { ok: false, error: message, diagnostics: diagnostics.map(diagnosticToJson) };
}

/** Problems of configurations, arguments, files and servers have clear messages; only programming errors need a stack. */
async function describe(error: unknown): Promise<string> {
  if (!(error instanceof Error)) return String(error);
  // Loaded here, because help texts do not need the rest of the package.
  const { GuardrailsError } = await import("../diagnostics/errors.js");
  const isOutside = error instanceof UsageError || error instanceof CommandError || "syscall" in error;
  const isKnown = isOutside || GuardrailsError.isInstance(error);
  return isKnown ? error.message : (error.stack ?? error.message);
}
