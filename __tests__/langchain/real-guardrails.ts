import { Guardrails, type GuardrailsOptions } from "../../src/index.js";

const COLANG = `
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
`;

export interface RealOptions extends GuardrailsOptions {
  readonly input?: readonly string[];
  readonly output?: readonly string[];
  /** Told every text a rail looks at. */
  readonly onCheck?: (text: string, context: unknown) => unknown;
}

/** A compiled configuration whose rails block texts with `bad` and hide digits. */
export function realGuardrails({ input, output, onCheck, ...options }: RealOptions = {}): Promise<Guardrails> {
  return Guardrails.fromConfig(
    {
      colang: COLANG,
      config: {
        rails: {
          input: { flows: input ?? ["check words", "hide digits"] },
          output: { flows: output ?? ["check answer", "hide digits of answer"] },
        },
      },
    },
    {
      ...options,
      actions: {
        check_words: async ({ text }: { text: string }, context: unknown) => {
          await onCheck?.(text, context);
          return !text.includes("bad");
        },
        hide_digits: ({ text }: { text: string }) => text.replaceAll(/\d/g, "*"),
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
