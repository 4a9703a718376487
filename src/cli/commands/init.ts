import { lstat, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import type { Key } from "node:readline";
import { Cancellation } from "../../engine/async.js";
import { type CommandLine, EXIT, type ExitCode, printable, UsageError } from "../command-line.js";
import { createInitFiles, type InitAnswers } from "../init-files.js";

export interface InitOptions extends Partial<InitAnswers> {
  /** Replace existing files. */
  readonly force?: boolean;
}

const DEFAULTS: InitAnswers = { colang: "1.0", model: "none", preset: "local" };

/** Path of the JSON Schema in the installed package. */
const SCHEMA = "node_modules/langchain-guardrails/dist/config.schema.json";

/** `init`: writes a commented configuration, and prompts for missing options at a terminal. */
export async function runInit(folder: string, options: InitOptions, commandLine: CommandLine): Promise<ExitCode> {
  const { stdout, terminal } = commandLine;
  // The comments of the created files contain the folder name.
  if (folder === "" || printable(folder) !== folder || folder.includes("\n")) {
    throw new UsageError(`expected the name of a folder, got ${JSON.stringify(folder)}`);
  }
  const answers = terminal === undefined ? { ...DEFAULTS, ...options } : await ask(options, commandLine, terminal);
  if (answers === undefined) return EXIT.interrupted;
  if (answers.model !== "none" && !/^[\w.:-]+\/[\w.:/-]+$/.test(answers.model)) {
    const hint = "write engine and name, as in `openai/gpt-4o-mini`, or `none`";
    throw new UsageError(`\`${answers.model}\` is not a model; ${hint}`);
  }
  const schema = relative(resolve(folder), resolve(SCHEMA)).replaceAll("\\", "/");
  const shown = shellWord(folder);
  const files = createInitFiles(answers, shown, schema);
  for (const path of await writeFiles(folder, files, options.force === true)) stdout.line(`written: ${path}`);
  stdout.line(
    `\nTry it: npx langchain-guardrails chat ${shown}${answers.model === "none" ? "" : " --offline"}`,
    "bold",
  );
  return EXIT.ok;
}

/** Writes all files or none, and returns their paths. */
async function writeFiles(
  folder: string,
  files: Readonly<Record<string, string>>,
  replaces: boolean,
): Promise<readonly string[]> {
  const paths = Object.keys(files).map((name) => join(folder, name));
  const existing = await Promise.all(
    paths.map((path) =>
      lstat(path).then(
        () => path,
        () => undefined,
      ),
    ),
  );
  const refused = replaces ? undefined : existing.find((path) => path !== undefined);
  if (refused !== undefined) throw fileExists(refused);
  const written: string[] = [];
  try {
    for (const [index, text] of Object.values(files).entries()) {
      const path = paths[index] ?? folder;
      await mkdir(dirname(path), { recursive: true });
      // INVARIANT: a user's file is never replaced without confirmation, even if two processes run concurrently.
      await writeFile(path, text, { flag: replaces ? "w" : "wx" });
      written.push(path);
    }
  } catch (error) {
    if (!replaces) await Promise.all(written.map((path) => rm(path, { force: true })));
    const { code, path = folder } = error as NodeJS.ErrnoException;
    throw code === "EEXIST" ? fileExists(path) : error;
  }
  return written;
}

function fileExists(path: string): UsageError {
  return new UsageError(`\`${path}\` exists; name another folder, or replace it with --force`);
}

/** Quotes a path for a shell, and so that no command reads it as an option. */
function shellWord(path: string): string {
  const named = path.startsWith("-") ? `./${path}` : path;
  return /^[\w./:@%+,=-]+$/.test(named) ? named : `'${named.replaceAll("'", "'\\''")}'`;
}

async function ask(
  given: InitOptions,
  commandLine: CommandLine,
  terminal: NodeJS.WritableStream,
): Promise<InitAnswers | undefined> {
  const { stdin } = commandLine;
  // A prompt does not end when its input ends.
  const ended = Cancellation.following(commandLine.signal);
  const end = (): void => ended.abort(new Error("the input has ended"));
  const onKey = (_text: string | undefined, { ctrl, name }: Key): unknown => ctrl === true && name === "d" && end();
  stdin.once("end", end).once("close", end).on("keypress", onKey);
  try {
    return await askQuestions(given, { stdin, signal: ended.signal }, terminal);
  } finally {
    stdin.off("end", end).off("close", end).off("keypress", onKey);
    ended.release();
  }
}

async function askQuestions(
  given: InitOptions,
  { stdin, signal }: Pick<CommandLine, "stdin" | "signal">,
  terminal: NodeJS.WritableStream,
): Promise<InitAnswers | undefined> {
  const { isCancel, select, text } = await import("@clack/prompts");
  // Prompts accept any writable stream.
  const common = { input: stdin, output: terminal as NonNullable<Parameters<typeof text>[0]["output"]>, signal };
  const colang =
    given.colang ??
    (await select({
      ...common,
      message: "Language of the flows",
      options: [
        { value: "1.0" as const, label: "Colang 1.0", hint: "dialogs and rails" },
        { value: "2.x" as const, label: "Colang 2.x", hint: "events, timers, parallel flows" },
      ],
    }));
  if (isCancel(colang)) return undefined;
  const preset =
    given.preset ??
    (await select({
      ...common,
      message: "Rails to start with",
      options: [
        { value: "local" as const, label: "local", hint: "no model, no key" },
        { value: "balanced" as const, label: "balanced", hint: "some ask the model" },
        { value: "strict" as const, label: "strict", hint: "most ask the model" },
        { value: "none" as const, label: "none" },
      ],
    }));
  if (isCancel(preset)) return undefined;
  const model =
    given.model ??
    (await text({
      ...common,
      message: "Model, or none if your program passes one",
      placeholder: "openai/gpt-4o-mini",
      defaultValue: "none",
    }));
  if (isCancel(model)) return undefined;
  return { colang, preset, model };
}
