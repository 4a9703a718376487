import type { Printer } from "../command-line.js";
import { countOf } from "../print-diagnostics.js";
import type { TestFailure, TestResult } from "./run-tests.js";

/** Prints one result in a line, followed by its failed expectations. */
export function printResult(printer: Printer, { name, failures, durationMs }: TestResult): void {
  const time = `(${Math.round(durationMs)} ms)`;
  if (failures.length === 0) printer.line(`✓ ${name} ${time}`, "green");
  else printer.line(`✗ ${name} ${time}`, "red");
  for (const failure of failures) for (const line of describeFailure(failure)) printer.line(`  ${line}`);
}

function describeFailure({ user, messages, reply, decisions }: TestFailure): readonly string[] {
  return [
    `> ${user}`,
    ...(reply === undefined ? [] : [`< ${reply}`]),
    ...decisions.map((line) => `  ${line}`),
    ...messages,
  ];
}

export function printTotals(printer: Printer, results: readonly TestResult[]): void {
  const failed = results.filter(({ failures }) => failures.length > 0).length;
  printer.line(
    `${countOf(results.length, "conversation")}: ${results.length - failed} passed, ${failed} failed`,
    failed > 0 ? "red" : "green",
  );
}

/** Returns the results as JSON. */
export function resultsToJson(results: readonly TestResult[]): object {
  const failed = results.filter(({ failures }) => failures.length > 0).length;
  return { ok: failed === 0, passed: results.length - failed, failed, results };
}

/** Returns the results in the JUnit format, which CI systems read. */
export function resultsToJunit(results: readonly TestResult[]): string {
  const files = [...new Set(results.map(({ file }) => file))];
  const suites = files.map((file) =>
    suiteOf(
      file,
      results.filter((result) => result.file === file),
    ),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="langchain-guardrails" ${countsOf(results)}>\n${suites.join("")}</testsuites>\n`;
}

function suiteOf(file: string, results: readonly TestResult[]): string {
  const cases = results.map(({ name, failures, durationMs }) => {
    const head = `    <testcase classname="${escapeXml(file)}" name="${escapeXml(name)}" time="${seconds(durationMs)}"`;
    if (failures.length === 0) return `${head}/>\n`;
    const about = failures.flatMap(({ messages }) => messages).join("; ");
    const text = failures.flatMap(describeFailure).join("\n");
    return `${head}>\n      <failure message="${escapeXml(about)}">${escapeXml(text)}</failure>\n    </testcase>\n`;
  });
  return `  <testsuite name="${escapeXml(file)}" ${countsOf(results)}>\n${cases.join("")}  </testsuite>\n`;
}

function countsOf(results: readonly TestResult[]): string {
  const failed = results.filter(({ failures }) => failures.length > 0).length;
  const time = results.reduce((sum, { durationMs }) => sum + durationMs, 0);
  return `tests="${results.length}" failures="${failed}" errors="0" time="${seconds(time)}"`;
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3);
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\n": "&#10;",
};

/** XML does not allow most control characters. */
function escapeXml(text: string): string {
  return text
    .replace(/[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/g, "\uFFFD")
    .replace(/[&<>"\n]/g, (found) => ENTITIES[found] ?? found);
}
