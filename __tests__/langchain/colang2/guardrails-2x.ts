import { RAILS, textActions } from "../../support/langchain/real-guardrails.js";
import { Guardrails, type GuardrailsOptions } from "../../../src/index.js";

/** The shared rails in Colang 2.x, and one whose action returns a verdict. */
const RAILS_2X = `${RAILS["2.x"]}
flow judge answer
  global $bot_message
  $allowed = await JudgeWordsAction(text=$bot_message)
  if not $allowed
    await refuse words
`;

export interface Options2 extends GuardrailsOptions {
  readonly input?: readonly string[];
  readonly output?: readonly string[];
  readonly colang?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Observes every text that a rail checks. */
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
      colang: `${RAILS_2X}\n${colang}`,
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
        ...textActions((text) => onCheck?.(text)),
        judge_words: defineAction({ name: "judge_words", verdict: true }, check),
        ...options.actions,
      },
    },
  );
}
