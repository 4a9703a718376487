import { z } from "zod/v4";

import { once } from "./fields.js";
import { autoalignSchema } from "./rail-config/autoalign.js";
import { celSchema } from "./rail-config/cel.js";
import { clavataSchema } from "./rail-config/clavata.js";
import {
  aiDefenseSchema,
  crowdstrikeAidrSchema,
  pangeaSchema,
  trendMicroSchema,
} from "./rail-config/cloud-services.js";
import { contentSafetySchema } from "./rail-config/content-safety.js";
import { contextBloatDetectionSchema } from "./rail-config/context-bloat-detection.js";
import { glinerSchema, polygrafSchema } from "./rail-config/entity-services.js";
import { factCheckingSchema } from "./rail-config/fact-checking.js";
import { fiddlerSchema } from "./rail-config/fiddler.js";
import { guardrailsAiSchema } from "./rail-config/guardrails-ai.js";
import { hfClassifierSchema } from "./rail-config/hf-classifier.js";
import { injectionDetectionSchema } from "./rail-config/injection-detection.js";
import { jailbreakDetectionSchema } from "./rail-config/jailbreak-detection.js";
import { patronusSchema } from "./rail-config/patronus.js";
import { privateAiSchema } from "./rail-config/private-ai.js";
import { regexDetectionSchema } from "./rail-config/regex-detection.js";
import { sensitiveDataDetectionSchema } from "./rail-config/sensitive-data-detection.js";
import { toolsSchema } from "./rail-config/tools.js";

/** The settings of every rail by its key below `rails.config` (spec rails 1.9). A schema is built only when its key is used. */
const RAIL_SETTINGS: Readonly<Record<string, () => z.ZodType>> = {
  fact_checking: factCheckingSchema,
  autoalign: autoalignSchema,
  patronus: patronusSchema,
  sensitive_data_detection: sensitiveDataDetectionSchema,
  jailbreak_detection: jailbreakDetectionSchema,
  injection_detection: injectionDetectionSchema,
  privateai: privateAiSchema,
  fiddler: fiddlerSchema,
  clavata: clavataSchema,
  pangea: pangeaSchema,
  crowdstrike_aidr: crowdstrikeAidrSchema,
  trend_micro: trendMicroSchema,
  ai_defense: aiDefenseSchema,
  guardrails_ai: guardrailsAiSchema,
  content_safety: contentSafetySchema,
  regex_detection: regexDetectionSchema,
  gliner: glinerSchema,
  polygraf: polygrafSchema,
  hf_classifier: hfClassifierSchema,
  context_bloat_detection: contextBloatDetectionSchema,
  cel: celSchema,
  tools: toolsSchema,
};

export const RAIL_SETTING_KEYS: readonly string[] = Object.keys(RAIL_SETTINGS);

/** Rails that are not mentioned stay absent, so that their schemas cost nothing. */
export const railConfigSchema = once(() => {
  const shape: Record<string, z.ZodType> = {};
  for (const [key, schema] of Object.entries(RAIL_SETTINGS)) shape[key] = z.lazy(schema).optional();
  return z
    .strictObject(shape)
    .nullish()
    .transform((value): Record<string, unknown> => value ?? {})
    .meta({ description: "Settings of single rails." });
});
