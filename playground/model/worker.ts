/** The worker that runs the model. */
import "../dispose.js";
import type { WebPort } from "ggsl/core/requests.js";
import { serve } from "ggsl/models/thread/serve.js";

serve(globalThis as unknown as WebPort);
