import type { CompiledFlow } from "../../colang1/elements.js";
import { PIPELINE_SOURCES } from "./assets.js";
import { LIBRARY_SOURCES } from "../../library/assets.js";
import type { RuntimeServices } from "./services.js";
import { REMOVE_LAST } from "./utterances.js";

const OUR_FILES: ReadonlySet<string> = new Set([...PIPELINE_SOURCES, ...LIBRARY_SOURCES].map(({ name }) => name));

/** The stations between an answer and whoever reads it. */
const STATIONS = ["generate bot message", "process bot message", "run output rails"];

/** Events by which a flow takes part in what becomes of an answer before it is said. */
const ANSWER_EVENTS: ReadonlySet<string> = new Set([
  "BotMessage",
  "StartOutputRails",
  "StartOutputRail",
  "OutputRailFinished",
  "OutputRailsFinished",
]);

const known = new WeakMap<RuntimeServices, boolean>();

/**
 * Whether an answer that passed its output rails is said as it is. INVARIANT: where a flow of the configuration stands
 * between, or takes back what was said, only the end of the turn tells what the user gets, so nothing leaves before it.
 */
export function saysWhatPassed(services: RuntimeServices): boolean {
  const settled = known.get(services);
  if (settled !== undefined) return settled;
  const { flows, program } = services;
  const stands = STATIONS.every((id) => OUR_FILES.has(flows.get(id)?.location.file ?? ""));
  const takesBack = Object.values(program.botMessages).some((texts) =>
    texts.some((text) => text.trim() === REMOVE_LAST),
  );
  const result = stands && !takesBack && !program.flows.some((flow) => interferes(flow));
  known.set(services, result);
  return result;
}

function interferes({ location, elements }: CompiledFlow): boolean {
  if (OUR_FILES.has(location.file)) return false;
  return elements.some((element) => {
    if (element.kind === "Match") {
      return element.matchers.some((matcher) => matcher.kind === "Event" && ANSWER_EVENTS.has(matcher.type));
    }
    return element.kind === "Say" && element.content.type === "literal" && element.content.text.trim() === REMOVE_LAST;
  });
}
