import { useVersion } from "../real-guardrails.js";

// What is promised for one language holds in the other: the same tables, with rails of the same meaning.
useVersion("2.x");
await import("../chat-model-contract.test.js");
await import("../model-tools.test.js");
await import("../structured-output.test.js");
await import("../guarded-tool.test.js");
