package io.github.stablecut.internal.cache;

import java.util.concurrent.ThreadLocalRandom;

/**
 * Samples one hit in {@value #ONE_IN}. A hit costs two look-ups; reporting each to the policy would
 * cost more than the hit, and a sample distinguishes hot from cold as well.
 */
final class Sampling {
  static final int ONE_IN = 64;

  private Sampling() {}

  static boolean takes() {
    return (ThreadLocalRandom.current().nextInt() & (ONE_IN - 1)) == 0;
  }
}
