import { useVersion } from "../../support/langchain/real-guardrails.js";

// What is promised for one language holds in the other: the same tables, with rails of the same meaning.
useVersion("2.x");
await import("../steps/checklist.test.js");
await import("../trust/traps.test.js");
await import("../complaints.test.js");
await import("../blocked-turns.test.js");
await import("../steps/composition.test.js");
