import * as z from "zod/v4";
import { visitParts } from "../../engine/walk.js";
import { hostOf } from "../../langchain/host.js";
import { type Caller, requirePermission } from "../access.js";
import { readJson } from "../body.js";
import { ApiError, badRequest } from "../errors.js";
import { parseBody } from "../openai-format/parse-body.js";
import { bodyLimits } from "../options.js";
import { jsonResponse, type RequestScope } from "../scope.js";
import { CLIENT_GONE, describeError, type ServerContext } from "../server-context.js";
import { eventStream, SSE_HEADERS } from "../sse.js";
import type { Endpoint, Route } from "../routes/route.js";
import { MAX_CONFIG_BYTES, readConfigFiles } from "./config-files.js";
import { Drafts } from "./drafts.js";
import type { PlaygroundOptions } from "./options.js";
import { requireOwnHost, requireOwnPage } from "./own-page.js";
import { pageResponse, scriptResponse, styleResponse } from "./page-responses.js";
import { sharedPage } from "./shared-page.js";
import { writeTurn } from "./take-turn.js";
import type { PlaygroundConfig, PlaygroundStart, PlaygroundTurnRequest, SharedConversation } from "./wire.js";

const configId = z.string().max(128);
const turnSchema = z.strictObject({
  config: configId,
  draft: z.string().max(64).optional(),
  conversation: z.string().regex(/^[\w-]{8,64}$/),
  text: z.string().min(1).max(100_000),
});
const draftSchema = z.strictObject({
  config: configId,
  files: z.array(z.strictObject({ path: z.string().min(1).max(500), text: z.string() })).max(200),
});
const sharedSchema = z.looseObject({
  title: z.string().max(200),
  turns: z.array(z.looseObject({})).max(1_000),
  files: z.array(z.looseObject({})).max(400),
});

const SHARED_LIMITS = { depth: 256, values: Infinity };

/** Routes of the playground: the page and its data. */
export function playgroundRoutes(options: PlaygroundOptions): readonly Route[] {
  const playground = new Playground(options);
  const open = (path: string, respond: () => Response): Route => ({
    method: "GET",
    path,
    isOpen: true,
    endpoint: async (scope) => {
      requireOwnHost(scope, options);
      return respond();
    },
  });
  const route = (path: string, endpoint: Endpoint): Route => ({
    method: "POST",
    path,
    endpoint: async (scope, server) => {
      requireOwnPage(scope, options);
      if (server.gate.isClosed) requirePermission(scope.caller, "playground", "playground");
      return endpoint(scope, server);
    },
  });
  return [
    open("/", pageResponse),
    open("/playground/page.js", scriptResponse),
    open("/playground/page.css", styleResponse),
    route("/playground/configs", (scope, server) => playground.configs(scope, server)),
    route("/playground/drafts", (scope, server) => playground.draft(scope, server)),
    route("/playground/turns", (scope, server) => playground.turn(scope, server)),
    route("/playground/shared", (scope, server) => playground.share(scope, server)),
  ];
}

class Playground {
  readonly #options: PlaygroundOptions;
  /** Changed configurations of each server. */
  readonly #drafts = new WeakMap<ServerContext, Drafts>();

  constructor(options: PlaygroundOptions) {
    this.#options = options;
  }

  async configs(scope: RequestScope, server: ServerContext): Promise<Response> {
    const { configs } = server.choice;
    const shown: PlaygroundConfig[] = [];
    for (const id of configs.ids) {
      if (!mayUse(scope.caller, id)) continue;
      const path = configs.pathOf(id);
      shown.push({ id, files: path === undefined ? [] : await readConfigFiles(path) });
    }
    const start: PlaygroundStart = { configs: shown, unreviewed: this.#options.unreviewed === true };
    return jsonResponse(start, headersOf(scope));
  }

  async draft(scope: RequestScope, server: ServerContext): Promise<Response> {
    const body = parseBody(draftSchema, await readJson(scope.request, scope.connection, bodyLimits(server.limits)));
    requireConfig(body.config, scope.caller, server);
    const size = body.files.reduce((total, { text }) => total + text.length, 0);
    if (size > MAX_CONFIG_BYTES) {
      throw badRequest(`The configuration is larger than ${MAX_CONFIG_BYTES} bytes.`, "files", "invalid_value");
    }
    if (server.choice.configs.pathOf(body.config) === undefined) {
      throw badRequest("This configuration has no files that could be changed.", "config", "invalid_value");
    }
    const files = Object.fromEntries(body.files.map(({ path, text }) => [path, text]));
    return jsonResponse(await this.#draftsOf(server).add(body.config, files), headersOf(scope));
  }

  async turn(scope: RequestScope, server: ServerContext): Promise<Response> {
    const body: PlaygroundTurnRequest = parseBody(
      turnSchema,
      await readJson(scope.request, scope.connection, bodyLimits(server.limits)),
    );
    const { config, draft, conversation, text } = body;
    const served = requireConfig(config, scope.caller, server);
    const changed = draft === undefined ? undefined : this.#draftsOf(server).get(config, draft);
    if (draft !== undefined && changed === undefined) {
      throw new ApiError(404, "The changed configuration is not kept any more; change it again.", {
        param: "draft",
        code: "draft_not_found",
      });
    }
    const isUnreviewed = this.#options.unreviewed === true;
    Object.assign(scope.facts, { config, isStream: true });
    const events = writeTurn({
      host: changed === undefined ? served.host : hostOf(changed),
      text,
      thread: `playground:${JSON.stringify([scope.caller.id, config, draft ?? "", conversation])}`,
      signal: scope.signal,
      isUnreviewed,
      describe: (error) => {
        const { message } = describeError(error, scope, server.logger).object;
        // Error messages may quote texts that no rail has passed.
        return isUnreviewed && error instanceof Error ? error.message : message;
      },
    });
    scope.isStreaming = true;
    const stream = eventStream({
      events,
      heartbeatMs: server.limits.heartbeatMs,
      describe: (error) => describeError(error, scope, server.logger).object,
      close: (end, error) => {
        if (end === "left") scope.cancellation.abort(new DOMException("the page has gone", "AbortError"));
        const status = end === "left" ? CLIENT_GONE : 200;
        scope.end(end === "failed" ? describeError(error, scope, undefined).status : status);
      },
    });
    return new Response(stream, { headers: { ...scope.headers, ...SSE_HEADERS } });
  }

  async share(scope: RequestScope, server: ServerContext): Promise<Response> {
    const body = await readJson(scope.request, scope.connection, bodyLimits(server.limits));
    if (!visitParts(body, () => true, SHARED_LIMITS)) {
      const message = `Invalid conversation: expected at most ${SHARED_LIMITS.depth} levels.`;
      throw badRequest(message, undefined, "invalid_value");
    }
    // The page treats this data like data of the server: as texts and numbers.
    const shared = parseBody(sharedSchema, body) as unknown as SharedConversation;
    return jsonResponse({ html: sharedPage(shared) }, headersOf(scope));
  }

  #draftsOf(server: ServerContext): Drafts {
    const known = this.#drafts.get(server);
    if (known !== undefined) return known;
    const made = new Drafts((config, files) => server.choice.configs.changed(config, files));
    this.#drafts.set(server, made);
    return made;
  }
}

function headersOf({ headers }: RequestScope): Record<string, string> {
  return { ...headers, "cache-control": "no-store", "x-content-type-options": "nosniff" };
}

function mayUse({ configs }: Caller, id: string): boolean {
  return configs?.includes(id) ?? true;
}

/** @throws ApiError 404 for a configuration that does not exist or that the caller may not use */
function requireConfig(id: string, caller: Caller, { choice }: ServerContext) {
  const served = mayUse(caller, id) ? choice.configs.get(id) : undefined;
  if (served !== undefined) return served;
  const message = "The configuration does not exist or you do not have access to it.";
  throw new ApiError(404, message, { param: "config", code: "config_not_found" });
}
