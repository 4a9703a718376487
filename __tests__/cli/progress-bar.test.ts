import { describe, expect, it } from "@jest/globals";
import { Printer } from "../../src/cli/command-line.js";
import { ProgressBar } from "../../src/cli/progress-bar.js";

describe("ProgressBar", () => {
  const drawn = (isTTY: boolean, now?: () => number) => {
    const written: string[] = [];
    const bar = new ProgressBar({ isTTY, write: (text) => written.push(text) }, now);
    return { bar, written };
  };

  it("is one line of a terminal", () => {
    const { bar, written } = drawn(true);
    for (const done of [0, 1, 1, 2]) bar.show({ label: "bank", done, total: 2 });
    bar.clear();
    bar.clear();
    expect(written).toEqual([
      `\r\u001b[K${"░".repeat(30)}   0%  bank`,
      `\r\u001b[K${"█".repeat(15)}${"░".repeat(15)}  50%  bank`,
      `\r\u001b[K${"█".repeat(30)} 100%  bank`,
      "\r\u001b[K",
    ]);
  });

  it("passes no control characters of a label on to the terminal", () => {
    const { bar, written } = drawn(true);
    bar.show({ label: "\u001b[2Jbank\n", done: 0, total: 1 });
    expect(written[0]).toBe(`\r\u001b[K${"░".repeat(30)}   0%  \uFFFD[2Jbank\uFFFD`);
  });

  it("fits on one line of a narrow terminal", () => {
    const written: string[] = [];
    const bar = new ProgressBar({ isTTY: true, columns: 40, write: (text) => written.push(text) });
    bar.show({ label: "a long name", done: 0, total: 1 });
    expect(written).toEqual([`\r\u001b[K${"░".repeat(30)}   0%  a `]);
  });

  it.each([
    ["a terminal", {}, true],
    ["a dumb terminal", { TERM: "dumb" }, false],
  ])("is drawn on %s: %j", (_title, env, expected) => {
    expect(new Printer({ isTTY: true, write: () => undefined }, env).output.isTTY).toBe(expected);
  });

  it("prints an occasional line in a log", () => {
    let time = 0;
    const { bar, written } = drawn(false, () => time);
    for (let done = 0; done <= 4; done += 1, time += 3000) bar.show({ label: "bank", done, total: 4 });
    bar.clear();
    expect(written).toEqual(["bank: 2 of 4\n", "bank: 4 of 4\n"]);
  });
});
