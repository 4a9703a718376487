import { Guardrails, type GuardrailsOptions } from "../../../src/index.js";
import type { ToolRules } from "../../../src/langchain/rails.js";
import type { Version } from "./real-guardrails.js";

const COLANG: Readonly<Record<Version, string>> = {
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

define subflow check call
  $allowed = execute check_call(args=$tool_args)
  if not $allowed
    bot refuse words
    stop

define subflow lower amount
  $tool_args = execute lower_amount(args=$tool_args)

define subflow check result
  $allowed = execute check_words(text=$tool_message)
  if not $allowed
    bot refuse words
    stop

define subflow hide digits of result
  $tool_message = execute hide_digits(text=$tool_message)
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

flow check call
  global $tool_args
  $allowed = await CheckCallAction(args=$tool_args)
  if not $allowed
    await refuse words

flow lower amount
  global $tool_args
  $tool_args = await LowerAmountAction(args=$tool_args)

flow check result
  global $tool_message
  $allowed = await CheckWordsAction(text=$tool_message)
  if not $allowed
    await refuse words

flow hide digits of result
  global $tool_message
  $tool_message = await HideDigitsAction(text=$tool_message)
`,
};

export interface ToolSetup extends GuardrailsOptions {
  readonly version?: Version | undefined;
  readonly input?: readonly string[];
  readonly output?: readonly string[];
  readonly calls?: readonly string[];
  readonly results?: readonly string[];
  readonly rules?: ToolRules;
  readonly colang?: string;
  readonly onCheck?: (text: string) => unknown;
}

/** Rails that block texts with `bad`, on messages and on tools, and hide digits. */
export function toolGuardrails(setup: ToolSetup = {}): Promise<Guardrails> {
  const { input = [], output = [], calls = [], results = [], rules, colang = "", onCheck, ...rest } = setup;
  const { version = "1.0", ...options } = rest;
  return Guardrails.fromConfig(
    {
      colang: `${COLANG[version]}\n${colang}`,
      config: {
        colang_version: version,
        rails: {
          input: { flows: input },
          output: { flows: output },
          tool_output: { flows: calls },
          tool_input: { flows: results },
        },
      },
    },
    {
      ...options,
      ...(rules === undefined ? {} : { toolRules: rules }),
      actions: {
        check_words: async ({ text }: { text: string }) => {
          await onCheck?.(text);
          return !text.includes("bad");
        },
        check_call: async ({ args }: { args: object }) => {
          await onCheck?.(JSON.stringify(args));
          return !JSON.stringify(args).includes("bad");
        },
        hide_digits: ({ text }: { text: string }) => text.replaceAll(/\d/g, "*"),
        lower_amount: ({ args }: { args: object }) => ({ ...args, amount: 1 }),
        ...options.actions,
      },
    },
  );
}
