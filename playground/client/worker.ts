/** The worker with the compiler. It is begun before the page's own code is read, which is as large: both load at the same time. */

const begin = (): Worker => new Worker(new URL("../engine/worker.ts", import.meta.url), { type: "module" });

/** The one that was begun first, until it is taken. */
let first: Worker | undefined = begin();
/** What it said before. */
const early: unknown[] = [];
first.onmessage = ({ data }) => early.push(data);
// a second one says what is wrong to those who listen
first.onerror = (event) => {
  event.preventDefault();
  first = undefined;
};

/** A worker of the caller's own, which must listen at once. */
export function takeWorker(): Worker {
  if (!first) return begin();
  const worker = first;
  [first, worker.onmessage, worker.onerror] = [undefined, null, null];
  queueMicrotask(() => early.forEach((data) => worker.dispatchEvent(new MessageEvent("message", { data }))));
  return worker;
}
