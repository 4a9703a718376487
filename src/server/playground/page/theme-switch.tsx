import { useEffect, useState } from "preact/hooks";

const THEMES = ["system", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];
const STORED = "guardrails-playground-theme";

/** A switch between the system, light and dark color schemes. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState<Theme>(readTheme);
  useEffect(() => {
    document.documentElement.dataset["theme"] = theme;
    try {
      localStorage.setItem(STORED, theme);
    } catch {
      // Without storage, as on a page from disk, the choice lasts for this visit.
    }
  }, [theme]);
  return (
    <label class="field">
      <span class="hidden">Colours</span>
      <select value={theme} onChange={(event) => setTheme(themeOf(event.currentTarget.value))}>
        <option value="system">System colours</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  );
}

function themeOf(value: string | null): Theme {
  return THEMES.find((known) => known === value) ?? "system";
}

function readTheme(): Theme {
  try {
    return themeOf(localStorage.getItem(STORED));
  } catch {
    return "system";
  }
}
