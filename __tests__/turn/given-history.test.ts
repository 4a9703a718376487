import { describe, expect, it } from "@jest/globals";
import * as fc from "fast-check";
import { appendTurn, EMPTY_HISTORY, readMessages, userMessages } from "../../src/turn/conversation.js";
import type { TurnMessage } from "../../src/turn/options.js";
import { propertyRuns } from "../support/property-runs.js";

/** Texts, some of them longer than a whole history. */
const TEXT = fc.tuple(fc.constantFrom("", "hi ", "a longer text "), fc.constantFrom(1, 40, 900, 4_000));

const TURN = fc.record({ user: fc.array(TEXT, { maxLength: 2 }), hasEvent: fc.boolean(), bot: TEXT });

const textOf = ([text, times]: readonly [string, number]): string => text.repeat(times);

describe("the history of messages that a caller gives", () => {
  it.each([
    ["as long as its texts fit", 30],
    ["beyond the number of turns it holds", 260],
  ])("equals appending turn after turn, %s", (_name, maxLength) => {
    fc.assert(
      fc.property(fc.array(TURN, { minLength: maxLength / 2, maxLength, size: "max" }), (turns) => {
        const event = { type: "BotIntent", intent: "greet" };
        const messages = turns.flatMap(({ user, hasEvent, bot }): TurnMessage[] => [
          ...user.map((text) => ({ role: "user", content: textOf(text) }) as const),
          ...(hasEvent ? [{ role: "event", event } as const] : []),
          { role: "assistant", content: textOf(bot) },
        ]);
        const appended = turns.reduce(
          (history, { user, hasEvent, bot }) =>
            appendTurn(history, [
              ...userMessages(user.map(textOf)),
              ...(hasEvent ? [event] : []),
              { type: "StartUtteranceBotAction", script: textOf(bot) },
            ]),
          EMPTY_HISTORY,
        );
        expect(readMessages([...messages, { role: "user", content: "now" }]).earlier).toEqual(appended);
      }),
      { numRuns: propertyRuns(12) },
    );
  });
});
