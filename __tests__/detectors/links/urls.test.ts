import { describe, expect, it } from "@jest/globals";
import { ConfigError } from "../../../src/diagnostics/errors.js";
import { Scanner, textOf, urls, type UrlsOptions } from "../../../src/detectors/index.js";
import { decodePunycode, skeletonOf } from "../../../src/detectors/links/look-alike-labels.js";

const types = (text: string, options: UrlsOptions = {}): readonly string[] =>
  new Scanner([urls(options)]).scan(text).map(({ type }) => type);

describe("urls", () => {
  it.each([
    ["a user that looks like a host", "https://good.com@evil.example/"],
    ["a user and a password", "https://user:pw@evil.example/"],
    ["a backslash before the host", "https://good.com\\@evil.example/"],
    ["backslashes", "https:\\\\evil.example"],
    ["one slash", "https:/evil.example/a"],
    ["an address as one number", "http://2130706433/"],
    ["an address in hexadecimal digits", "http://0x7f.0.0.1/"],
    ["an address in octal digits", "http://0177.0.0.01/"],
    ["a short address", "http://127.1/"],
    ["an address in an address", "http://[::ffff:127.0.0.1]/"],
    ["an escape in the host", "https://ev%69l.example/"],
    ["a full stop of another script", "https://evil\u3002example/"],
    ["full-width letters", "https://\uff45\uff56\uff49\uff4c.example/"],
    ["a Cyrillic letter among Latin ones", "https://p\u0430ypal.com/"],
    ["punycode of mixed letters", "https://xn--pypal-4ve.com/"],
    ["a name of Cyrillic letters alone", "https://\u0430\u0440\u0440\u04cf\u0435.com/"],
    ["an accent", "https://g\u00f6ogle.com/"],
    ["a digit for a letter", "https://paypa1.com/"],
    ["two letters for one", "https://rnicrosoft.com/login"],
    ["zeros", "www.g00gle.com"],
    ["a known name below another", "https://paypal.com.evil.example/"],
    ["a known name with a hyphen", "https://www-paypal-com.evil.co.uk/"],
  ])("finds %s", (_name, text) => {
    expect(types(`see ${text} there`)).toEqual(["DECEPTIVE_URL"]);
  });

  it.each([
    "https://example.org/a?b=c#d",
    "https://m\u00fcnchen.de/",
    "https://\u043f\u0440\u0438\u043c\u0435\u0440.\u0440\u0444/",
    "https://xn--mnchen-3ya.de/",
    "https://paypal.com/signin",
    "https://www.paypal.com/signin",
    "https://paypal.me/ada",
    "https://google.co.uk/",
    "http://192.168.0.1:8080/",
    "http://[::1]:3000/",
    "https://github.io/",
    "https://user-images.example.org/1.png",
    "https: a protocol, and http://",
    'and/or, 1//2, "//" is a comment',
  ])("finds nothing in %s", (text) => {
    expect(types(`see ${text} there`)).toEqual([]);
  });

  it.each([
    ["https://example.org/", []],
    ["https://docs.example.org/", []],
    ["https://notexample.org/", ["DENIED_URL"]],
    ["https://example.org.evil.net/", ["DECEPTIVE_URL"]],
    ["https://examp1e.org/", ["DECEPTIVE_URL"]],
    ["www.evil.net/x", ["DENIED_URL"]],
    ['<a href="//evil.net">', ["DENIED_URL"]],
  ])("reads %s with an allow list", (text, expected) => {
    expect(types(text, { allow: ["*.example.org"] })).toEqual(expected);
  });

  it.each([
    ["https://evil.net/", ["DENIED_URL"]],
    ["https://a.EVIL.net./", ["DENIED_URL"]],
    ["https://notevil.net/", []],
  ])("reads %s with a deny list", (text, expected) => {
    expect(types(text, { deny: ["evil.net"] })).toEqual(expected);
  });

  it("reports the URL as it is written", () => {
    const text = "(see https://evil.net/a(b)c, or not).";
    expect(new Scanner([urls({ deny: ["evil.net"] })]).scan(text).map((finding) => textOf(finding, text))).toEqual([
      "https://evil.net/a(b)c",
    ]);
  });

  it.each([
    [{ deny: ["not a host"] }, /not the name of a host/],
    [{ allow: ["example.org/path"] }, /write `example.org`/],
    [{ protect: [] }, /empty list/],
    [{ denied: [] }, /unknown option `denied` of `urls`/],
  ])("refuses %j", (options, message) => {
    expect(() => urls(options as UrlsOptions)).toThrow(message);
    expect(() => urls(options as UrlsOptions)).toThrow(ConfigError);
  });
});

describe("labels of hosts", () => {
  it.each([
    ["xn--mnchen-3ya", "m\u00fcnchen"],
    ["xn--e1afmkfd", "\u043f\u0440\u0438\u043c\u0435\u0440"],
    ["xn--fiqs8s", "\u4e2d\u56fd"],
    ["xn--bcher-kva", "b\u00fccher"],
  ])("decodes %s", (encoded, label) => {
    expect(decodePunycode(encoded)).toBe(label);
  });

  it.each(["xn--", "xn--\u00e9", "xn--99999999999", `xn--${"z".repeat(60)}`])("accepts the malformed %s", (label) => {
    expect(() => decodePunycode(label)).not.toThrow();
  });

  it("maps names that look alike to one skeleton", () => {
    expect(skeletonOf("rnicros0ft")).toBe(skeletonOf("microsoft"));
    expect(skeletonOf("\u0440\u0430ypal")).toBe(skeletonOf("paypal"));
  });
});
