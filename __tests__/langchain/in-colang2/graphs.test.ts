import { useVersion } from "../../support/langchain/real-guardrails.js";

// What is promised for one language holds in the other: the same tables, with rails of the same meaning.
useVersion("2.x");
await import("../graph/langgraph.test.js");
await import("../graph/graph-store.test.js");
