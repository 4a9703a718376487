import { describe, expect, it } from "@jest/globals";
import { Reply, ReplyError } from "../../../src/library/http/reply.js";

const REPLY = new Reply({ a: { flag: true, list: [{ score: 0.5 }], none: null }, __proto__: { hidden: 1 } });

describe("Reply", () => {
  it.each<[string, (reply: Reply) => unknown, unknown]>([
    ["a flag", (reply) => reply.at("a", "flag").flag(), true],
    ["a number in a list", (reply) => reply.at("a", "list", 0, "score").ratio(), 0.5],
    ["null as nothing", (reply) => reply.at("a", "none").optional, undefined],
    ["items", (reply) => reply.at("a", "list").items().length, 1],
    ["entries", (reply) => reply.at("a").entries().length, 3],
  ])("reads %s", (_, read, expected) => expect(read(REPLY)).toEqual(expected));

  it.each<[string, (reply: Reply) => unknown, string]>([
    ["nothing", (reply) => reply.at("b").flag(), "expected `b` to be true or false, got nothing"],
    ["what a prototype has", (reply) => reply.at("hidden").number(), "expected `hidden` to be a number, got nothing"],
    ["a method of a list", (reply) => reply.at("a", "list", "length").number(), "`a.list.length` to be a number"],
    ["another type", (reply) => reply.at("a", "list", 0).text(), "expected `a.list[0]` to be a text, got an object"],
    ["a number out of range", () => new Reply(1.5).ratio(), "expected the response to be a number from 0 to 1"],
    ["another word", () => new Reply("secret").oneOf("yes", "no"), "the response to be one of yes, no, got a text"],
    ["a list for an object", (reply) => reply.at("a", "list").entries(), "`a.list` to be an object, got a list"],
  ])("refuses %s and names the place", (_, read, message) => {
    expect(() => read(REPLY)).toThrow(ReplyError);
    expect(() => read(REPLY)).toThrow(message);
    expect(() => read(REPLY)).not.toThrow("secret");
  });
});
