/** The page's first code: begins the worker, and then reads the page's own. */
import "./client/worker.js";

void import("./main.js");
