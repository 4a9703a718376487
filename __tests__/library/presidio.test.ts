import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { ConfigError } from "../../src/diagnostics/errors.js";
import { Guardrails } from "langchain-guardrails";
import { scriptedService, type ScriptedService } from "../support/scripted-service.js";

let service: ScriptedService;

beforeAll(async () => {
  service = await scriptedService();
});

afterAll(async () => {
  await service[Symbol.asyncDispose]();
});

type Found = readonly [type: string, start: number, end: number, score?: number];

const response = (...found: readonly Found[]) => ({
  json: found.map(([entity_type, start, end, score = 0.85]) => ({ entity_type, start, end, score })),
});

interface Setup {
  readonly flow?: string;
  readonly settings?: object;
  readonly source?: object;
  readonly values?: object;
}

function open(version: "1.0" | "2.x", { flow = "mask", settings = {}, source = {}, values = {} }: Setup = {}) {
  const config = {
    colang_version: version,
    rails: {
      input: { flows: [`${flow} sensitive data on input`] },
      config: {
        sensitive_data_detection: {
          server_endpoint: service.url,
          retries: 0,
          input: { entities: ["PERSON", "EMAIL_ADDRESS"], ...source },
          ...settings,
        },
      },
    },
  };
  return Guardrails.fromConfig({ config }, { logger: false, actionParams: { ...values } });
}

const check = async (guardrails: Guardrails, text: string) => {
  const { status, output, guardrails: verdict } = await guardrails.check(text, { stage: "input" });
  return { status, output, decision: verdict.decisions[0] };
};

describe.each(["1.0", "2.x"] as const)("a Presidio server in Colang %s", (version) => {
  it("finds the entities, with places in characters", async () => {
    const guardrails = await open(version, { source: { score_threshold: 0.4 } });
    service.respond(response(["PERSON", 3, 6], ["EMAIL_ADDRESS", 13, 14, 0.3]));
    const { status, output, decision } = await check(guardrails, "😀, Ada writes x");
    expect([status, output]).toEqual(["modified", "😀, <PERSON> writes x"]);
    expect(decision?.metadata).toMatchObject({ findings: [{ type: "PERSON", start: 4, end: 7, rule: "analyzer" }] });
    expect(service.requests).toMatchObject([
      {
        path: "/analyze",
        body: {
          text: "😀, Ada writes x",
          language: "en",
          entities: ["PERSON", "EMAIL_ADDRESS"],
          score_threshold: 0.4,
        },
      },
    ]);
  });

  it("blocks, and pseudonyms restore what it found", async () => {
    service.respond(response(["PERSON", 0, 3]));
    expect((await check(await open(version, { flow: "detect" }), "Ada writes")).status).toBe("blocked");
    expect((await check(await open(version, { flow: "pseudonymise" }), "Ada writes")).output).toBe("<PERSON_1> writes");
  });

  it("applies custom recognisers and allowed texts in this process", async () => {
    const recognizers = [{ supported_entity: "TICKET", deny_list: ["T-1"] }];
    const source = { entities: ["TICKET", "PERSON"] };
    const guardrails = await open(version, { settings: { recognizers, allow: ["Bob"] }, source });
    service.respond(response(["PERSON", 0, 3], ["PERSON", 8, 11]));
    expect((await check(guardrails, "Ada and Bob: T-1")).output).toBe("<PERSON> and Bob: <TICKET>");
    expect(service.requests).toMatchObject([{ body: { entities: ["PERSON"] } }]);
  });

  it("finds only names with `names: presidio`", async () => {
    const guardrails = await open(version, { settings: { names: "presidio" } });
    service.respond(response(["PERSON", 0, 3]));
    expect((await check(guardrails, "Ada: ada@example.org")).output).toBe("<PERSON>: <EMAIL_ADDRESS>");
    expect(service.requests).toMatchObject([{ body: { entities: ["PERSON"] } }]);
  });

  it("is called for each chunk, and not for empty texts", async () => {
    const guardrails = await open(version);
    service.respond(response());
    expect((await check(guardrails, "  ")).status).toBe("passed");
    expect(service.requests).toHaveLength(0);
  });

  it.each<[what: string, answer: object]>([
    ["an error", { status: 500, text: "Ada" }],
    ["no list", { json: { entity_type: "PERSON" } }],
    ["a position after the text", response(["PERSON", 0, 99])],
    ["a place that is not whole", response(["PERSON", 0.5, 2])],
    ["an empty finding", response(["PERSON", 2, 2])],
    ["a name that is invalid", response(["<b>", 0, 2])],
    ["a score above 1", response(["PERSON", 0, 2, 7])],
  ])("blocks where the server responds with %s", async (_, answer) => {
    const guardrails = await open(version);
    service.respond(answer);
    const { status, decision } = await check(guardrails, "Ada writes");
    expect([status, decision?.status, decision?.metadata]).toEqual(["blocked", "error", { code: "RL-202" }]);
    expect(decision?.reason).not.toContain("Ada");
  });

  it("accepts a function of the application for names", async () => {
    const recognizeNames = async (text: string) => [
      { type: "PERSON", start: text.indexOf("Ada"), end: text.indexOf(":") },
    ];
    const guardrails = await open(version, {
      settings: { names: "function", server_endpoint: null },
      values: { recognizeNames },
    });
    expect((await check(guardrails, "I, Ada: ada@example.org")).output).toBe("I, <PERSON>: <EMAIL_ADDRESS>");
  });
});

it.each<[what: string, settings: object, ...parts: readonly string[]]>([
  ["names without a source", { server_endpoint: null }, "npm install compromise", "server_endpoint", "names: function"],
  ["names without their function", { names: "function", server_endpoint: null }, "recognizeNames", "actionParams"],
  [
    "names without their server",
    { names: "presidio", server_endpoint: null },
    "has no address of Presidio: `rails.config.sensitive_data_detection.server_endpoint` is not set",
  ],
  ["an address that is invalid", { server_endpoint: "localhost" }, "is not an `http` or `https` address"],
  ["a key that is not set", { api_key_env_var: "NO_SUCH_PRESIDIO_KEY" }, "NO_SUCH_PRESIDIO_KEY"],
  [
    "an entity that the library lacks",
    { names: "compromise", server_endpoint: null, input: { entities: ["NRP"] } },
    "`NRP` is found by no pattern",
  ],
])("reports %s when the configuration loads", async (_, settings, ...parts) => {
  const error = await open("1.0", { settings }).catch(String);
  for (const each of parts) expect(error).toContain(each);
});

it.each([
  ["without the package", ["EMAIL_ADDRESS", "PERSON", "LOCATION"], [1, 2]],
  ["unknown to the package", ["NRP", "EMAIL_ADDRESS", "DATE_TIME"], [0, 2]],
])("reports every name %s at its place", async (_, entities, places) => {
  const settings = { server_endpoint: null, input: { entities } };
  const error = await open("1.0", { settings }).catch((thrown: unknown) => thrown as ConfigError);
  const paths = places.map((at) => `rails.config.sensitive_data_detection.input.entities[${at}]`);
  expect(ConfigError.isInstance(error) && error.diagnostics.map(({ path }) => path)).toEqual(paths);
});
