import { HumanMessage } from "@langchain/core/messages";
import { actions, selfChecks, twoRails } from "../configs.mjs";
import { InstantChatModel } from "../instant-model.mjs";

const CALLS = 256;
const messages = [new HumanMessage("When do you open?")];

/** Batches of concurrent calls. */
function batches(concurrent, config, options = {}) {
  return async (library) => {
    const { Guardrails } = await library.entry();
    const judge = new InstantChatModel("No");
    const models = { self_check_input: judge, self_check_output: judge };
    const guardrails = await Guardrails.fromConfig(config, { actions, ...(options.judges ? { models } : {}) });
    const guarded = guardrails.wrap(new InstantChatModel());
    const batch = async () => {
      let open = CALLS;
      const worker = async () => {
        while (open > 0) {
          open -= 1;
          await guarded.invoke(messages);
        }
      };
      await Promise.all(Array.from({ length: concurrent }, worker));
    };
    return { batch };
  };
}

const shared = {
  unit: "calls/CPU s",
  least: true,
  value: ({ batch }) => (CALLS * 1000) / batch,
  blocks: { blockMs: 60 },
};

/** Calls per second of processor time, including the model. */
export const throughputRows = [
  {
    ...shared,
    name: "throughput-judges",
    title: "calls per CPU second, self-check",
    conditions: "judges, instant, 32 at once",
    target: 5000,
    open: batches(32, selfChecks, { judges: true }),
  },
  {
    ...shared,
    name: "throughput-local",
    title: "calls per CPU second, local rails",
    conditions: "local, 32 at once",
    target: 15_000,
    open: batches(32, twoRails),
  },
  {
    ...shared,
    name: "throughput-local-1",
    title: "calls per CPU second, local rails, one after the other",
    conditions: "local, 1 at once",
    open: batches(1, twoRails),
  },
  {
    ...shared,
    name: "throughput-local-256",
    title: "calls per CPU second, local rails, 256 at once",
    conditions: "local, 256 at once",
    open: batches(256, twoRails),
  },
];
