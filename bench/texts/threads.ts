/** Processor time of this process by thread, which Linux counts in nanoseconds. */
import { readdirSync, readFileSync } from "node:fs";

/** Microseconds by the thread's name; threads of a name together. The first thread is `main`. */
export type ThreadTimes = ReadonlyMap<string, number>;

export function threadTimes(): ThreadTimes {
  const times = new Map<string, number>();
  for (const id of readdirSync("/proc/self/task")) {
    try {
      const read = (file: string): string => readFileSync(`/proc/self/task/${id}/${file}`, "utf8");
      const name = Number(id) === process.pid ? "main" : read("comm").trim();
      times.set(name, (times.get(name) ?? 0) + Number(read("schedstat").split(" ")[0]) / 1e3);
    } catch (error) {
      // a thread that has ended since the list was read
      if (!["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    }
  }
  return times;
}

/** What was added since. */
export const since = (before: ThreadTimes, now: ThreadTimes = threadTimes()): ThreadTimes =>
  new Map([...now].map(([name, us]) => [name, us - (before.get(name) ?? 0)]));
