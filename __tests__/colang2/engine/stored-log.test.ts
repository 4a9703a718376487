import { describe, expect, it } from "@jest/globals";
import { EngineConversation } from "../../../src/colang2/engine/conversation.js";
import type { HistoryEntry } from "../../../src/colang2/engine/state/records.js";
import { readState } from "../../../src/colang2/engine/state/stored/read-state.js";
import { readLog, writeLog } from "../../../src/colang2/engine/state/stored/stored-log.js";
import { writeState } from "../../../src/colang2/engine/state/stored/write-state.js";
import { Driver } from "../engine-driver.js";

const TEXTS = ["hello", 'She said "hi"'];
const NUMBERS = new Map(TEXTS.map((text, number) => [text, number]));

const said = (flow: string, parameter: string | null, intent: string | null = null): HistoryEntry => ({
  name: "UserActionLog",
  flow,
  parameter,
  intent,
});

describe("a log event is stored", () => {
  it.each<readonly [string, HistoryEntry, unknown]>([
    ["as its kind and its flow", { name: "UserIntentLog", flow: "user greeted", parameter: null }, [0, "user greeted"]],
    ["with its parameter", { name: "BotIntentLog", flow: "bot greet", parameter: "Ann" }, [1, "bot greet", "Ann"]],
    ["with its intent", said("user said", null, "user greeted"), [2, "user said", null, "user greeted"]],
    ["with a text by its number", said("bot say", "hello"), [2, "bot say", 0]],
    ["in pieces around its parameter", said('user said "good day"', "good day"), [2, ['user said "', '"'], "good day"]],
    ["in pieces around a text by its number", said('user said "hello"', null), [2, ['user said "', 0, '"']]],
    ["with both by their numbers", said('user said "hello"', "hello"), [2, ['user said "', 0, '"'], 0]],
    ["with quotes in the text", said('user said "She said "hi""', null), [2, ['user said "', 1, '"']]],
    ["whole, when it has its parameter twice", said("user a a", "a"), [2, "user a a", "a"]],
    ["whole, when its quotes hold another text", said('user said "bye"', null), [2, 'user said "bye"']],
    ["with an empty parameter", said("user said", ""), [2, "user said", ""]],
  ])("%s", (_, entry, stored) => {
    const written: unknown = JSON.parse(JSON.stringify(writeLog(entry, NUMBERS)));
    expect(written).toEqual(stored);
    expect(readLog(written, TEXTS)).toEqual(entry);
  });

  it("as the first version wrote it, which can still be read", () => {
    const entry = said("user said", "hello", "user greeted");
    expect(readLog({ ...entry }, [])).toEqual(entry);
    const intent: HistoryEntry = { name: "UserIntentLog", flow: "user greeted", parameter: null };
    expect(readLog({ ...intent }, [])).toEqual(intent);
  });
});

describe("the log of a conversation", () => {
  const driver = new Driver(
    '@meta(user_action="user said {$n}")\nflow user spoke\n  match Said() as $event\n  $n = $event.n\n\n' +
      "flow main\n  while True\n    user spoke\n",
  );

  it("keeps the newest events only, also of a state that has more", () => {
    driver.batch();
    for (let turn = 0; turn < 100; turn += 1) driver.batch({ type: "Said", n: turn });
    const { history } = driver.conversation.state.data;
    expect(history.map(({ flow }) => flow)).toEqual(Array.from({ length: 80 }, (_, at) => `user said ${at + 20}`));
    const stored = writeState(driver.conversation.state);
    const more = { ...stored, history: [...(stored["history"] as []), ...(stored["history"] as [])] };
    const read = new EngineConversation(readState(driver.program, JSON.parse(JSON.stringify(more))));
    expect(read.history).toEqual(history);
  });
});
