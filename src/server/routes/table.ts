import { jsonResponse } from "../scope.js";
import type { GuardrailsAppOptions } from "../options.js";
import { getModel, listConfigs, listModels } from "./catalog.js";
import { chatCompletions } from "./chat.js";
import { checks } from "./checks.js";
import { health, ready } from "./health.js";
import { nemoChat } from "./nemo.js";
import type { Endpoint, Route } from "./route.js";

/** Returns all routes of a server. */
export function createRoutes({ metrics, keys = [], authenticate }: GuardrailsAppOptions): readonly Route[] {
  const hasKeys = keys.length > 0 || authenticate !== undefined;
  const open = { method: "GET", isOpen: true } as const;
  return [
    { method: "POST", path: "/v1/chat/completions", endpoint: chatCompletions },
    { method: "POST", path: "/v1/checks", endpoint: checks },
    { method: "GET", path: "/v1/models", endpoint: listModels },
    { method: "GET", path: "/v1/models/:model{.+}", endpoint: getModel },
    { method: "GET", path: "/v1/rails/configs", endpoint: listConfigs },
    { method: "POST", path: "/nemo/v1/chat/completions", endpoint: nemoChat },
    { method: "GET", path: "/nemo/v1/rails/configs", endpoint: listConfigs },
    { ...open, path: "/healthz", endpoint: health },
    { ...open, path: "/v1/health", endpoint: health },
    { ...open, path: "/readyz", endpoint: ready },
    { ...open, path: "/openapi.json", endpoint: openApi(hasKeys) },
    ...(metrics === undefined ? [] : [{ method: "GET", path: "/metrics", endpoint: metricsPage(metrics) } as const]),
  ];
}

/** `GET /openapi.json`; the document is generated on the first request. */
function openApi(hasKeys: boolean): Endpoint {
  return async (scope) => {
    const { openApiDocument } = await import("./openapi.js");
    return jsonResponse(openApiDocument({ hasKeys }), scope.headers);
  };
}

/** `GET /metrics`; callers need a key if the server has keys. */
function metricsPage(metrics: NonNullable<GuardrailsAppOptions["metrics"]>): Endpoint {
  return async (scope) => {
    const { contentType, body } = await metrics();
    return new Response(body, { headers: { ...scope.headers, "content-type": contentType } });
  };
}
