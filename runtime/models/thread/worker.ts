/** The worker script that `ModelWorker` starts in browsers. */
import type { Port } from "./messages.js";
import { serve } from "./serve.js";

serve(globalThis as unknown as Port);
