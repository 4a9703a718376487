import { useState } from "preact/hooks";

interface KeyFormProps {
  readonly status: string;
  readonly onKey: (key: string) => void;
}

/** Form for the API key, if the server requires one. */
export function KeyForm({ status, onKey }: KeyFormProps) {
  const [key, setKey] = useState("");
  return (
    <main class="key">
      <h1>Guardrails playground</h1>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onKey(key);
        }}
      >
        <label for="key">Key with the permission playground</label>
        <input
          id="key"
          type="password"
          autoComplete="off"
          value={key}
          onInput={(event) => setKey(event.currentTarget.value)}
        />
        <button type="submit" class="primary">
          Open
        </button>
        <p class="status bad" role="status">
          {status}
        </p>
      </form>
    </main>
  );
}
