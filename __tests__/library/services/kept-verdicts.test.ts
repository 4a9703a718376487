import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { Guardrails, type RailDecision } from "../../../src/index.js";
import { LIBRARY_RAILS } from "../../../src/library/manifest.js";
import { type ScriptedService, scriptedService } from "../../support/scripted-service.js";

const NAMES = [
  "F5_GUARDRAILS_API_KEY",
  "F5_GUARDRAILS_API_URL",
  "PANGEA_API_TOKEN",
  "PANGEA_BASE_URL_TEMPLATE",
] as const;
const before = Object.fromEntries(NAMES.map((name) => [name, process.env[name]]));

let service: ScriptedService;
beforeAll(async () => {
  service = await scriptedService();
});
beforeEach(() => {
  process.env.F5_GUARDRAILS_API_KEY = "key-of-the-first-account";
  process.env.F5_GUARDRAILS_API_URL = service.url;
  process.env.PANGEA_API_TOKEN = "token";
  process.env.PANGEA_BASE_URL_TEMPLATE = service.url;
});
afterAll(async () => {
  for (const name of NAMES) {
    if (before[name] === undefined) delete process.env[name];
    else process.env[name] = before[name];
  }
  await service[Symbol.asyncDispose]();
});

const F5 = "f5 guardrails scan input";
const CLEARED = { json: { result: { outcome: "cleared" } } };
const FLAGGED = { json: { result: { outcome: "flagged" } } };

async function open(flow = F5, cache: object = { enabled: true }, options: object = {}) {
  const config = { rails: { input: { flows: [flow] }, cache } };
  return Guardrails.fromConfig({ config }, { logger: false, ...options });
}

async function statusOf(guardrails: Guardrails, text: string, flow = F5): Promise<RailDecision["status"]> {
  return (await guardrails.rail(flow).invoke({ userMessage: text })).status;
}

/** Numbers of requests for some texts, asked about one after the other. */
async function requestsFor(guardrails: Guardrails, texts: readonly string[], flow = F5): Promise<number> {
  for (const text of texts) await statusOf(guardrails, text, flow);
  return service.requests.length;
}

describe("verdicts of a service", () => {
  it.each([["passed", CLEARED] as const, ["blocked", FLAGGED] as const])(
    "are cached: a text that is %s is sent once",
    async (status, response) => {
      service.respond(response);
      const guardrails = await open();
      const first = await guardrails.rail(F5).invoke({ userMessage: "one text" });
      const { metadata, ...second } = await guardrails.rail(F5).invoke({ userMessage: "one text" });
      expect([first.status, second.status, second.reason]).toEqual([status, status, first.reason]);
      expect([first.metadata?.cached, metadata?.cached]).toEqual([undefined, true]);
      expect(service.requests).toHaveLength(1);
    },
  );

  it("belong to one exact text", async () => {
    service.respond(CLEARED, CLEARED, CLEARED);
    expect(await requestsFor(await open(), ["a text", "A text", "a  text", "a text"])).toBe(3);
  });

  it("are requested each time unless the configuration has a cache", async () => {
    service.respond(CLEARED, CLEARED);
    expect(await requestsFor(await open(undefined, { enabled: false }), ["a text", "a text"])).toBe(2);
  });

  it("are not cached if the service fails", async () => {
    const failure = { json: { outcome: "cleared" } };
    service.respond(failure, CLEARED);
    const guardrails = await open();
    expect(await statusOf(guardrails, "a text")).toBe("error");
    expect(await statusOf(guardrails, "a text")).toBe("passed");
  });

  it("are not cached if they rewrite the text", async () => {
    const rewritten = { json: { result: { blocked: false, transformed: false } } };
    service.respond(rewritten, rewritten);
    expect(await requestsFor(await open("pangea ai guard input"), ["a text", "a text"], "pangea ai guard input")).toBe(
      2,
    );
  });

  it("are shared by processes with the same settings and account, sealed", async () => {
    const entries = new Map<string, string>();
    const store = {
      get: (key: string) => entries.get(key),
      set: (key: string, value: string) => void entries.set(key, value),
    };
    const options = { sharedVerdicts: { store, secret: "a secret of sixteen", policy: "1" } };
    service.respond(FLAGGED, CLEARED);
    expect(await statusOf(await open(undefined, undefined, options), "a text")).toBe("blocked");
    expect(await statusOf(await open(undefined, undefined, options), "a text")).toBe("blocked");
    expect(service.requests).toHaveLength(1);
    expect(JSON.stringify([...entries])).not.toMatch(/a text|blocked|account/);
    process.env.F5_GUARDRAILS_API_KEY = "key-of-another-account";
    expect(await statusOf(await open(undefined, undefined, options), "a text")).toBe("passed");
  });

  it("are cached only for services whose manifest states that the text decides", () => {
    const kept = LIBRARY_RAILS.filter(({ verdictsBy }) => verdictsBy === "text");
    expect(kept.map(({ name }) => name).sort()).toEqual(["activefence", "clavata", "f5", "gcp-nlp", "policyai"]);
    expect(kept.map(({ cost }) => cost)).toEqual(kept.map(() => "network"));
  });
});
