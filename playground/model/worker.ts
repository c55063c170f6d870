/** The worker with the model in it. */
import "../dispose.js";
import type { Port } from "../../runtime/wasm/llama/messages.js";
import { serve } from "../../runtime/wasm/llama/serve.js";

serve(globalThis as unknown as Port);
