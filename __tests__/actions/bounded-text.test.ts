import { describe, expect, it } from "@jest/globals";
import { readBoundedText } from "../../src/actions/bounded-text.js";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function responseOf(parts: readonly Uint8Array[]): Response {
  const left = [...parts];
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const part = left.shift();
      if (part === undefined) controller.close();
      else controller.enqueue(part);
    },
  });
  return new Response(body);
}

const euro = bytes("a€b");

describe("the text of a response", () => {
  it.each<[string, readonly Uint8Array[], string]>([
    ["no part", [], ""],
    ["an empty part", [bytes("")], ""],
    ["one part", [euro], "a€b"],
    ["a character in two parts", [euro.slice(0, 2), euro.slice(2)], "a€b"],
    ["a character in three parts", [euro.slice(0, 2), euro.slice(2, 3), euro.slice(3)], "a€b"],
    ["a character that never ends", [euro.slice(0, 3)], "a\uFFFD"],
    ["a character that never ends after a part", [bytes("x"), euro.slice(0, 3)], "xa\uFFFD"],
    ["a mark of the byte order", [bytes("\uFEFF{}")], "{}"],
  ])("is read from %s", async (_, parts, text) => {
    expect(await readBoundedText(responseOf(parts), 100)).toBe(text);
    // A text that ends within a character does not affect the next one.
    expect(await readBoundedText(responseOf([bytes("next")]), 100)).toBe("next");
  });

  it.each([
    [5, "a€b"],
    [4, undefined],
  ])("may have %d bytes", async (maximum, text) => {
    expect(await readBoundedText(responseOf([euro.slice(0, 4), euro.slice(4)]), maximum)).toBe(text);
  });

  it("is empty without a body", async () => {
    expect(await readBoundedText(new Response(null, { status: 204 }), 10)).toBe("");
  });
});
