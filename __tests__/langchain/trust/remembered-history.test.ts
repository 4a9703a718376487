import { describe, expect, it } from "@jest/globals";
import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import {
  Guardrails,
  type GuardrailsCallOptions,
  type GuardrailsOptions,
  type RailDecision,
  verdictOf,
} from "../../../src/index.js";
import { CALL_VARIABLES } from "../../../src/langchain/call.js";
import { defineAction } from "../../../src/langchain/rails.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { propertyRuns } from "../../support/property-runs.js";
import { type Dialect, DIALECTS, railFlows } from "../../support/rail-flows.js";

type Work = (params: { readonly text: string }, context: { readonly context: object }) => unknown;

/** Text of the bot before which a message was hidden. */
const HIDDEN = "(this message is hidden)";

const WORK = {
  check_words: ({ text }: { text: string }) => {
    if (text.includes("broken")) throw new Error("no verdict");
    return !text.includes("bad");
  },
  hide_names: ({ text }: { text: string }) => text.replaceAll("Ada", "NAME"),
  hide_towns: async ({ text }: { text: string }) => Promise.resolve(text.replaceAll("Paris", "TOWN")),
} satisfies Record<string, Work>;

function nameIn(dialect: Dialect, name: string): string {
  const camel = name.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return dialect === "1.0" ? name : `${camel}Action`;
}

interface Policy {
  readonly dialect: Dialect;
  readonly rails: readonly string[];
  readonly options?: Partial<GuardrailsOptions>;
}

/** Returns true in the context of a call that hides the text `good`, and no other. */
const isHiding = ({ text }: { readonly text: string }, given?: { readonly context: object }): boolean =>
  text === "good" && (given?.context as { readonly tier?: unknown } | undefined)?.tier === "strict";

/** @param verdict - whether the actions promise to judge only */
function open({ dialect, rails, options }: Policy, work: Record<string, Work> = WORK, verdict = true) {
  const names = Object.keys(work).map((name) => [name, nameIn(dialect, name)] as const);
  const actions = names.map(([name, known]) => [known, defineAction({ name: known, verdict }, work[name] as never)]);
  const colang = railFlows(dialect, {
    "check words": ["block", "user_message", "check_words"],
    "hide names": ["rewrite", "user_message", "hide_names"],
    "hide towns": ["rewrite", "user_message", "hide_towns"],
    "check tier": ["block", "tier", "check_words"],
  });
  const config = { colang_version: dialect, rails: { input: { flows: [...rails] } } };
  return Guardrails.fromConfig({ config, colang }, { actions: Object.fromEntries(actions), logger: false, ...options });
}

const POLICIES: readonly Policy[] = [
  { dialect: "1.0", rails: ["hide names", "check words"] },
  { dialect: "1.0", rails: ["check words", "hide towns", "hide names"], options: { history: "review" } },
  { dialect: "2.x", rails: ["hide names", "check words"], options: { history: "review" } },
  { dialect: "1.0", rails: ["hide towns"], options: { onError: "allow" } },
];

const TEXTS = ["hello", "I am Ada", "Ada of Paris", "a bad one", "broken", "from Paris", "bad Ada"];

/** A user message to one of the policies, with disabled rails or after editing an earlier message. */
const STEP = fc.record({
  policy: fc.nat(POLICIES.length - 1),
  text: fc.constantFrom(...TEXTS),
  edit: fc.option(fc.tuple(fc.nat(8), fc.constantFrom(...TEXTS)), { freq: 4, nil: undefined }),
  rails: fc.option(fc.constantFrom<"none" | "first">("none", "first"), { freq: 6, nil: undefined }),
  isCopied: fc.boolean(),
});

/** Result of a turn, without times. */
async function ask(guardrails: Guardrails, messages: readonly BaseMessage[], options: GuardrailsCallOptions) {
  const model = scriptedModel(["fine, Ada"]);
  const reply = await guardrails.wrap(model).invoke([...messages], options);
  const { decisions = [], ...verdict } = verdictOf(reply) ?? {};
  const timeless = decisions.map((decision: RailDecision) => ({ ...decision, durationMs: 0 }));
  const shown = model.calls.map((call) => call.messages.map(({ type, content }) => [type, content]));
  return { reply, seen: { content: reply.content, verdict, decisions: timeless, shown } };
}

describe("reviews of earlier messages", () => {
  it("have the same result for the model and the caller when they are cached", async () => {
    const kept = await Promise.all(POLICIES.map((policy) => open(policy)));
    await fc.assert(
      fc.asyncProperty(fc.array(STEP, { minLength: 2, maxLength: 5 }), async (steps) => {
        const conversation: BaseMessage[] = [];
        for (const { policy: index, text, edit, rails, isCopied } of steps) {
          const policy = POLICIES[index] as Policy;
          const options =
            rails === undefined ? {} : { rails: { input: rails === "first" && policy.rails.slice(0, 1) } };
          const at = edit === undefined ? -1 : edit[0] * 2;
          if (edit !== undefined && at < conversation.length) conversation[at] = new HumanMessage(edit[1]);
          conversation.push(new HumanMessage(text));
          const fresh = await open(policy);
          const sent = isCopied ? conversation.map((each) => copy(each)) : conversation;
          const remembered = await ask(kept[index] as Guardrails, sent, options);
          const { seen } = await ask(fresh, sent, options);
          expect(remembered.seen).toEqual(seen);
          conversation.push(remembered.reply);
        }
      }),
      { numRuns: propertyRuns(3) },
    );
  });
});

/** A message as an application stores and restores it. */
function copy(message: BaseMessage): BaseMessage {
  const { content, response_metadata } = message;
  return message.type === "human" ? new HumanMessage({ content }) : new AIMessage({ content, response_metadata });
}

describe.each(DIALECTS)("a review of an earlier message in Colang %s", (dialect) => {
  /** Runs of an action for the earlier message, in each of three calls that send it again. */
  async function callsIn(options: {
    readonly rails: readonly string[];
    readonly work: Work;
    readonly verdict?: boolean;
  }) {
    const counts: number[] = [];
    let count = 0;
    const note = ({ text }: { readonly text: string }): void => void (count += text === "good" ? 1 : 0);
    const counted: Work =
      options.work.length > 1
        ? (params, context) => (note(params), options.work(params, context))
        : (params) => (note(params), options.work(params, { context: {} }));
    const policy = { dialect, rails: options.rails, options: { history: "review" as const } };
    const guardrails = await open(policy, { ...WORK, check_words: counted }, options.verdict);
    for (let call = 0; call < 3; call += 1) {
      count = 0;
      await guardrails
        .wrap(scriptedModel(["fine"]))
        .invoke([new HumanMessage("good"), new AIMessage("hello"), new HumanMessage("and now?")]);
      counts.push(count);
    }
    return counts;
  }

  it.each<[string, Parameters<typeof callsIn>[0], readonly number[]]>([
    ["once by a verdict that reads the text", { rails: ["check words"], work: () => true }, [1, 0, 0]],
    ["once where it blocks", { rails: ["check words"], work: ({ text }) => text !== "good" }, [1, 0, 0]],
    [
      "each time by an action without the promise to judge only",
      { rails: ["check words"], work: () => true, verdict: false },
      [1, 1, 1],
    ],
    [
      "each time by an action that gets all variables",
      { rails: ["check words"], work: (_params, _context) => true },
      [1, 1, 1],
    ],
    [
      "each time next to a rail that reads another variable",
      { rails: ["check words", "check tier"], work: () => true },
      [1, 1, 1],
    ],
    [
      "each time by a rail that fails",
      {
        rails: ["check words"],
        work: ({ text }) => {
          if (text === "good") throw new Error("no verdict");
          return true;
        },
      },
      [1, 1, 1],
    ],
  ])("runs %s", async (_name, options, expected) => {
    expect(await callsIn(options)).toEqual(expected);
  });

  it.each<[string, Work]>([
    ["has a default", (params, given = { context: {} }) => !isHiding(params, given)],
    ["has properties with a default", ({ text }, { context } = { context: {} }) => !isHiding({ text }, { context })],
    ["is one of the rest", (params, ...[given]) => !isHiding(params, given)],
    [
      "is read from `arguments`",
      function (params) {
        return !isHiding(params, arguments[1] as { context: object });
      },
    ],
  ])("is not cached for another context if the second parameter %s", async (_name, work) => {
    const policy = { dialect, rails: ["check words"], options: { history: "review" as const } };
    const guardrails = await open(policy, { ...WORK, check_words: work });
    const shown = async (tier: string): Promise<unknown> => {
      const model = scriptedModel(["fine"]);
      const messages = [new HumanMessage("good"), new AIMessage("hello"), new HumanMessage("and now?")];
      await guardrails
        .wrap(model)
        .invoke(messages, { rails: { input: ["check words"] }, configurable: { [CALL_VARIABLES]: { tier } } });
      return model.calls[0]?.messages[0]?.content;
    };
    expect([await shown("loose"), await shown("strict"), await shown("loose")]).toEqual(["good", HIDDEN, "good"]);
  });

  it("is reported to `onDecision` in each call", async () => {
    const reported: string[] = [];
    const guardrails = await open({
      dialect,
      rails: ["check words"],
      options: { history: "review", onDecision: ({ status }) => void reported.push(status) },
    });
    const messages = [new HumanMessage("a bad one"), new AIMessage("hello"), new HumanMessage("and now?")];
    for (let call = 0; call < 2; call += 1) {
      const model = scriptedModel(["fine"]);
      await guardrails.wrap(model).invoke(messages);
      expect(model.calls[0]?.messages[0]?.content).toBe(HIDDEN);
    }
    expect(reported).toEqual(["blocked", "passed", "blocked", "passed"]);
  });
});
