import { EngineConversation } from "../../../colang2/engine/conversation.js";
import type { GuardrailsEvent } from "../../../engine/events.js";
import { completeEvent } from "../complete-event.js";
import { HostLoop } from "../host-loop.js";
import type { LocalActions } from "../local-actions.js";
import { utterancesOf } from "../run.js";
import type { Colang2Services } from "../services.js";
import { engineSettings } from "../stored-conversation.js";

const REFUSAL = "bot refuse to respond";

/** No rail looks at the words of a refusal. */
const UNCHECKED: LocalActions = {
  launch: ({ type, action_uid: uid }) =>
    type === "StartRunOutputRailsAction"
      ? {
          done: Promise.resolve({
            events: [{ type: "RunOutputRailsActionFinished", action_uid: uid, return_value: { passed: true } }],
          }),
          stop: () => undefined,
        }
      : undefined,
};

/** What the flow `bot refuse to respond` says; undefined where there is none, or where it says nothing. */
export async function refusalText(
  services: Colang2Services,
  context: Readonly<Record<string, unknown>>,
): Promise<string | undefined> {
  if (!services.rails.has(REFUSAL)) return undefined;
  const events: GuardrailsEvent[] = [];
  const engine = new EngineConversation(services.program, { context, ...engineSettings(services), prefix: "refusal" });
  const loop = new HostLoop({
    engine,
    local: UNCHECKED,
    instantActions: new Set(["UtteranceBotAction"]),
    maxEvents: services.limits.eventsPerTurn,
    complete: (draft) => completeEvent(draft, services.events),
    onEvent: (event) => events.push(event),
  });
  try {
    const { signal } = new AbortController();
    await loop.perform(() => engine.start(REFUSAL).round, { signal, blocking: true });
    const said = utterancesOf(events);
    return said.length === 0 ? undefined : said.join("\n");
  } finally {
    loop.close();
  }
}
