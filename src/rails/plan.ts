import type { RailsConfig } from "../config/rails-config.js";
import type { RailsSection, RailsSettings } from "../config/settings.js";
import { isToolStage, type RailsStage, type ToolStage, RAILS_STAGES } from "../turn/decision.js";
import { listedRails, listedToolRails } from "./tools/tool-rails.js";
import { didYouMean } from "../diagnostics/suggestion.js";
import { InputShapeError } from "../diagnostics/errors.js";
import { parseFlowReference } from "../engine/flow-reference.js";
import type { TurnOptions } from "../turn/options.js";

/** A rail and what is not to be seen in its copy of the variables. */
export interface PlannedRail {
  readonly rail: string;
  /** Variables that a concurrent rail sets too. This rail never reads them, so if they appear it has set them itself. */
  readonly hidden: readonly string[];
}

/** Rails that run at the same time. */
export interface RailGroup {
  readonly rails: readonly PlannedRail[];
  /** True if one of them may change the text. */
  readonly rewrites: boolean;
  /** True where the first block in time counts, and not the first in the order of the list. */
  readonly isRace: boolean;
  /** True if rails that rewrote the text at the same time rewrite it again, in order. */
  readonly rewritesInOrder?: boolean;
}

/** The groups of rails that are all to run at once (`parallel: true`). */
type PlanRace = (rails: readonly string[], traits: ReadonlyMap<string, RailTraits>) => readonly RailGroup[];

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

/** All rails of the list at once. */
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

export interface RailPlans {
  readonly traits: ReadonlyMap<string, RailTraits>;
  /** The groups in which the rails of a stage run, without those in shadow. */
  of(stage: RailsStage | ToolStage, rails: readonly string[]): readonly RailGroup[];
  /** Those of the rails that run in shadow. */
  shadowsOf(stage: RailsStage | ToolStage, rails: readonly string[]): readonly string[];
}

const NO_RAILS: readonly string[] = [];

/** Reads the flows of all listed rails; the plan of a list is made once. */
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

/** Returns the rails that are not in shadow; the list itself where none is. */
export function verdictRails(
  rails: RailsSection,
  stage: RailsStage | ToolStage,
  selected: readonly string[],
): readonly string[] {
  const { shadow } = rails[stage];
  return shadow.length === 0 ? selected : selected.filter((rail) => !shadow.includes(rail));
}

function parallelOf(rails: RailsSection, stage: RailsStage | ToolStage): boolean | null {
  // Retrieval rails have no setting that could ask for another order.
  if (stage === "retrieval") return false;
  const { parallel } = rails[stage];
  // INVARIANT: which arguments a tool is called with never depends on which rail was the fastest.
  return isToolStage(stage) && parallel === true ? null : parallel;
}

/** Facts about a listed rail before it runs. */
export interface RailTraits {
  /** It may change the text, or do something beyond judging it: such rails run first, one after the other. */
  readonly rewrites: boolean;
  /** True if its flow assigns the text, or may do so; unset if the plan does not depend on it. */
  readonly rewritesText?: boolean;
  /** The reason, as part of a message to the developer; undefined for rails that only judge. */
  readonly because?: string;
  /** True if its flow shows all its effects. */
  readonly isKnown: boolean;
  /** One of its actions is handed all variables, so what it reads does not show in its flow. */
  readonly readsAll?: boolean;
  /** True if its verdict depends on the text of the user and the configuration alone: it reads nothing else. */
  readonly judgesByText?: boolean;
  readonly reads: ReadonlySet<string>;
  readonly writes: ReadonlySet<string>;
}

/** Variables with the texts that a stage passes on. */
export const PASSED_TEXTS = ["user_message", "bot_message", "relevant_chunks", "tool_args", "tool_message"] as const;

/** The stage whose text a rail reads; undefined if it reads none by name. */
export function stageByReads(reads: ReadonlySet<string>): RailsStage | undefined {
  if (reads.has("bot_message")) return "output";
  if (reads.has("relevant_chunks") || reads.has("relevant_chunks_sep")) return "retrieval";
  return reads.has("user_message") ? "input" : undefined;
}

/** Dependencies that hold a configuration. */
interface WithConfig {
  readonly config: RailsConfig;
}

/** Returns the rails of a stage that run in a call, in shadow too: all, none, or those that the options name. */
export function selectRails(services: WithConfig, options: TurnOptions, stage: RailsStage): readonly string[] {
  const { flows } = services.config.settings.rails[stage];
  const selection = options.rails?.[stage];
  return selection === undefined ? flows : selectFrom(flows, selection);
}

/** Returns the rails of a stage that run in a call and count for its verdict. */
export function selectVerdictRails(services: WithConfig, options: TurnOptions, stage: RailsStage): readonly string[] {
  return verdictRails(services.config.settings.rails, stage, selectRails(services, options, stage));
}

/** Returns the rails that a selection leaves of the configured ones. */
export function selectFrom(
  configured: readonly string[],
  selection: boolean | readonly string[] | undefined = true,
): readonly string[] {
  if (typeof selection === "boolean") return selection ? configured : [];
  return configured.filter((rail) => selection.some((name) => isNamed(rail, name)));
}

/** A rail is named by its whole reference, or by its flow with whatever parameters the configuration gives it. */
export function isNamed(rail: string, name: string): boolean {
  return rail === name || parseFlowReference(rail).id === name;
}

/**
 * INVARIANT: a name that selects nothing is an error. Otherwise a misspelt rail would leave the call unguarded.
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
