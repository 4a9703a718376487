import { describe, expect, it } from "@jest/globals";
import { TestHost } from "./host.js";

const CONTINUES = "import core\nimport llm\n\nflow main\n  activate llm continuation\n  wait indefinitely\n";

describe("a conversation that a model continues", () => {
  it("finishes the intent that is awaited (L09)", async () => {
    const host = await TestHost.open(
      'import core\nimport llm\n\nflow main\n  activate llm continuation\n  user asked for help\n  bot say "Sure."\n  wait indefinitely\n\nflow user asked for help\n  user said "help"\n',
      { llm: ["user intent: user asked for help"] },
    );
    expect(await host.say("I am stuck")).toEqual(["Sure."]);
    expect(host.model.calls[0]?.text).toContain('user action: user said "help"\nuser intent: user asked for help');
  });

  it("makes the next step up where nobody waits (L10)", async () => {
    const host = await TestHost.open(CONTINUES, {
      llm: ["user asked for joke", 'bot tell joke\nbot action: bot say "Knock!"'],
    });
    expect(await host.say("tell me a joke")).toEqual(["Knock!"]);
    expect(host.added).toEqual([]);
    expect(host.failures).toEqual([]);
  });

  it("finds a value (L11)", async () => {
    const host = await TestHost.open(
      'import core\n\nflow main\n  user said something\n  $n = ..."how many items"\n  bot say "{$n} items"\n  match Never()\n',
      { llm: ["3"] },
    );
    expect(await host.say("three please")).toEqual(["3 items"]);
  });
});
