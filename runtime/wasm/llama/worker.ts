/** A browser's worker with a model in it: `ModelWorker` starts it. */
import type { Port } from "./messages.js";
import { serve } from "./serve.js";

serve(globalThis as unknown as Port);
