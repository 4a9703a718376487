import type { Colang1Program } from "../../../colang1/elements.js";
import type { DialogItem } from "../../../retrieval/embedding-index.js";
import {
  type CreateDialogIndex,
  type DialogIndex,
  lazyIndex,
  type Lookup,
  throughLookup,
} from "../../../generation/indexes.js";

/** The indexes over a program (spec rails 3.4), each built when it is first asked. */
export interface DialogIndexes {
  /** Example utterances; `meta.intent`. */
  readonly userExamples: DialogIndex;
  /** Names of user messages; `meta.intent`. */
  readonly userIntents: DialogIndex;
  /** Names of bot messages, one entry per variant; `meta.text`. */
  readonly botMessages: DialogIndex;
  /** Lines of the user's own flows; `meta.flow` is the whole text. */
  readonly flows: DialogIndex;
  /** The intent that has exactly this text among its examples; undefined when several have it. */
  exactIntent(text: string): string | undefined;
}

/**
 * Describes the indexes of a program without building them.
 *
 * @param createExampleIndex makes the index of example utterances; as the others unless given
 */
export function createDialogIndexes(
  program: Pick<Colang1Program, "userMessages" | "botMessages" | "flows">,
  createIndex: CreateDialogIndex,
  createExampleIndex: CreateDialogIndex = createIndex,
): DialogIndexes {
  let exact: ReadonlyMap<string, string | undefined> | undefined;
  return {
    exactIntent: (text) => (exact ??= intentsByExample(program.userMessages)).get(text.trim()),
    userExamples: lazyIndex(() => userExampleItems(program.userMessages), createExampleIndex),
    userIntents: lazyIndex(() => userIntentItems(program.userMessages), createIndex),
    botMessages: lazyIndex(() => botMessageItems(program.botMessages), createIndex),
    flows: lazyIndex(() => flowLineItems(program.flows), createIndex),
  };
}

function intentsByExample(messages: Colang1Program["userMessages"]): ReadonlyMap<string, string | undefined> {
  const intents = new Map<string, string | undefined>();
  for (const [intent, examples] of Object.entries(messages)) {
    for (const text of new Set(examples)) intents.set(text, intents.has(text) ? undefined : intent);
  }
  return intents;
}

/** Returns the indexes with searches that go through `lookup`. */
export function indexesThroughLookup(indexes: DialogIndexes, lookup: Lookup): DialogIndexes {
  return {
    exactIntent: (text) => indexes.exactIntent(text),
    userExamples: throughLookup(indexes.userExamples, lookup),
    userIntents: throughLookup(indexes.userIntents, lookup),
    botMessages: throughLookup(indexes.botMessages, lookup),
    flows: throughLookup(indexes.flows, lookup),
  };
}

function userExampleItems(messages: Colang1Program["userMessages"]): readonly DialogItem[] {
  return Object.entries(messages).flatMap(([intent, examples]) => examples.map((text) => ({ text, meta: { intent } })));
}

function userIntentItems(messages: Colang1Program["userMessages"]): readonly DialogItem[] {
  return Object.keys(messages).map((intent) => ({ text: intent, meta: { intent } }));
}

function botMessageItems(messages: Colang1Program["botMessages"]): readonly DialogItem[] {
  return Object.entries(messages).flatMap(([intent, variants]) =>
    variants.map((text) => ({ text: intent, meta: { text } })),
  );
}

function flowLineItems(flows: Colang1Program["flows"]): readonly DialogItem[] {
  return flows
    .filter(({ tier }) => tier === "user")
    .flatMap(({ sourceText }) =>
      sourceText
        .split("\n")
        .map((line) => line.trim())
        .filter((line) => line !== "")
        .map((text) => ({ text, meta: { flow: sourceText } })),
    );
}
