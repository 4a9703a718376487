import { useEffect, useState } from "preact/hooks";
import { Composer } from "./composer.js";
import { Configuration } from "./configuration.js";
import { Conversation } from "./conversation.js";
import { KeyForm } from "./key-form.js";
import { PlaygroundState, type View } from "./playground-state.js";
import { ReplayTab } from "./replay-tab.js";
import { downloadFile } from "./save-file.js";
import { Tabs } from "./tabs.js";
import { ThemeSwitch } from "./theme-switch.js";
import { TurnTab } from "./turn-tabs.js";

/** The playground page. */
export function App() {
  const [state] = useState(() => new PlaygroundState());
  const [view, setView] = useState(state.view);
  useEffect(() => {
    const stop = state.subscribe(() => setView(state.view));
    void state.load();
    return stop;
  }, [state]);
  if (view.needsKey) return <KeyForm status={view.status} onKey={(key) => void state.load(key)} />;
  return (
    <div class={`layout shows-${view.tab}`}>
      <a class="skip" href="#message">
        Skip to the message
      </a>
      <Header state={state} view={view} />
      <main class="columns">
        <section class="chat" aria-label="Chat">
          <Conversation
            isReady={view.start !== undefined}
            turns={view.turns}
            open={view.open}
            selected={view.selected}
            onSelect={state.select}
          />
          <p class={view.isFailed ? "status bad" : "status"} role="status">
            {view.status}
          </p>
          <Composer
            isReady={view.start !== undefined}
            isBusy={view.open !== undefined}
            onSend={(text) => void state.send(text)}
            onStop={() => state.stop()}
          />
        </section>
        <section class="side" aria-label="Details">
          <Panel state={state} view={view} />
        </section>
      </main>
    </div>
  );
}

interface PartProps {
  readonly state: PlaygroundState;
  readonly view: View;
}

function Header({ state, view: { start, config, turns, version } }: PartProps) {
  const share = async (): Promise<void> => {
    const html = await state.share();
    if (html !== undefined) downloadFile(`${config}-conversation.html`, "text/html", html);
  };
  const configs = start?.configs ?? [];
  return (
    <header>
      <h1>Guardrails playground</h1>
      {configs.length > 1 ? (
        <label class="field">
          <span class="hidden">Configuration</span>
          <select value={config} onChange={(event) => state.choose(event.currentTarget.value)}>
            {configs.map(({ id }) => (
              <option key={id} value={id}>
                {id}
              </option>
            ))}
          </select>
        </label>
      ) : (
        <span class="config">{config}</span>
      )}
      {version.draft === undefined ? null : <span class="badge warn">changed</span>}
      {start?.unreviewed === true ? <span class="badge bad">shows blocked texts</span> : null}
      <span class="spacer" />
      <button type="button" onClick={() => state.restart()}>
        New conversation
      </button>
      <button type="button" disabled={turns.length === 0} onClick={() => void share()}>
        Share as HTML
      </button>
      <ThemeSwitch />
    </header>
  );
}

function Panel({ state, view }: PartProps) {
  const { tab, turns, selected, version, edits, check, replay } = view;
  const tabs = [
    { id: "chat", label: "Chat", isNarrow: true },
    { id: "time-line", label: "Time line" },
    { id: "flows", label: "Flows" },
    {
      id: "configuration",
      label: "Configuration",
      count: check?.problems.filter(({ severity }) => severity !== "info").length ?? 0,
    },
    { id: "replay", label: "Replay" },
  ];
  return (
    <Tabs label="Details" tabs={tabs} selected={tab} onSelect={(id) => state.show(id)}>
      {tab === "configuration" ? (
        <Configuration
          files={state.files}
          edits={edits}
          check={check}
          hasTurns={turns.length > 0}
          onEdit={(path, text) => state.edit(path, text)}
          onUndo={() => state.undo()}
          onReplay={() => void state.replay()}
          onStart={() => state.restart(state.changed)}
        />
      ) : tab === "replay" ? (
        <ReplayTab replay={replay} onKeep={() => state.keepReplay()} onStop={() => state.stop()} />
      ) : (
        <TurnTab
          turns={turns}
          selected={selected}
          files={version.files}
          tab={tab === "flows" ? "flows" : "time-line"}
        />
      )}
    </Tabs>
  );
}
