import type { RailTraits } from "./rail-traits.js";

/** A rail and what is not to be seen in its copy of the variables. */
export interface PlannedRail {
  readonly rail: string;
  /** Variables that a rail beside it sets too. It never reads them, so where they appear it has set them itself. */
  readonly hidden: readonly string[];
}

/** Rails that run at the same time. */
export interface RailGroup {
  readonly rails: readonly PlannedRail[];
  /** Whether one of them may change the text. */
  readonly rewrites: boolean;
  /** True where the first block in time counts, and not the first in the order of the list. */
  readonly isRace: boolean;
  /** Where one of them has rewritten the text, those behind it that did so too do it again, over what it has become. */
  readonly rewritesInOrder?: boolean;
}

/** The groups of rails that are all to run at once (`parallel: true`). */
export type PlanRace = (rails: readonly string[], traits: ReadonlyMap<string, RailTraits>) => readonly RailGroup[];

/**
 * In which order the rails of a stage run, and which of them side by side. Unset, `parallel` means: rails that may change
 * the text first, in the listed order; then those that only judge, together, unless one reads what another sets.
 */
export function planRails(
  rails: readonly string[],
  parallel: boolean | null,
  traits: ReadonlyMap<string, RailTraits>,
  planRace: PlanRace = raceAtOnce,
): readonly RailGroup[] {
  const rewrites = (rail: string): boolean => mayRewrite(rail, traits);
  const alone = (rail: string): RailGroup => alonePlan(rail, rewrites(rail));
  if (parallel === false || rails.length === 1) return rails.map(alone);
  if (parallel === true) return planRace(rails, traits);
  const judges = rails.filter((rail) => !rewrites(rail));
  return [...rails.filter(rewrites).map(alone), ...groupJudges(judges, traits)];
}

/** A rail that runs by itself. */
export function alonePlan(rail: string, rewrites = true): RailGroup {
  return { rails: [{ rail, hidden: [] }], rewrites, isRace: false };
}

/** Literally all at once (spec colang-1 12.7). */
export const raceAtOnce: PlanRace = (rails, traits) => [
  {
    rails: rails.map((rail) => ({ rail, hidden: [] })),
    rewrites: rails.some((rail) => mayRewrite(rail, traits)),
    isRace: true,
  },
];

/**
 * Rails that rewrite the text first, one after the other: of two at once one would be lost. The others at once, but for
 * those that read what another one sets.
 */
export const raceBehindRewriting: PlanRace = (rails, traits) => {
  const rewritesText = (rail: string): boolean => traits.get(rail)?.rewritesText ?? true;
  const others = rails.filter((rail) => !rewritesText(rail));
  const rewrites = others.some((rail) => mayRewrite(rail, traits));
  return [
    ...rails.filter(rewritesText).map((rail) => alonePlan(rail)),
    ...groupJudges(others, traits).map((group) => ({ ...group, rewrites, isRace: true, rewritesInOrder: true })),
  ];
};

function mayRewrite(rail: string, traits: ReadonlyMap<string, RailTraits>): boolean {
  return traits.get(rail)?.rewrites ?? true;
}

function groupJudges(rails: readonly string[], traits: ReadonlyMap<string, RailTraits>): RailGroup[] {
  const groups: PlannedRail[][] = [];
  let set = new Set<string>();
  for (const rail of rails) {
    const { reads, writes } = traits.get(rail) ?? { reads: new Set<string>(), writes: new Set<string>() };
    const needsEarlier = [...reads].some((name) => set.has(name));
    if (needsEarlier) set = new Set();
    if (needsEarlier || groups.length === 0) groups.push([]);
    groups.at(-1)?.push({ rail, hidden: [...writes].filter((name) => set.has(name)) });
    for (const name of writes) set.add(name);
  }
  return groups.map((group) => ({ rails: group, rewrites: false, isRace: false }));
}
