import type { RequestScope } from "../scope.js";
import type { ServerContext } from "../server-context.js";

/** Handler of a route. */
export type Endpoint = (scope: RequestScope, server: ServerContext) => Promise<Response>;

export interface Route {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly endpoint: Endpoint;
  /** True for a route without keys, limits or a slot in the queue. */
  readonly isOpen?: true;
}
