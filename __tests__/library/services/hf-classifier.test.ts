import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { Document } from "@langchain/core/documents";
import { DiagnosticError } from "../../../src/diagnostics/errors.js";
import { Guardrails } from "../../../src/index.js";
import { type ScriptedService, scriptedService } from "../../support/scripted-service.js";
import { LOOPBACK_CERTIFICATE } from "./loopback-certificate.js";

let service: ScriptedService;
beforeAll(async () => {
  service = await scriptedService();
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
});

const classifier = (more: object = {}) => ({
  engine: "vllm",
  model: "m",
  base_url: service.url,
  blocked_labels: ["toxic"],
  ...more,
});

function open(classifiers: object, rails: object = { input: { flows: ["hf classifier check input $classifier=a"] } }) {
  const config = { rails: { ...rails, config: { hf_classifier: classifiers } } };
  return Guardrails.fromConfig({ config }, { logger: false });
}

async function diagnosticsOf(...given: Parameters<typeof open>) {
  const error: unknown = await open(...given).catch((cause: unknown) => cause);
  if (!DiagnosticError.isInstance(error)) throw error;
  return error.diagnostics;
}

describe("classifiers of `hf classifier check`", () => {
  it("are each called at their own URL", async () => {
    const flows = ["hf classifier check input $classifier=a", "hf classifier check input $classifier=b"];
    const guardrails = await open(
      { a: classifier(), b: classifier({ base_url: `${service.url}/other`, blocked_labels: ["spam"] }) },
      { input: { flows } },
    );
    service.respond({ json: { data: [{ label: "fine", probs: [1] }] } });
    const { status, guardrails: verdict } = await guardrails.check("hi", { stage: "input" });
    expect([status, verdict.decisions.map(({ rail }) => rail).sort()]).toEqual(["passed", flows]);
    expect(service.requests.map(({ path }) => path).sort()).toEqual(["/classify", "/other/classify"]);
  });

  it("drop the chunks that they refuse, and keep the others", async () => {
    const guardrails = await open(
      { a: classifier() },
      { retrieval: { flows: ["hf classifier check retrieval $classifier=a"] } },
    );
    const [bad, good] = [{ data: [{ label: "toxic", probs: [1] }] }, { data: [{ label: "fine", probs: [1] }] }];
    service.respond({ json: bad }, { json: good });
    const documents = ["first", "second"].map((pageContent) => new Document({ pageContent }));
    const left = (await guardrails.retrieval().invoke(documents)) as readonly Document[];
    expect(left.map(({ pageContent }) => pageContent)).toEqual(["second"]);
  });

  it.each<[string, object, object | undefined, object]>([
    ["no such classifier", { toxicity: {} }, undefined, { message: "there is no classifier `a`" }],
    [
      "a reference without a classifier",
      { a: {} },
      { input: { flows: ["hf classifier check input"] } },
      { hint: expect.stringContaining("$classifier=<name>") },
    ],
    ["the engine `local`", { a: { engine: "local" } }, undefined, { hint: expect.stringContaining("vLLM") }],
    ["another task", { a: { task: "translation" } }, undefined, { message: "`vllm` has no task `translation`" }],
    ["no labels", { a: { blocked_labels: [] } }, undefined, { path: "rails.config.hf_classifier.a.blocked_labels" }],
    ["no address", { a: { base_url: null } }, undefined, { path: "rails.config.hf_classifier.a.base_url" }],
    ["no key", { a: { api_key_env_var: "NO_SUCH_KEY" } }, undefined, { code: "CF-113" }],
    [
      "a certificate without its key",
      { a: { parameters: { client_cert: "/nowhere/c.pem" } } },
      undefined,
      { message: "`client_cert` is set without `client_key`", hint: "set both" },
    ],
    [
      "a file that cannot be read",
      { a: { parameters: { ca_cert: "/nowhere/ca.pem" } } },
      undefined,
      { message: "the file of `ca_cert` cannot be read" },
    ],
  ])("are refused when the configuration loads: %s", async (_, given, rails, expected) => {
    const own = Object.fromEntries(Object.entries(given).map(([name, more]) => [name, classifier(more as object)]));
    const found = await diagnosticsOf(own, ...(rails === undefined ? [] : [rails]));
    expect(found).toContainEqual(expect.objectContaining(expected));
  });

  it("are trusted only by the certificates of the settings", async () => {
    const folder = await mkdtemp(join(tmpdir(), "certificates-"));
    const server = createServer(LOOPBACK_CERTIFICATE, (_, response) => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ data: [{ label: "fine", probs: [1] }] }));
    });
    try {
      await writeFile(join(folder, "ca.pem"), LOOPBACK_CERTIFICATE.cert);
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      const base_url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const statusWith = async (parameters: object) => {
        const guardrails = await open({ a: classifier({ base_url, retries: 0, parameters }) });
        return (await guardrails.check("hi", { stage: "input" })).guardrails.decisions[0]?.status;
      };
      expect(await statusWith({})).toBe("error");
      expect(await statusWith({ ca_cert: join(folder, "ca.pem") })).toBe("passed");
      expect(await statusWith({ verify_ssl: false })).toBe("passed");
    } finally {
      server.closeAllConnections();
      server.close();
      await rm(folder, { recursive: true });
    }
  });
});

describe("a response that is not valid", () => {
  it.each([
    ["block", true],
    ["allow", false],
  ] as const)("follows `on_error: %s` of its classifier", async (on_error, blocked) => {
    service.respond({ json: { data: "none" } });
    const guardrails = await open({ a: classifier({ on_error }) });
    const decision = await guardrails.rail("hf classifier check input $classifier=a").invoke({ userMessage: "hi" });
    expect(decision).toMatchObject({ status: "error", onError: on_error });
    expect((await guardrails.check("hi", { stage: "input" })).blocked).toBe(blocked);
  });

  it("is thrown with `on_error: throw`", async () => {
    service.respond({ json: { data: "none" } });
    const guardrails = await open({ a: classifier({ on_error: "throw" }) });
    await expect(guardrails.check("hi", { stage: "input" })).rejects.toThrow("its response is not valid");
  });
});

describe("validators of `guardrailsai check`", () => {
  const load = (flow: string, guardrails_ai: object) =>
    Guardrails.fromConfig({ config: { rails: { input: { flows: [flow] }, config: { guardrails_ai } } } });

  it.each<[string, string, object, object]>([
    [
      "an unknown name",
      "guardrailsai check input $validator=toxic_langage",
      { validators: [{ name: "toxic_language" }] },
      { message: "there is no validator `toxic_langage`", hint: "did you mean `toxic_language`?" },
    ],
    ["none at all", "guardrailsai check input", {}, { message: "the rail has no validators" }],
    [
      "parameters that the server would not see",
      "guardrailsai check input",
      { validators: [{ name: "a", parameters: { threshold: 1 } }] },
      { path: "rails.config.guardrails_ai.validators[0].parameters" },
    ],
  ])("are refused when the configuration loads: %s", async (_, flow, settings, expected) => {
    const error: unknown = await load(flow, { server_endpoint: service.url, ...settings }).catch((cause) => cause);
    expect((error as DiagnosticError).diagnostics).toContainEqual(expect.objectContaining(expected));
  });

  it("are all called if the reference names none", async () => {
    const validators = [{ name: "a" }, { name: "b" }];
    const input = { validators: [{ name: "b" }, { name: "c" }] };
    const guardrails = await load("guardrailsai check input", { server_endpoint: service.url, validators, input });
    service.respond({ json: { validationPassed: true } });
    expect(await guardrails.check("hi", { stage: "input" })).toMatchObject({ status: "passed" });
    expect(service.requests.map(({ path }) => path)).toEqual(["b", "c", "a"].map((name) => `/guards/${name}/validate`));
  });
});
