import { render } from "preact";
import type { SharedConversation } from "../wire.js";
import { App } from "./app.js";
import { SharedView } from "./shared-view.js";

const root = document.getElementById("page");
const shared = document.getElementById("shared")?.textContent;
if (root !== null) {
  render(shared == null ? <App /> : <SharedView shared={JSON.parse(shared) as SharedConversation} />, root);
}
