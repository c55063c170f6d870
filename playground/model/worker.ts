/** The worker that runs the model. */
import "../dispose.js";
import type { Port } from "ggsl/wasm/llama/messages.js";
import { serve } from "ggsl/wasm/llama/serve.js";

serve(globalThis as unknown as Port);
