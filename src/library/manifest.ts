import type { RailFlow, RailManifest } from "./rail-manifest.js";
import { selfCheckInput } from "./self-check-input/rail.js";
import { selfCheckOutput } from "./self-check-output/rail.js";
import { celRail } from "./cel/rail.js";
import { contentSafety } from "./content-safety/rail.js";
import { alignScore } from "./alignscore/rail.js";
import { jailbreakDetection } from "./jailbreak-detection/rail.js";
import { openaiModeration } from "./openai-moderation/rail.js";
import { llmJudge } from "./llm-judge/rail.js";
import { llamaGuard } from "./llama-guard/rail.js";
import { patronusLynx } from "./patronus-lynx/rail.js";
import { topicSafety } from "./topic-safety/rail.js";
import { contextBloatRail } from "./context-bloat/rail.js";
import { exfiltrationDetection } from "./exfiltration-detection/rail.js";
import { instructionDetection } from "./instruction-detection/rail.js";
import { languageCheck } from "./language-check/rail.js";
import { promptLeak } from "./prompt-leak/rail.js";
import { toxicWordsRail } from "./toxic-words/rail.js";
import { urlCheck } from "./url-check/rail.js";
import { hiddenTextRail } from "./hidden-text/rail.js";
import { injectionDetection } from "./injection-detection/rail.js";
import { jailbreakPhrasingRail } from "./jailbreak-phrasing/rail.js";
import { keyWordsRail } from "./key-words/rail.js";
import { regexDetection } from "./regex-detection/rail.js";
import { secretsDetection } from "./secrets-detection/rail.js";
import { sensitiveData } from "./sensitive-data/rail.js";
import { selfCheckFacts } from "./self-check-facts/rail.js";
import { selfCheckHallucination } from "./self-check-hallucination/rail.js";
import { clavata } from "./clavata/rail.js";
import { activefence } from "./activefence/rail.js";
import { autoalign } from "./autoalign/rail.js";
import { cleanlab } from "./cleanlab/rail.js";
import { crowdstrikeAidr } from "./crowdstrike-aidr/rail.js";
import { fiddler } from "./fiddler/rail.js";
import { gcpNlp } from "./gcp-nlp/rail.js";
import { gotitai } from "./gotitai/rail.js";
import { patronus } from "./patronus/rail.js";
import { pangea } from "./pangea/rail.js";
import { privateAi } from "./private-ai/rail.js";
import { aiDefense } from "./ai-defense/rail.js";
import { f5 } from "./f5/rail.js";
import { gliner } from "./gliner/rail.js";
import { guardrailsAi } from "./guardrails-ai/rail.js";
import { hfClassifier } from "./hf-classifier/rail.js";
import { policyAi } from "./policyai/rail.js";
import { polygraf } from "./polygraf/rail.js";
import { promptSecurity } from "./prompt-security/rail.js";
import { trendMicro } from "./trend-micro/rail.js";
import { zscalerAiGuard } from "./zscaler-aiguard/rail.js";
import { toolValidation } from "./tool-validation/rail.js";
import { toolPatterns } from "./tool-patterns/rail.js";
import { toolSafety } from "./tool-safety/rail.js";

/** Built-in rails: a configuration can list their flows without defining them. */
export const LIBRARY_RAILS: readonly RailManifest[] = [
  selfCheckInput,
  selfCheckOutput,
  selfCheckFacts,
  selfCheckHallucination,
  contentSafety,
  llamaGuard,
  topicSafety,
  llmJudge,
  patronusLynx,
  alignScore,
  jailbreakDetection,
  openaiModeration,
  toolValidation,
  toolPatterns,
  toolSafety,
  celRail,
  regexDetection,
  secretsDetection,
  sensitiveData,
  keyWordsRail,
  contextBloatRail,
  jailbreakPhrasingRail,
  injectionDetection,
  instructionDetection,
  exfiltrationDetection,
  urlCheck,
  toxicWordsRail,
  languageCheck,
  promptLeak,
  hiddenTextRail,
  clavata,
  pangea,
  privateAi,
  promptSecurity,
  trendMicro,
  aiDefense,
  guardrailsAi,
  policyAi,
  f5,
  zscalerAiGuard,
  polygraf,
  gliner,
  hfClassifier,
  activefence,
  autoalign,
  cleanlab,
  crowdstrikeAidr,
  fiddler,
  gcpNlp,
  gotitai,
  patronus,
];

let flows: ReadonlyMap<string, LibraryFlow> | undefined;

interface LibraryFlow {
  readonly rail: RailManifest;
  readonly flow: RailFlow;
}

/**
 * Returns the built-in rail that has a flow of this name.
 *
 * @example
 * ```ts
 * findLibraryFlow("self check input")?.rail.needs?.tasks; // ["self_check_input"]
 * ```
 */
export function findLibraryFlow(name: string): LibraryFlow | undefined {
  flows ??= new Map(LIBRARY_RAILS.flatMap((rail) => rail.flows.map((flow) => [flow.name, { rail, flow }] as const)));
  return flows.get(name);
}
