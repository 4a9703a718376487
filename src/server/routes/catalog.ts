import type { Caller } from "../access.js";
import { ApiError } from "../errors.js";
import { jsonResponse, type RequestScope } from "../scope.js";
import type { ServerContext } from "../server-context.js";

/** Returns the ids of the configurations that a caller may use. */
function configsOf({ configs }: Caller, server: ServerContext): readonly string[] {
  return server.choice.configs.ids.filter((id) => configs?.includes(id) ?? true);
}

/** `GET /v1/rails/configs` */
export async function listConfigs(scope: RequestScope, server: ServerContext): Promise<Response> {
  return jsonResponse(
    configsOf(scope.caller, server).map((id) => ({ id })),
    scope.headers,
  );
}

/** `GET /v1/models`: the configurations, and the models that requests may name. */
export async function listModels(scope: RequestScope, server: ServerContext): Promise<Response> {
  return jsonResponse({ object: "list", data: modelsOf(scope, server) }, scope.headers);
}

/** `GET /v1/models/{model}` */
export async function getModel(scope: RequestScope, server: ServerContext): Promise<Response> {
  const { pathname } = new URL(scope.request.url);
  const name = decode(pathname.slice("/v1/models/".length));
  const found = modelsOf(scope, server).find(({ id }) => id === name);
  if (found !== undefined) return jsonResponse(found, scope.headers);
  const message = `The model \`${name.slice(0, 200)}\` does not exist or you do not have access to it.`;
  throw new ApiError(404, message, { param: "model", code: "model_not_found" });
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

interface WireModel {
  readonly id: string;
  readonly object: "model";
  readonly created: number;
  readonly owned_by: string;
}

function modelsOf({ caller, created }: RequestScope, server: ServerContext): readonly WireModel[] {
  const { configs, defaultConfig, models } = server.choice;
  const ids = configsOf(caller, server);
  const main = caller.defaultConfig ?? defaultConfig;
  const mainNames = ids.includes(main) ? (configs.get(main)?.modelName ?? []) : [];
  const names = new Set([...ids, mainNames, models === "any" ? [] : models].flat());
  return [...names].map((id) => ({
    id,
    object: "model",
    created,
    owned_by: ids.includes(id) ? "langchain-guardrails" : "upstream",
  }));
}
