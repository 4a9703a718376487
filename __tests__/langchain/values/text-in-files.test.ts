// Files whose bytes are a text, whatever their type says.
import { describe, expect, it } from "@jest/globals";
import { HumanMessage } from "@langchain/core/messages";
import { extractText } from "../../../src/langchain/values/content.js";
import { unseenInMessage } from "../../../src/langchain/values/message-extras.js";

const TEXT = "a line of words ??>>";
const base64 = Buffer.from(TEXT).toString("base64");
const message = (block: object) => new HumanMessage({ content: [block] } as never);
const typed = (mimeType: string) => ({ type: "file", mimeType, data: base64 });

describe("the text of a file", () => {
  it.each<[string, object, boolean]>([
    [
      "with capitals in its address",
      { type: "image_url", image_url: { url: `DATA:text/plain;base64,${base64}` } },
      true,
    ],
    [
      "with a space before its address",
      { type: "image_url", image_url: { url: ` data:text/plain;base64,${base64}` } },
      true,
    ],
    ["with capitals in its encoding", { type: "file", url: `data:text/plain;BASE64,${base64}` }, true],
    [
      "in Base64 for addresses",
      { type: "file", mimeType: "text/plain", data: Buffer.from(TEXT).toString("base64url") },
      true,
    ],
    ["in the place of an address", { type: "file", file: { file_data: base64, filename: "a" } }, false],
    ["of an e-mail", typed("message/rfc822"), false],
    ["of settings", typed("application/toml"), false],
    ["of a program", typed("application/x-httpd-php"), false],
    ["of no known type", typed("application/octet-stream"), false],
    ["of a made-up type", typed("foo/bar"), false],
    ["of an empty type", typed(""), false],
    ["as bytes", { type: "file", mimeType: "foo/bar", data: new TextEncoder().encode(TEXT) }, false],
    ["in an address of a made-up type", { type: "file", url: `data:foo/bar,${encodeURIComponent(TEXT)}` }, false],
  ])("%s is read", (_, block, isText) => {
    expect(extractText(message(block))).toContain(TEXT);
    // A reader of another format may find more in it.
    expect(unseenInMessage(message(block))).toHaveLength(isText ? 0 : 1);
  });

  it.each<[string, object]>([
    ["a picture", { type: "image", mimeType: "image/png", data: base64 }],
    ["a PDF", typed("application/pdf")],
    ["bytes that are no text", { type: "file", mimeType: "foo/bar", data: "AAECAwQF" }],
    ["an address", { type: "image_url", image_url: { url: "https://x.test/picture-of-words.png" } }],
    ["an id in the place of an address", { type: "file", file: { file_data: "file-abcdef" } }],
  ])("is not looked for in %s", (_, block) => {
    expect(extractText(message(block))).toBe("");
    expect(unseenInMessage(message(block))).toHaveLength(1);
  });
});
