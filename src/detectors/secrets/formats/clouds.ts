import { isRandomKey } from "../entropy.js";
import type { KeyFormat } from "../key-format.js";

/** Keys of cloud platforms, hosting, databases and stores of secrets. */
export const CLOUDS: readonly KeyFormat[] = [
  {
    name: "aws-access-key-id",
    triggers: ["akia", "asia", "abia", "acca", "a3t"],
    pattern: "(?:A3T[0-9A-Z]|AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}",
  },
  { name: "aws-bedrock-key", pattern: "ABSK[0-9A-Za-z+/]{109,269}={0,2}", reach: 280 },
  {
    name: "aws-bedrock-short-key",
    triggers: ["bedrock-api-key-"],
    pattern: "bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t[0-9A-Za-z+/]{40,1500}={0,2}",
    reach: 1560,
  },
  { name: "google-express-key", pattern: "AQ\\.Ab[0-9A-Za-z_-]{44,56}" },
  { name: "google-api-key", pattern: "AIza[0-9A-Za-z_-]{35}" },
  { name: "google-oauth-token", pattern: "ya29\\.(?:[a-z]\\.)?[0-9A-Za-z_-]{20,400}", reach: 420 },
  { name: "google-oauth-secret", pattern: "GOCSPX-[0-9A-Za-z_-]{28}" },
  { name: "google-refresh-token", pattern: "1//0[0-9A-Za-z_-]{40,120}" },
  {
    name: "firebase-server-key",
    triggers: [":apa91b"],
    before: 11,
    pattern: "AAAA[0-9A-Za-z_-]{7}:APA91b[0-9A-Za-z_-]{134}",
  },
  {
    name: "azure-storage-key",
    triggers: ["accountkey="],
    pattern: "[Aa]ccount[Kk]ey=[0-9A-Za-z+/]{86}==",
  },
  { name: "azure-shared-access-key", pattern: "SharedAccessKey=[0-9A-Za-z+/]{43}=" },
  // Signature of a shared access URL: 32 bytes, with `+`, `/` and `=` as escapes.
  { name: "azure-sas-signature", pattern: "sig=(?:[0-9A-Za-z]|%2[bBfF]|[+/]){43}(?:%3[dD]|=)" },
  { name: "azure-client-secret", triggers: ["q~"], before: 4, pattern: "[0-9A-Za-z_~.]{3}\\dQ~[0-9A-Za-z_~.-]{31,34}" },
  { name: "azure-devops-token", triggers: ["azdo"], before: 76, pattern: "[0-9A-Za-z]{76}AZDO[0-9A-Za-z]{4}" },
  // Keys that Azure signs have the letters of their service at a fixed place near the end.
  {
    name: "azure-account-key",
    triggers: ["+ast", "acdb", "+aba", "apim"],
    before: 76,
    pattern: "[0-9A-Za-z+/]{76}(?:\\+ASt|ACDb|\\+ABa|APIM)[0-9A-Za-z+/]{6}==",
  },
  { name: "azure-function-key", triggers: ["azfu"], before: 44, pattern: "[0-9A-Za-z_-]{44}AzFu[0-9A-Za-z_-]{6}==" },
  {
    name: "azure-search-key",
    triggers: ["azse", "+acr"],
    before: 42,
    pattern: "[0-9A-Za-z+/]{42}(?:AzSe|\\+ACR)[0-9A-Za-z+/]{6}",
  },
  {
    name: "azure-messaging-key",
    triggers: ["+asb", "+aeh", "+arm", "aiot", "azca"],
    before: 33,
    pattern: "[0-9A-Za-z+/]{33}(?:\\+ASb|\\+AEh|\\+ARm|AIoT|AzCa)[0-9A-Za-z+/]{6}=",
  },
  { name: "azure-ai-key", triggers: ["jqqj99"], before: 52, pattern: "[0-9A-Za-z]{52}JQQJ99[0-9A-Za-z]{26}" },
  { name: "alibaba-access-key-id", pattern: "LTAI[0-9A-Za-z]{16,20}" },
  { name: "tencent-secret-id", pattern: "AKID[0-9A-Za-z]{32}" },
  { name: "yandex-key", pattern: "AQVN[0-9A-Za-z_-]{35,38}" },
  {
    name: "yandex-iam-token",

    pattern: "t1\\.[0-9A-Za-z_-]{40,400}={0,2}\\.[0-9A-Za-z_-]{86}={0,2}",
    reach: 510,
  },
  { name: "volcengine-access-key-id", pattern: "AKLT[0-9A-Za-z_-]{40,50}" },
  { name: "digitalocean-token", triggers: ["dop_v1_", "doo_v1_", "dor_v1_"], pattern: "do[por]_v1_[0-9a-f]{64}" },
  {
    name: "heroku-key",
    triggers: ["hrku-"],
    pattern: "HRKU-(?:[0-9A-Za-z_-]{60}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})",
  },
  { name: "cloudflare-origin-ca-key", pattern: "v1\\.0-[0-9a-f]{24}-[0-9a-f]{146}" },
  { name: "cloudflare-token", triggers: ["cfk_", "cfut_", "cfat_"], pattern: "cf(?:k|ut|at)_[0-9A-Za-z]{40,56}" },
  {
    name: "fly-token",
    triggers: ["fo1_", "fm1a_", "fm1r_", "fm2_"],
    pattern: "(?:fo1_[\\w-]{43}|fm(?:1[ar]|2)_[0-9A-Za-z+/]{100,1000}={0,3})",
    reach: 1020,
  },
  { name: "netlify-token", pattern: "nfp_[0-9A-Za-z_-]{36,46}" },
  {
    name: "vercel-access-token",
    triggers: ["vcp_", "vci_", "vca_", "vcr_", "vck_"],
    pattern: "vc[piark]_[0-9A-Za-z]{24,64}",
  },
  {
    name: "vercel-blob-token",

    pattern: "vercel_blob_rw_[0-9A-Za-z]{16}_[0-9A-Za-z]{30,32}",
  },
  { name: "deno-token", triggers: ["ddp_", "ddo_"], pattern: "dd[po]_[0-9A-Za-z]{36}" },
  { name: "render-key", pattern: "rnd_[0-9A-Za-z]{32}" },
  { name: "supabase-token", pattern: "sbp_[0-9a-f]{40}" },
  { name: "supabase-secret-key", pattern: "sb_secret_[0-9A-Za-z_-]{24,48}" },
  { name: "neon-key", pattern: "napi_[0-9a-z]{64}" },
  { name: "planetscale-key", pattern: "pscale_(?:tkn|pw|oauth)_[\\w=.-]{32,64}" },
  { name: "clickhouse-key", pattern: "4b1d[0-9A-Za-z]{38}" },
  { name: "databricks-token", pattern: "dapi[0-9a-f]{32}(?:-\\d)?" },
  { name: "mongodb-service-secret", pattern: "mdb_sa_sk_[0-9A-Za-z_-]{40}" },
  { name: "cockroach-key", pattern: "CCDB1_[0-9A-Za-z]{22}_[0-9A-Za-z]{40}" },
  { name: "xata-key", pattern: "xau_[0-9A-Za-z]{32,36}" },
  { name: "aiven-token", pattern: "aivenv1[0-9A-Za-z+/]{90,300}={0,2}", reach: 320 },
  { name: "vault-legacy-token", pattern: "s\\.[0-9A-Za-z]{24}", isValid: isRandomKey },
  { name: "vault-token", triggers: ["hvs.", "hvb.", "hvr."], pattern: "hv[sbr]\\.[\\w-]{24,300}", reach: 310 },
  {
    name: "doppler-token",

    pattern: "dp\\.(?:pt|st|ct|sa|scim|audit)\\.(?:[a-z0-9_-]{2,35}\\.)?[0-9A-Za-z]{40,44}",
  },
  {
    name: "1password-secret-key",

    pattern: "A3-[0-9A-Z]{6}-(?:[0-9A-Z]{11}|[0-9A-Z]{6}-[0-9A-Z]{5})-[0-9A-Z]{5}-[0-9A-Z]{5}-[0-9A-Z]{5}",
  },
  {
    name: "1password-service-token",

    pattern: "ops_eyJ[0-9A-Za-z+/_-]{200,1500}={0,3}",
    reach: 1520,
  },
  { name: "infisical-token", pattern: "st\\.[0-9a-f]{24}\\.[0-9a-f]{32}\\.[0-9a-f]{32}" },
  {
    name: "tailscale-key",

    pattern: "tskey-(?:auth|api|client|scim|webhook)-[0-9A-Za-z]{10,24}(?:-[0-9A-Za-z]{20,40})?",
  },
  { name: "openshift-token", pattern: "sha256~[\\w-]{43}" },
  {
    name: "age-secret-key",

    pattern: "AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}",
    score: 1,
  },
];
