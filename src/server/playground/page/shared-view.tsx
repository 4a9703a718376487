import { useState } from "preact/hooks";
import type { SharedConversation } from "../wire.js";
import { Conversation } from "./conversation.js";
import { focusDetails, isNarrow } from "./narrow.js";
import { Tabs } from "./tabs.js";
import { ThemeSwitch } from "./theme-switch.js";
import { TurnTab } from "./turn-tabs.js";

const TABS = [
  { id: "chat", label: "Conversation", isNarrow: true },
  { id: "time-line", label: "Time line" },
  { id: "flows", label: "Flows" },
];

/** A conversation saved as one file. */
export function SharedView({ shared: { title, turns, files } }: { readonly shared: SharedConversation }) {
  const [selected, setSelected] = useState(0);
  const [tab, setTab] = useState(() => (isNarrow() ? "chat" : "time-line"));
  const select = (index: number): void => {
    setSelected(index);
    if (tab === "chat") setTab("time-line");
    focusDetails();
  };
  return (
    <div class={`layout shows-${tab}`}>
      <header>
        <h1>{title}</h1>
        <span class="spacer" />
        <ThemeSwitch />
      </header>
      <main class="columns">
        <section class="chat" aria-label="Conversation">
          <Conversation turns={turns} selected={selected} onSelect={select} />
        </section>
        <section class="side" aria-label="Details">
          <Tabs label="Details" tabs={TABS} selected={tab} onSelect={setTab}>
            <TurnTab turns={turns} selected={selected} files={files} tab={tab === "flows" ? "flows" : "time-line"} />
          </Tabs>
        </section>
      </main>
    </div>
  );
}
