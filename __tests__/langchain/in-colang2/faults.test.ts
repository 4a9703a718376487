import { useVersion } from "../../support/langchain/real-guardrails.js";

// What is promised for one language holds in the other: the same tables, with rails of the same meaning.
useVersion("2.x");
await import("../conformance.test.js");
await import("../redaction/redaction.test.js");
await import("../trust/attacks.test.js");
