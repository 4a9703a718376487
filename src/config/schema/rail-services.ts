import { z } from "zod/v4";
import {
  count,
  endpoint,
  entities,
  filledText,
  flag,
  freeMap,
  keyVariable,
  mapOf,
  NO_ENTRIES,
  number,
  optional,
  perSource,
  ratio,
  section,
  text,
  texts,
} from "./fields.js";

/** The same settings for the input and the output of the bot. */
function perSide<S extends z.ZodRawShape>(settings: () => S) {
  return {
    input: section(settings(), "For user messages."),
    output: section(settings(), "For bot messages."),
  };
}

const timeout = () => optional(number("seconds", { above: 0 }), 30, "Longest wait for the service.");

const validators = () =>
  optional(
    z.array(
      z.strictObject({
        name: filledText().meta({ description: "Name of the validator." }),
        parameters: optional(freeMap(), NO_ENTRIES, "Settings of the validator."),
        metadata: optional(freeMap(), NO_ENTRIES, "Data that the validator needs at run time."),
      }),
    ),
    [],
    "Validators to run.",
  );

/** Settings of the rails that ask a service. */
export const SERVICE_SETTINGS: Readonly<Record<string, () => z.ZodType>> = {
  autoalign: () =>
    section(
      {
        parameters: section(
          { endpoint: endpoint(), fact_check_endpoint: endpoint(), groundedness_endpoint: endpoint() },
          "Addresses of the service.",
        ),
        ...perSide(() => ({ guardrails_config: optional(freeMap(), NO_ENTRIES, "Tasks and their settings.") })),
      },
      "AutoAlign.",
    ),
  patronus: () =>
    section(
      perSide(() => ({
        evaluate_config: section(
          {
            success_strategy: optional(z.enum(["all_pass", "any_pass"]), "all_pass", "Evaluators that must pass."),
            params: optional(freeMap(), NO_ENTRIES, "Parameters for the service."),
          },
          "The evaluation to ask for.",
        ),
      })),
      "Patronus.",
    ),
  privateai: () =>
    section(
      { server_endpoint: endpoint("http://localhost:8080/process/text"), ...perSource(entities) },
      "Personal data found by Private AI.",
    ),
  fiddler: () =>
    section(
      {
        fiddler_endpoint: endpoint(),
        safety_threshold: optional(ratio(), 0.1, "Score from which a text is unsafe."),
        faithfulness_threshold: optional(ratio(), 0.05, "Score up to which a bot message is unfaithful."),
      },
      "Fiddler.",
    ),
  clavata: () =>
    section(
      {
        server_endpoint: endpoint("https://gateway.app.clavata.ai:8443"),
        policies: optional(mapOf(text()), NO_ENTRIES, "Policy ids by alias."),
        label_match_logic: optional(z.enum(["ANY", "ALL"]), "ANY", "Labels that must match."),
        ...perSide(() => ({
          policy: optional(filledText(), null, "The alias of a policy."),
          labels: optional(texts(), [], "Labels that count; all of them when empty."),
        })),
      },
      "Clavata.",
    ),
  pangea: () =>
    section(
      perSide(() => ({ recipe: optional(filledText(), null, "The recipe to apply.") })),
      "Pangea AI Guard.",
    ),
  crowdstrike_aidr: () => section({}, "CrowdStrike AIDR; its connection comes from the environment."),
  trend_micro: () =>
    section(
      { v1_url: endpoint("https://api.xdr.trendmicro.com/beta/aiSecurity/guard"), api_key_env_var: keyVariable() },
      "Trend Micro AI Guard.",
    ),
  ai_defense: () =>
    section(
      { timeout: timeout(), fail_open: optional(flag(), false, "Let a text pass when the service fails.") },
      "Cisco AI Defense.",
    ),
  guardrails_ai: () =>
    section({ validators: validators(), ...perSide(() => ({ validators: validators() })) }, "Guardrails AI."),
  gliner: () =>
    section(
      {
        server_endpoint: endpoint(),
        threshold: optional(ratio(), null, "Least certainty that counts."),
        chunk_length: optional(count(1, "characters"), null, "Length of the text in one request."),
        overlap: optional(count(0, "characters"), null, "Text that two requests share."),
        flat_ner: optional(flag(), null, "Entities do not nest."),
        api_key: optional(text(), null, "The key of the service."),
        ...perSource(entities),
      },
      "Personal data found by GLiNER.",
    ),
  polygraf: () => section({ server_endpoint: endpoint(), ...perSource(entities) }, "Personal data found by Polygraf."),
  hf_classifier: () =>
    optional(
      mapOf(
        z.strictObject({
          engine: z.enum(["local", "vllm", "kserve", "fms"]).meta({ description: "The engine that runs the model." }),
          model: filledText().meta({ description: "Name of the model." }),
          task: optional(text(), "text-classification", "The task of the model."),
          threshold: optional(ratio(), 0.5, "Score from which a label counts."),
          blocked_labels: optional(texts(), [], "Labels that block."),
          base_url: endpoint(),
          api_key_env_var: keyVariable(),
          parameters: section(
            {
              timeout: timeout(),
              verify_ssl: optional(flag(), true, "Check the certificate of the service."),
              ca_cert: optional(text(), null, "A file with certificates to trust."),
              client_cert: optional(text(), null, "A file with the client's certificate."),
              client_key: optional(text(), null, "A file with the client's key."),
            },
            "The connection.",
          ),
        }),
      ),
      NO_ENTRIES,
      "Text classifiers by a name of your choosing.",
    ),
};
