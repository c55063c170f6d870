/** The thread that renders conversations, one after the other. */
import { answerRequests, nodePort, type NodePort } from "../../core/requests.js";
import { loadJinja } from "../jinja.js";
import type { Rendered } from "../letters.js";
import { Budget, NotHere } from "../limits.js";
import { renderTask, type RenderTask } from "../task.js";

export interface RenderRequest {
  readonly task: RenderTask;
  /** Of a try; undefined: all that a template may take. */
  readonly steps: number | undefined;
}

/** Undefined for what takes more steps than a try has. It fails with the `InputError` of the template. */
export type RenderAnswer = Rendered | undefined;

export async function serveChat(port: NodePort): Promise<void> {
  const jinja = await loadJinja();
  answerRequests<RenderRequest, RenderAnswer>(nodePort(port), ({ task, steps }) => {
    try {
      return renderTask(jinja, task, steps === undefined ? new Budget() : new Budget(steps, false));
    } catch (error) {
      if (error instanceof NotHere) return undefined;
      throw error;
    }
  });
}
