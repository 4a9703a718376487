import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { Printer } from "../../src/cli/command-line.js";
import { runCommandLine } from "../../src/cli/program.js";

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly signal?: AbortSignal;
  /** Keys of a person at `terminal`. */
  readonly keys?: Readable;
  readonly terminal?: NodeJS.WritableStream;
  /** Receives what is written to stdout while the command runs. */
  readonly onOutput?: (text: string) => void;
}

/** Runs the command line in this process. */
export async function runCli(argv: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const {
    stdin = "",
    env = {},
    isTTY,
    columns,
    signal = new AbortController().signal,
    keys,
    terminal,
    onOutput,
  } = options;
  const written = { out: "", err: "" };
  const printer = (name: "out" | "err"): Printer =>
    new Printer({ write: (text) => write(name, text), isTTY, columns }, env);
  const write = (name: "out" | "err", text: string): void => {
    written[name] += text;
    if (name === "out") onOutput?.(text);
  };
  const input = keys ?? Readable.from([stdin]);
  const commandLine = { stdin: input, stdout: printer("out"), stderr: printer("err"), terminal, env, signal };
  const code = await runCommandLine(argv, commandLine, "1.2.3");
  return { code, ...written };
}

/** A folder with files by path, removed by `remove`. */
export function createFolder(files: Readonly<Record<string, string>>): {
  readonly path: string;
  write(name: string, text: string): void;
  remove(): void;
} {
  const path = mkdtempSync(join(tmpdir(), "cli-"));
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  return { path, write, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** A configuration without a model: flows, and a rail on each side that searches a word. */
export const BAKERY = {
  "config.yml": `rails:
  input:
    flows: [check words]
  output:
    flows: [check answer]
  dialog:
    user_messages:
      embeddings_only: true
`,
  "rails.co": `define user express greeting
  "hello"
  "hi"

define bot express greeting
  "Hello! I bake bread."

define flow greeting
  user express greeting
  bot express greeting

define bot refuse to respond
  "I only talk about bread."

define subflow check words
  if "cake" in $user_message
    bot refuse to respond
    stop

define subflow check answer
  if "secret" in $bot_message
    bot refuse to respond
    stop
`,
} as const;
