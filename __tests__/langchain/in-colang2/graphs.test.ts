import { useVersion } from "../real-guardrails.js";

// What is promised for one language holds in the other: the same tables, with rails of the same meaning.
useVersion("2.x");
await import("../langgraph.test.js");
await import("../graph-store.test.js");
