/** The worker that runs the model. */
import "../dispose.js";
import type { Port } from "ggsl/models/thread/messages.js";
import { serve } from "ggsl/models/thread/serve.js";

serve(globalThis as unknown as Port);
