package io.github.stablecut.internal.materializer;

import io.github.stablecut.crdt.Bytes;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Lets only one thread at a time read an object that is not in memory. Threads that wait meanwhile
 * then find the cached result instead of reading it again. Thread-safe.
 */
final class ReadCoalescer {
  private static final int STRIPES = 128;

  private final ReentrantLock[] locks = new ReentrantLock[STRIPES];

  ReadCoalescer() {
    for (int i = 0; i < STRIPES; i++) {
      locks[i] = new ReentrantLock();
    }
  }

  private ReentrantLock lock(Bytes id) {
    return locks[Math.floorMod(id.hashCode(), STRIPES)];
  }

  /**
   * Reads an object while no other thread reads it or another object of the same stripe.
   *
   * @param reading checks the cache first; must not call this method for another object
   */
  <T> T read(Bytes id, Supplier<T> reading) {
    Lock lock = lock(id);
    lock.lock();
    try {
      return reading.get();
    } finally {
      lock.unlock();
    }
  }

  /** The approximate number of threads that wait to read an object. */
  int waiting(Bytes id) {
    return lock(id).getQueueLength();
  }
}
