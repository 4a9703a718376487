import { useRef, useState } from "preact/hooks";

interface ComposerProps {
  /** False until messages can be sent. */
  readonly isReady: boolean;
  readonly isBusy: boolean;
  readonly onSend: (text: string) => void;
  readonly onStop: () => void;
}

/** Input field for the next message. Enter sends, Shift+Enter starts a new line, Escape stops a turn. */
export function Composer({ isReady, isBusy, onSend, onStop }: ComposerProps) {
  const [text, setText] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  const send = (): void => {
    if (!isReady || isBusy || text.trim() === "") return;
    onSend(text);
    setText("");
    field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape" && isBusy) onStop();
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <label class="hidden" for="message">
        Message
      </label>
      <textarea
        id="message"
        ref={field}
        rows={2}
        maxLength={100_000}
        placeholder="Message (Enter sends)"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      {isBusy ? (
        <button type="button" onClick={onStop}>
          Stop
        </button>
      ) : (
        <button type="submit" class="primary" disabled={!isReady || text.trim() === ""}>
          Send
        </button>
      )}
    </form>
  );
}
