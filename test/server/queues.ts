/** Queues of requests for tests. */
import { Queue, type Admission, type QueueOptions, type Ticket } from "../../server/queue/queue.js";

/** A queue, and the requests that it admitted, in order. */
export function open(options: QueueOptions) {
  const queue = new Queue(options);
  const admitted: string[] = [];
  const tickets = new Map<string, Ticket>();
  const refused = new Map<string, unknown>();
  const ask = (name: string, admission: Partial<Admission> = {}): void => {
    queue.admit({ lane: name[0]!, ...admission }).then(
      (ticket) => {
        admitted.push(name);
        tickets.set(name, ticket);
      },
      (error: unknown) => refused.set(name, error),
    );
  };
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const end = async (name: string): Promise<void> => {
    tickets.get(name)!.release();
    await settled();
  };
  return { queue, admitted, tickets, refused, ask, settled, end };
}
