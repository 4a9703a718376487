import { useVersion } from "../../support/langchain/real-guardrails.js";

// What is promised for one language holds in the other: the same tables, with rails of the same meaning.
useVersion("2.x");
await import("../models/chat-model-contract.test.js");
await import("../models/model-tools.test.js");
await import("../structured/structured-output.test.js");
await import("../tools/guarded-tool.test.js");
