import type { ComponentChildren } from "preact";

interface Tab {
  readonly id: string;
  readonly label: string;
  /** Number next to the label, such as the number of problems. */
  readonly count?: number | undefined;
  /** True for a tab that is shown only on narrow screens. */
  readonly isNarrow?: boolean;
}

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly selected: string;
  readonly onSelect: (id: string) => void;
  readonly children: ComponentChildren;
}

/** Tabs with their panel. Arrow keys switch between tabs. */
export function Tabs({ label, tabs, selected, onSelect, children }: TabsProps) {
  const move = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1, Home: -tabs.length, End: tabs.length }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const shown = tabs.filter(({ id }) => document.getElementById(`tab-${id}`)?.offsetParent != null);
    const at = shown.findIndex(({ id }) => id === selected);
    const next = shown[Math.min(Math.max(at + step, 0), shown.length - 1)];
    if (next === undefined) return;
    onSelect(next.id);
    document.getElementById(`tab-${next.id}`)?.focus();
  };
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map(({ id, label: name, count, isNarrow }) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`tab-${id}`}
            class={isNarrow === true ? "tab narrow" : "tab"}
            aria-selected={id === selected}
            aria-controls="panel"
            tabIndex={id === selected ? 0 : -1}
            onClick={() => onSelect(id)}
          >
            {name}
            {count === undefined || count === 0 ? null : <span class="count">{count}</span>}
          </button>
        ))}
      </div>
      <div class="panel" role="tabpanel" id="panel" aria-labelledby={`tab-${selected}`} tabIndex={0}>
        {children}
      </div>
    </>
  );
}
