import { describe, expect, it } from "@jest/globals";
import type { GuardrailsMetadata, RailDecision } from "../../src/turn/decision.js";
import { prometheusMetrics, type RequestRecord } from "../../src/server/index.js";
import { answering, guardedServer } from "../support/server/guarded-server.js";

const decision = (fields: Partial<RailDecision>): RailDecision => ({
  status: "passed",
  stage: "input",
  rail: "check words",
  durationMs: 2,
  ...fields,
});

const record = (fields: Partial<RequestRecord> = {}): RequestRecord => ({
  requestId: "req_1",
  route: "/v1/chat/completions",
  method: "POST",
  status: 200,
  caller: "shop",
  config: "bakery",
  model: "gpt",
  isStream: false,
  durationMs: 120,
  queuedMs: 0,
  firstTokenMs: undefined,
  errorCode: undefined,
  verdict: undefined,
  ...fields,
});

const blocked: GuardrailsMetadata = {
  blocked: true,
  stage: "input",
  rail: "check words",
  decisions: [decision({ status: "blocked", reason: "secret reason" })],
};

async function pageAfter(...records: readonly RequestRecord[]): Promise<string> {
  const { observer, metrics } = await prometheusMetrics();
  observer.serverStarted?.(() => ({ active: 3, queued: 2 }));
  for (const each of records) observer.requestFinished?.(each);
  return (await metrics()).body;
}

describe("metrics of a server", () => {
  it.each<[string, RequestRecord, readonly string[]]>([
    [
      "a request",
      record(),
      [
        'guardrails_requests_total{route="/v1/chat/completions",config="bakery",status="200"} 1',
        'guardrails_request_duration_seconds_sum{route="/v1/chat/completions",config="bakery",stream="false"} 0.12',
        "guardrails_requests_active 3",
        "guardrails_requests_queued 2",
      ],
    ],
    [
      "a block",
      record({ verdict: blocked }),
      [
        'guardrails_blocked_total{config="bakery",rail="check words",stage="input"} 1',
        'guardrails_rail_decisions_total{config="bakery",rail="check words",stage="input",status="blocked"} 1',
        'guardrails_rail_duration_seconds_sum{rail="check words",stage="input"} 0.002',
      ],
    ],
    [
      "a rail in shadow",
      record({ verdict: { blocked: false, decisions: [decision({ status: "blocked", shadow: true })] } }),
      ['status="shadow_blocked"} 1'],
    ],
    [
      "a stream",
      record({ isStream: true, firstTokenMs: 40, queuedMs: 10 }),
      [
        'guardrails_time_to_first_token_seconds_sum{config="bakery"} 0.04',
        "guardrails_queue_seconds_sum 0.01",
        'stream="true"} 0.12',
      ],
    ],
    [
      "an error",
      record({ status: 503, errorCode: "server_overloaded", config: undefined }),
      [
        'guardrails_requests_total{route="/v1/chat/completions",config="none",status="503"} 1',
        'guardrails_errors_total{route="/v1/chat/completions",code="server_overloaded"} 1',
      ],
    ],
    ["an error without a code", record({ status: 502 }), ['code="502"} 1']],
  ])("count %s", async (_title, each, lines) => {
    const page = await pageAfter(each);
    for (const line of lines) expect(page).toContain(line);
    expect(page).not.toMatch(/secret|shop|req_1|gpt/);
  });

  it("bound the values of labels, whatever upstream servers send as codes", async () => {
    const records = Array.from({ length: 500 }, (_, index) => record({ status: 500, errorCode: `code_${index}` }));
    const page = await pageAfter(...records, record({ status: 500, errorCode: 'a"b\nc' }));
    expect(page.match(/^guardrails_errors_total\{/gm)).toHaveLength(201);
    expect(page).toContain('code="other"} 301');
  });

  it("have their own prefix, and include those of the process if configured", async () => {
    const { metrics } = await prometheusMetrics({ prefix: "bakery_", process: true });
    const { contentType, body } = await metrics();
    expect(contentType).toContain("text/plain");
    expect(body).toContain("bakery_process_cpu_seconds_total");
    expect(body).not.toContain("guardrails_");
  });

  it("refuse a misspelt option", async () => {
    await expect(prometheusMetrics({ prefixes: "a" } as never)).rejects.toThrow("prefixes");
  });

  it("are counted even if an observer fails", async () => {
    const seen: number[] = [];
    const observer = {
      requestFinished: ({ status }: RequestRecord) => {
        seen.push(status);
        throw new Error("observer");
      },
    };
    const options = await prometheusMetrics({ observer });
    await using server = await guardedServer(options);
    server.upstream.reply = answering("fine");
    await (await server.chat("hi")).text();
    await (await server.chat("a bad word")).text();
    await (await server.chat("hi", { stream: true })).text();
    await (await server.send("/v1/chat/completions", { method: "POST", json: {} })).text();
    const { body } = await options.metrics();
    expect(seen).toEqual([200, 200, 200, 400]);
    expect(body).toContain('guardrails_blocked_total{config="demo",rail="check words",stage="input"} 1');
    expect(body).toContain('guardrails_time_to_first_token_seconds_count{config="demo"} 1');
    expect(body).toContain('status="400"} 1');
    expect(body).toContain("guardrails_requests_active 0");
  });
});
