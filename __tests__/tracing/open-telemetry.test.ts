import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { context, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { Guardrails, type GuardrailsOptions } from "langchain-guardrails";
import { createTracing, flushTraces, openTelemetry } from "langchain-guardrails/tracing";
import { scriptedModel } from "../../src/testing/scripted-model.js";
import { drain, RAILS, textActions } from "../support/langchain/real-guardrails.js";
import { collectingSink } from "../support/tracing/collected.js";
import { ReplyingModel } from "../support/langchain/replying-model.js";

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const contexts = new AsyncLocalStorageContextManager();

beforeAll(() => void context.setGlobalContextManager(contexts.enable()));
afterAll(() => {
  context.disable();
  trace.disable();
});
beforeEach(() => exporter.reset());

const RULES = { rails: { input: { flows: ["check words"] }, output: { flows: ["hide digits of answer"] } } };

async function load(options: GuardrailsOptions = {}, content?: boolean, tracerProvider: object | undefined = provider) {
  const own = tracerProvider as typeof provider;
  const tracing = createTracing({ sinks: [await openTelemetry({ tracerProvider: own })], content, logger: false });
  return Guardrails.fromConfig(
    { colang: RAILS["1.0"], config: RULES },
    { actions: textActions(), logger: false, tracing, ...options },
  );
}

/** Finished spans, each as the path from the first one to it. */
function pathsOf(spans: readonly ReadableSpan[]): string[] {
  const byId = new Map(spans.map((span) => [span.spanContext().spanId, span]));
  const pathOf = (span: ReadableSpan): string => {
    const parent = byId.get(span.parentSpanContext?.spanId ?? "");
    return `${parent === undefined ? "" : `${pathOf(parent)} > `}${span.name}`;
  };
  return spans.map((span) => pathOf(span));
}

const spanOf = (name: string): ReadableSpan | undefined =>
  exporter.getFinishedSpans().find((span) => span.name === name);

const toMs = ([seconds, nanoseconds]: readonly [number, number]): number => seconds * 1_000 + nanoseconds / 1_000_000;

describe("spans of OpenTelemetry", () => {
  it("have the tree of the call, their kinds and attributes", async () => {
    const guardrails = await load();
    await guardrails.wrap(scriptedModel(["fine"])).invoke("hi");
    const spans = exporter.getFinishedSpans();
    expect(pathsOf(spans)).toEqual([
      "guardrails.request",
      "guardrails.request > guardrails.rail",
      "guardrails.request > guardrails.rail > guardrails.action",
      "guardrails.request > guardrails.action",
      "guardrails.request > guardrails.action > chat scripted-model",
      "guardrails.request > guardrails.rail",
      "guardrails.request > guardrails.rail > guardrails.action",
    ]);
    expect(new Set(spans.map((span) => span.spanContext().traceId)).size).toBe(1);
    expect(spanOf("guardrails.request")?.kind).toBe(SpanKind.SERVER);
    expect(spanOf("guardrails.rail")?.attributes).toMatchObject({
      "rail.name": "check words",
      "rail.type": "input",
      "rail.status": "passed",
      "rail.stop": false,
    });
    const model = spanOf("chat scripted-model");
    expect(model?.kind).toBe(SpanKind.CLIENT);
    expect(model?.attributes).toMatchObject({
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "scripted",
      "gen_ai.request.model": "scripted-model",
    });
  });

  it("have the times of the work", async () => {
    const kept = collectingSink();
    const sink = await openTelemetry({ tracerProvider: provider });
    const guardrails = await load({ tracing: createTracing({ sinks: [sink, kept] }) });
    await guardrails.wrap(scriptedModel(["fine"])).invoke("hi");
    await flushTraces();
    const recorded = kept.interactions[0]?.spans ?? [];
    const exported = exporter.getFinishedSpans();
    expect(exported).toHaveLength(recorded.length);
    for (const [index, span] of exported.entries()) {
      expect(toMs(span.startTime)).toBeCloseTo(recorded[index]?.startedAt ?? 0, 2);
      expect(toMs(span.endTime)).toBeCloseTo(recorded[index]?.finishedAt ?? 0, 2);
    }
  });

  it("are children of the active span of the application", async () => {
    const guardrails = await load();
    const tracer = provider.getTracer("app");
    await tracer.startActiveSpan("GET /chat", async (span) => {
      await guardrails.wrap(scriptedModel(["fine"])).invoke("hi");
      span.end();
    });
    expect(pathsOf(exporter.getFinishedSpans())).toContain("GET /chat > guardrails.request > guardrails.rail");
    expect(spanOf("guardrails.request")?.kind).toBe(SpanKind.INTERNAL);
  });

  it.each(["invoke", "stream"] as const)("are active while the wrapped model and actions run: %s", async (how) => {
    const active: (string | undefined)[] = [];
    const note = (): void => {
      const span = trace.getActiveSpan() as unknown as ReadableSpan | undefined;
      active.push(span?.name);
    };
    const model = new ReplyingModel(() => (note(), ["fine"]));
    const guardrails = await load({ actions: textActions(note) });
    const guarded = guardrails.wrap(model as never);
    if (how === "invoke") await guarded.invoke("hi" as never);
    else await drain(await guarded.stream("hi" as never));
    expect(active[0]).toBe("guardrails.action");
    expect(active[1]).toMatch(/^chat/);
    expect(trace.getActiveSpan()).toBeUndefined();
  });

  it.each([
    ["a block", "bad", SpanStatusCode.UNSET],
    ["a failing model", "fail", SpanStatusCode.ERROR],
  ])("of %s have the status of the call", async (_title, text, code) => {
    const guardrails = await load();
    await guardrails
      .wrap(scriptedModel([]))
      .invoke(text)
      .catch(() => undefined);
    const request = spanOf("guardrails.request");
    expect(request?.status.code).toBe(code);
    expect(request?.attributes["guardrails.blocked"]).toBe(code === SpanStatusCode.UNSET ? true : undefined);
    expect(exporter.getFinishedSpans().flatMap(({ events }) => events)).toEqual([]);
  });

  it("have messages under the names of the conventions if the application asks for them", async () => {
    const guardrails = await load({}, true);
    await guardrails.wrap(scriptedModel(["call 12345"])).invoke("hello");
    const { attributes = {} } = spanOf("guardrails.request") ?? {};
    const message = (role: string, content: string) => [{ role, parts: [{ type: "text", content }] }];
    expect(JSON.parse(String(attributes["gen_ai.input.messages"]))).toEqual(message("user", "hello"));
    expect(JSON.parse(String(attributes["gen_ai.output.messages"]))).toEqual(message("assistant", "call *****"));
    expect(JSON.stringify(exporter.getFinishedSpans().map((span) => span.attributes))).not.toContain("12345");
  });

  it("use the provider that the application registers, also after the guardrails are loaded", async () => {
    const tracing = createTracing({ sinks: [await openTelemetry()] });
    const guardrails = await load({ tracing });
    await guardrails.wrap(scriptedModel(["fine"])).invoke("hi");
    expect(exporter.getFinishedSpans()).toEqual([]);
    trace.setGlobalTracerProvider(provider);
    await guardrails.wrap(scriptedModel(["fine"])).invoke("hi");
    expect(spanOf("guardrails.request")).toBeDefined();
  });

  it("change nothing if the provider fails", async () => {
    const broken = {
      getTracer: () => ({
        startSpan: () => {
          throw new Error("no span");
        },
      }),
    };
    const guardrails = await load({}, undefined, broken);
    expect((await guardrails.wrap(scriptedModel(["call 12345"])).invoke("hi")).text).toBe("call *****");
  });
});
