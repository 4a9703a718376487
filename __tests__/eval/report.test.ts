import { describe, expect, it } from "@jest/globals";
import { escapeHtml, renderChart, formatHtml } from "../../src/eval/report/html.js";
import { formatJson, formatTable, formatText } from "../../src/eval/report/text.js";
import type { EvaluationResult, ReportChart } from "../../src/eval/report/report.js";
import { runGoldens } from "../support/golden-runner.js";

const readResults = (source: string): EvaluationResult[] =>
  source.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as EvaluationResult]));

runGoldens("eval/tables", (source) => formatText(readResults(source)));
runGoldens("eval/charts", (source) => renderChart(JSON.parse(source) as ReportChart));

const HOSTILE = `</td></title></style><script>alert("1")</script><img src=x onerror='alert(1)'>&amp;\u0000\u202e`;

const RESULT: EvaluationResult = {
  kind: "hallucination",
  dataset: HOSTILE,
  system: HOSTILE,
  rail: HOSTILE,
  seed: 42,
  samples: 1,
  deflected: { value: 0.5, low: 0, high: 1, samples: 1 },
  errors: 0,
  cost: [{ name: HOSTILE, runs: 1, p50Ms: 1, p95Ms: 1 }],
  predictions: [],
};

describe("the page", () => {
  const page = formatHtml([RESULT], { title: HOSTILE, subtitle: HOSTILE });

  it("holds hostile texts as texts", () => {
    const tags = new Set([...page.matchAll(/<\/?([a-z][\w-]*)/gi)].map(([, name]) => name));
    expect(tags).toEqual(
      new Set(
        "html head meta title style body h1 p section h2 h3 svg line text g rect div table thead tbody tr th td ul li".split(
          " ",
        ),
      ),
    );
    expect(page).toContain("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;");
    expect(page.replaceAll(/"[^"]*"/g, '""')).not.toMatch(/<[^>]*\son\w+=/);
    // oxlint-disable-next-line no-control-regex
    expect(page).not.toMatch(/[\u0000\u202e]/);
  });

  it("is whole by itself", () => {
    const plain = formatHtml([{ ...RESULT, dataset: "a", system: "b", cost: [] }]);
    expect(plain).not.toMatch(/https?:|src=|href=|url\(|@import/);
    expect(page).toContain(`<meta http-equiv="Content-Security-Policy" content="default-src 'none'`);
  });

  it("closes what it opens", () => {
    for (const name of ["html", "body", "section", "table", "svg", "g", "ul", "div"]) {
      const count = (pattern: string): number => page.split(pattern).length - 1;
      expect([name, count(`</${name}>`)]).toEqual([name, count(`<${name}>`) + count(`<${name} `)]);
    }
  });

  it("says when there is nothing", () => {
    expect(formatHtml([])).toContain("<h1>Evaluation of rails</h1>");
  });
});

it.each([
  ["&<>\"'", "&amp;&lt;&gt;&quot;&#39;"],
  ["tab\tand\nline", "tab\tand\nline"],
  ["\u0007\u009b", "\uFFFD\uFFFD"],
])("escapes %j", (text, escaped) => {
  expect(escapeHtml(text)).toBe(escaped);
});

it("aligns columns of any characters", () => {
  const rows = [
    ["é😀", "1"],
    ["x", "–"],
  ];
  expect(formatTable({ title: "T", columns: ["a", "bb"], rows })).toBe("T\na   bb\n--  --\né😀   1\nx    –");
});

it("writes JSON that reads back", () => {
  expect(JSON.parse(formatJson([RESULT]))).toEqual({ version: 1, results: [RESULT] });
});

it("does not hand control characters on to the terminal", () => {
  const table = { title: "\u001b[2J", columns: ["a"], rows: [["\u001b]0;x\u0007\n\r"]] };
  expect(formatTable(table)).toBe("\uFFFD[2J\na\n--------\n\uFFFD]0;x\uFFFD \uFFFD");
});
