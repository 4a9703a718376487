import { availableParallelism } from "node:os";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { CommandLine, ExitCode } from "./command-line.js";
import type { BatchOptions } from "./commands/batch.js";
import type { BatchWorkerOptions } from "./commands/batch-worker.js";
import type { PlaygroundCommandOptions, ServeOptions } from "./commands/serve.js";
import type { TraceOptions } from "./commands/trace.js";

/** Environment of the definitions: the command line, and a callback for the exit code. */
interface Definitions {
  readonly commandLine: CommandLine;
  readonly end: (code: ExitCode) => void;
}

/**
 * Adds the commands to a program. INVARIANT: a command's code loads only when it runs, so that all other commands start fast.
 */
export function defineCommands(program: Command, commandLine: CommandLine, end: (code: ExitCode) => void): void {
  const definitions = { commandLine, end };
  defineTurns(program, definitions);
  defineTests(program, definitions);
  defineServe(program, definitions);
  definePlayground(program, definitions);
  defineInit(program, definitions);
  defineBatch(program, definitions);
  defineLists(program, definitions);
  defineActionsServer(program, definitions);
}

/** Defines the commands that check a configuration or take turns with it. */
function defineTurns(program: Command, { commandLine, end }: Definitions): void {
  withTurnOptions(program.command("check"), false)
    .description("report all mistakes of a configuration, without asking any model")
    .option("--json", "print the problems as JSON")
    .option("--strict", "count warnings as problems")
    .option("--watch", "check again when files change")
    .addHelpText("after", examples("check config", "check config --strict --json"))
    .action(async (path: string, options: object) => {
      const { runCheck } = await import("./commands/check.js");
      end(await runCheck(path, options, commandLine));
    });
  withTurnOptions(program.command("ask"))
    .description("take one turn, and show what each rail decided (exit code 2: blocked)")
    .argument("<text>", "message of the user")
    .option("--json", "print the turn as JSON")
    .addHelpText(
      "after",
      examples('ask config "What does it cost?"', 'ask config "Which card do I have?" --reply "4111 1111 1111 1111"'),
    )
    .action(async (path: string, text: string, options: object) => {
      const { runAsk } = await import("./commands/ask.js");
      end(await runAsk(path, text, options, commandLine));
    });
  withTurnOptions(program.command("chat"), true, "[config]")
    .description("talk to a configuration or a server, with the decisions below each reply")
    .option("--server-url <url>", "talk to this server; its key stands in LANGCHAIN_GUARDRAILS_API_KEY")
    .option("--config-id <id>", "configuration of the server (default: its first one)")
    .option("--session <file>", "keep the conversation in a file, and go on with the one in it")
    .addHelpText(
      "after",
      examples("chat config", "chat config --session talk.json", "chat --server-url http://127.0.0.1:8000"),
    )
    .action(async (path: string | undefined, options: object) => {
      const { runChat } = await import("./commands/chat.js");
      end(await runChat(path, options, commandLine));
    });
}

/** Defines the commands that show how a configuration comes to its responses, and test them. */
function defineTests(program: Command, { commandLine, end }: Definitions): void {
  withTurnOptions(program.command("debug"))
    .description("take turns and show each step of the flows with its place in the source")
    .argument("<texts...>", "messages of the user, one turn each")
    .option("--flow <name>", "show the steps of one flow")
    .option("--all", "show the steps of flows of the package, too")
    .option("--json", "print the steps as JSON")
    .addHelpText("after", examples('debug config "hello"', 'debug config "hello" "goodbye" --flow greeting'))
    .action(async (path: string, texts: readonly string[], options: object) => {
      const { runDebug } = await import("./commands/debug.js");
      end(await runDebug(path, texts, options, commandLine));
    });
  withTurnOptions(program.command("test"))
    .description("play conversations and compare them with what is expected")
    .argument("<files...>", "YAML or CSV files with conversations, or folders of them")
    .option("--json", "print the results as JSON")
    .option("--junit <file>", "write the results for CI systems, in the format of JUnit")
    .option("--filter <text>", "run conversations whose name contains the text")
    .addHelpText(
      "after",
      examples("test config config/tests", "test config config/tests/greeting.yml --junit results.xml"),
    )
    .action(async (path: string, files: readonly string[], options: object) => {
      const { runTests } = await import("./commands/test.js");
      end(await runTests(path, files, options, commandLine));
    });
}

/** Defines the command that serves configurations. */
function defineServe(program: Command, { commandLine, end }: Definitions): void {
  const serve = program
    .command("serve")
    .description("serve configurations with the protocol of OpenAI")
    .argument("<configs...>", "folders of configurations; `id=folder` names one, else it has the name of its folder")
    .option("--host <address>", "address to listen on; beyond this machine callers need a key", "127.0.0.1")
    .addOption(new Option("--port <number>", "port to listen on; 0 for any").default(8000).argParser(portOf))
    .option(
      "--keys <file>",
      "JSON file with the keys of callers; one key can also stand in LANGCHAIN_GUARDRAILS_API_KEY",
    );
  withServeOptions(serve)
    .option("--allow-code", "load code of the configurations")
    .option("--metrics", "show metrics for Prometheus under /metrics")
    .option("--watch", "load a configuration again when its files change")
    .option("--offline", "replace all models by scripted ones; rails that ask a model pass")
    .option(
      "--reply <text>",
      "reply of the scripted main model, repeatable: the last one stays; implies --offline",
      collect,
    )
    .addHelpText(
      "after",
      examples(
        "serve config",
        "serve shop=config help=help-config --port 8080 --keys keys.json",
        "serve config --workers 4 --store redis://localhost:6379",
      ),
    )
    .action(async (paths: readonly string[], options: object) => {
      const { runServe } = await import("./commands/serve.js");
      end(await runServe(paths, options as ServeOptions, commandLine));
    });
}

/** Adds the options for callers, processes and conversations. */
function withServeOptions(command: Command): Command {
  return command
    .option("--rate-limits <url>", "Redis in which servers count the requests of callers together (`perMinute`)")
    .option("--default <id>", "configuration of requests that name none (default: the first)")
    .option("--models <names>", "further models of the upstream that callers may name, with commas, or any")
    .addOption(
      new Option(
        "--history <how>",
        "what callers send as system messages and earlier responses (default: check)",
      ).choices(["check", "refuse", "trust"]),
    )
    .addOption(
      new Option("--verdicts <parts>", "parts of verdicts that callers see (default: decisions)").choices([
        "none",
        "outcome",
        "decisions",
        "reasons",
      ]),
    )
    .option("--cors <origins>", "origins of pages that may call, with commas (default: none)")
    .addOption(
      new Option("--workers <number>", "processes that share the port; auto: one for each core (default: 1)").argParser(
        workersOf,
      ),
    )
    .option(
      "--store <address>",
      "where conversations are kept: memory, none, redis://… or postgres://…; can also stand in LANGCHAIN_GUARDRAILS_STORE",
    )
    .addOption(
      new Option("--store-hours <number>", "hours that a conversation is kept after its last turn; 0 for good")
        .default(24)
        .argParser(hoursOf),
    );
}

/** Defines the command that opens the playground. */
function definePlayground(program: Command, { commandLine, end }: Definitions): void {
  withTurnOptions(program.command("playground"))
    .description("serve a page that shows what the rails of a configuration do, and why")
    .option("--host <address>", "address to listen on; beyond this machine callers need a key", "127.0.0.1")
    .addOption(new Option("--port <number>", "port to listen on; 0 for any").default(8000).argParser(portOf))
    .option("--keys <file>", "JSON file with the keys of callers, see serve")
    .option("--remote", "serve the page beyond this machine, to keys with the permission playground")
    .option("--unreviewed", "show texts that rails blocked, as they were")
    .option("--watch", "load the configuration again when its files change")
    .addHelpText("after", examples("playground config", "playground config --offline --port 8080"))
    .action(async (path: string, options: object) => {
      const { runPlayground } = await import("./commands/serve.js");
      end(await runPlayground(path, options as PlaygroundCommandOptions, commandLine));
    });
}

/** Defines the command that writes a configuration. */
function defineInit(program: Command, { commandLine, end }: Definitions): void {
  program
    .command("init")
    .description("write a commented configuration; at a terminal, asks what the options leave open")
    .argument("[folder]", "folder of the configuration", "config")
    .addOption(new Option("--colang <version>", "language of the flows (default: 1.0)").choices(["1.0", "2.x"]))
    .addOption(
      new Option("--preset <name>", "rails to start with (default: local)").choices([
        "local",
        "balanced",
        "strict",
        "none",
      ]),
    )
    .option("--model <engine/name>", "main model, or none (default: none)")
    .option("--force", "replace files that exist")
    .addHelpText("after", examples("init", "init config --preset balanced --model openai/gpt-4o-mini"))
    .action(async (folder: string, options: object) => {
      const { runInit } = await import("./commands/init.js");
      end(await runInit(folder, options, commandLine));
    });
}

/** Defines the commands that check files. */
function defineBatch(program: Command, { commandLine, end }: Definitions): void {
  program
    .command("batch")
    .description("check the rows of a large file, one JSON object a line, and write one result a line")
    .argument("<input>", "file of rows: { text }, { messages } or { input, output }, with an optional id")
    .argument("<output>", "file for the results")
    .option("--config <path>", "folder or file of the configuration", "config")
    .option("--no-code", "do not load code of the configuration")
    .option("--offline", "replace all models by scripted ones; rails that ask a model pass")
    .addOption(new Option("--stage <stage>", "side of rows with a text").choices(["input", "output"]).default("input"))
    .option("--concurrency <count>", "rows that this process checks at once (default: 8)")
    .option("--decisions", "write the decisions of all rails")
    .option("--resume", "go on behind the last result of the output file")
    .option("--force", "replace the output file")
    .option("--redis <url>", "let the workers of a queue on this server check the rows, and collect their results")
    .option("--queue <name>", "name of that queue (default: batch)")
    .option("--json", "print the totals as JSON")
    .addHelpText("after", examples("batch in.jsonl out.jsonl --concurrency 16", "batch in.jsonl out.jsonl --resume"))
    .action(async (input: string, output: string, options: BatchOptions) => {
      const { runBatch } = await import("./commands/batch.js");
      end(await runBatch(input, output, options, commandLine));
    });
  program
    .command("batch-worker")
    .description("check rows of `batch --redis` until it is interrupted")
    .option("--redis <url>", "server of the queue (default: the variable LANGCHAIN_GUARDRAILS_REDIS_URL)")
    .option("--queue <name>", "name of the queue", "batch")
    .option("--config <path>", "folder or file of the configuration", "config")
    .option("--no-code", "do not load code of the configuration")
    .option("--offline", "replace all models by scripted ones; rails that ask a model pass")
    .option("--concurrency <count>", "rows that are checked at once", "8")
    .addHelpText("after", examples("batch-worker --redis redis://localhost:6379 --concurrency 16"))
    .action(async (options: BatchWorkerOptions) => {
      const { runBatchWorker } = await import("./commands/batch-worker.js");
      end(await runBatchWorker(options, commandLine));
    });
}

/** Defines the commands that list traces and rails. */
function defineLists(program: Command, { commandLine, end }: Definitions): void {
  program
    .command("trace")
    .description("show the calls in a file of traces, as trees with times and verdicts")
    .argument("<file>", "file that the tracing adapter `FileSystem` or `jsonLines` wrote")
    .addOption(new Option("--last <number>", "number of calls, the newest").default(10).argParser(countOf))
    .option("--blocked", "show calls that a rail blocked")
    .option("--id <beginning>", "show the call with this trace id")
    .option("--html <file>", "write the calls as one HTML file instead")
    .addHelpText("after", examples("trace .traces/trace.jsonl", "trace .traces/trace.jsonl --blocked --last 3"))
    .action(async (path: string, options: object) => {
      const { runTrace } = await import("./commands/trace.js");
      end(await runTrace(path, options as TraceOptions, commandLine));
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
}

/** Defines the command that runs actions for other machines. */
function defineActionsServer(program: Command, { commandLine, end }: Definitions): void {
  program
    .command("actions-server")
    .description("run the actions of a folder for guardrails on other machines")
    .argument("<folder>", "folder of a configuration, whose actions are run")
    .option("--port <number>", "port to listen on (default: 8001)")
    .option("--host <address>", "address to listen on (default: 127.0.0.1)")
    .option("--key-env <name>", "environment variable with the key that callers send")
    .option("--timeout-ms <number>", "longest time of an action in milliseconds (default: 60000)")
    .addHelpText(
      "after",
      examples("actions-server config", "actions-server config --host 0.0.0.0 --key-env ACTIONS_KEY"),
    )
    .action(async (folder: string, options: object) => {
      const { runActionsServer } = await import("./commands/actions-server.js");
      end(await runActionsServer(folder, options, commandLine));
    });
}

const STAGES = ["input", "retrieval", "output", "tool_output", "tool_input", "dialog"];

function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ langchain-guardrails ${line}`).join("\n")}`;
}

/** Defines a command for a configuration, with the options of commands that run turns. */
function withTurnOptions(command: Command, takesTurns = true, config = "<config>"): Command {
  command
    .argument(config, "folder or file of the configuration")
    .option("--no-code", "do not load code of the configuration");
  if (!takesTurns) return command;
  return command
    .option("--offline", "replace all models by scripted ones; rails that ask a model pass")
    .option(
      "--reply <text>",
      "reply of the scripted main model, repeatable: the last one stays; implies --offline",
      collect,
    );
}

function portOf(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new InvalidArgumentError("a port is a number from 0 to 65535");
  return port;
}

const MAX_WORKERS = 128;

function workersOf(text: string): number {
  const workers = text === "auto" ? availableParallelism() : Number(text);
  if (/^(?:[1-9]\d{0,2}|auto)$/.test(text) && workers <= MAX_WORKERS) return workers;
  throw new InvalidArgumentError(`expected auto, or a number from 1 to ${MAX_WORKERS}`);
}

function hoursOf(text: string): number {
  const hours = Number(text);
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError("expected a number of hours, or 0");
  return hours;
}

function countOf(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError("a number from 1 is expected");
  return Number(text);
}

function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}
