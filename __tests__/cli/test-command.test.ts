import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createSourceFile } from "../../src/diagnostics/source-file.js";
import { readCsv } from "../../src/cli/testing/csv.js";
import { BAKERY, createFolder, runCli } from "./run-cli.js";

const PASSING = `conversations:
  - user: hello
    bot: "Hello! I bake bread."
    blocked: false
  - name: cakes
    user: sell me a cake
    blocked: true
    rail: check words
    excludes: cake
  - name: twice
    turns:
      - user: hello
        contains: [bake, bread]
        matches: "^Hello"
      - user: hi
        contains: bread
`;

const FAILING = `conversations:
  - name: wrong reply
    user: hello
    bot: Good day.
    contains: <cake>
    excludes: bread
    matches: "^Good"
  - name: wrong verdict
    user: hello
    blocked: true
  - name: wrong rail
    user: a cake
    rail: check answer
  - name: no block
    user: a cake
    blocked: false
`;

describe("test", () => {
  const folders: ReturnType<typeof createFolder>[] = [];
  const folderOf = (files: Readonly<Record<string, string>>): string => {
    const folder = createFolder(files);
    folders.push(folder);
    return folder.path;
  };
  let bakery = "";
  beforeAll(() => {
    bakery = folderOf(BAKERY);
  });
  afterAll(() => folders.forEach((folder) => folder.remove()));

  it("passes conversations that go as expected", async () => {
    const { code, out } = await runCli(["test", bakery, folderOf({ "a.yml": PASSING })]);
    expect(out.replace(/\d+ ms/g, "0 ms")).toBe(
      "✓ hello (0 ms)\n✓ cakes (0 ms)\n✓ twice (0 ms)\n3 conversations: 3 passed, 0 failed\n",
    );
    expect(code).toBe(0);
  });

  it("reports what was not as expected", async () => {
    const { code, out } = await runCli(["test", bakery, join(folderOf({ "a.yml": FAILING }), "a.yml")]);
    expect(code).toBe(1);
    for (const message of [
      "  > hello\n  < Hello! I bake bread.\n",
      'expected the reply "Good day."',
      'expected the reply to contain "<cake>"',
      'expected the reply not to contain "bread"',
      "expected the reply to match ^Good",
      "expected a block, but nothing blocked",
      "expected a block by `check answer`, but it was blocked by `check words`",
      "expected no block, but it was blocked by `check words`",
      '    input rail "check words": blocked in ',
      "4 conversations: 0 passed, 4 failed",
    ]) {
      expect(out).toContain(message);
    }
  });

  it("reads CSV, in which rows of a conversation follow each other", async () => {
    const rows = [
      "conversation,user,bot,blocked,rail",
      'a,hello,"Hello! I bake bread.",no,',
      "a,a cake,,yes,check words",
      ",hi,Hello! I bake bread.,,",
    ];
    const { code, out } = await runCli(["test", bakery, folderOf({ "a.csv": rows.join("\r\n") })]);
    expect(out).toContain("2 conversations: 2 passed");
    expect(out).toMatch(/✓ a .*\n✓ hi /);
    expect(code).toBe(0);
  });

  it("scripts the replies of models, those of judges too", async () => {
    const config = folderOf({
      "config.yml": "rails:\n  input:\n    flows: [self check input]\n  output:\n    flows: [check answer]\n",
      "rails.co": 'define subflow check answer\n  if "secret" in $bot_message\n    bot refuse to respond\n    stop\n',
    });
    const tests = `conversations:
  - { name: judge, user: hi, models: { self_check_input: "Yes" }, rail: self check input }
  - { name: answer, user: hi, reply: It is secret., rail: check answer }
  - { name: fine, user: hi, reply: [Rye.], bot: Rye. }
`;
    const { code, out } = await runCli(["test", config, folderOf({ "a.yml": tests })]);
    expect(out).toContain("3 passed");
    expect(code).toBe(0);
  });

  it("writes results for CI systems", async () => {
    const tests = folderOf({ "a.yml": FAILING, "b.yml": PASSING });
    const junit = join(tests, "results.xml");
    const { out } = await runCli(["test", bakery, tests, "--junit", junit, "--json"]);
    const results = JSON.parse(out) as { readonly results: readonly object[] };
    expect(results).toMatchObject({ ok: false, passed: 3, failed: 4 });
    expect(results.results[0]).toMatchObject({ name: "wrong reply", failures: [{ user: "hello" }] });
    const xml = readFileSync(junit, "utf8");
    expect(xml).toContain('<testsuites name="langchain-guardrails" tests="7" failures="4" errors="0"');
    expect(xml).toContain(`<testsuite name="${join(tests, "b.yml")}" tests="3" failures="0"`);
    expect(xml).toContain("to contain &quot;&lt;cake&gt;&quot;");
  });

  it("runs the conversations that --filter names", async () => {
    const { out } = await runCli(["test", bakery, folderOf({ "a.yml": PASSING }), "--filter", "cak"]);
    expect(out).toContain("1 conversation: 1 passed");
  });

  it.each([
    [
      "an unknown key",
      "conversations:\n  - user: hi\n    bots: x\n",
      "unknown key `bots`",
      "a.yml:3:5",
      "did you mean `bot`?",
    ],
    [
      "a wrong type",
      "conversations:\n  - user: hi\n    blocked: perhaps\n",
      "blocked",
      "a.yml:3:14",
      "expected `true` or `false`",
    ],
    ["a broken pattern", 'conversations:\n  - user: hi\n    matches: "("\n', "matches", "a.yml:3:14", "RE2"],
    ["no user", "conversations:\n  - turns:\n      - bot: hi\n", "turns[0].user", "a.yml:3", "expected a text"],
    ["a text for a conversation", "conversations: [hi]\n", "[0]: expected a conversation", "a.yml:1:17", "`turns`"],
    ["no turns", "conversations:\n  - name: a\n", "turns", "a.yml:2", "conversations[0]"],
    ["no conversations", "talks: []\n", "unknown key `talks`", "a.yml:1:1", "conversations"],
    [
      "a configuration",
      "models: []\nrails: {}\n",
      "the file is a configuration",
      "a.yml",
      "write a list `conversations`",
    ],
    ["an empty file", "", "holds no conversations", "a.yml", "write a list `conversations`"],
    ["broken YAML", "conversations: [\n", "a.yml", "error[", ""],
  ])("shows %s with its place", async (_title, text, ...parts) => {
    const { code, err } = await runCli(["test", bakery, join(folderOf({ "a.yml": text }), "a.yml")]);
    expect(code).toBe(1);
    for (const part of parts) expect(err).toContain(part);
  });

  it("shows the mistakes of all files", async () => {
    const files = {
      "a.yml": "conversations: [\n",
      "b.yml": PASSING,
      "c.csv": "user,bots\nhi,x\n",
      "d.yml": "talks: []\n",
    };
    const folder = folderOf({ ...files, "e.yml/inside.txt": "" });
    const { code, out, err } = await runCli(["test", bakery, folder]);
    expect([code, out]).toEqual([1, ""]);
    for (const [file, message] of [
      ["a.yml", "`[` is never closed"],
      ["c.csv", "unknown column `bots`"],
      ["d.yml", "unknown key `talks`"],
      ["e.yml", "the file cannot be read"],
    ] as const) {
      expect(err).toContain(message);
      expect(err).toContain(join(folder, file));
    }
    expect(err).not.toContain("b.yml");
  });

  it.each([
    ["an unknown column", "user,bots\nhi,x\n", "unknown column `bots`", "did you mean `bot`?"],
    ["a wrong switch", "user,blocked\nhi,perhaps\n", "a.csv:2:1", "`blocked`"],
    ["a row without a message", "user,bot\n,x\n", "a.csv:2:1", "`user`"],
    ["a comma outside quotes", "user,bot\nhello, you,hi\n", "3 cells for 2 columns", "a.csv:2:1"],
    ["a quote without its end", 'user,bot\n"hello,hi\nhi,hi\n', "the quote of a cell is not closed", "a.csv:2:1"],
    ["text after a quote", 'user\n"a "b" c"\n', "text after its closing quote", "a.csv:2:1"],
    ["a repeated column", "user,user\nhi,x\n", "the column `user` stands twice", "a.csv:1:1"],
  ])("shows %s of a CSV file", async (_title, text, ...parts) => {
    const { code, err } = await runCli(["test", bakery, join(folderOf({ "a.csv": text }), "a.csv")]);
    expect(code).toBe(1);
    for (const part of parts) expect(err).toContain(part);
  });

  it.each([
    ["a file that does not exist", (path: string) => ["test", path, "nowhere.yml"], "`nowhere.yml` does not exist"],
    [
      "several that do not exist",
      (path: string) => ["test", path, "nowhere.yml", "no.csv"],
      "the files `nowhere.yml`, `no.csv` do not exist",
    ],
    ["no file", (path: string) => ["test", path], "missing required argument 'files'"],
    ["a folder without tests", (path: string) => ["test", path, folderOf({})], "holds no .yml"],
  ])("refuses %s", async (_title, argv, message) => {
    const { code, err } = await runCli(argv(bakery));
    expect(code).toBe(64);
    expect(err).toContain(message);
  });
});

describe("CSV", () => {
  it.each([
    ["plain cells", "a, b ,c\n", [["a", "b", "c"]]],
    ["quotes", '"a, ""b""\nc",d', [['a, "b"\nc', "d"]]],
    [
      "line ends of Windows and blank lines",
      "a,b\r\n\r\nc,d\r\n",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    ["empty cells", ",\n", [["", ""]]],
    ["a quote that is not closed", '"a,b', [["a,b"]]],
    ["nothing", "", []],
  ])("reads %s", (_title, text, rows) => {
    expect(readCsv(createSourceFile("a.csv", text)).map(({ cells }) => cells)).toEqual(rows);
  });
});
