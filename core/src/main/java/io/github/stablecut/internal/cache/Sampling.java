package io.github.stablecut.internal.cache;

import java.util.concurrent.ThreadLocalRandom;

/**
 * Takes one hit in {@value #ONE_IN} for all. A hit costs two look-ups; telling the policy of each
 * would cost more than the hit, and for telling hot from cold a sample is as good.
 */
final class Sampling {
  static final int ONE_IN = 64;

  private Sampling() {}

  static boolean takes() {
    return (ThreadLocalRandom.current().nextInt() & (ONE_IN - 1)) == 0;
  }
}
