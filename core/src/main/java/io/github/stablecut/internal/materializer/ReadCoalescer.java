package io.github.stablecut.internal.materializer;

import io.github.stablecut.crdt.Bytes;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Has an object that is not in memory read by one thread at a time: those that come meanwhile find
 * what it has kept, instead of reading and holding the same again. Thread-safe.
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
   * Reads an object when nobody else does, nor one that shares its lock.
   *
   * @param reading looks first at what is kept; reads no other object by this
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

  /** How many wait until they may read an object, about. */
  int waiting(Bytes id) {
    return lock(id).getQueueLength();
  }
}
