import { PAGE_SCRIPT, PAGE_STYLE } from "./page-assets.js";

/** INVARIANT: nothing inline runs, and nothing is loaded from or sent to other origins, so injected markup has no effect. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const HEADERS = {
  "content-security-policy": POLICY,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cache-control": "no-cache",
} as const;

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Guardrails playground</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/playground/page.css">
<script type="module" src="/playground/page.js"></script>
</head>
<body><div id="page"></div><noscript>The playground needs JavaScript.</noscript></body>
</html>
`;

/** Returns the playground page. It contains no data; the page fetches it. */
export function pageResponse(): Response {
  return new Response(PAGE, { headers: { ...HEADERS, "content-type": "text/html; charset=utf-8" } });
}

/** Returns the script of the page. */
export function scriptResponse(): Response {
  return new Response(PAGE_SCRIPT, { headers: { ...HEADERS, "content-type": "text/javascript; charset=utf-8" } });
}

/** Returns the style sheet of the page. */
export function styleResponse(): Response {
  return new Response(PAGE_STYLE, { headers: { ...HEADERS, "content-type": "text/css; charset=utf-8" } });
}
