import { parseFlowReference } from "../engine/flow-reference.js";
import { isMap, readOwn } from "../engine/plain-data.js";
import { findLibraryFlow } from "../library/manifest.js";
import { type LanguageModel, modelForTask, modelOfType, type ModelSet } from "../llm/model.js";
import { selectVerdictRails } from "../rails/plan.js";
import type { RailServices } from "../rails/services.js";
import { reviewStage } from "../rails/stage-check.js";
import type { StageResult } from "../turn/result.js";
import type { ImageBlock } from "../actions/image-slot.js";
import type { TurnOptions } from "../turn/options.js";
import type { Turn } from "../turn/turn.js";
import type { DialectHost } from "./dialect-host.js";

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

/** The images of a user message, with the text that goes with them. */
export interface UserPictures {
  readonly images: readonly ImageBlock[];
  readonly text: string;
  /** Returns an image without its texts, such as a title. */
  readonly bare: (image: ImageBlock) => ImageBlock;
}

/**
 * Runs the rails of a call that can check images on those of a message; without texts if a rail rewrites them: masked text must not
 * reach a model.
 *
 * @param isEarlier - true for a message answered in an earlier turn, whose review has its own limits and variables
 */
export async function reviewImages(
  { services, stages, models }: Pick<DialectHost, "services" | "stages" | "models">,
  call: Turn,
  { images, text, bare }: UserPictures,
  isEarlier = false,
): Promise<{ readonly shown: string; readonly result: StageResult }> {
  const rails = selectVerdictRails(services, call.options, "input");
  const isRewritten = services.railPlans.of("input", rails).some(({ rewrites }) => rewrites);
  const shown = isRewritten ? "" : text;
  const input = imageRails(services, models, call.options);
  const options = { ...call.options, rails: { ...call.options.rails, input } };
  const turn = isEarlier ? call.apart(options) : call.part(options);
  if (isEarlier) turn.about = "history";
  call.images = isRewritten ? images.map(bare) : images;
  try {
    return { shown, result: await reviewStage(stages, turn, "input", { userMessages: [shown] }) };
  } finally {
    call.images = [];
    turn.close();
  }
}
