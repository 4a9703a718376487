import { Guardrails, type GuardrailsOptions } from "../../../src/index.js";
import type { ToolRules } from "../../../src/langchain/rails.js";
import { loadShared, RAILS, textActions, type Version } from "./real-guardrails.js";

/** Rails on tools, beside those on messages. */
const TOOL_RAILS: Readonly<Record<Version, string>> = {
  "1.0": `
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
  return loadShared(setup, function toolRails() {
    return loadToolRails(setup);
  });
}

function loadToolRails(setup: ToolSetup): Promise<Guardrails> {
  const { input = [], output = [], calls = [], results = [], rules, colang = "", onCheck, ...rest } = setup;
  const { version = "1.0", ...options } = rest;
  return Guardrails.fromConfig(
    {
      colang: `${RAILS[version]}\n${TOOL_RAILS[version]}\n${colang}`,
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
        ...textActions(onCheck),
        check_call: async ({ args }: { args: object }) => {
          await onCheck?.(JSON.stringify(args));
          return !JSON.stringify(args).includes("bad");
        },
        lower_amount: ({ args }: { args: object }) => ({ ...args, amount: 1 }),
        ...options.actions,
      },
    },
  );
}
