import { writtenTexts } from "../../colang1/flow-effects.js";
import { lazily } from "../../engine/async.js";
import type { CacheFolder } from "../../engine/cache-folder.js";
import { eventFactory } from "../../engine/events.js";
import { createRailPlans } from "../../rails/plan.js";
import { compileConfig } from "../colang1/compile/compile-config.js";
import { createGenerationActions, dialogActions, GENERATION_ACTIONS } from "../colang1/generation/actions.js";
import { createGenerationServices } from "../colang1/generation/services.js";
import { colang1Host } from "../colang1/host.js";
import { isQuiet } from "../colang1/direct-rail.js";
import { isRailsOnly } from "../colang1/direct-turn.js";
import { awaitedEvents, colang1Rails, colang1Traits } from "../colang1/rails.js";
import { RUN_RAILS, type RuntimeServices } from "../colang1/run.js";
import { speculation } from "../colang1/run-action.js";
import type { DialectHost } from "../dialect-host.js";
import { cacheDirReporter } from "./cache-dir.js";
import { checkFallbackIntent, checkSpeculation, warnIfNothingGuards } from "./check-guard.js";
import { withBuiltIn } from "./collect-actions.js";
import { embeddedIndexes } from "./dialog-indexes.js";
import type { RuntimeInput } from "./runtime-input.js";
import { type PreparedParts, sharedServices } from "./shared-services.js";

/** INVARIANT: a dialog is loaded before its turn, so loading does not count towards the time limit of an action. */
const prepareDialog = lazily(async () => {
  await dialogActions();
  return embeddedIndexes();
});

/** Compiles the flows of a Colang 1.0 configuration and creates its host. */
export async function createColang1Host(parts: PreparedParts): Promise<DialectHost> {
  const { input, config, own, problems, indexes, ids, clock } = parts;
  const { settings } = config;
  // Loading a flow reports unknown names.
  const catalog = own.catalog();
  const has = (name: string) => catalog.has(name) || name === RUN_RAILS || GENERATION_ACTIONS.includes(name);
  const { program, diagnostics } = await compileConfig(config, { ...catalog, has }, await openProgramCache(input));
  parts.throwProblems();
  if (settings.rails.input.speculative) await speculation();
  const { pickVariant } = input;
  const generation = createGenerationServices({ settings, program, ...indexes, ids, clock, pickVariant });
  const registry = withBuiltIn(own.extend(), createGenerationActions(generation));
  const railPlans = createRailPlans(settings, colang1Traits(program, registry));
  const awaited = awaitedEvents(program.flows);
  const hasFlows = program.flows.some((flow) => flow.tier === "user");
  const services: RuntimeServices = {
    ...(await sharedServices(parts)),
    rails: colang1Rails(() => services),
    program,
    writtenTexts: writtenTexts(program.flows),
    flows: new Map(program.flows.map((flow) => [flow.id, flow])),
    awaited,
    isQuiet: isQuiet(awaited),
    isRailsOnly: isRailsOnly(program, (action) => own.get(action) !== undefined),
    askingActions: new Set(GENERATION_ACTIONS.filter((name) => own.get(name) === undefined)),
    railPlans,
    registry,
    generation,
    ...(Object.keys(program.userMessages).length > 0 ? { prepareDialog } : {}),
    ids,
    createEvent: eventFactory({ clock, ids, sourceUid: settings.event_source_uid }),
    warnings: [
      ...config.warnings,
      ...problems,
      ...diagnostics,
      ...warnIfNothingGuards(config, hasFlows),
      ...checkFallbackIntent(config, program),
      ...checkSpeculation(config, { railPlans, awaited }),
    ],
  };
  return colang1Host(services);
}

/** Maximum number of programs on disk, a few kilobytes each. */
const MAX_PROGRAMS = 200;

async function openProgramCache({ cacheDir, logger }: RuntimeInput): Promise<CacheFolder | undefined> {
  if (cacheDir === undefined) return undefined;
  const { openCacheFolder } = await import("../../engine/cache-folder.js");
  return openCacheFolder(cacheDir, {
    kind: "colang1",
    maxFiles: MAX_PROGRAMS,
    onError: cacheDirReporter(cacheDir, logger),
  });
}
