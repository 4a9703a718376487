import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { BAKERY, createFolder, runCli } from "./run-cli.js";

const ALARM = `import core

flow main
  activate waking and waving
  wait indefinitely

flow waking
  user said "wake me"
  bot say "I will."
  await TimerBotAction(timer_name="alarm", duration=60.0)
  bot say "Good morning!"

flow waving
  user said "wave"
  await GestureBotAction(gesture="wave")
  bot say "I waved."

flow pressing
  match ButtonPressed(name="stop")
  bot say "Stopped."
`;

const without = (text: string): string => text.replace(/ in \d+\.\d ms/g, "");

describe("chat", () => {
  const folders: ReturnType<typeof createFolder>[] = [];
  const folderOf = (files: Readonly<Record<string, string>>): string => {
    const folder = createFolder(files);
    folders.push(folder);
    return folder.path;
  };
  const talk = async (path: string, lines: readonly string[], ...more: readonly string[]) =>
    runCli(["chat", path, ...more], { stdin: `${lines.join("\n")}\n` });
  let bakery = "";
  let alarm = "";

  beforeAll(() => {
    bakery = folderOf(BAKERY);
    alarm = folderOf({
      "config.yml": 'colang_version: "2.x"\n',
      "main.co": ALARM.replace("waking and waving", "waking and waving and pressing"),
    });
  });

  afterAll(() => folders.forEach((folder) => folder.remove()));

  it("prints replies with the decisions below them", async () => {
    const { code, out } = await talk(bakery, ["hello", "", "a cake"]);
    expect(code).toBe(0);
    expect(without(out)).toBe(
      [
        "> hello",
        "Hello! I bake bread.",
        '  input rail "check words": passed',
        "> a cake",
        "I only talk about bread.",
        '  input rail "check words": blocked',
        "",
      ].join("\n"),
    );
  });

  it("streams replies, and shows none that a rail has blocked", async () => {
    const path = folderOf({
      "config.yml": "rails:\n  output:\n    flows: [check answer]\n",
      "rails.co": 'define subflow check answer\n  if "secret" in $bot_message\n    bot refuse to respond\n    stop\n',
    });
    const replies = ["Rye is dark.", "It is secret."].flatMap((text) => ["--reply", text]);
    const { out } = await talk(path, ["one", "two"], ...replies);
    expect(out).toContain("> one\nRye is dark.\n");
    expect(out).not.toContain("It is secret");
    expect(out).toContain('output rail "check answer": blocked');
  });

  it.each([
    [
      "/why greeting",
      /^greeting: decided\n(?: {2}.*\n)* {2}it took the step `bot express greeting` \(rails\.co:10\)\n/m,
    ],
    ["/why greting", /unknown flow `greting`[^]*did you mean `greeting`/],
    ["/why", /name a flow/],
    ["/events", /^ {2}UserIntent intent="express greeting"$/m],
    ["/state", /^ {2}"version": 1,$/m],
    ["/help", /\/why <flow> +why a flow acted/],
    ["/stat", /there is no command \/stat; did you mean state\?/],
    ["/timers", /only conversations in Colang 2.x/],
    ["/event Ping", /only conversations in Colang 2.x/],
  ])("%s explains the last turn", async (line, expected) => {
    expect((await talk(bakery, ["hello", line])).out).toMatch(expected);
  });

  it("ends with /quit", async () => {
    expect((await talk(bakery, ["/quit", "hello"])).out).toBe("> /quit\n");
  });

  it("continues with a conversation in a file that only its owner may read", async () => {
    const session = join(bakery, "talk.json");
    await talk(bakery, ["hello"], "--session", session);
    expect(statSync(session).mode & 0o777).toBe(0o600);
    const first = readFileSync(session, "utf8");
    const { out } = await talk(bakery, ["hello"], "--session", session);
    expect(out).toContain(`going on with ${session}\n`);
    const turns = (text: string): number =>
      (JSON.parse(text) as { state: { history: { turns: unknown[] } } }).state.history.turns.length;
    expect([turns(first), turns(readFileSync(session, "utf8"))]).toEqual([1, 2]);
  });

  it.each([[["hello"]], [[]]])(
    "refuses a session that cannot be written, before the first of the lines %j",
    async (lines) => {
      const session = join(bakery, "missing", "talk.json");
      const { code, out, err } = await talk(bakery, lines, "--session", session);
      expect(err).toContain(`the session \`${session}\` cannot be written: ENOENT`);
      expect([code, out]).toEqual([64, ""]);
    },
  );

  it.each([
    ["no JSON", "is not a session"],
    ['{"version":1,"dialect":"2.x","state":{}}', "is a session in Colang 2.x"],
  ])("refuses a session that does not match: %s", async (text, message) => {
    const session = join(bakery, "other.json");
    writeFileSync(session, text);
    const { code, err } = await talk(bakery, ["hello"], "--session", session);
    expect(code).toBe(64);
    expect(err).toContain(message);
  });

  it("shows gestures and timers of Colang 2.x, and rings a timer on command", async () => {
    const { out } = await talk(alarm, ["wave", "wake me", "/timers", "/ring", "/timers"]);
    expect(out).toContain('  ! StartGestureBotAction gesture="wave"\n');
    expect(out).toContain("I waved.\n> wake me\nI will.\n");
    expect(out).toMatch(/> \/timers\n60 s\n> \/ring\n(?: {2}!.*\n)*Good morning!\n/);
    expect(out).toMatch(/no timer runs\n$/);
  });

  it.each([
    ['/event ButtonPressed {"name":"stop"}', "Stopped."],
    ["/event ButtonPressed [1]", "expected a JSON object after `ButtonPressed`"],
    ["/event ButtonPressed {name}", "expected a JSON object after `ButtonPressed`"],
    ["/event", "name an event"],
    ["/event FinishFlow {}", "dropped: `FinishFlow` is an internal event"],
  ])("%s sends an event", async (line, expected) => {
    const { out } = await talk(alarm, [line]);
    expect(out.slice(out.indexOf("\n"))).toContain(expected);
  });

  it("continues with a conversation of Colang 2.x and its timers", async () => {
    const session = join(alarm, "talk.json");
    await talk(alarm, ["wake me"], "--session", session);
    const { out } = await talk(alarm, ["/ring"], "--session", session);
    expect(out).toContain("Good morning!");
  });

  it("ends after a reply during which the input was closed by Ctrl+D", async () => {
    const keys = new PassThrough();
    const terminal = new PassThrough();
    let shown = "";
    terminal.on("data", (data: Buffer) => (shown += data.toString()));
    const onOutput = (text: string): unknown => text.startsWith("Hello") && keys.write("\u0004");
    const running = runCli(["chat", bakery], { keys, terminal, onOutput });
    keys.write("hello\r");
    expect((await running).code).toBe(0);
    expect(shown).toContain("> ");
    expect(keys.isPaused()).toBe(true);
  });

  it("ends when it is interrupted", async () => {
    const { code } = await runCli(["chat", bakery], { stdin: "hello\n", signal: AbortSignal.abort() });
    expect(code).toBe(130);
  });
});
