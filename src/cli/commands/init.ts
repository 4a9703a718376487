import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { type CommandLine, EXIT, type ExitCode, UsageError } from "../command-line.js";
import { createInitFiles, type InitAnswers } from "../init-files.js";

export interface InitOptions extends Partial<InitAnswers> {
  /** Replace files that exist. */
  readonly force?: boolean;
}

const DEFAULTS: InitAnswers = { colang: "1.0", model: "none", preset: "local" };

/** Path of the JSON Schema in the package as projects install it. */
const SCHEMA = "node_modules/langchain-guardrails/dist/config.schema.json";

/** `init`: writes a commented configuration, and prompts for missing options at a terminal. */
export async function runInit(folder: string, options: InitOptions, commandLine: CommandLine): Promise<ExitCode> {
  const { stdout, terminal } = commandLine;
  const answers = terminal === undefined ? { ...DEFAULTS, ...options } : await ask(options, commandLine, terminal);
  if (answers === undefined) return EXIT.interrupted;
  if (!/^[\w.:-]+(?:\/[\w.:/-]+)?$/.test(answers.model)) {
    throw new UsageError(`\`${answers.model}\` is not a model; write engine and name, as in \`openai/gpt-4o-mini\``);
  }
  const schema = relative(resolve(folder), resolve(SCHEMA)).replaceAll("\\", "/");
  const files = createInitFiles(answers, folder, schema);
  // INVARIANT: a user's file is never replaced without confirmation, even if two programs run at once.
  const flag = options.force === true ? "w" : "wx";
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text, { flag }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
      throw new UsageError(`\`${path}\` exists; name another folder, or replace it with --force`);
    });
    stdout.line(`written: ${path}`);
  }
  stdout.line(
    `\nTry it: npx langchain-guardrails chat ${folder}${answers.model === "none" ? "" : " --offline"}`,
    "bold",
  );
  return EXIT.ok;
}

async function ask(
  given: InitOptions,
  { stdin, signal }: CommandLine,
  terminal: NodeJS.WritableStream,
): Promise<InitAnswers | undefined> {
  const { isCancel, select, text } = await import("@clack/prompts");
  // Prompts write to any stream.
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
      message: "Model that answers, or none if your program brings it",
      placeholder: "openai/gpt-4o-mini",
      defaultValue: "none",
    }));
  if (isCancel(model)) return undefined;
  return { colang, preset, model };
}
