import { hasGrafanaChecksum } from "../checksums.js";
import { isRandomKey } from "../entropy.js";
import type { KeyFormat } from "../key-format.js";

/** Keys of payment, monitoring, office and sales services. */
export const BUSINESS: readonly KeyFormat[] = [
  {
    name: "stripe-key",
    triggers: ["sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk_prod_", "rk_prod_", "sk_org_"],
    pattern: "(?:sk_org|[sr]k)_(?:live|test|prod)_[0-9A-Za-z]{16,160}",
  },
  { name: "stripe-webhook-secret", pattern: "whsec_[0-9A-Za-z+/]{24,64}={0,2}" },
  {
    name: "square-token",
    triggers: ["sq0atp-", "sq0csp-", "sq0idp-"],
    pattern: "sq0(?:atp-[0-9A-Za-z_-]{22}|csp-[0-9A-Za-z_-]{43}|idp-[0-9A-Za-z_-]{22})",
  },
  { name: "square-access-token", pattern: "EAAA[0-9A-Za-z_-]{60}" },
  {
    name: "braintree-token",
    triggers: ["access_token$"],
    pattern: "access_token\\$(?:production|sandbox)\\$[0-9a-z]{16}\\$[0-9a-f]{32}",
  },
  {
    name: "plaid-token",
    triggers: ["access-sandbox-", "access-development-", "access-production-"],
    pattern: "access-(?:sandbox|development|production)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
  },
  { name: "razorpay-key", triggers: ["rzp_live_", "rzp_test_"], pattern: "rzp_(?:live|test)_[0-9A-Za-z]{14,24}" },
  { name: "flutterwave-key", pattern: "FLWSECK(?:_TEST)?-(?:[0-9a-h]{32}|[0-9a-h]{12})-X" },
  { name: "gocardless-token", pattern: "live_[0-9A-Za-z_-]{40}" },
  { name: "lob-key", triggers: ["live_", "test_"], pattern: "(?:live|test)_[0-9a-f]{35}" },
  { name: "easypost-key", triggers: ["ezak", "eztk"], pattern: "EZ[AT]K[0-9A-Za-z]{54}" },
  { name: "shippo-token", pattern: "shippo_(?:live|test)_[0-9a-fA-F]{40}" },
  { name: "duffel-token", pattern: "duffel_(?:test|live)_[0-9A-Za-z_-]{43}" },
  {
    name: "shopify-token",
    triggers: ["shpat_", "shpca_", "shppa_", "shpss_", "shptka_"],
    pattern: "shp(?:at|ca|pa|ss|tka)_[0-9a-fA-F]{32}",
  },
  {
    name: "grafana-service-token",

    pattern: "glsa_[0-9A-Za-z]{32}_[0-9a-fA-F]{8}",
    isValid: hasGrafanaChecksum,
    score: 1,
  },
  { name: "grafana-cloud-token", pattern: "glc_[0-9A-Za-z+/]{32,400}={0,3}", reach: 420 },
  {
    name: "new-relic-key",
    triggers: ["nrak-", "nrii-", "nrjs-", "nriq-", "nrra-", "nral-"],
    pattern:
      "NR(?:AK-[0-9A-Z]{27}|II-[0-9A-Za-z_-]{32}|IQ-[0-9A-Za-z_-]{32}|RA-[0-9a-f]{42}|JS-[0-9a-f]{19}|AL-[0-9A-Za-z]{27})",
  },
  { name: "new-relic-licence-key", triggers: ["nral"], before: 36, pattern: "[0-9a-f]{36}NRAL" },
  { name: "sentry-org-token", pattern: "sntrys_[0-9A-Za-z+/=_-]{60,500}", reach: 520 },
  { name: "sentry-user-token", triggers: ["sntryu_", "sntryi_"], pattern: "sntry[ui]_[0-9a-f]{64}" },
  { name: "dynatrace-token", pattern: "dt0[a-z]\\d{2}\\.[0-9A-Za-z]{24}\\.[0-9A-Za-z]{64}" },
  {
    name: "honeycomb-key",
    triggers: ["hcaik_", "hcbik_", "hcamk_", "hcbmk_"],
    pattern: "hc[ab](?:ik|mk)_[0-9a-z]{26}[0-9A-Za-z]{32}",
  },
  { name: "posthog-key", pattern: "phx_[0-9A-Za-z]{43,50}" },
  {
    name: "launchdarkly-key",
    triggers: ["sdk-", "api-"],
    pattern: "(?:sdk|api)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
  },
  {
    name: "linear-key",
    triggers: ["lin_api_", "lin_oauth_"],
    pattern: "lin_(?:api_[0-9A-Za-z]{40}|oauth_[0-9a-f]{64})",
  },
  { name: "notion-token", pattern: "ntn_\\d{11}[0-9A-Za-z]{35}" },
  { name: "notion-integration-secret", pattern: "secret_[0-9A-Za-z]{43}" },
  { name: "figma-token", triggers: ["figd_", "figu_", "figo_"], pattern: "fig[duo]_[0-9A-Za-z_-]{38,44}" },
  { name: "airtable-token", pattern: "pat[0-9A-Za-z]{14}\\.[0-9a-f]{64}" },
  { name: "airtable-key", pattern: "key[0-9A-Za-z]{14}", score: 0.4, context: ["airtable"] },
  { name: "atlassian-token", triggers: ["atatt3", "atctt3"], pattern: "AT[AC]TT3[0-9A-Za-z_=-]{60,250}", reach: 270 },
  { name: "trello-token", pattern: "ATTA[0-9a-f]{64}[0-9A-F]{8}" },
  { name: "asana-token", triggers: ["1/", "2/"], pattern: "[12]/\\d{12,19}(?:/\\d{12,19})?:[0-9a-f]{32}" },
  { name: "clickup-token", pattern: "pk_\\d{4,10}_[0-9A-Z]{32}" },
  { name: "dropbox-token", pattern: "sl\\.(?:u\\.)?[0-9A-Za-z_-]{130,1400}", reach: 1420 },
  {
    name: "hubspot-token",

    pattern: "pat-(?:na|eu)\\d-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
  },
  { name: "salesforce-token", pattern: "00D[0-9A-Za-z]{12,15}![0-9A-Za-z_.]{80,120}" },
  { name: "typeform-token", pattern: "tfp_[0-9A-Za-z_.=-]{43,59}" },
  { name: "contentful-token", pattern: "CFPAT-[0-9A-Za-z_-]{43}" },
  { name: "mapbox-secret-token", triggers: ["sk.ey"], pattern: "sk\\.eyJ[0-9A-Za-z_-]{50,200}\\.[0-9A-Za-z_-]{22}" },
  { name: "frameio-token", pattern: "fio-u-[0-9A-Za-z_=-]{64}" },
  { name: "adobe-client-secret", pattern: "p8e-[0-9A-Za-z_-]{32}" },
  { name: "maxmind-key", triggers: ["_mmk"], before: 36, pattern: "[0-9A-Za-z]{6}_[0-9A-Za-z]{29}_mmk" },
  { name: "scalingo-token", pattern: "tk-us-[\\w-]{48}" },
  {
    name: "mollie-key",
    triggers: ["live_", "test_"],
    pattern: "(?:live|test)_[0-9A-Za-z]{30,32}",
    isValid: isRandomKey,
  },
  {
    name: "adyen-key",

    pattern: "AQE[0-9A-Za-z+/]{80,200}={0,2}(?:-[0-9A-Za-z+/]{43}=-[!-~]{16})?",
    reach: 290,
  },
  {
    name: "paddle-key",
    triggers: ["pdl_live_apikey_", "pdl_sdbx_apikey_"],
    pattern: "pdl_(?:live|sdbx)_apikey_[0-9a-z]{26}_[0-9A-Za-z]{22}_[0-9A-Za-z]{3}",
  },
  { name: "polar-token", triggers: ["polar_oat_", "polar_pat_"], pattern: "polar_[op]at_[0-9A-Za-z]{40,60}" },
  { name: "grafana-legacy-key", pattern: "eyJrIjoi[0-9A-Za-z]{60,400}={0,3}", reach: 420 },
  { name: "axiom-token", triggers: ["xaat-", "xapt-"], pattern: "xa[ap]t-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}" },
  { name: "zuplo-key", pattern: "zpka_[0-9a-f]{32}_[0-9a-f]{8}" },
  { name: "unkey-key", pattern: "unkey_[0-9A-Za-z]{22,32}" },
  { name: "retool-token", pattern: "retool_[0-9a-z]{26}" },
  { name: "rootly-token", pattern: "rootly_[0-9a-f]{64}" },
  {
    name: "inngest-signing-key",

    pattern: "signkey-(?:prod|test|branch)-[0-9a-f]{64}",
  },
  { name: "svix-key", triggers: ["sk_", "testsk_"], pattern: "(?:test)?sk_[0-9A-Za-z_-]{32}\\.(?:eu|us|in|au|ca)" },
  { name: "databento-key", pattern: "db-[0-9A-Za-z]{29}", isValid: isRandomKey },
  { name: "telnyx-key", pattern: "KEY01[0-9A-F]{30}_[0-9A-Za-z]{22}" },
  { name: "settlemint-token", triggers: ["sm_aat_", "sm_pat_", "sm_sat_"], pattern: "sm_[aps]at_[0-9A-Za-z]{16}" },
  {
    name: "persona-key",

    pattern: "persona_(?:sandbox|production)_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
  },
];
