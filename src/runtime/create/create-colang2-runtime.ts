import type { Colang2Program, CompiledFlow } from "../../colang2/program.js";
import type { RailsConfig } from "../../config/rails-config.js";
import type { ActionRegistry } from "../../actions/registry.js";
import type { KnownActions } from "../../colang2/validate/rules/rule.js";
import { toActionName } from "../../engine/events.js";
import { COLANG2_ACTIONS, createColang2Actions } from "../colang2/generation/actions.js";
import { createColang2Generation } from "../colang2/generation/services.js";
import { raceAfterRewriting, createRailPlans } from "../../rails/plan.js";
import { checkSpeculation, warnIfNothingGuards } from "./check-guard.js";
import { responseAction } from "../colang2/generation/respond-to-user.js";
import { colang2Host } from "../colang2/host.js";
import { compileColang2Config } from "../colang2/compile/compile-config.js";
import { writtenTexts } from "../../colang2/written-texts.js";
import { colang2Traits, colang2Rails } from "../colang2/rails/rails.js";
import type { Colang2Services } from "../colang2/run.js";
import { ANSWER_ACTION, isRailsOnly } from "../colang2/direct-turn.js";
import type { DialectHost } from "../dialect-host.js";
import { withBuiltIn } from "./collect-actions.js";
import { type PreparedParts, sharedServices } from "./shared-services.js";
import { withRails } from "./tool-rules.js";

/** Compiles the flows of a Colang 2.x configuration and creates its host. */
export async function createColang2Host(parts: PreparedParts): Promise<DialectHost> {
  const { settings } = parts.config;
  const { config, own, clock, ids, problems, indexes } = parts;
  const compiled = compileColang2Config(config, knownActions(own, settings.rails.actions.instant_actions));
  parts.throwProblems();
  const { program } = compiled;
  const generation = createColang2Generation({ settings, program, clock, ...indexes });
  const registry = withBuiltIn(own.extend().register(responseAction(clock)), createColang2Actions(generation));
  const ownRailFlows = railFlowsOf(program);
  const staged = withOwnRails(config, ownRailFlows);
  const traitsOf = (rail: string) => colang2Traits(program, registry, rail);
  const shared = {
    ...(await sharedServices(parts)),
    awaited: awaitedEvents(program),
    railPlans: createRailPlans(settings, traitsOf, raceAfterRewriting),
    rails: colang2Rails(() => services),
  };
  // A replacement of a built-in action may have effects.
  const askingActions = new Set([ANSWER_ACTION, ...COLANG2_ACTIONS].filter((name) => !own.resolve(name).found));
  const services: Colang2Services = {
    ...shared,
    program,
    writtenTexts: writtenTexts(program.flows),
    hasDialog: compiled.hasDialog,
    ownRailFlows,
    stages: { ...shared, config: staged, railPlans: createRailPlans(staged.settings, traitsOf, raceAfterRewriting) },
    registry,
    neutralActions: registry.neutral,
    generation,
    isRailsOnly: isRailsOnly(program, askingActions),
    askingActions,
    events: { clock, ids, sourceUid: settings.event_source_uid },
    instantActions: new Set(settings.rails.actions.instant_actions ?? ["UtteranceBotAction"]),
    warnings: [
      ...config.warnings,
      ...problems,
      ...compiled.diagnostics,
      ...warnIfNothingGuards(config, program.flows.some(isOwn), compiled.hasDialog || ownRailFlows.size > 0),
      ...checkSpeculation(config, shared, ownRailFlows.has("input rails") ? "input rails" : undefined),
    ],
  };
  return colang2Host(services);
}

/** The actions that run in this process, by their names in flows. */
function knownActions(registry: ActionRegistry, instant: readonly string[] | null): KnownActions {
  const others = new Set([ANSWER_ACTION, ...COLANG2_ACTIONS, ...(instant ?? [])]);
  const { acceptedBy, names } = registry.catalog();
  return {
    has: (name) => others.has(name) || registry.resolve(name).found,
    acceptedBy,
    names: [...names.map(toActionName), ...others],
  };
}

const RAIL_FLOWS = [
  ["input", "input rails"],
  ["output", "output rails"],
] as const;

/** The flows `input rails` and `output rails`, if the configuration defines them. */
function railFlowsOf({ flows }: Colang2Program): ReadonlySet<string> {
  const names = new Set<string>(RAIL_FLOWS.map(([, name]) => name));
  return new Set(flows.flatMap((flow) => (names.has(flow.id) && isOwn(flow) ? [flow.id] : [])));
}

/** Returns true for a flow of the configuration, false for one of a module that comes with the package. */
function isOwn({ module }: CompiledFlow): boolean {
  return module.endsWith(".co");
}

/** Stages that run alone use these flows as rails; in a turn they run where the program calls them. */
function withOwnRails(config: RailsConfig, ownFlows: ReadonlySet<string>): RailsConfig {
  if (ownFlows.size === 0) return config;
  const { rails } = config.settings;
  const added = RAIL_FLOWS.flatMap(([stage, name]) =>
    ownFlows.has(name) ? [[stage, { ...rails[stage], flows: [...rails[stage].flows, name] }] as const] : [],
  );
  return withRails(config, Object.fromEntries(added));
}

/** Returns the event types that some flow waits for by name. */
function awaitedEvents({ flows }: Colang2Program): ReadonlySet<string> {
  const elements = flows.flatMap((flow) => flow.elements);
  const patterns = elements.flatMap((element) => (element.kind === "Wait" ? [element.pattern] : []));
  return new Set(patterns.flatMap((pattern) => (pattern.form === "event" ? [pattern.name] : [])));
}
