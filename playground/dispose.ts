/** Polyfills `Symbol.dispose`, which compiled `using` needs, for browsers without it. */
(Symbol as { dispose?: symbol }).dispose ??= Symbol.for("Symbol.dispose");
