import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { afterAll, describe, expect, it } from "@jest/globals";

import { loadConfigFromContent } from "../../src/config/load/load.js";
import { formatDiagnostics } from "../../src/diagnostics/code-frame.js";
import { ConfigError } from "../../src/diagnostics/errors.js";
import { parseGolden, printGolden } from "../support/golden-runner.js";

/**
 * Configurations and what is said about them. A line `=== path` begins a file; what stands before the first one is
 * `config.yml`. `UPDATE_GOLDEN=1` rewrites the files.
 */
const directory = fileURLToPath(new URL("../golden/config/", import.meta.url));
const update = process.env["UPDATE_GOLDEN"] === "1";

describe.each(readdirSync(directory).sort())("config/%s", (file) => {
  const path = `${directory}${file}`;
  const cases = parseGolden(readFileSync(path, "utf8"));
  const results = [...cases];
  it.each(cases.map((golden, index) => [golden.title, golden, index] as const))("%s", async (_, golden, index) => {
    const expected = await report(filesOf(golden.source));
    if (update) results[index] = { ...golden, expected };
    else expect(expected).toBe(golden.expected);
  });
  afterAll(() => {
    if (update) writeFileSync(path, printGolden(results));
  });
});

function filesOf(source: string): Record<string, string> {
  const files: Record<string, string> = {};
  let name = "config.yml";
  for (const line of source.split("\n")) {
    if (line.startsWith("=== ")) files[(name = line.slice(4).trim())] ??= "";
    else files[name] = `${files[name] ?? ""}${line}\n`;
  }
  return files;
}

async function report(files: Record<string, string>): Promise<string> {
  try {
    const config = await loadConfigFromContent(
      { files },
      { env: {}, builtInTasks: new Set(["self_check_input"]), allowCode: false },
    );
    return formatDiagnostics(config.warnings) || "fine";
  } catch (error) {
    if (!ConfigError.isInstance(error)) throw error;
    // The expected text leaves out the folder of the tests.
    return error.message.replaceAll(process.cwd(), "<here>");
  }
}
