import { type DialogHit, distinctMeta } from "./indexes.js";

/** Texts that prompts show the model as a pattern, the most similar one last. */

/** Utterances with their intents, and the intents themselves as candidates. */
export function userExamples(hits: readonly DialogHit[]): {
  readonly examples: string;
  readonly potential_user_intents: string;
} {
  const shown = hits.toReversed();
  const intents = shown.map(({ item }) => item.meta["intent"] ?? "");
  const pairs = shown.map(({ item }, place) => `user "${oneLine(item.text)}"\n  ${intents[place]}`);
  return { examples: pairs.join("\n\n"), potential_user_intents: [...new Set(intents)].join(", ") };
}

/** Bot messages with a text each. */
export function botExamples(hits: readonly DialogHit[]): { readonly examples: string } {
  const pairs = hits.toReversed().map(({ item }) => `bot ${item.text}\n  "${oneLine(item.meta["text"] ?? "")}"`);
  return { examples: pairs.join("\n\n") };
}

/** Whole flows, each once, though an index has an entry for each of their lines. */
export function flowExamples(hits: readonly DialogHit[], maximum: number): { readonly examples: string } {
  return { examples: distinctMeta(hits, "flow", maximum).toReversed().join("\n\n") };
}

/** As histories write texts: a line break inside a text cannot begin a line of the prompt. */
function oneLine(text: string): string {
  return text.replace(/\r\n|[\n\r\u2028\u2029]/g, "\\n");
}
