import { describe, expect, it } from "@jest/globals";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { plainData, plainMessage } from "../../../src/langchain/values/plain-message.js";
import { InputShapeError } from "../../../src/index.js";

const human = (content: unknown): HumanMessage => new HumanMessage({ content: content as string });
const raise = (): never => {
  throw new RangeError("secret");
};

describe("plainMessage", () => {
  it.each([
    ["a text", human("hello")],
    ["blocks", human([{ type: "text", text: "hello" }])],
    ["bytes", human([{ type: "file", data: new Uint8Array([1]), mimeType: "text/plain" }])],
    ["metadata", new AIMessage({ content: "hi", response_metadata: { usage: { tokens: 1 } } })],
  ])("returns a message with %s as it is", (_, message) => {
    expect(plainMessage(message)).toBe(message);
  });

  it("converts content to its JSON form", () => {
    const message = plainMessage(human([{ type: "text", text: "a", toJSON: () => ({ type: "text", text: "b" }) }]));
    expect(message.content).toEqual([{ type: "text", text: "b" }]);
    expect(message).toBeInstanceOf(HumanMessage);
    expect(JSON.stringify(message)).not.toContain('"a"');
  });

  it("returns a response with copied metadata as it is, and removes other constructor arguments", () => {
    const metadata = { model_name: "m", usage: { tokens: 1 } };
    const answer = (given: object): AIMessage => {
      const message = new AIMessage({ content: "hi", response_metadata: { ...metadata, ...given } });
      message.response_metadata = { ...metadata };
      return message;
    };
    const copied = answer({});
    expect(plainMessage(copied)).toBe(copied);
    for (const given of [{ note: "secret" }, { model_name: "secret" }, { usage: { tokens: "secret" } }]) {
      expect(JSON.stringify(plainMessage(answer(given)))).not.toContain("secret");
    }
    const hidden = answer({});
    Object.defineProperty(hidden.lc_kwargs["response_metadata"], "toJSON", { value: () => "secret" });
    expect(JSON.stringify(plainMessage(hidden))).not.toContain("secret");
  });

  it("omits symbols, functions, inherited and hidden properties", () => {
    const block = Object.assign(Object.create({ text: "a" }) as object, { type: "text", [Symbol("b")]: "c", d: raise });
    Object.defineProperty(block, "e", { value: "f" });
    const [left] = plainMessage(human([block])).content as unknown as object[];
    expect(Reflect.ownKeys(left!)).toEqual(["type"]);
    expect("text" in left!).toBe(false);
  });

  it("calls getters once", () => {
    let reads = 0;
    const block = {
      type: "text",
      get text() {
        return `read ${(reads += 1)}`;
      },
    };
    const { content } = plainMessage(human([block]));
    expect([content, content]).toEqual([[{ type: "text", text: "read 1" }], [{ type: "text", text: "read 1" }]]);
  });

  it("omits constructor arguments that are not fields", () => {
    const message = plainMessage(new AIMessage({ content: "hi", note: "secret" } as never));
    expect(JSON.stringify(message)).not.toContain("secret");
    expect(message.content).toBe("hi");
  });

  it("serializes the fields that the message has", () => {
    const message = Object.assign(new AIMessage("hi"), { lc_kwargs: { content: "secret" } });
    expect(plainMessage(message).lc_kwargs).toEqual({ content: "hi" });
  });

  it("refuses unreadable data, without the error of the data", () => {
    const failing = Object.defineProperty({}, "q", { enumerable: true, get: raise });
    const endless: unknown[] = [Symbol("not plain")];
    endless.push(endless);
    for (const block of [failing, { toJSON: raise }, endless]) {
      expect(() => plainMessage(human([block]))).toThrow(InputShapeError);
      expect(() => plainMessage(human([block]))).not.toThrow("secret");
    }
  });
});

describe("plainData", () => {
  it("converts dates, URLs and maps to their JSON form", () => {
    const data = { at: new Date(0), url: new URL("https://example.test/a"), map: new Map([["a", 1]]) };
    expect(plainData(data)).toEqual({ at: "1970-01-01T00:00:00.000Z", url: "https://example.test/a", map: {} });
  });

  it("keeps a key named like the prototype", () => {
    const data = JSON.parse('{"__proto__": {"a": 1}, "when": null}') as { when: unknown };
    const copy = plainData({ ...data, ["__proto__"]: { a: 1 }, when: new Date(0) });
    expect(Object.keys(copy)).toEqual(["__proto__", "when"]);
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  });
});
