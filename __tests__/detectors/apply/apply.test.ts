import { describe, expect, it } from "@jest/globals";
import { applyFindings, type ApplyOptions, type Finding, Pseudonyms } from "../../../src/detectors/index.js";

const TEXT = "mail ada@example.org now";
const found = (type: string, start: number, end: number, score = 1): Finding => ({
  type,
  start,
  end,
  score,
  detector: "test",
  rule: "test",
});
const EMAIL = found("EMAIL_ADDRESS", 5, 20);

describe("applyFindings", () => {
  it.each<[string, ApplyOptions, string]>([
    ["masks", {}, "mail <EMAIL_ADDRESS> now"],
    ["replaces", { otherwise: { replace: "***" } }, "mail *** now"],
    ["reports", { otherwise: "report" }, TEXT],
    ["pseudonymises", { otherwise: "pseudonymise", pseudonyms: new Pseudonyms() }, "mail <EMAIL_1> now"],
    ["treats each type on its own", { otherwise: "block", treatments: { EMAIL_ADDRESS: "report" } }, TEXT],
  ])("%s", (_, options, expected) => {
    expect(applyFindings(TEXT, [EMAIL], options)).toEqual({ text: expected, isBlocked: false });
  });

  it("returns no text if a finding blocks", () => {
    expect(applyFindings(TEXT, [EMAIL], { otherwise: "block" })).toEqual({ text: "", isBlocked: true });
  });

  it.each<[string, readonly Finding[], string]>([
    ["a better finding over the end of another", [EMAIL, found("URL", 9, 24, 0.5)], "mail <EMAIL_ADDRESS>"],
    ["a finding over all of another", [EMAIL, found("URL", 0, 24, 0.5)], "<EMAIL_ADDRESS>"],
    ["a chain of findings", [EMAIL, found("A", 0, 6, 0.9), found("B", 19, 22, 0.9)], "<EMAIL_ADDRESS>ow"],
    ["findings side by side", [EMAIL, found("A", 4, 5), found("B", 20, 21)], "mail<A><EMAIL_ADDRESS><B>now"],
    ["an empty finding", [found("A", 3, 3)], TEXT],
  ])("removes all of %s", (_, findings, expected) => {
    expect(applyFindings(TEXT, findings).text).toBe(expected);
  });

  it.each<[string, object, string]>([
    ["an unknown treatment", { otherwise: "hide" }, "expected a treatment, got `hide`"],
    ["a treatment of another shape", { treatments: { A: 3 } }, "expected a treatment, got number"],
    ["pseudonyms that are missing", { otherwise: "pseudonymise" }, "`pseudonymise` needs pseudonyms"],
    ["pseudonyms of another shape", { otherwise: "pseudonymise", pseudonyms: {} }, "`pseudonymise` needs pseudonyms"],
    ["an unknown option", { treatment: { A: "block" } }, "unknown option `treatment` of `applyFindings`"],
    ["a list of treatments", { treatments: ["block"] }, "expected an object, got a list"],
  ])("refuses %s", (_, options, message) => {
    expect(() => applyFindings(TEXT, [], options as ApplyOptions)).toThrow(message);
  });
});
