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
}

/**
 * In which order the rails of a stage run, and which of them side by side. Unset, `parallel` means: rails that may change
 * the text first, in the listed order; then those that only judge, together, unless one reads what another sets.
 */
export function planRails(
  rails: readonly string[],
  parallel: boolean | null,
  traits: ReadonlyMap<string, RailTraits>,
): readonly RailGroup[] {
  const rewrites = (rail: string): boolean => traits.get(rail)?.rewrites ?? true;
  const alone = (rail: string): RailGroup => alonePlan(rail, rewrites(rail));
  if (parallel === false || rails.length === 1) return rails.map(alone);
  if (parallel === true) {
    return [{ rails: rails.map((rail) => ({ rail, hidden: [] })), rewrites: rails.some(rewrites), isRace: true }];
  }
  const judges = rails.filter((rail) => !rewrites(rail));
  return [...rails.filter(rewrites).map(alone), ...groupJudges(judges, traits)];
}

/** A rail that runs by itself. */
export function alonePlan(rail: string, rewrites = true): RailGroup {
  return { rails: [{ rail, hidden: [] }], rewrites, isRace: false };
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
