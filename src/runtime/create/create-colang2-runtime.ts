import type { ActionRegistry } from "../../actions/registry.js";
import type { Colang2Program } from "../../colang2/program.js";
import type { RailsConfig } from "../../config/rails-config.js";
import { type Diagnostic } from "../../diagnostics/diagnostic.js";
import type { Clock } from "../../engine/clock.js";
import type { IdSource } from "../../engine/ids.js";
import { COLANG2_ACTIONS, createColang2Actions } from "../colang2/generation/actions.js";
import { type Colang2GenerationOptions, createColang2Generation } from "../colang2/generation/services.js";
import { type CompiledToolRules, TOOL_RULES_SERVICE } from "../../library/tool-rules.js";
import type { ModelSet } from "../../llm/model.js";
import type { GuardrailsApp } from "./app.js";
import { configTasks, DEFAULT_RAIL_TIMEOUT_MS } from "./config-tasks.js";
import type { RuntimeInput } from "./runtime-input.js";
import { openKnowledgeBase } from "./embedding-provider.js";
import { raceBehindRewriting, createRailPlans } from "../../rails/plan.js";
import type { RailServices } from "../../rails/services.js";
import { checkSpeculation } from "./check-speculation.js";
import { checkStreaming } from "../../rails/review/check-streaming.js";
import { answerAction } from "../colang2/generation/answer-user.js";
import { GuardrailsRuntime } from "../guardrails-runtime.js";
import { colang2Host } from "../colang2/host.js";
import { type CompiledConfig, compileColang2Config } from "../colang2/compile/compile-config.js";
import { writtenTexts } from "../../colang2/written-texts.js";
import { colang2Traits } from "../colang2/rails/flow-traits.js";
import { colang2Rails } from "../colang2/rails/rails.js";
import type { Colang2Services } from "../colang2/run.js";
import { observeDecisions } from "../../turn/problem-log.js";
import { turnLimits } from "../../turn/limits.js";
import { warnIfNothingGuards } from "./check-guard.js";

/** Parts of a runtime that do not depend on the dialect. */
export interface Colang2RuntimeInput {
  readonly input: RuntimeInput;
  readonly config: RailsConfig;
  readonly app: GuardrailsApp;
  readonly models: ModelSet;
  /** Actions of the library, of the configuration and of the caller. */
  readonly own: ActionRegistry;
  readonly toolRules: CompiledToolRules | undefined;
  readonly problems: readonly Diagnostic[];
  readonly indexes: Pick<Colang2GenerationOptions, "createIndex" | "createExampleIndex">;
  readonly ids: IdSource;
  readonly clock: Clock;
}

/** Compiles a Colang 2.x configuration and puts its runtime together. */
export async function createColang2Runtime(made: Colang2RuntimeInput): Promise<GuardrailsRuntime> {
  const { input, config } = made;
  const { acceptedBy } = made.own.catalog();
  const compiled = compileColang2Config(config, acceptedBy);
  const services = createServices(made, compiled, await openKnowledgeBase(config, input));
  const { threads, threadsOf, timeoutMs, logger } = input;
  return new GuardrailsRuntime(colang2Host(services), { threads, threadsOf, timeoutMs, logger });
}

function createServices(made: Colang2RuntimeInput, compiled: CompiledConfig, kb: unknown): Colang2Services {
  const { input, config, app, own, clock, ids } = made;
  const { settings } = config;
  const { program } = compiled;
  const generation = createColang2Generation({ settings, program, clock, ...made.indexes });
  const builder = own.extend().register(answerAction(clock));
  for (const action of createColang2Actions(generation)) builder.register(action, action.name, { override: false });
  const registry = builder.build();
  const ownRailFlows = railFlowsOf(program);
  const staged = withOwnRails(config, ownRailFlows);
  const traitsOf = (rail: string) => colang2Traits(program, registry, rail);
  const rails: RailServices = {
    config,
    awaited: awaitedEvents(program),
    railPlans: createRailPlans(settings, traitsOf, raceBehindRewriting),
    rails: colang2Rails(() => services),
    clock,
    limits: turnLimits(settings.limits),
    tracker: input.tracker,
    timeoutMs: input.timeoutMs ?? DEFAULT_RAIL_TIMEOUT_MS,
    onError: input.onError ?? "block",
    onDecision: observeDecisions(input),
    logger: input.logger,
  };
  const services: Colang2Services = {
    ...rails,
    program,
    writtenTexts: writtenTexts(program.flows),
    hasDialog: compiled.hasDialog,
    ownRailFlows,
    stages: { ...rails, config: staged, railPlans: createRailPlans(staged.settings, traitsOf, raceBehindRewriting) },
    registry,
    neutralActions: { has: (name) => isNeutral(registry, name) },
    generation,
    // What the user has put in the place of one of ours may do anything.
    askingActions: new Set(["AnswerUserAction", ...COLANG2_ACTIONS].filter((name) => !own.resolve(name).found)),
    tasks: configTasks(settings, app, clock),
    models: made.models,
    kb,
    actionParams: {
      ...app.actionParams,
      ...input.actionParams,
      runWithConfig: input.runWithConfig,
      [TOOL_RULES_SERVICE]: made.toolRules,
    },
    events: { clock, ids, sourceUid: settings.event_source_uid },
    instantActions: new Set(settings.rails.actions.instant_actions ?? ["UtteranceBotAction"]),
    warnings: [
      ...config.warnings,
      ...made.problems,
      ...compiled.diagnostics,
      ...warnIfNothingGuards(config, compiled.hasDialog || ownRailFlows.size > 0),
      ...checkSpeculation(config, rails, ownRailFlows.has("input rails") ? "input rails" : undefined),
    ],
  };
  if (input.stream !== undefined) checkStreaming(services, input.stream);
  return services;
}

/** A similar name is that of another action. */
function isNeutral(registry: ActionRegistry, name: string): boolean {
  const resolution = registry.resolve(name);
  return resolution.found && resolution.note === undefined && resolution.definition.conflicts === false;
}

const RAIL_FLOWS = [
  ["input", "input rails"],
  ["output", "output rails"],
] as const;

/** The flows `input rails` and `output rails` where they are the configuration's own. */
function railFlowsOf({ flows }: Colang2Program): ReadonlySet<string> {
  const names = new Set<string>(RAIL_FLOWS.map(([, name]) => name));
  return new Set(flows.flatMap(({ id, module }) => (names.has(id) && module.endsWith(".co") ? [id] : [])));
}

/** Stages on their own run these flows as rails; in a turn they run where the program calls them. */
function withOwnRails(config: RailsConfig, own: ReadonlySet<string>): RailsConfig {
  if (own.size === 0) return config;
  const { rails } = config.settings;
  const added = RAIL_FLOWS.flatMap(([stage, name]) =>
    own.has(name) ? [[stage, { ...rails[stage], flows: [...rails[stage].flows, name] }] as const] : [],
  );
  const settings = { ...config.settings, rails: { ...rails, ...Object.fromEntries(added) } };
  return { ...config, settings, spanOf: (path) => config.spanOf(path) };
}

/** Returns the types of the events that some flow waits for by name. */
function awaitedEvents({ flows }: Colang2Program): ReadonlySet<string> {
  const elements = flows.flatMap((flow) => flow.elements);
  const patterns = elements.flatMap((element) => (element.kind === "Wait" ? [element.pattern] : []));
  return new Set(patterns.flatMap((pattern) => (pattern.form === "event" ? [pattern.name] : [])));
}
