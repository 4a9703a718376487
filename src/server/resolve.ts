import { andThen, type MaybePromise } from "../engine/async.js";
import { DiagnosticError } from "../diagnostics/errors.js";
import type { Caller } from "./access.js";
import { CONFIG_ID, type Served, type ServedConfigs } from "./configs.js";
import { ApiError, badRequest, notPermitted } from "./errors.js";

/** Fields of a request that select a configuration. */
export interface ConfigChoice {
  readonly model?: string | undefined;
  readonly config_id?: string | null | undefined;
  readonly config_ids?: readonly string[] | null | undefined;
}

/** Settings of the server for the selection. */
export interface ChoiceSettings {
  readonly configs: ServedConfigs;
  readonly defaultConfig: string;
  readonly models: readonly string[] | "any";
}

/** The configuration of a request, and the upstream model if it differs from the configuration's own. */
export interface Chosen {
  readonly served: Served;
  readonly model: string;
  readonly upstreamModel: string | undefined;
}

/**
 * Selects the configuration and the model of a request. The field `model` may name a configuration; any other name is a model of
 * the configuration that the request, the key or the server selects.
 *
 * @throws ApiError 400, 403 or 404
 */
export function chooseConfig(choice: ConfigChoice, caller: Caller, settings: ChoiceSettings): MaybePromise<Chosen> {
  const { model } = choice;
  const { configs, models } = settings;
  const named = namedConfigs(choice);
  const isConfig =
    named === undefined && model !== undefined && CONFIG_ID.test(model) && configs.get(model) !== undefined;
  const ids = named ?? [isConfig ? model : (caller.defaultConfig ?? settings.defaultConfig)];
  for (const id of ids) {
    if (caller.configs !== undefined && !caller.configs.includes(id)) {
      // A caller without permission for a configuration does not learn which ones exist.
      throw isConfig ? unknownModel(model) : notPermitted("This key may not use this configuration.", "config_id");
    }
  }
  return andThen(servedBy(ids, configs), (served) => {
    if (isConfig || model === undefined || model === served.modelName || ids.includes(model)) {
      return { served, model: model ?? served.modelName ?? served.id, upstreamModel: undefined };
    }
    const isAllowed = models === "any" || models.includes(model);
    if (!isAllowed || !served.forwards) throw unknownModel(model);
    return { served, model, upstreamModel: model };
  });
}

function servedBy(ids: readonly string[], configs: ServedConfigs): MaybePromise<Served> {
  const [first] = ids;
  const known = first !== undefined && ids.length === 1 ? configs.get(first) : combined(ids, configs);
  return andThen(known, (served) => served ?? refuseConfig(ids));
}

/** @throws ApiError 404 */
function refuseConfig(ids: readonly string[]): never {
  const message = `The configuration \`${ids.join("`, `").slice(0, 200)}\` does not exist or you do not have access to it.`;
  throw new ApiError(404, message, { param: "config_id", code: "config_not_found" });
}

/** @throws ApiError 400 for configurations that contradict each other */
async function combined(ids: readonly string[], configs: ServedConfigs): Promise<Served | undefined> {
  try {
    return await configs.combined(ids);
  } catch (error) {
    if (!DiagnosticError.isInstance(error)) throw error;
    throw badRequest("These configurations cannot be combined.", "config_ids", "invalid_value");
  }
}

/** @throws ApiError 400 for invalid ids, or if both fields are set */
function namedConfigs({ config_id: id, config_ids: ids }: ConfigChoice): readonly string[] | undefined {
  const isNamed = id !== undefined && id !== null;
  if (isNamed && ids) throw badRequest("Only one of 'config_id' and 'config_ids' can be set.", "config_ids");
  const named = isNamed ? [id] : (ids ?? undefined);
  if (named === undefined) return undefined;
  if (!named.every((name) => CONFIG_ID.test(name))) {
    const message =
      "Invalid 'config_id': expected letters, digits, '.', '_' and '-', beginning with a letter or digit.";
    throw badRequest(message, isNamed ? "config_id" : "config_ids", "invalid_value");
  }
  return named;
}

function unknownModel(model: string): ApiError {
  const message = `The model \`${model.slice(0, 200)}\` does not exist or you do not have access to it.`;
  return new ApiError(404, message, { param: "model", code: "model_not_found" });
}
