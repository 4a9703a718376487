import type { RailsConfig } from "../config/rails-config.js";
import type { RailsSection, RailsSettings } from "../config/settings.js";
import { isToolStage, type RailsStage, type ToolStage, RAILS_STAGES } from "../turn/decision.js";
import { listedRails, listedToolRails } from "./tools/tool-rails.js";
import { didYouMean } from "../diagnostics/suggestion.js";
import { InputShapeError } from "../diagnostics/errors.js";
import { parseFlowReference } from "../engine/flow-reference.js";
import type { TurnOptions } from "../turn/options.js";

/** A rail and the variables hidden from its copy. */
export interface PlannedRail {
  readonly rail: string;
  /**
   * Variables that a concurrent rail also sets. This rail never reads them, so if they appear, it has set them itself.
   */
  readonly hidden: readonly string[];
}

/** Rails that run concurrently. */
export interface RailGroup {
  readonly rails: readonly PlannedRail[];
  /** True if one of them may change the text. */
  readonly rewrites: boolean;
  /** True if the first block in time counts, rather than the first in list order. */
  readonly isRace: boolean;
  /** True if rails that rewrote the text concurrently rewrite it again, in order. */
  readonly rewritesInOrder?: boolean;
}

/** Plans rails that should all run at once (`parallel: true`). */
type PlanRace = (rails: readonly string[], traits: ReadonlyMap<string, RailTraits>) => readonly RailGroup[];

/**
 * Decides the order and concurrency of a stage's rails. Without `parallel`: rails that may change the text run first,
 * in list order; then those that only judge, concurrently, unless one reads what another sets.
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

/** A rail that runs alone. */
export function alonePlan(rail: string, rewrites = true): RailGroup {
  return { rails: [{ rail, hidden: [] }], rewrites, isRace: false };
}

/** Runs all rails of the list at once. */
export const raceAtOnce: PlanRace = (rails, traits) => [
  {
    rails: rails.map((rail) => ({ rail, hidden: [] })),
    rewrites: rails.some((rail) => mayRewrite(rail, traits)),
    isRace: true,
  },
];

/**
 * Runs rails that rewrite the text first, one by one, since concurrent rewrites would be lost; then all others at once,
 * except those that read what another one sets.
 */
export const raceAfterRewriting: PlanRace = (rails, traits) => {
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

export interface RailPlans {
  readonly traits: ReadonlyMap<string, RailTraits>;
  /** Returns the groups in which the rails of a stage run, without shadow rails. */
  of(stage: RailsStage | ToolStage, rails: readonly string[]): readonly RailGroup[];
  /** Returns the shadow rails among these. */
  shadowsOf(stage: RailsStage | ToolStage, rails: readonly string[]): readonly string[];
}

const NO_RAILS: readonly string[] = [];

/** Plans the listed rails from their flows; the plan of each list is cached. */
export function createRailPlans(
  settings: RailsSettings,
  traitsOf: (rail: string) => RailTraits,
  planRace?: PlanRace,
): RailPlans {
  const { rails } = settings;
  const listed = new Set(listedRails(rails).map(({ text }) => text));
  const traits = new Map([...listed].map((rail) => [rail, traitsOf(rail)] as const));
  const plans = new WeakMap<readonly string[], readonly RailGroup[]>();
  return {
    traits,
    of(stage, selected) {
      const known = plans.get(selected);
      if (known !== undefined) return known;
      const verdicts = verdictRails(rails, stage, selected);
      const plan = planRails(verdicts, parallelOf(rails, stage), traits, planRace);
      plans.set(selected, plan);
      return plan;
    },
    shadowsOf(stage, selected) {
      const { shadow } = rails[stage];
      return shadow.length === 0 ? NO_RAILS : selected.filter((rail) => shadow.includes(rail));
    },
  };
}

/** Returns the rails that are not in shadow; the same list if none is. */
export function verdictRails(
  rails: RailsSection,
  stage: RailsStage | ToolStage,
  selected: readonly string[],
): readonly string[] {
  const { shadow } = rails[stage];
  return shadow.length === 0 ? selected : selected.filter((rail) => !shadow.includes(rail));
}

function parallelOf(rails: RailsSection, stage: RailsStage | ToolStage): boolean | null {
  // Retrieval rails have no setting for another order.
  if (stage === "retrieval") return false;
  const { parallel } = rails[stage];
  // INVARIANT: the arguments of a tool never depend on which rail was fastest.
  return isToolStage(stage) && parallel === true ? null : parallel;
}

/** Static facts about a listed rail. */
export interface RailTraits {
  /** True if it may change the text or have other effects: such rails run first, one by one. */
  readonly rewrites: boolean;
  /** True if its flow assigns the text, or might; absent if the plan does not depend on it. */
  readonly rewritesText?: boolean;
  /** The reason, as part of a message to the developer; absent for rails that only judge. */
  readonly because?: string;
  /** True if its flow's code shows all of its effects. */
  readonly isKnown: boolean;
  /** True if one of its actions receives all variables, so its reads are unknown. */
  readonly readsAll?: boolean;
  /** True if its verdict depends only on the user's text and the configuration. */
  readonly judgesByText?: boolean;
  readonly reads: ReadonlySet<string>;
  readonly writes: ReadonlySet<string>;
}

/** Variables with the texts that a stage releases. */
export const PASSED_TEXTS = ["user_message", "bot_message", "relevant_chunks", "tool_args", "tool_message"] as const;

/** Returns the stage whose text a rail reads; undefined if it reads none by name. */
export function stageByReads(reads: ReadonlySet<string>): RailsStage | undefined {
  if (reads.has("bot_message")) return "output";
  if (reads.has("relevant_chunks") || reads.has("relevant_chunks_sep")) return "retrieval";
  return reads.has("user_message") ? "input" : undefined;
}

/** Dependencies with a configuration. */
interface WithConfig {
  readonly config: RailsConfig;
}

/**
 * Returns the rails of a stage that run in a call, including shadow rails: all, none, or those named in the options.
 */
export function selectRails(services: WithConfig, options: TurnOptions, stage: RailsStage): readonly string[] {
  const { flows } = services.config.settings.rails[stage];
  const selection = options.rails?.[stage];
  return selection === undefined ? flows : selectFrom(flows, selection);
}

/** Returns the rails of a stage that run in a call and count towards its verdict. */
export function selectVerdictRails(services: WithConfig, options: TurnOptions, stage: RailsStage): readonly string[] {
  return verdictRails(services.config.settings.rails, stage, selectRails(services, options, stage));
}

/** Returns the configured rails that a selection includes. */
export function selectFrom(
  configured: readonly string[],
  selection: boolean | readonly string[] | undefined = true,
): readonly string[] {
  if (typeof selection === "boolean") return selection ? configured : [];
  return configured.filter((rail) => selection.some((name) => isNamed(rail, name)));
}

/** Returns true if the name is the rail's whole reference, or its flow without parameters. */
export function isNamed(rail: string, name: string): boolean {
  return rail === name || parseFlowReference(rail).id === name;
}

/**
 * INVARIANT: a name that selects nothing is an error. Otherwise, a misspelt rail would leave the call unguarded.
 *
 * @throws InputShapeError naming the rail
 */
export function checkSelection(services: WithConfig, options: TurnOptions): void {
  if (options.rails === undefined) return;
  const { rails } = services.config.settings;
  for (const stage of [...RAILS_STAGES, "execution"] as const) {
    const selection = options.rails[stage];
    if (selection === undefined || typeof selection === "boolean") continue;
    const configured = stage === "execution" ? listedToolRails(rails).map(({ text }) => text) : rails[stage].flows;
    for (const name of selection) {
      if (configured.some((rail) => isNamed(rail, name))) continue;
      const hint = didYouMean(name, configured);
      const message = `\`${name}\` is not among the ${stage} rails of the configuration`;
      throw new InputShapeError(hint === undefined ? message : `${message}; ${hint}`);
    }
  }
}
