import { jsonResponse, type RequestScope } from "../scope.js";
import type { ServerContext } from "../server-context.js";

/** `GET /healthz`: the process is running. */
export async function health(scope: RequestScope): Promise<Response> {
  return jsonResponse({ status: "pass" }, scope.headers);
}

/** `GET /readyz`: the server accepts requests. */
export async function ready(scope: RequestScope, { isDraining }: ServerContext): Promise<Response> {
  return jsonResponse({ status: isDraining ? "fail" : "pass" }, scope.headers, isDraining ? 503 : 200);
}
