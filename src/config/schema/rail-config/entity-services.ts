import { count, flag, once, optional, ratio, section, text } from "../fields.js";
import { endpoint, entities, perSource } from "./sources.js";

export const glinerSchema = once(() =>
  section(
    {
      server_endpoint: endpoint(),
      threshold: optional(ratio(), null, "The least certainty that counts."),
      chunk_length: optional(count(1), null, "Characters in one request."),
      overlap: optional(count(0), null, "Characters two requests share."),
      flat_ner: optional(flag(), null, "Entities do not nest."),
      api_key: optional(text(), null, "The key of the service."),
      ...perSource(entities),
    },
    "Personal data found by GLiNER.",
  ),
);

export const polygrafSchema = once(() =>
  section({ server_endpoint: endpoint(), ...perSource(entities) }, "Personal data found by Polygraf."),
);
