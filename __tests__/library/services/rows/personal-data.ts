import { KEY, type ServiceRow, TEXT, UNKNOWN } from "./service-row.js";

const PRIVATE_AI = {
  key: "privateai",
  env: { PAI_API_KEY: KEY },
  settings: { privateai: { server_endpoint: "<url>/process/text", output: { entities: ["NAME"] } } },
  passes: [{ entities_present: false, processed_text: TEXT }],
  invalid: [
    [{ entities_present: false, processed_text: "the quick brown fox of [NAME_1]" }],
    [{ entities_present: false, processed_text: "" }],
    [],
    [{ entities_present: "no", processed_text: TEXT }],
    [{ entities_present: true, processed_text: TEXT }],
    [{ entities_present: true }],
    [
      { entities_present: false, processed_text: TEXT },
      { entities_present: true, processed_text: "x" },
    ],
    { entities_present: false },
  ],
};

const PII_FOUND = [{ entities_present: true, processed_text: "the quick brown fox of [NAME_1]" }];

export const PERSONAL_DATA_ROWS: readonly ServiceRow[] = (["input", "output", "retrieval"] as const).flatMap(
  (stage): ServiceRow[] => [
    {
      ...PRIVATE_AI,
      flow: `detect pii on ${stage}`,
      stage,
      request: {
        path: "/process/text",
        headers: { "x-api-key": KEY },
        body: {
          text: [TEXT],
          link_batch: false,
          entity_detection: { accuracy: "high_automatic", return_entity: false },
        },
      },
      blocks: [PII_FOUND],
      refusal: UNKNOWN,
      incomplete: { privateai: { server_endpoint: "ftp://example.org" } },
    },
    {
      ...PRIVATE_AI,
      flow: `mask pii on ${stage}`,
      stage,
      request: {
        path: "/process/text",
        body: stage === "output" ? { entity_detection: { entity_types: [{ type: "ENABLE", value: ["NAME"] }] } } : {},
      },
      rewrites: { reply: PII_FOUND, to: "the quick brown fox of [NAME_1]" },
      incomplete: { privateai: { server_endpoint: "https://ada:secret@example.org" } },
    },
  ],
);
