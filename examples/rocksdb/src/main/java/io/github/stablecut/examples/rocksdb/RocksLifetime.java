package io.github.stablecut.examples.rocksdb;

import io.github.stablecut.error.ConflictException;
import io.github.stablecut.error.StoreClosedException;
import io.github.stablecut.error.StoreIoException;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;

/**
 * Prevents closing a database during a call, and calls after it was closed: using a freed native
 * object crashes the JVM. Closing frees open snapshots and iterators before the database itself.
 * Thread-safe.
 */
final class RocksLifetime {
  /** A call of RocksDB. */
  interface Call<T> {
    T run() throws RocksDBException;
  }

  /** A native resource to free before the database is closed. */
  interface Resource {
    /** Frees it. Called once. */
    void free();
  }

  private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
  private final Set<Resource> open = ConcurrentHashMap.newKeySet();
  private boolean isClosed;

  /**
   * Makes a call while the database is open.
   *
   * @param what names the call in the message of a failure
   * @throws StoreClosedException if the database is closed
   */
  <T> T use(String what, Call<T> call) {
    lock.readLock().lock();
    try {
      if (isClosed) {
        throw new StoreClosedException("the storage is closed: open it again");
      }
      return call.run();
    } catch (RocksDBException e) {
      throw failed(what, e);
    } finally {
      lock.readLock().unlock();
    }
  }

  static RuntimeException failed(String what, RocksDBException e) {
    Status status = e.getStatus();
    Status.Code code = status == null ? Status.Code.Undefined : status.getCode();
    return switch (code) {
      case Busy, TimedOut, TryAgain, Expired ->
          new ConflictException(
              "the records were locked for too long (%s): try again".formatted(e.getMessage()));
      default ->
          new StoreIoException(
              "RocksDB: %s failed: %s; remove the cause and reopen the storage"
                  .formatted(what, e.getMessage()),
              new IOException(e));
    };
  }

  /** Registers a resource to free with the database, unless it is released before. */
  void add(Resource resource) {
    open.add(resource);
  }

  boolean isOpen(Resource resource) {
    return open.contains(resource);
  }

  /** Frees a resource once; does nothing if the database is closed. */
  void release(Resource resource) {
    lock.readLock().lock();
    try {
      if (open.remove(resource)) {
        resource.free();
      }
    } finally {
      lock.readLock().unlock();
    }
  }

  /** Waits for calls in progress and frees all resources. Idempotent. */
  void close(Resource database) {
    if (lock.getReadHoldCount() > 0) {
      throw new IllegalStateException("a computation can't close its own storage: return first");
    }
    lock.writeLock().lock();
    try {
      if (!isClosed) {
        isClosed = true;
        open.forEach(Resource::free);
        open.clear();
        database.free();
      }
    } finally {
      lock.writeLock().unlock();
    }
  }
}
