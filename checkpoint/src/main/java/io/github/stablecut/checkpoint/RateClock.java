package io.github.stablecut.checkpoint;

import java.util.concurrent.TimeUnit;

/** A clock for rate-limited writers. Thread-safe. */
public interface RateClock {
  /** The machine's clock. */
  RateClock SYSTEM =
      new RateClock() {
        @Override
        public long nanoTime() {
          return System.nanoTime();
        }

        @Override
        public void sleep(long nanos) throws InterruptedException {
          TimeUnit.NANOSECONDS.sleep(nanos);
        }
      };

  /** Nanoseconds since an arbitrary origin. */
  long nanoTime();

  /** Sleeps for this many nanoseconds. */
  void sleep(long nanos) throws InterruptedException;
}
