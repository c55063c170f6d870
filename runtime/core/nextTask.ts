/** Yields to other tasks of this thread, such as messages and timers. */
export const nextTask = (): Promise<void> =>
  new Promise((resolve) => {
    // Browsers have no setImmediate, and delay nested timers by 4 ms.
    if (typeof setImmediate === "function") return void setImmediate(resolve);
    const { port1, port2 } = new MessageChannel() as unknown as Record<"port1" | "port2", BrowserPort>;
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });

/** Node.js's types declare only its own ports. */
interface BrowserPort {
  onmessage: () => void;
  postMessage(message: unknown): void;
  close(): void;
}
