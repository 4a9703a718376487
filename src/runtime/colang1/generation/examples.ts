import type { Colang1Program } from "../../../colang1/elements.js";
import { type DialogHit, distinctMeta } from "../../../generation/indexes.js";

const MAX_TURNS = 5;

/** Texts that prompts show the model as examples, most similar last. */

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

/**
 * Utterances with their intents and the bot's steps in flows that begin with the intent. A step at the end of a flow
 * includes its text if predefined.
 */
export function turnExamples(
  hits: readonly DialogHit[],
  program: ProgramParts,
): { readonly examples: string; readonly potential_user_intents: string } {
  const shown = hits.toReversed();
  const intents = shown.map(({ item }) => item.meta["intent"] ?? "");
  const turns = shown
    .slice(-MAX_TURNS)
    .map(({ item }) => `user "${oneLine(item.text)}"\n  ${followingOn(item.meta["intent"] ?? "", program)}`);
  return { examples: turns.join("\n\n"), potential_user_intents: [...new Set(intents)].join(", ") };
}

type ProgramParts = Pick<Colang1Program, "flows" | "botMessages">;

/** Continuations of intents, by program: flows are searched once rather than in every turn. */
const continuations = new WeakMap<ProgramParts, ReadonlyMap<string, string>>();

function followingOn(intent: string, program: ProgramParts): string {
  let known = continuations.get(program);
  if (known === undefined) continuations.set(program, (known = continuationsOf(program)));
  return known.get(intent) ?? intent;
}

/** Intents with the steps of the first user flow that begins with them. */
function continuationsOf(program: ProgramParts): ReadonlyMap<string, string> {
  const examples = new Map<string, string>();
  for (const { tier, sourceText } of program.flows) {
    const intent = tier === "user" ? firstStep(sourceText) : undefined;
    if (intent === undefined || examples.has(intent)) continue;
    const steps = sourceText.split("\n").slice(1);
    const text = wordsOf(steps.at(-1) ?? "", program);
    examples.set(intent, [intent, ...steps, ...(text === undefined ? [] : [`  "${oneLine(text)}"`])].join("\n"));
  }
  return examples;
}

/** Whole flows, each once, with the text of predefined steps. */
export function flowTurns(
  hits: readonly DialogHit[],
  program: Pick<Colang1Program, "botMessages">,
  maximum: number,
): { readonly examples: string } {
  const withWords = (line: string): readonly string[] => {
    const text = wordsOf(line, program);
    return text === undefined ? [line] : [line, `  "${oneLine(text)}"`];
  };
  const flows = distinctMeta(hits, "flow", maximum).toReversed();
  return { examples: flows.map((flow) => flow.split("\n").flatMap(withWords).join("\n")).join("\n\n") };
}

/** Predefined text of a line that is a bot step. */
function wordsOf(line: string, { botMessages }: Pick<Colang1Program, "botMessages">): string | undefined {
  const step = line.trim();
  const message = step.startsWith("bot ") ? step.slice("bot ".length) : "";
  return Object.hasOwn(botMessages, message) ? botMessages[message]?.[0] : undefined;
}

/** The intent that a flow begins with. */
function firstStep(sourceText: string): string | undefined {
  const end = sourceText.indexOf("\n");
  const line = (end === -1 ? sourceText : sourceText.slice(0, end)).trim();
  return line.startsWith("user ") ? line.slice("user ".length) : undefined;
}

/** Bot messages with one text each. */
export function botExamples(hits: readonly DialogHit[]): { readonly examples: string } {
  const pairs = hits.toReversed().map(({ item }) => `bot ${item.text}\n  "${oneLine(item.meta["text"] ?? "")}"`);
  return { examples: pairs.join("\n\n") };
}

/** Whole flows, each once, although an index has an entry for each of their lines. */
export function flowExamples(hits: readonly DialogHit[], maximum: number): { readonly examples: string } {
  return { examples: distinctMeta(hits, "flow", maximum).toReversed().join("\n\n") };
}

/** Escapes texts as histories do: a line break inside a text cannot begin a line of the prompt. */
function oneLine(text: string): string {
  return text.replace(/\r\n|[\n\r\u2028\u2029]/g, "\\n");
}
