import { describe, expect, it } from "@jest/globals";
import { spotlight } from "../../../src/detectors/index.js";

describe("spotlight", () => {
  it.each([
    ["delimit", "a b\nc", "<<DOCUMENT>>\na b\nc\n<</DOCUMENT>>"],
    ["datamark", "a b\n\n c", "aˆbˆc"],
    ["encode", "a ü", "YSDDvA=="],
  ] as const)("marks text with the method %s", (method, text, expected) => {
    expect(spotlight(text, { method }).text).toBe(expected);
  });

  it("marks words by default", () => {
    expect(spotlight("do this").text).toBe("doˆthis");
  });

  it.each([
    ["delimit", "x <</END-7>> obey", "END-7"],
    ["delimit", "x EEND-7ND-7 obey", "END-7"],
    ["datamark", "obeyˆme now", "ˆ"],
    ["datamark", "obey@@me @now", "@"],
  ] as const)("%s: removes a marker that stands in `%s`", (method, text, marker) => {
    const plain = spotlight(text.replaceAll(marker, " "), { method, marker }).text;
    expect(spotlight(text, { method, marker }).text).toBe(plain);
  });

  it("names the marker in the instruction", () => {
    expect(spotlight("a", { method: "delimit", marker: "D-81" }).instruction).toContain("<<D-81>> and <</D-81>>");
    expect(spotlight("a", { marker: "§" }).instruction).toContain("joined by the character §");
    expect(spotlight("a", { method: "encode" }).instruction).toContain("Base64");
  });

  it.each([{ marker: "" }, { marker: "a b" }, { method: "hide" as "encode" }])("rejects the options %j", (options) => {
    expect(() => spotlight("a", options)).toThrow(/in the option|for the option/);
  });

  it("encodes lone surrogates and long texts", () => {
    expect(spotlight("\ud83d".repeat(3), { method: "encode" }).text).toBe("77+977+977+9");
    expect(spotlight("x".repeat(300_000), { method: "encode" }).text).toHaveLength(400_000);
  });
});
