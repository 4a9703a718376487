import type { RailFlow, RailManifest, RailSettings } from "./rail-manifest.js";
import type { Source } from "./subject.js";

/** Stages as written in the names of flows. */
const STAGE_WORDS: Readonly<Record<Source, string>> = {
  input: "input",
  output: "output",
  retrieval: "retrieval",
  tool_output: "tool output",
  tool_input: "tool input",
};

interface DetectionManifest extends Pick<RailManifest, "name" | "title" | "summary" | "load"> {
  /** Subject in the names of flows: `detect <subject> on input`. */
  readonly subject: string;
  readonly stages: readonly Source[];
  /** Key of the settings in `rails.config`. */
  readonly settings: string;
}

/** Returns the manifest of a detector rail: a flow `detect <subject> on <stage>` for each stage. */
export function detectionManifest(options: DetectionManifest): RailManifest {
  const { name, title, summary, subject, stages, settings, load } = options;
  const noun = subject.replaceAll(" ", "_");
  const flows = stages.map((stage) => ({
    name: `detect ${subject} on ${STAGE_WORDS[stage]}`,
    stage,
    runs: { action: `detect_${noun}` },
  }));
  return {
    name,
    title,
    summary,
    settings,
    load,
    flows,
    flowsFor: (given) => flows.flatMap((flow) => rewriting(flow, noun, actionFor(given, flow.stage))),
    cost: "local",
    actions: actionNames(noun, stages.includes("retrieval")).map((action) => ({
      name: action,
      parameters: ["source", "text", "variant"],
      verdict: action.startsWith("detect_"),
    })),
  };
}

function actionNames(noun: string, readsChunks: boolean): readonly string[] {
  return [`detect_${noun}`, `mask_${noun}`, ...(readsChunks ? [`drop_chunks_with_${noun}`] : [])];
}

/**
 * Returns the rewriting form of a flow, if the settings select one. INVARIANT: a bot message is masked as a whole or in parts that
 * split no finding: a finding and its context may span several lines.
 */
function rewriting(flow: RailFlow, noun: string, treatment: Treatment): readonly RailFlow[] {
  if (treatment === "mask") return [{ ...flow, rewrites: true, stream: "findings", runs: { action: `mask_${noun}` } }];
  if (treatment !== "drop" || flow.stage !== "retrieval") return [];
  return [{ ...flow, rewrites: true, runs: { action: `drop_chunks_with_${noun}` } }];
}

type Treatment = "block" | "mask" | "drop" | "report";

/** Treatment of findings, for all stages or for one stage, which takes precedence. */
interface TreatmentSettings {
  readonly action?: Treatment | null;
  readonly score_threshold?: number | null;
}

/** Returns the treatment of findings in a stage. */
export function actionFor(settings: RailSettings, source: Source): Treatment {
  const [all, stageSettings] = [settings as TreatmentSettings, (settings[source] ?? {}) as TreatmentSettings];
  return stageSettings.action ?? all.action ?? "block";
}

/** Returns the minimum score of a finding in a stage. */
export function thresholdFor(settings: RailSettings, source: Source): number {
  const [all, stageSettings] = [settings as TreatmentSettings, (settings[source] ?? {}) as TreatmentSettings];
  return stageSettings.score_threshold ?? all.score_threshold ?? 0.5;
}
