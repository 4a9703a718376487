import { describe, expect, it } from "@jest/globals";
import { DetectorStream, detect, personalData, Scanner, secrets } from "../../../src/detectors/index.js";
import { createRandom } from "../../../src/retrieval/matcher/random.js";

const detectors = [
  personalData({
    recognizers: [
      {
        name: "employee",
        supported_entity: "EMPLOYEE_ID",
        patterns: [{ name: "number", regex: "\\bEMP-\\d{6}\\b", score: 0.8 }],
      },
    ],
  }),
  secrets(),
];
const scanner = new Scanner(detectors);

const VALUES: readonly (readonly [type: string, text: string])[] = [
  ["EMAIL_ADDRESS", "write to ada@example.org"],
  ["PHONE_NUMBER", "call +44 20 7946 0958 now"],
  ["PHONE_NUMBER", "my phone is 415-555-2671"],
  ["IP_ADDRESS", "server 192.168.17.4 is up"],
  ["IP_ADDRESS", "2001:db8::8:800:200c:417a is up"],
  ["MAC_ADDRESS", "card with 00:1A:2b:3c:4d:5e"],
  ["US_SSN", "the ssn 536-90-4399"],
  ["ES_NIF", "the dni 50582771K"],
  ["DATE_OF_BIRTH", "date of birth: 1985-03-12"],
  ["EMPLOYEE_ID", "badge EMP-123456 is lost"],
  ["SECRET", "password: hT7$kq92Lm"],
];

const bytesOf = (text: string): readonly string[] =>
  [...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, "0"));

const ENCODINGS: Readonly<Record<string, (text: string) => string>> = {
  Base64: (text) => btoa(text),
  "Base64 for URLs": (text) => btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", ""),
  "Base64 of Base64": (text) => btoa(btoa(text)),
  "hexadecimal digits": (text) => bytesOf(text).join(""),
  "% sequences for all characters": (text) =>
    bytesOf(text)
      .map((byte) => `%${byte}`)
      .join(""),
  "% sequences for some characters": (text) => encodeURIComponent(text),
  "entities of HTML": (text) => Array.from(text, (letter) => `&#${letter.charCodeAt(0)};`).join(""),
  "escapes of JSON": (text) =>
    bytesOf(text)
      .map((byte) => String.raw`\u00${byte}`)
      .join(""),
  "quoted-printable text": (text) =>
    bytesOf(text)
      .map((byte) => `=${byte.toUpperCase()}`)
      .join(""),
};

describe.each(Object.entries(ENCODINGS))("values in %s", (_, encode) => {
  it.each(VALUES)("finds %s in: %s", (type, value) => {
    const text = `see ${encode(value)} there`;
    const found = scanner.scan(text);
    expect(found.map((finding) => finding.type)).toContain(type);
    const stream = new DetectorStream(detectors);
    const parts = text.match(/[^]{1,3}/g) ?? [];
    const streamed = parts.flatMap((part) => stream.push(part).findings);
    expect([...streamed, ...stream.finish().findings]).toEqual(found);
  });
});

describe("data that is not text", () => {
  it("finds nothing in random Base64 and hexadecimal digits near words for values", () => {
    const random = createRandom(11);
    const texts = Array.from({ length: 3000 }, (_, index) => {
      const bytes = Array.from({ length: 6 + (index % 60) }, () => Math.floor(random() * 256));
      const data =
        index % 2 === 0
          ? btoa(String.fromCharCode(...bytes))
          : bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
      return `phone, passport and ssn: ${data}`;
    });
    expect(texts.filter((text) => scanner.scan(text).some(({ layers }) => layers !== undefined))).toEqual([]);
  });

  it.each([
    ["letters in leetspeak", "c4ll m3 0n 4l5 5s5 26tl"],
    ["a list of codes of digits", "49 57 50 46 49 54 56 46 49 55 46 52"],
    ["digits backwards", "phone 1762-555-514"],
  ])("takes no value from %s", (_, text) => {
    expect(detect(text, detectors).filter(({ layers }) => layers !== undefined)).toEqual([]);
  });
});
