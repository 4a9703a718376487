// The program as a process of its own, from the package as it is installed.
import { exec, execFile } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createProject } from "../install-package.js";

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

let folder = "";

function run(...argv: readonly string[]): Promise<Ended> {
  const program = join(folder, "node_modules", "langchain-guardrails", "dist", "cli", "main.js");
  const env = { PATH: process.env["PATH"] };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [program, ...argv], { cwd: folder, env }, (_error, out, err) =>
      resolve({ code: child.exitCode, out, err }),
    );
    child.stdin?.end();
  });
}

beforeAll(() => {
  folder = createProject("cli");
  cpSync(join(process.cwd(), "examples", "topical-rail", "config"), join(folder, "config"), { recursive: true });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("langchain-guardrails", () => {
  it("checks a configuration", async () => {
    const { code, out, err } = await run("check", "config");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toContain("config: 0 errors");
  });

  it("runs a turn", async () => {
    const { code, out } = await run("ask", "config", "hello", "--offline");
    expect(code).toBe(0);
    expect(out).toMatch(/^Welcome aboard!/);
  });

  it.each([
    [["complete", "bash"], "langchain-guardrails complete --"],
    [["complete", "--", "rai"], "rails"],
    [["complete", "--", "rails", "--stage", ""], "retrieval"],
  ])("%j helps a shell", async (argv, expected) => {
    const { code, out } = await run(...argv);
    expect(out).toContain(expected);
    expect(code).toBe(0);
  });

  it("ends without an error when its reader closes the pipe", async () => {
    const program = `"${process.execPath}" node_modules/langchain-guardrails/dist/cli/main.js rails | head -n 1`;
    const ended = await new Promise<Ended>((resolve) => {
      exec(program, { cwd: folder }, (error, out, err) => resolve({ code: error?.code ?? 0, out, err }));
    });
    expect(ended).toEqual({ code: 0, out: "input\n", err: "" });
  });

  it("refuses wrong arguments with 64", async () => {
    expect((await run("chekc")).code).toBe(64);
  });
});
