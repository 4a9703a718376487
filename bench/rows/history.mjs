import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { actions, dialog, twoRails, word } from "../configs.mjs";
import { InstantChatModel } from "../instant-model.mjs";

const user = (turn) => new HumanMessage(`when do you open on day ${turn}, and where can one leave a bicycle?`);
const bot = (turn) => new AIMessage(`On day ${turn} we open at nine; bicycles stay in the yard behind the workshop.`);

/** The turns before this one, each a message of the user and a response. */
function past(turn) {
  return Array.from({ length: turn - 1 }, (_, at) => [user(at + 1), bot(at + 1)]).flat();
}

/** Messages at turn `turn`. */
const messagesAt = (turn) => 2 * turn - 1;

/**
 * A call that sends the whole conversation with a new message, guarded and bare, at turn 10 and at turn 1,000. An application
 * keeps its message objects; a server reads new ones from each request (`fresh`).
 */
function resent({ fresh = false, config = twoRails } = {}) {
  return async (library) => {
    const { Guardrails } = await library.entry();
    const model = new InstantChatModel();
    const guarded = (await Guardrails.fromConfig(config, { actions })).wrap(model);
    let count = 0;
    const caller = (runnable, turn) => {
      const kept = past(turn);
      return () => {
        count += 1;
        const before = fresh ? past(turn) : kept;
        return runnable.invoke([...before, user(turn + count)]);
      };
    };
    return {
      guarded10: caller(guarded, 10),
      bare10: caller(model, 10),
      guarded1000: caller(guarded, 1000),
      bare1000: caller(model, 1000),
    };
  };
}

const added = ({ guarded10, bare10, guarded1000, bare1000 }) => [guarded10 - bare10, guarded1000 - bare1000];
const perMessage = (parts) => {
  const [early, late] = added(parts);
  return late / messagesAt(1000) / (early / messagesAt(10));
};
const perCall = (parts) => {
  const [early, late] = added(parts);
  return late / early;
};

/** Turns of stored conversations with 200 flows: the first one, and turn 1,000 of a copied conversation. */
async function threadTurns(library) {
  const { Guardrails } = await library.entry();
  const { MemoryThreadStore } = await library.entry("./threads");
  const threads = new MemoryThreadStore({ max: 64 });
  const guarded = (await Guardrails.fromConfig(dialog(200), { threads })).wrap(new InstantChatModel());
  const say = (id, turn) =>
    guarded.invoke([new HumanMessage(`tell me about topic ${word(turn % 200)}`)], { configurable: { thread_id: id } });
  for (let turn = 1; turn < 1000; turn += 1) await say("long", turn);
  const stored = await threads.get("long");
  let count = 0;
  const next = () => `thread ${(count = (count + 1) % 32)}`;
  return {
    first: async () => {
      const id = next();
      await threads.delete(id);
      await say(id, 1000);
    },
    last: async () => {
      const id = next();
      await threads.set(id, stored);
      await say(id, 1000);
    },
  };
}

/** The cost of long conversations. */
export const historyRows = [
  {
    name: "resent",
    title: "history re-sent, CPU added per message, turn 1,000 ÷ turn 10",
    conditions: "re-sent, local",
    unit: "×",
    target: 1.1,
    value: perMessage,
    open: resent(),
  },
  {
    name: "resent-total",
    title: "history re-sent, CPU added per call, turn 1,000 ÷ turn 10",
    conditions: "re-sent, local",
    unit: "×",
    value: perCall,
    open: resent(),
  },
  {
    name: "resent-fresh",
    title: "history re-sent as new message objects, CPU added per message, turn 1,000 ÷ turn 10",
    conditions: "re-sent, local",
    unit: "×",
    value: perMessage,
    open: resent({ fresh: true }),
  },
  {
    name: "resent-ms",
    title: "history re-sent, CPU added per call at turn 1,000",
    conditions: "re-sent, local",
    unit: "ms",
    value: (parts) => added(parts)[1],
    open: resent(),
  },
  {
    name: "thread-1000",
    title: "turn 1,000 ÷ turn 1 of a stored conversation",
    conditions: "thread, 200 flows",
    unit: "×",
    value: ({ first, last }) => last / first,
    open: threadTurns,
  },
];
