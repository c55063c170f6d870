/** The page's first code: begins the worker, which loads while the page's own code does, and is as large. */
import "./client/present.js";

void import("./main.js");
