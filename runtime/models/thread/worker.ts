/** The worker script that `ModelWorker` starts in browsers. */
import type { WebPort } from "../../core/requests.js";
import { serve } from "./serve.js";

serve(globalThis as unknown as WebPort);
