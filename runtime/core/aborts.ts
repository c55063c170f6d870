/**
 * Listeners of abort signals. A signal may be shared by any number of generations, and Node.js warns of a leak after ten listeners of
 * one signal: each signal gets one, which calls all, and which is removed with the last.
 */

import { abortError } from "./errors.js";

interface Calls {
  readonly all: Set<() => void>;
  readonly listener: () => void;
}

const known = new WeakMap<AbortSignal, Calls>();

/** Calls `call` when the signal is aborted; the result removes it, and can be called again without effect. */
export function onAbort(signal: AbortSignal | undefined, call: () => void): () => void {
  if (!signal) return () => undefined;
  // the same function may be given twice
  const own = (): void => call();
  const { all } = known.get(signal) ?? listen(signal);
  all.add(own);
  return () => {
    if (all.delete(own) && all.size === 0) forget(signal);
  };
}

function listen(signal: AbortSignal): Calls {
  const all = new Set<() => void>();
  const listener = (): void => {
    forget(signal);
    for (const call of all) call();
  };
  const calls = { all, listener };
  known.set(signal, calls);
  signal.addEventListener("abort", listener);
  return calls;
}

function forget(signal: AbortSignal): void {
  const calls = known.get(signal);
  if (calls) signal.removeEventListener("abort", calls.listener);
  known.delete(signal);
}

/**
 * What a promise resolves to, unless the signal is aborted before: then `giveUp` is called, and it rejects with what the signal gives as
 * its reason.
 */
export async function unlessAborted<T>(
  promise: Promise<T> | T,
  signal: AbortSignal | undefined,
  giveUp: () => void = () => undefined,
): Promise<T> {
  if (!signal) return promise;
  let forget = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    const leave = (): void => {
      giveUp();
      // the reason of a signal is what its owner gives
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors
      reject(abortError(signal));
    };
    if (signal.aborted) leave();
    else forget = onAbort(signal, leave);
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    forget();
  }
}
