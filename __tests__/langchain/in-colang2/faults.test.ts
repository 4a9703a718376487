import { useVersion } from "../real-guardrails.js";

// What is promised for one language holds in the other: the same tables, with rails of the same meaning.
useVersion("2.x");
await import("../conformance.test.js");
await import("../redaction.test.js");
await import("../attacks.test.js");
