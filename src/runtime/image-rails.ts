import { parseFlowReference } from "../engine/flow-reference.js";
import { isMap, readOwn } from "../engine/plain-data.js";
import { findLibraryFlow } from "../library/manifest.js";
import { type LanguageModel, modelForTask, modelOfType, type ModelSet } from "../llm/model.js";
import { selectVerdictRails } from "../rails/plan.js";
import type { RailServices } from "../rails/services.js";
import type { TurnOptions } from "../turn/options.js";

/**
 * Returns the input rails of a call that can check images: library rails that support it with a model or service that
 * does.
 */
export function imageRails(services: RailServices, models: ModelSet, options: TurnOptions): readonly string[] {
  const main = options.main ?? models.main;
  return selectVerdictRails(services, options, "input").filter(
    (rail) => seesImages(rail, services) || modelOf(rail, { ...models, main })?.readsImages === true,
  );
}

/** Returns true for a rail whose service accepts images. */
function seesImages(reference: string, { config }: Pick<RailServices, "config">): boolean {
  const { rail, flow } = findLibraryFlow(parseFlowReference(reference).id) ?? {};
  if (rail?.seesImages === undefined || flow?.readsImages !== true || rail.settings === undefined) return false;
  const stated = readOwn(config.settings.rails.config, rail.settings);
  return rail.seesImages(isMap(stated) ? stated : {});
}

/** The model of a rail that checks images; undefined for any other rail. */
function modelOf(reference: string, models: ModelSet): LanguageModel | undefined {
  const { id, parameters } = parseFlowReference(reference);
  const { rail, flow } = findLibraryFlow(id) ?? {};
  if (rail === undefined || flow?.readsImages !== true) return undefined;
  const { modelType, preferredModels = [], tasks = [] } = rail.needs ?? {};
  const preferred = preferredModels.find((type) => Object.hasOwn(models.byType, type));
  const type = parameters.find(({ name }) => name === "model")?.value ?? modelType ?? preferred;
  return type === undefined ? modelForTask(models, tasks[0] ?? "main") : modelOfType(models, type);
}
