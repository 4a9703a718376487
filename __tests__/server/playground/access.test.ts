import type { IncomingMessage } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createGuardrailsApp, type GuardrailsAppOptions } from "../../../src/server/index.js";
import { BAKERY, createFolder } from "../../cli/run-cli.js";
import { type OpenedPlayground, openPlayground } from "./open-playground.js";

const ROUTES = ["configs", "drafts", "turns", "shared"];
const PAGES = ["/", "/playground/page.js", "/playground/page.css"];
const KEY = "key-of-a-developer-01";
const OTHER = "key-of-a-customer-012";

describe("the playground is off", () => {
  it("without its option: its routes are unknown", async () => {
    const folder = createFolder(BAKERY);
    const app = await createGuardrailsApp({ configs: { demo: folder.path }, logger: false });
    const statuses = await Promise.all([
      ...PAGES.map(async (path) => (await app.fetch(new Request(`http://localhost${path}`))).status),
      ...ROUTES.map(async (path) => {
        const init = { method: "POST", headers: { "x-guardrails-playground": "1" }, body: "{}" };
        return (await app.fetch(new Request(`http://localhost/playground/${path}`, init))).status;
      }),
    ]);
    expect(statuses).toEqual([...PAGES, ...ROUTES].map(() => 404));
    await app.close(0);
    folder.remove();
  });
});

describe("requests to the playground", () => {
  let opened: OpenedPlayground;
  beforeAll(async () => {
    opened = await openPlayground(BAKERY);
  });
  afterAll(async () => {
    await opened[Symbol.asyncDispose]();
  });

  const ask = (headers: Readonly<Record<string, string>>): Promise<Response> => opened.post("configs", {}, headers);

  it.each([
    ["its own page", { origin: "http://localhost:8000", "sec-fetch-site": "same-origin" }, 200],
    ["a program without an origin", {}, 200],
    ["a program that names the machine by its address", { host: "127.0.0.1:8000" }, 200],
    ["a program that names the machine by its IPv6 address", { host: "[::1]:8000" }, 200],
    ["a page of another site", { origin: "https://evil.example", "sec-fetch-site": "cross-site" }, 403],
    ["a page on another port of this machine", { origin: "http://localhost:3000", "sec-fetch-site": "same-site" }, 403],
    ["a page without its own origin", { origin: "null" }, 403],
    ["a page whose browser names no origin", { "sec-fetch-site": "cross-site" }, 403],
    ["a form, which cannot set the header", { "x-guardrails-playground": "" }, 403],
    ["a page that reaches it by a name that points here", { host: "evil.example:8000" }, 404],
    ["a page under a name that begins like this machine", { host: "localhost.evil.example" }, 404],
    ["a page under a name that begins like an address", { host: "127.0.0.1.evil.example" }, 404],
    ["a proxy", { "x-forwarded-for": "203.0.113.7" }, 404],
  ])("from %s", async (_name, headers, status) => {
    expect((await ask(headers)).status).toBe(status);
  });

  it.each([
    ["127.0.0.1", 200],
    ["::ffff:127.0.0.1", 200],
    ["::1", 200],
    ["192.168.1.7", 404],
    ["::ffff:192.168.1.7", 404],
    ["2001:db8::1", 404],
  ])("from a machine with the address %s that names this one", async (remoteAddress, status) => {
    const connection = { incoming: { socket: { remoteAddress } } as unknown as IncomingMessage };
    const response = await opened.app.fetch(new Request("http://localhost:8000/"), connection);
    expect(response.status).toBe(status);
  });

  it.each(["evil.example", "localhost.evil.example"])("from %s get no page", async (host) => {
    for (const path of PAGES) {
      const response = await opened.app.fetch(new Request(`http://localhost${path}`, { headers: { host } }));
      expect([path, response.status]).toEqual([path, 404]);
    }
  });

  it("are refused to pages of origins that may use the API", async () => {
    await using shop = await openPlayground(BAKERY, { corsOrigins: ["https://shop.example"] });
    const response = await shop.post("configs", {}, { origin: "https://shop.example", "sec-fetch-site": "cross-site" });
    expect(response.status).toBe(403);
  });

  it("are refused as reading requests", async () => {
    const response = await opened.app.fetch(new Request("http://localhost/playground/configs"));
    expect(response.status).toBe(405);
  });
});

describe("a server with keys", () => {
  let opened: OpenedPlayground;
  beforeAll(async () => {
    opened = await openPlayground(BAKERY, {
      playground: { remote: true },
      keys: [
        { id: "developer", key: KEY, permissions: ["playground"] },
        { id: "customer", key: OTHER },
      ],
    });
  });
  afterAll(async () => {
    await opened[Symbol.asyncDispose]();
  });

  it.each([
    ["no key", undefined, 401],
    ["a key without the permission", OTHER, 403],
    ["a key with the permission", KEY, 200],
  ])("responds to %s", async (_name, key, status) => {
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
    expect((await opened.post("configs", {}, { host: "rails.example", ...headers })).status).toBe(status);
  });

  it("shows the page, which contains no data, to everyone", async () => {
    const response = await opened.app.fetch(new Request("http://rails.example/"));
    expect(response.status).toBe(200);
    expect(await response.text()).not.toContain("greeting");
  });

  it("still accepts only requests of its own page", async () => {
    const headers = { host: "rails.example", origin: "https://evil.example", authorization: `Bearer ${KEY}` };
    expect((await opened.post("configs", {}, headers)).status).toBe(403);
  });
});

describe("options", () => {
  it.each([
    ["a page beyond this machine without keys", { remote: true }, "options.playground.remote"],
    ["an unknown option", { remotely: true }, "options.playground.remotely"],
    ["a value that is not a switch", "yes", "options.playground"],
  ])("refuse %s", async (_name, playground, path) => {
    const folder = createFolder(BAKERY);
    const options = { configs: { demo: folder.path }, logger: false, playground } as unknown as GuardrailsAppOptions;
    await expect(createGuardrailsApp(options)).rejects.toMatchObject({ diagnostics: [{ path }] });
    folder.remove();
  });
});

describe("the page", () => {
  it("loads and runs only its own files", async () => {
    await using opened = await openPlayground(BAKERY);
    for (const path of PAGES) {
      const response = await opened.app.fetch(new Request(`http://localhost${path}`));
      const policy = response.headers.get("content-security-policy") ?? "";
      expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';/);
      expect(policy).not.toContain("unsafe");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
      expect(await response.text()).not.toMatch(/https?:\/\/(?!www\.w3\.org\/)/);
    }
  });
});
