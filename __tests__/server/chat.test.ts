import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGuardrailsApp } from "../../src/server/index.js";
import { describe, expect, it } from "@jest/globals";
import { answering, completion, readEvents } from "../support/server/guarded-server.js";
import { serverOfFile } from "../support/server/server-of-file.js";

const server = serverOfFile();

interface Completion {
  readonly choices: readonly { readonly message: { readonly content: string }; readonly finish_reason: string }[];
  readonly guardrails: { readonly status: string; readonly rail?: string };
}

describe("POST /v1/chat/completions", () => {
  it("returns the upstream response with its verdict", async () => {
    server.upstream.reply = () => completion("Hello!");
    const response = await server.chat("hi");
    expect(response.status).toBe(200);
    const body = (await response.json()) as Completion;
    expect(body.choices[0]).toMatchObject({ message: { role: "assistant", content: "Hello!" }, finish_reason: "stop" });
    expect(body.guardrails).toMatchObject({ config_id: "demo", status: "passed" });
    expect(response.headers.get("x-guardrails-status")).toBe("passed");
    expect(server.upstream.requests.at(-1)?.headers.authorization).toBe("Bearer upstream-secret-key");
  });

  it("blocks a user message before the upstream model sees it", async () => {
    const before = server.upstream.requests.length;
    const response = await server.chat("a bad word");
    expect(response.status).toBe(200);
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({
      choices: [{ message: { content: "REFUSED" }, finish_reason: "content_filter" }],
      guardrails: { status: "blocked", rail: "check words", stage: "input" },
    });
    expect(text).not.toMatch(/\bbad\b/);
    expect(response.headers.get("x-guardrails-rail")).toBe("check words");
    expect(server.upstream.requests).toHaveLength(before);
  });

  it("blocks a response, and rewrites one", async () => {
    server.upstream.reply = () => completion("That is bad.");
    const blocked = await (await server.chat("hi")).text();
    expect(blocked).toContain("REFUSED");
    expect(blocked).not.toMatch(/\bbad\b/);
    server.upstream.reply = () => completion("Room 12.");
    const rewritten = (await (await server.chat("hi")).json()) as Completion;
    expect(rewritten.choices[0]?.message.content).toBe("Room **.");
    expect(rewritten.guardrails.status).toBe("modified");
  });

  it("combines configurations", async () => {
    const rules = (stage: string, pattern: string): string =>
      `rails:\n  config:\n    regex_detection:\n      ${stage}: { patterns: [${pattern}] }\n  ${stage}: { flows: [regex check ${stage}] }\n`;
    const main = `models: [{ type: main, engine: vllm_openai, model: m, parameters: { base_url: "${server.upstream.url}" } }]\n`;
    const folder = await mkdtemp(join(tmpdir(), "combined-"));
    await writeFile(join(folder, "a.yml"), main + rules("input", "apple"));
    await writeFile(join(folder, "b.yml"), rules("output", "banana"));
    const configs = { a: join(folder, "a.yml"), b: join(folder, "b.yml") };
    const app = await createGuardrailsApp({ configs, logger: false });
    server.upstream.reply = answering("A banana.");
    const ask = async (text: string, config_ids: readonly string[]) => {
      const body = JSON.stringify({
        model: "m",
        messages: [{ role: "user", content: text }],
        guardrails: { config_ids },
      });
      const headers = { "content-type": "application/json" };
      const response = await app.fetch(
        new Request("http://localhost/v1/chat/completions", { method: "POST", body, headers }),
      );
      const { guardrails } = (await response.json()) as { guardrails?: { status: string; rail?: string } };
      return [response.status, guardrails?.status, guardrails?.rail];
    };
    expect(await ask("An apple.", ["a", "b"])).toEqual([200, "blocked", "regex check input"]);
    expect(await ask("hi", ["a", "b"])).toEqual([200, "blocked", "regex check output"]);
    expect(await ask("hi", ["a"])).toEqual([200, "passed", undefined]);
    expect((await ask("hi", ["a", "nothing"]))[0]).toBe(404);
    await app.close(0);
    await rm(folder, { recursive: true });
    // Both define the same flows.
    expect((await server.chat("hi", { guardrails: { config_ids: ["demo", "demo"] } })).status).toBe(400);
  });

  it.each([
    ["of each configuration if it serves several", ["a", "b"], ["a: warning[CF-210]", "b: warning[CF-210]"]],
    ["without a name if it serves one", ["a"], ["warning[CF-210]"]],
  ])("logs warnings %s", async (_title, ids, expected) => {
    const folder = await mkdtemp(join(tmpdir(), "warnings-"));
    await writeFile(join(folder, "config.yml"), "rails: { input: { flows: [regex check input] } }\n");
    const lines: string[] = [];
    const note = (line: string): void => void lines.push(line.slice(0, line.indexOf("]") + 1));
    const configs = Object.fromEntries(ids.map((id) => [id, folder]));
    const app = await createGuardrailsApp({ configs, logger: { warn: note, error: note } });
    expect(lines).toEqual(expected);
    await app.close(0);
    await rm(folder, { recursive: true });
  });

  it("streams the response and ends with the verdict", async () => {
    server.upstream.reply = answering("one two three four five six seven");
    const response = await server.chat("hi", { stream: true });
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const events = readEvents(await response.text());
    const texts = events.map(
      (event) => (event as { choices?: { delta: { content?: string } }[] }).choices?.[0]?.delta.content ?? "",
    );
    expect(texts.join("").trim()).toBe("one two three four five six seven");
    expect(events.at(-1)).toBe("[DONE]");
    expect(events.at(-2)).toMatchObject({ choices: [{ finish_reason: "stop" }], guardrails: { status: "passed" } });
  });

  it("ends a blocked stream with the refusal and without an error", async () => {
    server.upstream.reply = answering("one two three four five six seven eight nine bad ten");
    const response = await server.chat("hi", { stream: true });
    const text = await response.text();
    expect(text).not.toMatch(/\bbad\b/);
    const events = readEvents(text);
    expect(events.at(-1)).toBe("[DONE]");
    expect(events.at(-2)).toMatchObject({
      choices: [{ finish_reason: "content_filter" }],
      guardrails: { status: "blocked" },
    });
  });
});
