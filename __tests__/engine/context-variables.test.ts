import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { CONTEXT_VARIABLES, contextVariableNames, isReservedVariable } from "../../src/engine/context-variables.js";

const FILES = ["src/colang2/stdlib", "src/library"].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".co") && !file.endsWith(".v1.co"))
    .map((file) => `${folder}/${file}`),
);

describe("the table of context variables", () => {
  it("has each name once", () => {
    const names = CONTEXT_VARIABLES.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each([
    "skip_output_rails",
    "triggered_input_rail",
    "user_message",
    "event",
    "variant",
    "output_rails_off",
    "system",
  ])("reserves `%s`", (name) => expect(isReservedVariable(name)).toBe(true));

  it.each(["relevant_chunks", "check_facts", "hallucination_warning", "city", "", "toString", "__proto__"])(
    "does not reserve `%s`",
    (name) => expect(isReservedVariable(name)).toBe(false),
  );

  it("lets a caller set only what no rail and no engine owns", () => {
    for (const { setBy, settable } of CONTEXT_VARIABLES) expect(settable).toBe(setBy === "developer");
  });

  it("knows the variables of the standard library in Colang 2.x only", () => {
    expect(contextVariableNames("2.x")).toContain("bot_talking_state");
    expect(contextVariableNames("1.0")).not.toContain("bot_talking_state");
  });

  it.each(FILES)("has every global variable of `%s`", (file) => {
    const lines = readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line.trim().startsWith("global "));
    const names = lines.flatMap((line) => [...line.matchAll(/\$(\w+)/g)].map((match) => match[1] ?? ""));
    expect(names.filter((name) => !contextVariableNames("2.x").includes(name))).toEqual([]);
  });
});
