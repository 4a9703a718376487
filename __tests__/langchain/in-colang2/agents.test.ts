import { useVersion } from "../real-guardrails.js";

// What is promised for one language holds in the other: the same tables, with rails of the same meaning.
useVersion("2.x");
await import("../middleware.test.js");
await import("../middleware-composition.test.js");
await import("../attacks-agents.test.js");
