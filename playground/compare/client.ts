/**
 * The page's side of its worker. Programs are untrusted: one that takes too long to compile, or a comparison that does not stop when it
 * is asked to, ends the worker; the next task starts a new one, which loads the model again.
 */
import type { Answer, Request, Task } from "./messages.js";

/** Milliseconds for compiling all chains. */
const COMPILING = 8000;
/** Milliseconds from `cancel` to the last answer. */
const STOPPING = 10_000;

interface Client {
  /** Starts a task; there must be none running. */
  start(task: Task): void;
  cancel(): void;
}

/** @param onAnswer gets the answers; `done`, `stopped` and `failed` are the last ones of a task */
export function openClient(onAnswer: (answer: Answer) => void): Client {
  let worker: Worker | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const end = (message: string): void => {
    clearTimeout(timer);
    worker?.terminate();
    worker = undefined;
    onAnswer({ kind: "failed", message, isInput: true });
  };
  const within = (milliseconds: number, message: string): void => {
    clearTimeout(timer);
    timer = setTimeout(() => end(message), milliseconds);
  };
  const open = (): Worker => {
    const opened = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
    opened.onmessage = ({ data }: MessageEvent<Answer>) => {
      if (data.kind !== "progress") clearTimeout(timer);
      onAnswer(data);
    };
    opened.onerror = (event) => {
      event.preventDefault();
      end(`The page's worker does not run: ${event.message || "it could not be loaded"}. Reload the page.`);
    };
    return opened;
  };
  const send = (request: Request): void => (worker ??= open()).postMessage(request);

  return {
    start(task) {
      send({ kind: "compare", task });
      within(COMPILING, `Compiling took longer than ${COMPILING / 1000} s and was stopped: make the programs smaller.`);
    },
    cancel() {
      send({ kind: "cancel" });
      within(STOPPING, `The comparison did not stop within ${STOPPING / 1000} s and was ended.`);
    },
  };
}
