import { FACT_ROWS } from "./facts.js";
import { GUARD_SERVICE_ROWS } from "./guard-services.js";
import { GUARD_ROWS } from "./guards.js";
import { MODEL_SERVICE_ROWS } from "./models.js";
import { MODERATION_ROWS } from "./moderation.js";
import { PERSONAL_DATA_ROWS } from "./personal-data.js";
import type { ServiceRow } from "./service-row.js";

/** The contracts of all rails that ask a service. */
export const SERVICE_ROWS: readonly ServiceRow[] = [
  ...MODERATION_ROWS,
  ...FACT_ROWS,
  ...GUARD_ROWS,
  ...GUARD_SERVICE_ROWS,
  ...PERSONAL_DATA_ROWS,
  ...MODEL_SERVICE_ROWS,
];
