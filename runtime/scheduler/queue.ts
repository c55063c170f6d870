/** Who waits for places, in the order of arrival: a generation with guides must not be overtaken for ever. */
export class Queue {
  private readonly turns = new Set<object>();
  private readonly waiting: (() => void)[] = [];

  /** Waits until `take` gives something; only who came first is asked. An aborted signal ends the wait. */
  async wait<T>(take: () => T | undefined, signal: AbortSignal | undefined): Promise<T> {
    const turn = {};
    this.turns.add(turn);
    try {
      for (;;) {
        signal?.throwIfAborted();
        const [first] = this.turns;
        const taken = first === turn ? take() : undefined;
        if (taken !== undefined) return taken;
        await this.change(signal);
      }
    } finally {
      this.turns.delete(turn);
      this.wake();
    }
  }

  /** All who wait ask again. */
  wake(): void {
    for (const wake of this.waiting.splice(0)) wake();
  }

  private change(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      this.waiting.push(wake);
      signal?.addEventListener("abort", wake);
    });
  }
}
