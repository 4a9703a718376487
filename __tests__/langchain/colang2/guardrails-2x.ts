import { Guardrails, type GuardrailsOptions } from "../../../src/index.js";

/** Rails in Colang 2.x that block texts with `bad` and hide digits. */
export const RAILS = `
import core

flow check words
  global $user_message
  $allowed = await CheckWordsAction(text=$user_message)
  if not $allowed
    bot say "REFUSED"
    abort

flow hide digits
  global $user_message
  $user_message = await HideDigitsAction(text=$user_message)

flow check answer
  global $bot_message
  $allowed = await CheckWordsAction(text=$bot_message)
  if not $allowed
    bot say "REFUSED"
    abort

flow hide digits of answer
  global $bot_message
  $bot_message = await HideDigitsAction(text=$bot_message)

flow judge answer
  global $bot_message
  $allowed = await JudgeWordsAction(text=$bot_message)
  if not $allowed
    bot say "REFUSED"
    abort
`;

export interface Options2 extends GuardrailsOptions {
  readonly input?: readonly string[];
  readonly output?: readonly string[];
  readonly colang?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Told every text a rail looks at. */
  readonly onCheck?: (text: string) => unknown;
}

/** A compiled Colang 2.x configuration; with `colang` also a dialog. */
export async function guardrails2({
  input,
  output,
  colang = "",
  settings,
  onCheck,
  ...options
}: Options2 = {}): Promise<Guardrails> {
  const { defineAction } = await import("../../../src/langchain/rails.js");
  const check = async ({ text }: { readonly text?: unknown }): Promise<boolean> => {
    await onCheck?.(String(text));
    return !String(text).includes("bad");
  };
  return Guardrails.fromConfig(
    {
      colang: `${RAILS}\n${colang}`,
      config: {
        colang_version: "2.x",
        rails: {
          input: { flows: input ?? ["check words", "hide digits"] },
          output: { flows: output ?? ["check answer", "hide digits of answer"] },
        },
        ...settings,
      },
    },
    {
      ...options,
      actions: {
        check_words: check,
        hide_digits: ({ text }: { text: string }) => text.replaceAll(/\d/g, "*"),
        judge_words: defineAction({ name: "judge_words", verdict: true }, check),
        ...options.actions,
      },
    },
  );
}
