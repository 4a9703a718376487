import { afterEach, describe, expect, it } from "@jest/globals";
import { type Attributes, metrics } from "@opentelemetry/api";
import { Guardrails, type GuardrailsOptions } from "langchain-guardrails";
import { createTracing, openTelemetryMetrics } from "langchain-guardrails/tracing";
import { RAILS, textActions } from "../support/langchain/real-guardrails.js";
import { ReplyingModel } from "../support/langchain/replying-model.js";

type Recorded = readonly [name: string, value: number, attributes: Attributes | undefined];

/** A provider whose meter records its calls. */
function collecting() {
  const records: Recorded[] = [];
  const make = (name: string) => {
    const keep = (value: number, attributes?: Attributes): void => void records.push([name, value, attributes]);
    return { add: keep, record: keep };
  };
  const meter = { createCounter: make, createUpDownCounter: make, createHistogram: make };
  return { records, provider: { getMeter: () => meter } };
}

const RULES = { rails: { input: { flows: ["check words"] }, output: { flows: ["hide digits of answer"] } } };

const replying = () => new ReplyingModel(() => ["room 12"]);

const load = (options: GuardrailsOptions, config: object = RULES) =>
  Guardrails.fromConfig({ colang: RAILS["1.0"], config }, { actions: textActions(), logger: false, ...options });

const named = (records: readonly Recorded[], name: string) => records.filter(([each]) => each === name);

afterEach(() => metrics.disable());

describe("metrics of OpenTelemetry", () => {
  it("count calls and their model calls, with names and no texts", async () => {
    const { records, provider } = collecting();
    const tracing = createTracing({ sinks: [await openTelemetryMetrics({ meterProvider: provider })], logger: false });
    const model = (await load({ tracing })).wrap(replying());
    await model.invoke("a private question");
    expect(named(records, "guardrails.requests")).toEqual([["guardrails.requests", 1, undefined]]);
    expect(named(records, "guardrails.active").map(([, value]) => value)).toEqual([1, -1]);
    expect(named(records, "guardrails.request.duration")).toEqual([
      ["guardrails.request.duration", expect.any(Number), { "guardrails.blocked": false }],
    ]);
    expect(named(records, "gen_ai.client.operation.duration")).toEqual([
      [
        "gen_ai.client.operation.duration",
        expect.any(Number),
        expect.objectContaining({ "gen_ai.operation.name": "chat" }),
      ],
    ]);
    expect(named(records, "guardrails.blocked")).toEqual([]);
    expect(JSON.stringify(records)).not.toMatch(/private|room/);
  });

  it("count a block by its rail", async () => {
    const { records, provider } = collecting();
    const tracing = createTracing({ sinks: [await openTelemetryMetrics({ meterProvider: provider })], logger: false });
    await (await load({ tracing })).generate("something bad");
    expect(named(records, "guardrails.blocked")).toEqual([
      ["guardrails.blocked", 1, { "rail.name": "check words", "rail.type": "input" }],
    ]);
    expect(named(records, "guardrails.request.duration")[0]?.[2]).toEqual({ "guardrails.blocked": true });
  });

  it.each([
    ["alone", {}],
    ["next to traces", { tracing: { enabled: true, adapters: [{ name: "OpenTelemetry" }] } }],
  ])("are turned on in a configuration %s, and go to a provider that is registered later", async (_title, more) => {
    const guardrails = await load({}, { ...RULES, metrics: { enabled: true }, ...more });
    const model = guardrails.wrap(replying());
    const { records, provider } = collecting();
    await model.invoke("hi");
    expect(records).toEqual([]);
    metrics.setGlobalMeterProvider(provider as never);
    await model.invoke("hi");
    expect(named(records, "guardrails.requests")).toHaveLength(1);
  });

  it("are off with the option `tracing: false`", async () => {
    const { records, provider } = collecting();
    metrics.setGlobalMeterProvider(provider as never);
    const guardrails = await load({ tracing: false }, { ...RULES, metrics: { enabled: true } });
    await guardrails.wrap(replying()).invoke("hi");
    expect(records).toEqual([]);
  });
});
