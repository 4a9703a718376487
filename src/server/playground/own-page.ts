import { ApiError } from "../errors.js";
import type { RequestScope } from "../scope.js";
import type { PlaygroundOptions } from "./options.js";

/** Header that pages of other origins can send only with permission from the server, which it never grants. */
const PAGE_HEADER = "x-guardrails-playground";

/** Addresses of this machine, including their IPv6 forms. */
const OWN_ADDRESS = /^(?:127(?:\.\d{1,3}){3}|::1|::ffff:127(?:\.\d{1,3}){3})$/i;

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

/** Headers that proxies add: such a request comes from another machine, whatever its `Host` is. */
const PROXY_HEADERS = ["forwarded", "x-forwarded-for", "x-forwarded-host", "via"];

/** A request with its connection, if the platform provides it. */
type Received = Pick<RequestScope, "request" | "connection">;

/**
 * Checks that a request comes from this machine and uses one of its own host names. Requests through proxies, from other
 * machines, or with a host name that an attacker has pointed at this machine (DNS rebinding) are refused.
 *
 * @throws ApiError 404, as for a page that does not exist
 */
export function requireOwnHost({ request, connection }: Received, { remote = false }: PlaygroundOptions): void {
  if (remote) return;
  const { headers, url } = request;
  const host = headers.get("host") ?? new URL(url).host;
  const address = connection.incoming?.socket?.remoteAddress;
  const isOwn = LOOPBACK.test(host) && (address === undefined || OWN_ADDRESS.test(address));
  if (isOwn && !PROXY_HEADERS.some((name) => headers.has(name))) return;
  throw new ApiError(404, "The playground is only served to this machine.", { code: "unknown_url" });
}

/**
 * Checks that a request comes from the playground page, not from another page in the same browser.
 *
 * @throws ApiError 403 or 404
 */
export function requireOwnPage(received: Received, options: PlaygroundOptions): void {
  requireOwnHost(received, options);
  const { headers, url } = received.request;
  const host = headers.get("host") ?? new URL(url).host;
  const origin = headers.get("origin");
  const isOwn = origin === null || /^https?:\/\/(.{1,300})$/.exec(origin)?.[1]?.toLowerCase() === host.toLowerCase();
  const site = headers.get("sec-fetch-site");
  const isSameSite = site === null || site === "same-origin";
  if (isOwn && isSameSite && headers.get(PAGE_HEADER) === "1") return;
  const message = `The playground takes requests of its own page only, with the header \`${PAGE_HEADER}: 1\`.`;
  throw new ApiError(403, message, { type: "permission_error", code: "not_permitted" });
}
