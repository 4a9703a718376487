import { describe, expect, it } from "@jest/globals";
import { createSourceFile } from "../../src/diagnostics/source-file.js";
import { TokenCursor } from "../../src/syntax/cursor.js";
import { lexRange } from "../../src/syntax/lexer.js";

function cursorOver(text: string): TokenCursor {
  return new TokenCursor(lexRange(createSourceFile("main.co", text), 0, text.length));
}

describe("a cursor", () => {
  it("moves over the tokens and stays at the end", () => {
    const cursor = cursorOver("not $a");
    expect(cursor.previous()).toBeUndefined();
    expect(cursor.peek(1).text).toBe("a");
    expect(cursor.peek(9).kind).toBe("end");
    expect(cursor.next().text).toBe("not");
    expect(cursor.previous()?.text).toBe("not");
    expect(cursor.next().kind).toBe("variable");
    expect(cursor.next().kind).toBe("end");
    expect(cursor.next().kind).toBe("end");
    expect(cursor.isAtEnd()).toBe(true);
  });

  it("accepts and expects words and signs, but never the text of strings and variables", () => {
    const cursor = cursorOver("in (");
    expect(cursor.eat("(")).toBe(false);
    expect(cursor.eat("in")).toBe(true);
    expect(cursor.expect(")")).toBeUndefined();
    expect(cursor.expect("(")).toMatchObject({ start: 3 });
    expect(cursorOver("$in").eat("in")).toBe(false);
    expect(cursorOver("'in'").is("'in'")).toBe(false);
  });

  it("returns to a mark", () => {
    const cursor = cursorOver("a b c");
    cursor.next();
    const mark = cursor.mark();
    cursor.next();
    cursor.reset(mark);
    expect(cursor.peek().text).toBe("b");
    cursor.reset(99);
    expect(cursor.isAtEnd()).toBe(true);
  });

  it("requires tokens that end", () => {
    expect(() => new TokenCursor([])).toThrow(RangeError);
  });
});
