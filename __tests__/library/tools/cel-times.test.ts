import { describe, expect, it } from "@jest/globals";
import { CelCompiler } from "../../../src/library/cel/expressions.js";

const compiler = new CelCompiler({ args: "map", tool: "string" });

function evaluate(source: string, args: object = {}): string {
  const compiled = compiler.compile(source);
  return "evaluate" in compiled ? compiled.evaluate({ args, tool: "book" }) : compiled.message;
}

const NOON = 'timestamp("2025-06-15T12:30:45.123Z")';

describe("times in CEL", () => {
  it.each([
    "2025-02-31T00:00:00Z",
    "2025-02-29T00:00:00Z",
    "1900-02-29T00:00:00Z",
    "2025-04-31T00:00:00+02:00",
    "2025-13-01T00:00:00Z",
    "2025-00-01T00:00:00Z",
    "2025-01-00T00:00:00Z",
    "2025-01-01T24:00:00Z",
    "2025-01-01T23:60:00Z",
    "2025-01-01T23:59:60Z",
    "2025-01-01",
    "2025-01-01T00:00:00",
    "2025-01-01 00:00:00Z",
    "2025-01-01T00:00:00+24:00",
    "2025-01-01T00:00:00+0200",
    "2025-01-01T00:00:00.1234567890Z",
    "0000-12-31T00:00:00Z",
    "0001-01-01T00:00:00+01:00",
    "+012025-01-01T00:00:00Z",
    "Sat, 01 Jan 2025 00:00:00 GMT",
    " 2025-01-01T00:00:00Z",
    "2025-01-01T00:00:00Z\n",
    "٢025-01-01T00:00:00Z",
    "",
  ])("%j is not a timestamp", (text) => {
    expect(evaluate('timestamp(args.at) < timestamp("9999-01-01T00:00:00Z")', { at: text })).toBe("unclear");
    expect(evaluate('timestamp(args.at) >= timestamp("9999-01-01T00:00:00Z")', { at: text })).toBe("unclear");
  });

  it.each([
    ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"],
    ["2000-02-29t00:00:00z", "2000-02-29T00:00:00Z"],
    ["2025-01-01T00:00:00+02:00", "2024-12-31T22:00:00Z"],
    ["2024-12-31T23:59:59.5-00:30", "2025-01-01T00:29:59.500Z"],
  ])("%s is the time %s", (left, right) => {
    expect(evaluate(`timestamp(args.at) == timestamp("${right}")`, { at: left })).toBe("true");
  });

  it.each([
    "",
    "1",
    "1d",
    "1h ",
    "1h 30m",
    "h",
    ".h",
    "--1h",
    "1h-30m",
    "1e3s",
    "NaNs",
    "Infinitys",
    "1H",
    "999999999999999h",
    "-315576000001s",
    "1h".repeat(60),
  ])("%j is not a duration", (text) => {
    expect(evaluate('duration(args.for) < duration("1h") || duration(args.for) >= duration("1h")', { for: text })).toBe(
      "unclear",
    );
  });

  it.each([
    ["90m", "1h30m"],
    ["0", "0s"],
    ["+1.5h", "90m"],
    ["-.5h", "-30m"],
    ["1000us", "1ms"],
    ["315576000000s", "87660000h"],
  ])("%s is the duration %s", (left, right) => {
    expect(evaluate(`duration(args.for) == duration("${right}")`, { for: left })).toBe("true");
  });

  it.each([
    [`${NOON}.getFullYear() == 2025`, "true"],
    [`${NOON}.getMonth() == 5`, "true"],
    [`${NOON}.getDate() == 15`, "true"],
    [`${NOON}.getDayOfMonth() == 14`, "true"],
    [`${NOON}.getDayOfWeek() == 0`, "true"],
    [`${NOON}.getDayOfYear() == 165`, "true"],
    [`${NOON}.getHours() == 12`, "true"],
    [`${NOON}.getMinutes() == 30`, "true"],
    [`${NOON}.getSeconds() == 45`, "true"],
    [`${NOON}.getMilliseconds() == 123`, "true"],
    [`${NOON}.getHours("Europe/Berlin") == 14`, "true"],
    [`${NOON}.getHours("+05:45") == 18 && ${NOON}.getMinutes("+05:45") == 15`, "true"],
    [`${NOON}.getHours("02:00") == 14`, "true"],
    [`${NOON}.getHours("-12:00") == 0`, "true"],
    [`${NOON}.getHours("UTC") == 12`, "true"],
    ['timestamp("2025-12-31T23:30:00Z").getFullYear("Asia/Tokyo") == 2026', "true"],
    ['timestamp("2025-12-31T23:30:00Z").getDayOfYear("+01:00") == 0', "true"],
    ['timestamp("2024-12-31T00:00:00Z").getDayOfYear() == 365', "true"],
    ['timestamp("0050-03-01T00:00:00Z").getDayOfYear() == 59', "true"],
    ['timestamp("2025-03-09T02:30:00Z").getHours("UTC") == 2', "true"],
    [`${NOON}.getHours("Nowhere/City") == 12`, "unclear"],
    [`${NOON}.getHours("+25:00") == 12`, "unclear"],
    [`${NOON}.getHours("") == 12`, "unclear"],
    [`${NOON}.getHours(args.zone) == 12`, "unclear"],
    ['duration("90m").getHours() == 1 && duration("90m").getMinutes() == 90', "true"],
    [`int(${NOON}) == 1749990645`, "true"],
    [`timestamp(${NOON}) == ${NOON} && duration(duration("1h")) == duration("1h")`, "true"],
    ['timestamp(0) == timestamp("1970-01-01T00:00:00Z")', "true"],
    ["timestamp(args.seconds) > timestamp(0)", "unclear"],
  ])("%s is %s", (source, expected) => {
    expect(evaluate(source, { zone: "x".repeat(1_000), seconds: 9e12 })).toBe(expected);
  });

  it.each([
    ['timestamp("9999-12-31T23:59:59Z") + duration("1s") > timestamp(0)', "unclear"],
    ['timestamp("9999-12-31T23:59:59Z") + duration("999ms") > timestamp(0)', "true"],
    ['timestamp("9999-12-31T23:59:59Z") + duration("-1s") > timestamp(0)', "true"],
    ['timestamp("0001-01-01T00:00:00Z") - duration("1ms") < timestamp(0)', "unclear"],
    ['timestamp("0001-01-01T00:00:00Z") + duration("-1ms") < timestamp(0)', "unclear"],
    ['timestamp(0) + duration("1h") - duration("1h") == timestamp(0)', "true"],
    ["timestamp(args.at) + duration(args.for) > timestamp(0)", "unclear"],
    ["[args.at].all(at, timestamp(at) + duration(args.for) > timestamp(0))", "unclear"],
    ["dyn(timestamp(args.at)) + dyn(duration(args.for)) > timestamp(0)", "unclear"],
    ['duration("315576000000s") + duration("1s") > duration("1s")', "unclear"],
    ['duration("-315576000000s") - duration("1s") < duration("1s")', "unclear"],
    ['duration("315576000000s") - duration("1s") > duration("1s")', "true"],
    ['timestamp("9999-12-31T23:59:59Z") - timestamp("0001-01-01T00:00:00Z") > duration("315537897000s")', "true"],
    ['duration("315576000000s") + duration("1s") > duration("1s") || true', "true"],
    ["1 + 2 - 3 == 0 && 1.5 - 1 == 0.5 && 'a' + 'b' == 'ab' && [1] + [2] == [1, 2]", "true"],
    ['string(timestamp(args.at)) == "9999-12-31T23:00:00Z"', "true"],
    [`string(${NOON}) == "2025-06-15T12:30:45.123Z"`, "true"],
    ['string(timestamp("2025-01-01T02:00:00.120+02:00")) == "2025-01-01T00:00:00.12Z"', "true"],
    ['string(timestamp("0001-01-01T00:00:00Z")) == "0001-01-01T00:00:00Z"', "true"],
    ['string(timestamp(10)).startsWith("1970-01-01T00:00:10")', "true"],
    ["timestamp(string(timestamp(args.at))) == timestamp(args.at)", "true"],
    ['string(duration("90m")) == "5400s"', "true"],
    ['string(duration("-1.5s")) == "-1.5s"', "true"],
    ['string(duration("1ns")) == "0.000000001s"', "true"],
    ['string(duration("0")) == "0s"', "true"],
    ['string(timestamp(0) - timestamp(1)) == "-1s"', "true"],
    ['string(duration("1s") - duration("1.25s")) == "-0.25s"', "true"],
    ["string(1.5) == '1.5' && string(true) == 'true' && string(args.at).size() == 20", "true"],
  ])("%s is %s", (source, expected) => {
    expect(evaluate(source, { at: "9999-12-31T23:00:00Z", for: "87600h" })).toBe(expected);
  });

  it("names functions as they are written in mistakes", () => {
    expect(evaluate("timestamp(true) == timestamp(0)")).toContain("'timestamp(bool)'");
    expect(evaluate(`${NOON}.getHours(5) == 1`)).toContain("getHours(int)'");
  });
});
