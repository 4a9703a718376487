const WIDTH = 30;
const MS_BETWEEN_LINES = 5000;

/** Shows how far a run is: one line that is drawn anew on a terminal, and now and then a line elsewhere. */
export function createProgressBar(stream, now = () => performance.now()) {
  let shown = "";
  let writtenAt = now();
  return {
    show(progress) {
      if (stream.isTTY) {
        const line = drawBar(progress);
        if (line !== shown) stream.write(`\r\u001b[K${line}`);
        shown = line;
      } else if (now() - writtenAt >= MS_BETWEEN_LINES) {
        writtenAt = now();
        stream.write(`${progress.label}: ${progress.done} of ${progress.total}\n`);
      }
    },
    clear() {
      if (shown !== "") stream.write("\r\u001b[K");
      shown = "";
    },
  };
}

function drawBar({ label, done, total }) {
  const share = total === 0 ? 1 : done / total;
  const full = Math.floor(share * WIDTH);
  const percent = String(Math.floor(share * 100)).padStart(3);
  // Labels hold names of folders, which may hold anything.
  return `${"█".repeat(full)}${"░".repeat(WIDTH - full)} ${percent}%  ${label.replace(/\p{Cc}/gu, "\uFFFD")}`;
}
