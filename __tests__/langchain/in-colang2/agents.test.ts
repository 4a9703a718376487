import { useVersion } from "../../support/langchain/real-guardrails.js";

// What is promised for one language holds in the other: the same tables, with rails of the same meaning.
useVersion("2.x");
await import("../agent/middleware.test.js");
await import("../agent/middleware-composition.test.js");
await import("../trust/attacks-agents.test.js");
