const NAMES = [
  "hostile",
  "clause",
  "start.task",
  "start.edit",
  "start.rework",
  "start.act",
  "start.not",
  "start.question",
  "start.output",
  "start.when",
  "start.named",
  "genre.word",
  "genre.letters",
  "output.own",
  "output.mail",
  "meta.word",
  "question.social",
  "asks.end",
  "assistant.hail",
  "assistant.must",
  "assistant.named",
  "assistant.authority",
  "assistant.pressure",
  "assistant.persona",
  "assistant.marker",
  "assistant.user",
  "assistant.rating",
  "assistant.data",
  "assistant.override",
  "assistant.tool",
  "assistant.secrecy",
  "assistant.order",
] as const;

/** Name of a kind of phrases: a form of address, a request, a question, a hint at an attack. */
export type KindName = (typeof NAMES)[number];

/** Kinds of phrases in a sentence, as bits: sets of names take a tenth of the time of the detector. */
export type Kinds = number;

const bits: ReadonlyMap<string, Kinds> = new Map(NAMES.map((name, at) => [name, 1 << at]));

/** Kinds that names stand for where they are called: "AI: …". */
const CALLED: Readonly<Record<string, KindName>> = {
  "called.name": "assistant.hail",
  "called.agent": "assistant.must",
};

/** Kinds by whose verb a clause within a sentence counts. */
const IN_CLAUSE: ReadonlySet<string> = new Set(["start.task", "start.edit", "start.act", "start.rework"]);

/** Returns the bit of a kind of phrases; 0 if it does not count. */
export function kindOf(name: string): Kinds {
  return bits.get(CALLED[name] ?? name) ?? 0;
}

/** Returns the bit of a kind of phrases at the start of a clause; one that is not placed counts as anywhere. */
export function kindInClause(name: string): Kinds {
  return kindOf(IN_CLAUSE.has(name) ? "clause" : name.startsWith("start.") ? "" : name);
}

/** Returns the bits of some kinds. */
export function kindsOf(...names: readonly KindName[]): Kinds {
  return names.reduce((kinds, name) => kinds | kindOf(name), 0);
}

/** Kinds that address or mention an assistant. */
export const OF_ASSISTANT: Kinds = kindsOf(...NAMES.filter((name) => name.startsWith("assistant.")));
