/** The worker that runs the model. */
import "../dispose.js";
import type { Port } from "ggsl/model/thread/messages.js";
import { serve } from "ggsl/model/thread/serve.js";

serve(globalThis as unknown as Port);
