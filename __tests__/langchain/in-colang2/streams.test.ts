import { useVersion } from "../../support/langchain/real-guardrails.js";

// What is promised for one language holds in the other: the same tables, with rails of the same meaning.
useVersion("2.x");
await import("../streaming/model.test.js");
await import("../streaming/chain.test.js");
await import("../streaming/quarantine.test.js");
await import("../streaming/own-handlers.test.js");
