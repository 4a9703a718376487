import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import {
  compromiseNames,
  detect,
  findNames,
  type NameRecognizer,
  type OwnRecognizer,
  PERSONAL_DATA_ENTITIES,
  personalData,
  type PersonalDataOptions,
} from "../../../src/detectors/index.js";
import { found } from "./found.js";

const EMPLOYEE: OwnRecognizer = {
  name: "employee",
  supported_entity: "EMPLOYEE_ID",
  patterns: [
    { name: "certain", regex: "\\bEMP-\\d{6}\\b", score: 0.9 },
    { name: "weak", regex: "\\bE\\d{6}\\b", score: 0.2 },
  ],
  deny_list: ["Orion", "Blue Heron"],
  context: ["Employee"],
};

describe("custom recognisers", () => {
  it.each([
    ["badge emp-123456", [["EMPLOYEE_ID", "emp-123456"]]],
    ["employee E123456", [["EMPLOYEE_ID", "E123456"]]],
    ["badge E123456", []],
    [
      "orion and BLUE HERON",
      [
        ["EMPLOYEE_ID", "orion"],
        ["EMPLOYEE_ID", "BLUE HERON"],
      ],
    ],
    ["Orionids", []],
    [String.raw`badge\nemp-123456`, [["EMPLOYEE_ID", "emp-123456"]]],
    [String.raw`{"a": "x\norion"}`, [["EMPLOYEE_ID", "orion"]]],
    [String.raw`x\norionids morion`, []],
  ])("find in %j", (text, expected) => {
    expect(found(text, { recognizers: [EMPLOYEE] })).toEqual(expected);
  });

  it("are chosen by `entities`", () => {
    const options = { recognizers: [EMPLOYEE], entities: ["EMPLOYEE_ID"] };
    expect(found("EMP-123456 ada@example.org", options)).toEqual([["EMPLOYEE_ID", "EMP-123456"]]);
    expect(found("EMP-123456 ada@example.org", { ...options, entities: ["EMAIL_ADDRESS"] })).toEqual([
      ["EMAIL_ADDRESS", "ada@example.org"],
    ]);
  });
});

describe("names", () => {
  const names: PersonalDataOptions["names"] = (text) => {
    const start = text.indexOf("Ada");
    return [
      { type: "PERSON", start, end: start + 3 },
      { type: "PERSON", start: 5, end: 5000 },
      { type: "PERSON", start: 2, end: 1 },
      { type: "LOCATION", start: 0.5, end: 2 },
    ];
  };

  it("come from a recogniser", () => {
    expect(found("I am Ada, ada@example.org", { names })).toEqual([
      ["PERSON", "Ada"],
      ["EMAIL_ADDRESS", "ada@example.org"],
    ]);
    expect(found("I am Ada, ada@example.org", { names, entities: ["PERSON"] })).toEqual([["PERSON", "Ada"]]);
    expect(found("I am Ada", { names, entities: ["EMAIL_ADDRESS"] })).toEqual([]);
  });

  it("come from a service", async () => {
    const recognize = async () => [
      { type: "PERSON", start: 0, end: 3, score: 0.9 },
      { type: "PERSON", start: 4, end: 6, score: 0.3 },
      { type: "LOCATION", start: 0, end: 3 },
      { type: "PERSON", start: 0, end: 99 },
    ];
    expect(await findNames("Ada is here", recognize, { entities: ["PERSON"] })).toEqual([
      { type: "PERSON", start: 0, end: 3, score: 0.9, detector: "personal-data", rule: "name" },
    ]);
  });

  it("need a function", () => {
    expect(() => findNames("Ada", "Ada" as unknown as NameRecognizer)).toThrow("expected a function");
  });

  it.each<[unknown, string]>([
    [undefined, "expected a list of names from the recogniser, got undefined"],
    ["Ada", "expected a list of names from the recogniser, got string"],
    [[null], "expected names as `{ type, start, end }`"],
    [[{ type: "PERSON", start: "0", end: 3 }], "expected names as `{ type, start, end }`"],
  ])("refuse %j of a recogniser", async (names, message) => {
    const recognize = () => names as never;
    expect(() => found("Ada", { names: recognize })).toThrow(message);
    await expect(findNames("Ada", recognize)).rejects.toThrow(message);
  });

  it("name `findNames` for an async recogniser", () => {
    const names = (async () => []) as never;
    expect(() => found("Ada", { names })).toThrow("got a promise; pass an async recogniser to `findNames`");
  });

  it("refuse wrong options of a service", () => {
    const recognize = () => [];
    expect(() => findNames("Ada", recognize, { threshold: 2 })).toThrow("expected a number from 0 to 1");
    expect(() => findNames("Ada", recognize, { entity: ["PERSON"] } as never)).toThrow("unknown option `entity`");
  });

  it("come from the library compromise", () => {
    const phrases = (...ranges: (readonly [number, number])[]) => ({
      json: () => [...ranges.map(([start, length]) => ({ offset: { start, length } })), {}, null],
    });
    const nlp = () => ({
      people: () => phrases([0, 4]),
      places: () => phrases([13, 6]),
      organizations: () => ({ json: () => "none" }),
    });
    expect(found("Ada, born in Paris.", { names: compromiseNames(nlp) })).toEqual([
      ["PERSON", "Ada"],
      ["LOCATION", "Paris"],
    ]);
  });
});

it("omits allowed texts", () => {
  expect(found("help@example.org or ada@example.org", { allow: ["help@example.org"] })).toEqual([
    ["EMAIL_ADDRESS", "ada@example.org"],
  ]);
  const options = { recognizers: [EMPLOYEE], allow: ["EMP-000000", "Orion"] };
  expect(found("EMP-000000 of Orion, EMP-000001 of orion", options)).toEqual([
    ["EMPLOYEE_ID", "EMP-000001"],
    ["EMPLOYEE_ID", "orion"],
  ]);
});

it("finds national numbers of chosen countries without a word", () => {
  expect(found("It is 030 9018200")).toEqual([["PHONE_NUMBER", "030 9018200"]]);
  expect(found("It is 030 9018200", { phoneRegions: ["GB"] })).toEqual([]);
  expect(found("It is 0721 123 456", { phoneRegions: ["RO"] })).toEqual([["PHONE_NUMBER", "0721 123 456"]]);
});

it.each(PERSONAL_DATA_ENTITIES)("finds only the entity %s", (entity) => {
  const types = new Set(detect("it is 1", [personalData({ entities: [entity] })]).map(({ type }) => type));
  expect(personalData({ entities: [entity] }).rules.length).toBeGreaterThan(0);
  expect([...types]).toEqual([]);
});

const wrong = (options: unknown) => () => personalData(options as PersonalDataOptions);

it.each([
  [{ entities: ["EMAIL"] }, "unknown name `EMAIL` in the option `entities` of `personalData`"],
  [{ entities: [] }, "expected at least one name, got an empty list in the option `entities` of `personalData`"],
  [{ entities: ["PERSON"] }, "`PERSON` needs a recogniser of names in the option `entities` of `personalData`"],
  [{ entity: ["EMAIL_ADDRESS"] }, "unknown option `entity` of `personalData`"],
  [{ phoneRegions: ["UK"] }, "unknown country `UK` in the option `phoneRegions` of `personalData`"],
  [{ recognizers: {} }, "expected a list in the option `recognizers` of `personalData`"],
  [
    { recognizers: [{}] },
    "expected the name of an entity as `supported_entity` in the option `recognizers.0` of `personalData`",
  ],
  [
    { recognizers: [{ name: "x", supported_entity: "X" }] },
    "expected `patterns` or a `deny_list`, got neither in the option `recognizers.0` of `personalData`",
  ],
  [
    { recognizers: [{ name: "x", supported_entity: "X", deny_list: [" "] }] },
    "expected words, got an empty text in the option `recognizers.0.deny_list` of `personalData`",
  ],
  [
    { recognizers: [{ name: "x", supported_entity: "X", deny_list: ["a"], context: [3] }] },
    "expected words, got an empty text in the option `recognizers.0.context` of `personalData`",
  ],
  [
    { recognizers: [{ name: "x", supported_entity: "X", patterns: [{ regex: "", score: 1 }] }] },
    "expected a pattern, got an empty text in the option `recognizers.0.patterns.0.regex` of `personalData`",
  ],
  [
    { recognizers: [{ name: "x", supported_entity: "X", patterns: [{ regex: "a", score: 2 }] }] },
    "expected a number from 0 to 1, got `2` in the option `recognizers.0.patterns.0.score` of `personalData`",
  ],
])("refuses %j", (options, message) => {
  expect(wrong(options)).toThrow(message);
});

it("refuses a pattern that does not compile", () => {
  const patterns = [{ regex: "(?<=a)b", score: 1 }];
  expect(wrong({ recognizers: [{ name: "x", supported_entity: "X", patterns }] })).toThrow("`(?<=a)b` cannot be read");
  const python = [{ regex: "^a{,3}$", score: 1 }];
  const message = "`{,3}` is a count in Python, but text in RE2";
  expect(wrong({ recognizers: [{ name: "x", supported_entity: "X", patterns: python }] })).toThrow(message);
});

it("lists every entity in the guide", () => {
  const guide = readFileSync("docs/detectors.md", "utf8");
  expect(PERSONAL_DATA_ENTITIES.filter((entity) => !guide.includes(`\`${entity}\``))).toEqual([]);
});
