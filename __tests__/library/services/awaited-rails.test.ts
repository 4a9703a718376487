import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { Guardrails } from "../../../src/index.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { type ScriptedService, scriptedService } from "../../support/scripted-service.js";

let service: ScriptedService;
beforeAll(async () => {
  service = await scriptedService();
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
});

const OWN_RAILS = `import core
import guardrails
import library.openai_moderation

flow input rails $input_text
  await openai moderation on input

flow answering
  user said something
  bot say "Hello."

flow main
  activate answering
  wait indefinitely
`;

const MASKED = `import core
import library.private_ai

flow answering
  global $user_message
  user said something as $said
  $user_message = $said.transcript
  await mask pii on input
  bot say "You said: {$user_message}"

flow main
  activate answering
  wait indefinitely
`;

interface Setup {
  readonly colang: string;
  readonly onError?: "block" | "allow" | "throw";
  readonly option?: "block" | "allow" | "throw";
}

function open({ colang, onError, option }: Setup): Promise<Guardrails> {
  const common = { retries: 0, ...(onError === undefined ? {} : { on_error: onError }) };
  const config = {
    openai_moderation: { server_endpoint: service.url, api_key_env_var: "PATH", ...common },
    privateai: { server_endpoint: service.url, ...common },
  };
  const yaml = JSON.stringify({ colang_version: "2.x", models: [], rails: { config } });
  const options = { logger: false as const, llm: scriptedModel([]) };
  return Guardrails.fromConfig({ yaml, colang }, option === undefined ? options : { ...options, onError: option });
}

const ask = async (guardrails: Guardrails, text = "hi") => {
  const { response, log } = await guardrails.generate([{ role: "user", content: text }], { log: {} });
  return { text: (response as readonly { readonly content: string }[])[0]?.content, errors: log?.errors ?? [] };
};

describe("a rail of a service that a flow awaits, when the service fails", () => {
  it.each([
    [{ onError: "allow" }, "Hello."],
    [{ option: "allow" }, "Hello."],
    [{ onError: "block", option: "allow" }, undefined],
    [{}, undefined],
  ] as const)("follows its policy %j", async (policy, expected) => {
    service.respond({ status: 500 });
    const { text, errors } = await ask(await open({ colang: OWN_RAILS, ...policy }));
    if (expected === undefined) expect(text).not.toBe("Hello.");
    else expect(text).toBe(expected);
    expect(errors).toEqual(expect.arrayContaining([expect.objectContaining({ code: "RL-202" })]));
    expect(service.requests).toHaveLength(1);
  });

  it("rejects the call with `throw`", async () => {
    service.respond({ text: "<html>busy</html>" });
    const guardrails = await open({ colang: OWN_RAILS, onError: "throw" });
    await expect(ask(guardrails)).rejects.toMatchObject({ code: "RL-202" });
  });

  it("blocks what the service refuses, whatever the policy is", async () => {
    const results = [{ flagged: true, categories: { hate: true }, category_scores: { hate: 0.9 } }];
    service.respond({ json: { results } });
    const { text, errors } = await ask(await open({ colang: OWN_RAILS, onError: "allow" }));
    expect(text).not.toBe("Hello.");
    expect(errors).toEqual([]);
  });

  it.each([
    ["allow", "You said: I am Ada"],
    ["block", undefined],
  ] as const)("does not change a text if masking fails (%s)", async (onError, expected) => {
    service.respond({ status: 503 });
    const { text = "" } = await ask(await open({ colang: MASKED, onError }), "I am Ada");
    if (expected === undefined) expect(text).not.toContain("Ada");
    else expect(text).toBe(expected);
  });
});

const DIALOG = `define user ask
  "hi"

define flow asking
  user ask
  $is_found = execute check_openai_moderation(source="input", text=$user_message)
  if not $is_found
    bot greet

define bot greet
  "Hello."
`;

describe("a rail of a service that a flow of Colang 1.0 runs, when the service fails", () => {
  it.each([
    ["allow", "Hello."],
    ["block", undefined],
  ] as const)("follows its policy %s", async (onError, expected) => {
    service.respond({ status: 500 });
    const openai_moderation = { server_endpoint: service.url, api_key_env_var: "PATH", retries: 0, on_error: onError };
    const rails = { config: { openai_moderation }, dialog: { user_messages: { embeddings_only: true } } };
    const yaml = JSON.stringify({ models: [], rails });
    const guardrails = await Guardrails.fromConfig({ yaml, colang: DIALOG }, { logger: false });
    const { text, errors } = await ask(guardrails);
    if (expected === undefined) expect(text).not.toBe("Hello.");
    else expect(text).toBe(expected);
    expect(errors).toMatchObject([{ code: "RL-202" }]);
  });
});
