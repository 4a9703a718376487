import type { Output } from "./command-line.js";

const WIDTH = 30;
const MS_BETWEEN_LINES = 5000;

/** Progress of a run. */
export interface Progress {
  readonly label: string;
  readonly done: number;
  readonly total: number;
}

/** Shows the progress of a run on a stream: as a redrawn line on a terminal, as occasional lines elsewhere. */
export class ProgressBar {
  readonly #stream: Output;
  readonly #now: () => number;
  #shown = "";
  #writtenAt: number;

  constructor(stream: Output, now: () => number = () => performance.now()) {
    this.#stream = stream;
    this.#now = now;
    this.#writtenAt = now();
  }

  show(progress: Progress): void {
    if (this.#stream.isTTY === true) {
      // A line that wraps cannot be redrawn.
      const line = drawBar(progress).slice(0, (this.#stream.columns ?? Number.POSITIVE_INFINITY) - 1);
      if (line !== this.#shown) this.#stream.write(`\r\u001b[K${line}`);
      this.#shown = line;
    } else if (this.#now() - this.#writtenAt >= MS_BETWEEN_LINES) {
      this.#writtenAt = this.#now();
      this.#stream.write(`${progress.label}: ${progress.done} of ${progress.total}\n`);
    }
  }

  clear(): void {
    if (this.#shown !== "") this.#stream.write("\r\u001b[K");
    this.#shown = "";
  }
}

function drawBar({ label, done, total }: Progress): string {
  const share = total === 0 ? 1 : done / total;
  const full = Math.floor(share * WIDTH);
  const percent = String(Math.floor(share * 100)).padStart(3);
  // Labels contain file names, which may contain any character.
  return `${"█".repeat(full)}${"░".repeat(WIDTH - full)} ${percent}%  ${label.replace(/\p{Cc}/gu, "\uFFFD")}`;
}
