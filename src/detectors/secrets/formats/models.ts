import { isRandomKey } from "../entropy.js";
import type { KeyFormat } from "../key-format.js";

/** Keys of services that run language models and their tools. */
export const MODELS: readonly KeyFormat[] = [
  // `T3BlbkFJ` is the Base64 of `OpenAI`.
  {
    name: "openai-key",

    pattern: "sk-(?:(?:proj|svcacct|admin|None)-)?[0-9A-Za-z_-]{20,100}T3BlbkFJ[0-9A-Za-z_-]{20,100}",
    score: 1,
  },
  {
    name: "openai-project-key",
    triggers: ["sk-proj-", "sk-svcacct-", "sk-admin-"],
    pattern: "sk-(?:proj|svcacct|admin)-[0-9A-Za-z_-]{40,200}",
  },
  {
    name: "anthropic-key",

    pattern: "sk-ant-(?:api|admin|oat|ort|sid)\\d{2}-[0-9A-Za-z_-]{80,120}",
    score: 1,
  },
  { name: "openrouter-key", pattern: "sk-or-v1-[0-9a-f]{64}" },
  { name: "langfuse-key", pattern: "sk-lf-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}" },
  // OpenAI's first form, DeepSeek, Stability AI and proxies write `sk-` and letters and digits.
  { name: "model-service-key", pattern: "sk-(?:[0-9a-f]{32}|[0-9A-Za-z]{48})", score: 0.9 },
  { name: "huggingface-token", triggers: ["hf_", "api_org_"], pattern: "(?:hf_|api_org_)[0-9A-Za-z]{34,37}" },
  { name: "groq-key", pattern: "gsk_[0-9A-Za-z]{52}" },
  { name: "xai-key", pattern: "xai-[0-9A-Za-z]{80}" },
  { name: "perplexity-key", pattern: "pplx-[0-9A-Za-z]{48,56}" },
  { name: "replicate-token", pattern: "r8_[0-9A-Za-z]{37,40}" },
  { name: "nvidia-key", pattern: "nvapi-[0-9A-Za-z_-]{60,70}" },
  { name: "cerebras-key", pattern: "csk-[0-9a-z]{48}" },
  { name: "fireworks-key", pattern: "fw_[0-9A-Za-z]{22,24}" },
  { name: "voyage-key", pattern: "pa-[0-9A-Za-z_-]{43}" },
  { name: "jina-key", pattern: "jina_[0-9a-f]{32}[0-9A-Za-z_-]{20,40}" },
  { name: "elevenlabs-key", pattern: "sk_[0-9a-f]{48}" },
  { name: "pinecone-key", pattern: "pcsk_[0-9A-Za-z]{5,6}_[0-9A-Za-z]{60,66}" },
  {
    name: "langsmith-key",
    triggers: ["lsv2_", "ls__"],
    pattern: "(?:lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}|ls__[0-9a-f]{32})",
  },
  { name: "tavily-key", pattern: "tvly-(?:(?:dev|prod)-)?[0-9A-Za-z_-]{30,60}" },
  { name: "firecrawl-key", pattern: "fc-[0-9a-f]{32}" },
  { name: "e2b-key", pattern: "e2b_[0-9a-f]{40}" },
  { name: "apify-token", pattern: "apify_api_[0-9A-Za-z]{36}" },
  { name: "llama-cloud-key", pattern: "llx-[0-9A-Za-z]{48}" },
  { name: "together-key", pattern: "tgp_v1_[0-9A-Za-z_-]{43}" },
  { name: "wandb-key", pattern: "wandb_v1_[0-9A-Za-z_-]{40,90}" },
  { name: "runpod-key", pattern: "rpa_[0-9A-Z]{42}[0-9A-Za-z]{2,6}" },
  { name: "cursor-key", triggers: ["crsr_", "key_"], pattern: "(?:crsr|key)_[0-9a-f]{64}" },
  { name: "helicone-key", triggers: ["sk-helicone-"], pattern: "sk-helicone(?:-eu)?(?:-[0-9a-z]{7}){4}" },
  { name: "mem0-key", pattern: "m0-[0-9A-Za-z]{40}" },
  { name: "modal-token", triggers: ["ak-", "as-"], pattern: "a[ks]-[0-9A-Za-z]{22}", isValid: isRandomKey },
  { name: "anyscale-token", pattern: "esecret_[0-9a-z]{26}" },
];
