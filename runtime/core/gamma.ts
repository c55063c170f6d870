/** The incomplete gamma function, of which tails of distributions are made. */

/** Terms of the sums below: far more than they need. */
const TERMS = 100_000;
const PRECISION = 1e-15;

/**
 * The upper regularized incomplete gamma function, for a positive multiple of 1/2: by its power series, or by its continued fraction in
 * Lentz's form (DLMF 8.7.1 and 8.9.2). With a whole `a` it is the probability that the sum of `a` exponential numbers of mean 1 is `x` or
 * more.
 */
export function gammaTail(a: number, x: number): number {
  if (x <= 0) return 1;
  const factor = Math.exp(a * Math.log(x) - x - logGamma(a));
  if (x < a + 1) {
    let [term, sum] = [1 / a, 1 / a];
    for (let n = 1; n < TERMS && term > PRECISION * sum; n++) {
      term *= x / (a + n);
      sum += term;
    }
    return Math.max(0, 1 - factor * sum);
  }
  let b = x + 1 - a;
  let c = Infinity;
  let d = 1 / b;
  let fraction = d;
  for (let n = 1; n < TERMS; n++) {
    const step = -n * (n - a);
    b += 2;
    d = 1 / (step * d + b);
    c = b + step / c;
    fraction *= c * d;
    if (Math.abs(c * d - 1) < PRECISION) break;
  }
  return factor * fraction;
}

/** The logarithm of the gamma function at a positive multiple of 1/2: `gamma(a + 1) = a gamma(a)`. */
function logGamma(a: number): number {
  const isWhole = Number.isInteger(a);
  let result = isWhole ? 0 : Math.log(Math.PI) / 2;
  for (let at = isWhole ? 1 : 0.5; at < a; at++) result += Math.log(at);
  return result;
}
