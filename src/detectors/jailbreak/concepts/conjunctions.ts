import type { Concept } from "./lexicon.js";

/** Concepts that occur near one another, in any order. */
export interface Conjunction {
  /** Family and kind of the evidence that they are, weighed as `WEIGHTS` says; or the name of the concept that they form. */
  readonly kind: string;
  /** Rarer ones first, since most conjunctions fail at the first one that is not near. */
  readonly concepts: readonly ConceptName[];
  /** Characters between the beginnings of the first and the last of them. */
  readonly within: number;
  /** Concepts that cancel the conjunction if one occurs at most 30 characters before it. */
  readonly unless?: readonly Concept[];
}

/** Concept with its own words, or one that conjunctions form. */
type ConceptName =
  | Concept
  | "unbound"
  | "cast-off"
  | "replaced"
  | "harm"
  | "loose"
  | "any-norm"
  | "slip-void"
  | "slip-orders";

/**
 * Requests of attacks, as concepts instead of phrases: words may come in any order and language. A conjunction expresses one
 * idea of its family; few suffice alone.
 */
export const CONJUNCTIONS: readonly Conjunction[] = [
  // Concepts made of others: freedom from rules, revoked rules, replaced rules, harm of either kind.
  { kind: "unbound", concepts: ["free"], within: 0 },
  { kind: "unbound", concepts: ["lack", "norm"], within: 28 },
  { kind: "unbound", concepts: ["scruple", "lack"], within: 28 },
  { kind: "loose", concepts: ["lack", "any-rule"], within: 28 },
  { kind: "any-norm", concepts: ["norm"], within: 0 },
  { kind: "any-norm", concepts: ["any-rule"], within: 0 },
  { kind: "cast-off", concepts: ["void", "safety"], within: 40, unless: ["question"] },
  { kind: "cast-off", concepts: ["any-norm", "void", "you"], within: 50, unless: ["question"] },
  { kind: "cast-off", concepts: ["void", "you", "orders"], within: 50, unless: ["question"] },
  { kind: "replaced", concepts: ["newer", "orders"], within: 22 },
  { kind: "replaced", concepts: ["newer", "norm"], within: 22 },
  { kind: "harm", concepts: ["danger"], within: 0 },
  { kind: "harm", concepts: ["crime"], within: 0 },
  // The assistant's own rules, and a verb or a statement that ends them.
  { kind: "instruction-override.own-rules", concepts: ["any-norm", "void", "you"], within: 45, unless: ["question"] },
  { kind: "instruction-override.own-rules", concepts: ["own-norm", "void"], within: 45, unless: ["question"] },
  { kind: "instruction-override.nature", concepts: ["being", "void", "machine"], within: 60 },
  { kind: "instruction-override.safety", concepts: ["void", "safety"], within: 40, unless: ["question", "thing"] },
  {
    kind: "instruction-override.ended",
    concepts: ["ended", "you", "any-norm"],
    within: 70,
    unless: ["question", "thing"],
  },
  {
    kind: "instruction-override.ended-safety",
    concepts: ["ended", "safety"],
    within: 40,
    unless: ["question", "thing", "theirs"],
  },
  { kind: "instruction-override.earlier", concepts: ["void", "earlier", "orders"], within: 55, unless: ["question"] },
  { kind: "instruction-override.misspelled", concepts: ["slip-void", "orders"], within: 50 },
  { kind: "instruction-override.misspelled", concepts: ["slip-void", "norm"], within: 50 },
  { kind: "instruction-override.misspelled", concepts: ["void", "slip-orders"], within: 50 },
  { kind: "instruction-override.ended-orders", concepts: ["ended", "earlier", "orders"], within: 70 },
  { kind: "instruction-override.replaced", concepts: ["replaced", "unbound"], within: 70 },
  { kind: "instruction-override.replaced", concepts: ["replaced", "cast-off"], within: 90 },
  { kind: "instruction-override.replaced", concepts: ["replaced", "everything", "answer"], within: 70 },
  { kind: "instruction-override.replaced", concepts: ["replaced", "refuse"], within: 70 },
  {
    kind: "instruction-override.all-safety",
    concepts: ["safety", "void", "total"],
    within: 45,
    unless: ["question", "thing"],
  },
  {
    kind: "instruction-override.all-safety",
    concepts: ["safety", "ended", "total"],
    within: 45,
    unless: ["question", "thing"],
  },
  {
    kind: "instruction-override.ended-rules",
    concepts: ["ended", "any-norm"],
    within: 35,
    unless: ["question", "thing", "theirs"],
  },
  {
    kind: "instruction-override.rules",
    concepts: ["void", "any-norm"],
    within: 25,
    unless: ["question", "thing", "theirs"],
  },
  // Text before the user's message, cast off for another task or master.
  { kind: "instruction-override.earlier-task", concepts: ["new-task", "void", "earlier"], within: 120 },
  { kind: "instruction-override.earlier-task", concepts: ["new-task", "ended", "earlier"], within: 120 },
  { kind: "instruction-override.earlier-mine", concepts: ["mine", "void", "earlier"], within: 120 },
  { kind: "instruction-override.earlier-mine", concepts: ["mine", "ended", "earlier"], within: 120 },
  { kind: "instruction-override.earlier-mine", concepts: ["mine", "void", "orders"], within: 110 },
  { kind: "instruction-override.above", concepts: ["above-text", "ended"], within: 70 },
  { kind: "instruction-override.above", concepts: ["above-text", "void"], within: 60, unless: ["question"] },
  { kind: "instruction-override.above-task", concepts: ["above-text", "new-task", "void"], within: 140 },
  { kind: "instruction-override.above-task", concepts: ["above-text", "new-task", "ended"], within: 140 },
  { kind: "instruction-override.above-task", concepts: ["above-text", "mine", "void"], within: 140 },
  { kind: "instruction-override.outrank", concepts: ["outrank", "any-norm", "you"], within: 70 },
  { kind: "instruction-override.outrank-mine", concepts: ["outrank", "mine"], within: 60 },
  // A machine or a role, and what it lacks.
  { kind: "no-restrictions.you", concepts: ["you", "unbound"], within: 30, unless: ["question"] },
  { kind: "no-restrictions.loose-you", concepts: ["you", "loose"], within: 30, unless: ["question"] },
  { kind: "no-restrictions.loose-role", concepts: ["role", "loose"], within: 80 },
  { kind: "no-restrictions.loose-machine", concepts: ["machine", "loose"], within: 50 },
  { kind: "no-restrictions.loose-answer", concepts: ["answer", "loose"], within: 30 },
  { kind: "no-restrictions.free-role", concepts: ["role", "unbound"], within: 110 },
  { kind: "no-restrictions.free-machine", concepts: ["machine", "unbound"], within: 70 },
  { kind: "no-restrictions.free-role-machine", concepts: ["unbound", "machine", "role"], within: 90 },
  { kind: "no-restrictions.free-answer", concepts: ["answer", "unbound"], within: 50 },
  { kind: "no-restrictions.free-answer", concepts: ["answer", "freely"], within: 40 },
  { kind: "persona.wicked", concepts: ["role", "wicked"], within: 110 },
  { kind: "persona.wicked-machine", concepts: ["machine", "wicked", "role"], within: 90 },
  { kind: "persona.harmful-machine", concepts: ["machine", "harm", "role"], within: 70 },
  { kind: "persona.hidden-self", concepts: ["release", "self"], within: 40 },
  { kind: "persona.hidden-self-you", concepts: ["release", "self", "you"], within: 50 },
  { kind: "no-restrictions.never-refuses", concepts: ["never", "refuse"], within: 45 },
  { kind: "no-restrictions.any-request", concepts: ["answer", "everything"], within: 45 },
  { kind: "no-restrictions.never-anything", concepts: ["refuse", "everything", "never"], within: 80 },
  { kind: "no-restrictions.any-machine", concepts: ["role", "machine", "everything"], within: 80 },
  { kind: "no-restrictions.from-now", concepts: ["span", "unbound"], within: 70 },
  { kind: "no-restrictions.triggered", concepts: ["trigger", "unbound"], within: 130 },
  { kind: "no-restrictions.triggered", concepts: ["trigger", "loose"], within: 130 },
  { kind: "no-restrictions.triggered", concepts: ["trigger", "cast-off"], within: 130 },
  { kind: "instruction-override.from-now", concepts: ["span", "cast-off"], within: 90 },
  { kind: "instruction-override.from-now", concepts: ["span", "ended", "any-norm"], within: 90 },
  { kind: "refusal-suppression.no-refusal", concepts: ["refuse", "forbidden"], within: 60 },
  { kind: "fiction.lawless", concepts: ["lawless"], within: 0 },
  { kind: "fiction.unbound", concepts: ["fiction", "machine", "unbound"], within: 110 },
  // Harm asked for.
  { kind: "transgression.recipe", concepts: ["procedure", "danger"], within: 90 },
  { kind: "transgression.deed", concepts: ["procedure", "crime"], within: 90 },
  { kind: "transgression.uncaught", concepts: ["uncaught", "harm"], within: 90 },
  { kind: "fiction.harm", concepts: ["fiction", "harm"], within: 200 },
  { kind: "fiction.recipe", concepts: ["danger", "fiction", "procedure"], within: 220 },
  { kind: "persona.harm", concepts: ["harm", "role", "procedure"], within: 220 },
  { kind: "fiction.how-to", concepts: ["detail", "fiction", "harm"], within: 260 },
  { kind: "transgression.how-to", concepts: ["detail", "danger", "procedure"], within: 160 },
  // The form of the answer.
  { kind: "refusal-suppression.caveats", concepts: ["caveat", "never", "answer"], within: 60 },
  { kind: "refusal-suppression.harm", concepts: ["caveat", "harm", "never", "procedure"], within: 140 },
  { kind: "refusal-suppression.asked-harm", concepts: ["refuse", "procedure", "harm"], within: 130 },
  { kind: "output-initialisation.obliging", concepts: ["opening", "affirm"], within: 50 },
  { kind: "output-initialisation.harm", concepts: ["affirm", "procedure", "harm"], within: 110 },
  { kind: "encoded-payload.unseen", concepts: ["unseen", "watcher", "answer"], within: 130, unless: ["asked"] },
  { kind: "encoded-payload.hidden", concepts: ["code", "watcher"], within: 140 },
  { kind: "encoded-payload.harm", concepts: ["code", "procedure", "harm"], within: 140 },
  // A part of the system that watches over answers, said not to be there.
  { kind: "authority.unguarded", concepts: ["guard", "absent"], within: 45, unless: ["question", "thing", "theirs"] },
  {
    kind: "authority.unguarded-answer",
    concepts: ["guard", "absent", "answer"],
    within: 130,
    unless: ["question", "thing", "theirs"],
  },
  {
    kind: "authority.unguarded-mode",
    concepts: ["guard", "absent", "mode"],
    within: 130,
    unless: ["question", "thing"],
  },
  { kind: "authority.unguarded-claim", concepts: ["authority", "guard", "absent"], within: 140, unless: ["asked"] },
  { kind: "authority.unguarded-mine", concepts: ["guard", "absent", "mine"], within: 130 },
  // Power and pressure.
  { kind: "authority.rules", concepts: ["authority", "any-norm"], within: 120 },
  { kind: "authority.mode", concepts: ["mode", "unbound"], within: 70 },
  { kind: "authority.mode-loose", concepts: ["mode", "loose"], within: 70 },
  { kind: "authority.mode-ended", concepts: ["mode", "ended"], within: 60 },
  { kind: "authority.mode-void", concepts: ["mode", "cast-off"], within: 80 },
  { kind: "authority.void", concepts: ["authority", "cast-off"], within: 110 },
  { kind: "pressure.rules", concepts: ["stakes", "any-norm"], within: 110 },
  { kind: "pressure.refuse", concepts: ["stakes", "refuse"], within: 110 },
  { kind: "pressure.unbound", concepts: ["stakes", "unbound"], within: 120 },
  { kind: "pressure.cast-off", concepts: ["stakes", "cast-off"], within: 120 },
  { kind: "pressure.harm", concepts: ["stakes", "harm"], within: 160 },
  // The prompt asked for.
  { kind: "prompt-leak.ask", concepts: ["show", "prompt"], within: 60, unless: ["asked"] },
  { kind: "prompt-leak.own", concepts: ["show", "own-prompt"], within: 60, unless: ["asked"] },
  { kind: "prompt-leak.exact", concepts: ["prompt", "show", "exact"], within: 90, unless: ["asked"] },
  { kind: "prompt-leak.given", concepts: ["given", "show"], within: 70, unless: ["asked"] },
  { kind: "prompt-leak.given-exact", concepts: ["given", "show", "exact"], within: 110, unless: ["asked"] },
  { kind: "prompt-leak.before", concepts: ["before-chat", "show"], within: 100, unless: ["asked"] },
  { kind: "prompt-leak.before-given", concepts: ["before-chat", "given"], within: 110 },
  { kind: "prompt-leak.before-orders", concepts: ["before-chat", "orders"], within: 90 },
  { kind: "prompt-leak.before-exact", concepts: ["before-chat", "exact"], within: 110 },
  // A secret asked for by a detour.
  { kind: "secret-extraction.detour", concepts: ["secret", "detour"], within: 90, unless: ["asked"] },
  { kind: "secret-extraction.detour-asked", concepts: ["secret", "detour", "show"], within: 130, unless: ["asked"] },
  { kind: "secret-extraction.kept", concepts: ["kept-secret", "detour"], within: 110, unless: ["asked"] },
  { kind: "secret-extraction.held", concepts: ["secret", "given"], within: 70 },
  { kind: "secret-extraction.held", concepts: ["secret", "own-prompt"], within: 90 },
];
