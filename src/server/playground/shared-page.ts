import { createHash } from "node:crypto";
import { PAGE_SCRIPT, PAGE_STYLE } from "./page-assets.js";
import type { SharedConversation } from "./wire.js";

/**
 * Returns a conversation as one HTML file that needs no server. Its content security policy allows its script and style sheet by
 * their hashes; nothing is loaded or sent.
 */
export function sharedPage(shared: SharedConversation): string {
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(PAGE_SCRIPT)}'`,
    `style-src '${hashOf(PAGE_STYLE)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Guardrails conversation</title>
<style>${PAGE_STYLE}</style>
</head>
<body><div id="page"></div>
<script type="application/json" id="shared">${toEmbeddedJson(shared)}</script>
<script type="module">${PAGE_SCRIPT}</script>
</body>
</html>
`;
}

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

/** INVARIANT: the text contains no character that could end the element or start a comment or a tag. */
function toEmbeddedJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
