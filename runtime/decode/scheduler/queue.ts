import { onAbort } from "../../core/aborts.js";

/**
 * Who waits for places, in the order of arrival: a generation with guides must not be overtaken for ever. Who waits for a certain place
 * holds up only others who want the same.
 */
export class Queue {
  private readonly turns = new Map<object, number | undefined>();
  private readonly waiting: (() => void)[] = [];

  /**
   * Waits until `take` gives something; only who came first of those for the same place is asked. An aborted signal ends the wait.
   */
  async wait<T>(take: () => T | undefined, signal: AbortSignal | undefined, place?: number): Promise<T> {
    const turn = {};
    this.turns.set(turn, place);
    try {
      for (;;) {
        signal?.throwIfAborted();
        const taken = this.first(place) === turn ? take() : undefined;
        if (taken !== undefined) return taken;
        await this.change(signal);
      }
    } finally {
      this.turns.delete(turn);
      this.wake();
    }
  }

  /** Whether nobody waits. */
  get isEmpty(): boolean {
    return this.turns.size === 0;
  }

  /** All who wait ask again. */
  wake(): void {
    for (const wake of this.waiting.splice(0)) wake();
  }

  private first(place: number | undefined): object | undefined {
    for (const [turn, wanted] of this.turns) if (wanted === place) return turn;
    return undefined;
  }

  private change(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        ignore();
        resolve();
      };
      const ignore = onAbort(signal, wake);
      this.waiting.push(wake);
    });
  }
}
