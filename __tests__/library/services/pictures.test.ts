import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { HumanMessage } from "@langchain/core/messages";
import { Guardrails } from "../../../src/index.js";
import { imageUrl } from "../../../src/library/http/image-url.js";
import { type ScriptedService, scriptedService } from "../../support/scripted-service.js";

const URL_BLOCK = { type: "image_url", image_url: { url: "https://example.org/cat.png" } };
const DATA_BLOCK = { type: "image", source_type: "base64", mime_type: "image/png", data: "iVBORw0KGgo=" };
const DATA_URL = "data:image/png;base64,iVBORw0KGgo=";

let service: ScriptedService;
beforeAll(async () => {
  service = await scriptedService();
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
});

const reply = (flagged: boolean) => ({
  json: {
    results: [{ flagged, categories: { violence: flagged }, category_scores: { violence: flagged ? 0.9 : 0.1 } }],
  },
});

async function open(version: string, settings: object = {}): Promise<Guardrails> {
  process.env["OPENAI_API_KEY"] = "key-0123456789";
  const config = { openai_moderation: { server_endpoint: service.url, retries: 0, ...settings } };
  const rails = { input: { flows: ["openai moderation on input"] }, config };
  const options = { logger: false as const, unseen: "block" as const };
  return Guardrails.fromConfig({ config: { colang_version: version, rails } }, options);
}

function message(text: string, ...blocks: readonly object[]): HumanMessage {
  const content = [...(text === "" ? [] : [{ type: "text", text }]), ...blocks];
  return new HumanMessage({ content: content as HumanMessage["content"] });
}

describe.each(["1.0", "2.x"])("images for OpenAI moderation in Colang %s", (version) => {
  it("are sent one by one with the text, and the text alone after them", async () => {
    service.respond(reply(false));
    const guardrails = await open(version);
    const checked = await guardrails.check([message("what is it?", URL_BLOCK, DATA_BLOCK)]);
    expect(checked.status).toBe("passed");
    const text = { type: "text", text: "what is it?" };
    const sent = service.requests.map(({ body }) => (body as { readonly input: unknown }).input);
    expect(sent).toHaveLength(3);
    expect(sent).toEqual(
      expect.arrayContaining([
        [text, { type: "image_url", image_url: { url: "https://example.org/cat.png" } }],
        [text, { type: "image_url", image_url: { url: DATA_URL } }],
        "what is it?",
      ]),
    );
    expect(checked.guardrails.decisions[0]).toMatchObject({ status: "passed", metadata: { images: 2 } });
  });

  it.each(["what is it?", ""])("block the message (text %j)", async (text) => {
    service.respond(reply(true));
    const checked = await (await open(version)).check([message(text, DATA_BLOCK)]);
    expect(checked).toMatchObject({ status: "blocked", guardrails: { rail: "openai moderation on input" } });
    expect(checked.guardrails.decisions[0]).toMatchObject({ categories: ["violence"], score: 0.9 });
    expect(JSON.stringify(checked.guardrails)).not.toContain("iVBOR");
  });

  it.each([
    ["a failure of the service", URL_BLOCK, { status: 500 }],
    ["a response that is not a verdict", URL_BLOCK, { json: { results: [] } }],
    ["an image without a URL", { type: "image", source_type: "id", id: "file-1" }, reply(false)],
  ])("block on %s", async (_, block, response) => {
    service.respond(response);
    const checked = await (await open(version)).check([message("what is it?", block)]);
    expect(checked.guardrails).toMatchObject({ blocked: true, decisions: [{ status: "error" }] });
  });

  it("are left to `unseen` with a model that reads only texts", async () => {
    service.respond(reply(false));
    const guardrails = await open(version, { model: "text-moderation-latest" });
    const checked = await guardrails.check([message("hi", URL_BLOCK)]);
    expect(checked).toMatchObject({ status: "blocked", guardrails: { rail: "unseen parts" } });
  });
});

it.each([
  ["an address in a text", { type: "image_url", image_url: DATA_URL }, DATA_URL],
  ["an address of a standard block", { type: "image", url: "https://example.org/a.png" }, "https://example.org/a.png"],
  ["bytes of a standard block", { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" }, DATA_URL],
  [
    "binary bytes",
    { type: "image", mimeType: "image/PNG", data: new Uint8Array([137, 80]) },
    "data:image/png;base64,iVA=",
  ],
  [
    "bytes of Anthropic",
    { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
    DATA_URL,
  ],
  ["bytes of Google", { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } }, DATA_URL],
  ["a file of Google", { fileData: { mimeType: "image/png", fileUri: "gs://bucket/a.png" } }, undefined],
  [
    "the same address twice",
    { type: "image", url: "https://example.org/a.png", image_url: { url: "https://example.org/a.png" } },
    "https://example.org/a.png",
  ],
  [
    "two pictures",
    { ...URL_BLOCK, source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } },
    undefined,
  ],
  ["a picture and a file of its provider", { ...URL_BLOCK, file_id: "file-1" }, undefined],
  ["bytes as a list of numbers", { type: "image", mimeType: "image/png", data: [137, 80] }, undefined],
  ["an address of another scheme", { type: "image_url", image_url: { url: "file:///etc/passwd" } }, undefined],
  ["bytes of another type", { type: "image", mimeType: "text/html", data: "aGk=" }, undefined],
  ["bytes without a type", { type: "image", data: "aGk=" }, undefined],
  ["a name of a file", { type: "image", source: { type: "file", file_id: "file-1" } }, undefined],
])("reads an image as an address: %s", (_, block, expected) => {
  expect(imageUrl(block)).toBe(expected);
});
