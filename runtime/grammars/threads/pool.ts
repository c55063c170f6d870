/** Work of the engine in the threads of the addon, in lanes that take turns: a client with expensive texts keeps no other one waiting. */
import { Turns } from "../../core/turns.js";
import { GRAMMAR_LIMITS } from "../limits.js";

interface Work {
  readonly lane: string;
  readonly run: () => Promise<void>;
}

export class Pool {
  private readonly turns = new Turns<Work>();
  private running = 0;

  constructor(private readonly most: number = GRAMMAR_LIMITS.workers) {}

  /** What the work gives, after those whose turn comes first. */
  run<T>(lane: string, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.turns.push(lane, { lane, run: () => work().then(resolve, reject) });
      this.serve();
    });
  }

  private serve(): void {
    while (this.running < this.most) {
      const work = this.turns.next(() => "take");
      if (!work) return;
      this.turns.remove(work.lane, work);
      this.running++;
      void work.run().finally(() => {
        this.running--;
        this.serve();
      });
    }
  }
}

let shared: Pool | undefined;

/** One for this process. */
export const sharedPool = (): Pool => (shared ??= new Pool());
