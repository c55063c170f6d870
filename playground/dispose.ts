/** Browsers that have no `Symbol.dispose` yet get the one that compiled `using` looks for. */
(Symbol as { dispose?: symbol }).dispose ??= Symbol.for("Symbol.dispose");
