import { describe, expect, it } from "@jest/globals";
import { AIMessage } from "@langchain/core/messages";
import { Guardrails, verdictOf } from "../../../src/index.js";
import { scriptedModel } from "../../../src/testing/index.js";

const RAILS = {
  secrets: { flow: "detect secrets on tool output", key: "secrets_detection", settings: {} },
  words: {
    flow: "detect key words on tool output",
    key: "key_words",
    settings: { lists: { COMPETITOR: ["acme bikes", "competitor"] } },
  },
  cards: {
    flow: "detect key words on tool output",
    key: "key_words",
    settings: { lists: { CARD: ["4111111111111111", "1234", "true"] } },
  },
  urls: { flow: "detect urls on tool output", key: "url_check", settings: { deny: ["evil.example"] } },
} as const;

/** Calls the tool `pay` with arguments; returns those that the application sees. */
async function send(version: string, rail: keyof typeof RAILS, action: "mask" | "block", args: object) {
  const { flow, key, settings } = RAILS[rail];
  const config = { [key]: { ...settings, tool_output: { action } } };
  const rails = { tool_output: { flows: [flow] }, config };
  const guardrails = await Guardrails.fromConfig({ config: { colang_version: version, rails } }, { logger: false });
  const message = new AIMessage({ content: "", tool_calls: [{ name: "pay", args: args as never, id: "c" }] });
  const answer = await guardrails.wrap(scriptedModel([message])).invoke("hi");
  return { args: answer.tool_calls?.[0]?.args, isBlocked: verdictOf(answer)?.blocked };
}

const LINK = "postgres://ada:k3x9vQp2@db.example.org";

/** Arguments with a value over several items, and the same masked. */
const SPLIT: readonly (readonly [string, keyof typeof RAILS, object, object])[] = [
  [
    "a link in two texts",
    "secrets",
    { q: [LINK.slice(0, 21), LINK.slice(21)], to: "fine" },
    { q: ["<SECRET>", "<SECRET>"], to: "fine" },
  ],
  ["a name and its value", "secrets", { q: ["password:", "hT7$kq92Lm"] }, { q: ["password:", "<SECRET>"] }],
  ["a link in single letters", "secrets", { q: [...LINK] }, { q: Array.from(LINK, () => "<SECRET>") }],
  [
    "a link in lists and objects of a list",
    "secrets",
    { q: [{ a: LINK.slice(0, 18) }, [[LINK.slice(18, 21)], { b: { c: LINK.slice(21) } }]], n: 1 },
    { q: [{ a: "<SECRET>" }, [["<SECRET>"], { b: { c: "<SECRET>" } }]], n: 1 },
  ],
  [
    "a number within a value",
    "secrets",
    { q: ["password:", "hT7$kq", 92] },
    { q: ["password:", "<SECRET>", "<SECRET>"] },
  ],
  [
    "a split value beside a whole one",
    "secrets",
    { q: [LINK, "my password is Hx7", "!kq9z"] },
    { q: ["<SECRET>", "my password is <SECRET>", "<SECRET>"] },
  ],
  ["whole values", "secrets", { q: [LINK, "fine"] }, { q: ["<SECRET>", "fine"] }],
  [
    "words of a phrase",
    "words",
    { q: ["buy acme", "bikes now", "or from a competitor"] },
    { q: ["buy <COMPETITOR>", "<COMPETITOR> now", "or from a <COMPETITOR>"] },
  ],
  ["a link cut in its host", "urls", { q: ["https://evil", ".example/a"] }, { q: ["<DENIED_URL>", "<DENIED_URL>"] }],
];

const CARD = 4111111111111111;

/** Arguments whose keys and numbers are values, and the same masked; undefined if the call is refused. */
const KEYS_AND_NUMBERS: readonly (readonly [string, object, object | undefined])[] = [
  ["a number", { card: CARD }, { card: "<CARD>" }],
  [
    "a number in an object",
    { a: { b: CARD, c: 12, d: true, e: null } },
    { a: { b: "<CARD>", c: 12, d: true, e: null } },
  ],
  ["a number in a list", { a: [CARD, 12] }, { a: ["<CARD>", 12] }],
  ["a key", { [CARD]: 5 }, { "<CARD>": 5 }],
  ["a part of a key", { [`card ${CARD}`]: { n: 1 } }, { "card <CARD>": { n: 1 } }],
  ["a key in an object", { a: { [CARD]: { b: "1234" } } }, { a: { "<CARD>": { b: "<CARD>" } } }],
  ["a key in a list", { a: [[{ [CARD]: "fine" }]] }, { a: [[{ "<CARD>": "fine" }]] }],
  ["two keys", { [CARD]: 1, 1234: 2 }, undefined],
  ["two keys in a list", { a: [{ [CARD]: 1, 1234: 2 }] }, undefined],
  ["a key beside one that looks masked", { a: { [CARD]: 1, "<CARD>": 2 } }, undefined],
];

describe.each(["1.0", "2.x"])("keys and numbers in arguments in Colang %s", (version) => {
  it.each(KEYS_AND_NUMBERS)("are masked: %s", async (_, args, masked) => {
    const { args: left, isBlocked } = await send(version, "cards", "mask", args);
    expect({ left, isBlocked }).toEqual(
      masked === undefined ? { left: undefined, isBlocked: true } : { left: masked, isBlocked: false },
    );
  });

  it.each(KEYS_AND_NUMBERS)("are blocked: %s", async (_, args) => {
    expect((await send(version, "cards", "block", args)).isBlocked).toBe(true);
  });
});

describe.each(["1.0", "2.x"])("values split over the items of a list in Colang %s", (version) => {
  it.each(SPLIT)("are masked in each item: %s", async (_, rail, args, masked) => {
    expect(await send(version, rail, "mask", args)).toEqual({ args: masked, isBlocked: false });
  });

  it.each(SPLIT)("are blocked: %s", async (_, rail, args) => {
    expect((await send(version, rail, "block", args)).isBlocked).toBe(true);
  });

  it.each([
    ["texts without values", { q: ["a", "list", "of", "words"], n: [1, 2, 3] }],
    ["numbers", { q: [0.25, -17, 12.5, 3] }],
    ["parts in two arguments", { a: [LINK.slice(0, 21)], b: [LINK.slice(21)] }],
    ["one item", { q: ["password:"] }],
    ["other values", { q: [null, true, "fine", { a: [] }] }],
  ])("are not seen in %s", async (_, args) => {
    expect(await send(version, "secrets", "mask", args)).toEqual({ args, isBlocked: false });
    expect((await send(version, "secrets", "block", args)).isBlocked).toBe(false);
  });
});
