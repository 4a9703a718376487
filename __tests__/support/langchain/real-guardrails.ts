import { Guardrails, type GuardrailsOptions } from "../../../src/index.js";

/** The two dialects, each with rails of equal meaning. */
export type Version = "1.0" | "2.x";

/** Rails on messages that block texts with `bad` and hide digits. */
export const RAILS: Readonly<Record<Version, string>> = {
  "1.0": `
define bot refuse words
  "REFUSED"

define subflow check words
  $allowed = execute check_words(text=$user_message)
  if not $allowed
    bot refuse words
    stop

define subflow hide digits
  $user_message = execute hide_digits(text=$user_message)

define subflow check answer
  $allowed = execute check_words(text=$bot_message)
  if not $allowed
    bot refuse words
    stop

define subflow hide digits of answer
  $bot_message = execute hide_digits(text=$bot_message)

define subflow sly
  execute sly

define subflow hide digits of words
  meta {"stream": "word"}
  $bot_message = execute hide_digits(text=$bot_message)
`,
  "2.x": `
import core

flow refuse words
  bot say "REFUSED"
  abort

flow check words
  global $user_message
  $allowed = await CheckWordsAction(text=$user_message)
  if not $allowed
    await refuse words

flow hide digits
  global $user_message
  $user_message = await HideDigitsAction(text=$user_message)

flow check answer
  global $bot_message
  $allowed = await CheckWordsAction(text=$bot_message)
  if not $allowed
    await refuse words

flow hide digits of answer
  global $bot_message
  $bot_message = await HideDigitsAction(text=$bot_message)

flow sly
  await SlyAction()

@meta(stream="word")
flow hide digits of words
  global $bot_message
  $bot_message = await HideDigitsAction(text=$bot_message)
`,
};

/** Actions of `RAILS`; `onCheck` observes every text that a rail checks. */
export function textActions(onCheck?: (text: string, context: unknown) => unknown) {
  return {
    check_words: async ({ text }: { text: string }, context: unknown): Promise<boolean> => {
      await onCheck?.(text, context);
      return !text.includes("bad");
    },
    hide_digits: ({ text }: { text: string }): string => text.replaceAll(/\d/g, "*"),
  };
}

export interface RealOptions extends GuardrailsOptions {
  readonly version?: Version | undefined;
  readonly input?: readonly string[];
  readonly output?: readonly string[];
  /** Observes every text that a rail checks. */
  readonly onCheck?: (text: string, context: unknown) => unknown;
}

const shared = { testPath: undefined as string | undefined, loaded: new Map<string, Promise<Guardrails>>() };

/** Loads guardrails once per test file for options that are data alone; a function or a class has state of its own. */
export function loadShared(options: object, load: () => Promise<Guardrails>): Promise<Guardrails> {
  const testPath = currentTestPath();
  if (testPath === undefined || !isPlainData(options)) return load();
  if (testPath !== shared.testPath) Object.assign(shared, { testPath, loaded: new Map() });
  const key = `${load.name} ${JSON.stringify(options)}`;
  const guardrails = shared.loaded.get(key) ?? load();
  shared.loaded.set(key, guardrails);
  return guardrails;
}

/** The test file that runs; undefined in a process without Jest. */
function currentTestPath(): string | undefined {
  const { expect } = globalThis as { expect?: { getState(): { testPath?: string } } };
  return expect?.getState().testPath;
}

function isPlainData(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return typeof value !== "function";
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || Array.isArray(value)) && Object.values(value).every(isPlainData);
}

/** A compiled configuration whose rails block texts with `bad` and hide digits. */
export function realGuardrails(options: RealOptions = {}): Promise<Guardrails> {
  return loadShared(options, function textRails() {
    return loadTextRails(options);
  });
}

function loadTextRails({ version = "1.0", input, output, onCheck, ...options }: RealOptions): Promise<Guardrails> {
  return Guardrails.fromConfig(
    {
      colang: RAILS[version],
      config: {
        colang_version: version,
        rails: {
          input: { flows: input ?? ["check words", "hide digits"] },
          output: { flows: output ?? ["check answer", "hide digits of answer"] },
        },
      },
    },
    {
      ...options,
      actions: {
        ...textActions(onCheck),
        ...options.actions,
      },
    },
  );
}

export async function drain<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const chunks: T[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}
