import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { DiagnosticError } from "../../../src/diagnostics/errors.js";
import { LIBRARY_RAILS } from "../../../src/library/manifest.js";
import { Guardrails, type RailDecision } from "../../../src/index.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { type ScriptedResponse, type ScriptedService, scriptedService } from "../../support/scripted-service.js";
import { SERVICE_ROWS } from "./rows/all-rows.js";
import { KEY, type ServiceRow, TEXT } from "./rows/service-row.js";

const VERSIONS = ["1.0", "2.x"] as const;
type Version = (typeof VERSIONS)[number];

const REFUSAL = "I'm sorry, I can't respond to that.";

let service: ScriptedService;
beforeAll(async () => {
  service = await scriptedService();
  // Keys of the machine: each row sets its own.
  for (const name of LIBRARY_RAILS.flatMap(({ needs }) => needs?.environment ?? [])) delete process.env[name];
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
});

/** The same value with the address of the service in place of `<url>`. */
function withUrl<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value).replaceAll("<url>", service.url)) as Value;
}

async function inEnvironment<Result>(row: ServiceRow, run: () => Promise<Result>): Promise<Result> {
  const before = { ...process.env };
  Object.assign(process.env, withUrl(row.env));
  try {
    return await run();
  } finally {
    for (const name of Object.keys(row.env)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
}

interface Opened {
  readonly guardrails: Guardrails;
  readonly logged: readonly string[];
}

async function open(row: ServiceRow, version: Version, more: object = {}): Promise<Opened> {
  const config = withUrl(row.settings);
  const logged: string[] = [];
  const log = (line: string): number => logged.push(line);
  const logger = { error: log, warn: log, info: log, debug: log };
  const loaded = {
    config: { ...more, colang_version: version, rails: { [row.stage]: { flows: [row.flow] }, config } },
  };
  return { guardrails: await inEnvironment(row, () => Guardrails.fromConfig(loaded, { logger })), logged };
}

function respond(row: ServiceRow, value: unknown): void {
  service.respond(replyOf(row, value));
}

function replyOf({ lines }: ServiceRow, value: unknown): ScriptedResponse {
  if (lines !== true || !Array.isArray(value)) return { json: value };
  return { text: value.map((line) => `${JSON.stringify(line)}\n`).join("") };
}

/** Responses of a broken service, or of another one. */
const ODD_RESPONSES: readonly ScriptedResponse[] = [
  { status: 500, headers: { "retry-after": "99" }, text: KEY },
  { status: 429, headers: { "retry-after": "99" }, text: KEY },
  { text: `<html>${KEY}</html>` },
  { text: JSON.stringify({ key: KEY.repeat(150_000) }) },
  ...[KEY, 1, true, {}, [[]], [KEY]].map((json) => ({ json })),
  { status: 204 },
  { text: "[".repeat(200_000) },
  { text: "NaN" },
  { text: '{"score": Infinity}' },
];

/** The response in another encoding, and with a duplicate key, whose last value would be the verdict. */
function twisted(row: ServiceRow): readonly ScriptedResponse[] {
  const { text = JSON.stringify(row.passes) } = replyOf(row, row.passes);
  const key = /"([^"\\]*)":/.exec(text)?.[1];
  const repeated = key === undefined ? [] : [{ text: text.replace("{", `{"${key}": "${KEY}", `) }];
  return [{ bytes: Buffer.from(text, "utf16le") }, ...repeated];
}

/** Runs the rail alone over the text. */
function decide({ guardrails }: Opened, { flow, stage, evidence = [] }: ServiceRow): Promise<RailDecision> {
  const subject = { input: { userMessage: TEXT }, output: { botMessage: TEXT }, retrieval: {} }[stage];
  const chunks = stage === "retrieval" ? [TEXT] : evidence;
  return guardrails.rail(flow).invoke({ ...subject, ...(chunks.length === 0 ? {} : { relevantChunks: chunks }) });
}

const TABLE = SERVICE_ROWS.flatMap((row) => VERSIONS.map((version) => [row.flow, version, row] as const));

describe.each(TABLE)("%s in Colang %s", (_, version, row) => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await open(row, version);
  });

  it("sends the documented request, and passes what the service allows", async () => {
    respond(row, row.passes);
    expect(await decide(opened, row)).toMatchObject({ status: "passed", rail: row.flow });
    const [sent, ...others] = service.requests;
    expect(others).toEqual([]);
    expect(sent).toMatchObject({ method: "POST", ...row.request });
  });

  if (row.blocks !== undefined) {
    const { blocks } = row;
    it("blocks what the service refuses", async () => {
      for (const reply of blocks) {
        respond(row, reply);
        expect(await decide(opened, row)).toMatchObject({ status: "blocked", refusal: row.refusal ?? REFUSAL });
      }
    });
  }

  // Each rail in one dialect: the same table writes the flows of both.
  const isTurn = VERSIONS[SERVICE_ROWS.indexOf(row) % 2] === version;
  if (isTurn && row.blocks?.[0] !== undefined && row.exception !== undefined) {
    const [reply] = row.blocks;
    it("raises its exception if configured", async () => {
      const raising = await open(row, version, { enable_rails_exceptions: true });
      respond(row, reply);
      const decision = await decide(raising, row);
      expect(decision).toMatchObject({ status: "blocked", metadata: { exception: { type: row.exception } } });
    });
  }

  if (row.rewrites !== undefined) {
    const { reply, to } = row.rewrites;
    it("passes on the text as the service rewrote it", async () => {
      respond(row, reply);
      expect(await decide(opened, row)).toMatchObject({ status: "modified" });
      if (row.stage === "retrieval") return;
      const { output } = await opened.guardrails.check(TEXT, { stage: row.stage });
      expect(output).toBe(to);
    });
  }

  it("blocks on every response that is not a verdict, without a key in errors and logs", async () => {
    // All rails of a service send and read through the same code, so one of them tests invalid responses.
    const isFirst = SERVICE_ROWS.find(({ key }) => key === row.key) === row;
    const broken: readonly ScriptedResponse[] = [
      ...(isFirst ? ODD_RESPONSES : []),
      ...twisted(row),
      { text: JSON.stringify(row.passes).slice(0, -2) },
      ...[null, ...row.invalid]
        .filter((value) => JSON.stringify(value) !== JSON.stringify(row.passes))
        .map((value) => replyOf(row, value)),
      { status: 401, text: KEY },
    ];
    for (const response of version === "1.0" ? broken : broken.slice(-1)) {
      service.respond(response);
      const decision = await decide(opened, row);
      expect([response, decision]).toMatchObject([{}, { status: "error", metadata: { code: "RL-202" } }]);
      expect(decision.refusal).not.toBe("");
      expect(`${JSON.stringify(decision)} ${opened.logged.join("\n")}`).not.toMatch(/key-0|Lovelace/);
    }
    expect(opened.logged.join("\n")).toContain("HTTP 401");
  });

  if (row.stage === "output" && row.blocks?.[0] !== undefined) {
    const [reply] = row.blocks;
    it("emits nothing of a streamed response that the service refuses", async () => {
      respond(row, reply);
      let streamed = "";
      const model = opened.guardrails.wrap(scriptedModel(() => TEXT));
      for await (const chunk of await model.stream("hi")) streamed += chunk.text;
      if (row.evidence === undefined) expect(streamed).toBe(row.refusal ?? REFUSAL);
    });
  }

  it("waits as long as a rate-limiting service asks for", async () => {
    service.respond({ status: 429, headers: { "retry-after": "0" } }, replyOf(row, row.passes));
    expect(await decide(opened, row)).toMatchObject({ status: "passed" });
    expect(service.requests).toHaveLength(2);
  });
});

/** One rail for each service, whose policy for errors all its rails have. */
const FIRST = SERVICE_ROWS.filter(
  (row) => SERVICE_ROWS.find(({ key }) => key === row.key) === row && row.evidence === undefined,
);

describe.each(FIRST.map((row) => [row.key, row] as const))("failures of %s", (_, row) => {
  it("block without a response in time", async () => {
    const settings = withUrl(row.settings) as Readonly<Record<string, object>>;
    const stated = settings[row.key] ?? {};
    const named = Object.entries(stated).map(([name, classifier]) => {
      return [name, { ...(classifier as object), parameters: { timeout: 0.02 } }];
    });
    const changed = row.key === "hf_classifier" ? Object.fromEntries(named) : { ...stated, timeout: 0.02 };
    const rails = { [row.stage]: { flows: [row.flow] }, config: { ...settings, [row.key]: changed } };
    const guardrails = await inEnvironment(row, () => Guardrails.fromConfig({ config: { rails } }, { logger: false }));
    service.respond({ hangs: true });
    const { guardrails: verdict } = await guardrails.check(TEXT, {
      stage: row.stage === "output" ? "output" : "input",
    });
    expect(verdict).toMatchObject({ blocked: true, decisions: [{ status: "error", metadata: { code: "RL-202" } }] });
    expect(verdict.decisions[0]?.reason).toContain("no response within 20 ms");
  });

  it.each(["block", "allow", "throw"] as const)("`on_error: %s` overrides the option", async (policy) => {
    const settings = withUrl(row.settings) as Readonly<Record<string, object>>;
    const own = { retries: 0, on_error: policy };
    const stated = settings[row.key] ?? {};
    // Settings of classifiers are listed under their names.
    const named = Object.entries(stated).map(([name, classifier]) => [name, { ...(classifier as object), ...own }]);
    const changed = row.key === "hf_classifier" ? Object.fromEntries(named) : { ...stated, ...own };
    const rails = { [row.stage]: { flows: [row.flow] }, config: { ...settings, [row.key]: changed } };
    const onError = policy === "block" ? "allow" : "block";
    const guardrails = await inEnvironment(row, () =>
      Guardrails.fromConfig({ config: { rails } }, { logger: false, onError }),
    );
    service.respond({ status: 500 });
    const checked = guardrails.check(TEXT, { stage: row.stage === "output" ? "output" : "input" });
    if (policy === "throw") {
      await expect(checked).rejects.toMatchObject({ code: "RL-202", status: 500 });
      return;
    }
    const { status, output, guardrails: verdict } = await checked;
    expect([status, output]).toEqual(policy === "allow" ? ["passed", TEXT] : ["blocked", REFUSAL]);
    expect(verdict.decisions).toMatchObject([{ status: "error", onError: policy }]);
    expect(verdict.blocked).toBe(policy === "block");
  });
});

describe.each(SERVICE_ROWS.map((row) => [row.flow, row] as const))("settings of %s", (_, row) => {
  it("are checked when the configuration loads", async () => {
    const diagnosticsOf = async (run: () => Promise<unknown>) => {
      const error: unknown = await run().catch((cause: unknown) => cause);
      if (!DiagnosticError.isInstance(error)) throw error;
      expect(error.message).not.toMatch(/secret|key-0/);
      return error.diagnostics;
    };
    const load = (config: object) =>
      Guardrails.fromConfig({ config: { rails: { [row.stage]: { flows: [row.flow] }, config } } }, { logger: false });
    const [missing] = Object.keys(row.env);
    if (missing !== undefined && row.key !== "privateai") {
      const found = await diagnosticsOf(() => load(withUrl(row.settings)));
      expect(found).toContainEqual(expect.objectContaining({ code: "CF-113", hint: expect.stringContaining(missing) }));
    }
    const { incomplete } = row;
    if (incomplete === undefined) return;
    const found = await diagnosticsOf(() => inEnvironment(row, () => load(incomplete)));
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ path: expect.stringContaining("rails."), hint: expect.any(String) });
  });
});
