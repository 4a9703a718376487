import type { RequestScope } from "../scope.js";
import { encodeEvents, SSE_HEADERS } from "../sse.js";
import type { StoredReply } from "./record.js";

/** Header of a reply that was created for an earlier request with the same key. */
const REPLAYED = { "idempotent-replayed": "true" } as const;

/** Sends a stored reply again. */
export function replay({ content, headers }: StoredReply, scope: RequestScope): Response {
  const replayHeaders = { ...scope.headers, ...headers, ...REPLAYED };
  if (typeof content === "string") {
    return new Response(content, { headers: { ...replayHeaders, "content-type": "text/plain; charset=utf-8" } });
  }
  if (Array.isArray(content))
    return new Response(encodeEvents(content as object[]), { headers: { ...replayHeaders, ...SSE_HEADERS } });
  return new Response(JSON.stringify(content), { headers: { ...replayHeaders, "content-type": "application/json" } });
}
