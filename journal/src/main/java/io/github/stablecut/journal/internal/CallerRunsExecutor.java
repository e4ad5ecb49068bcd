package io.github.stablecut.journal.internal;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Executes tasks immediately on the submitting thread. It turns an asynchronous channel into a
 * synchronous one that an interrupt doesn't close. Thread-safe.
 */
final class CallerRunsExecutor extends AbstractExecutorService {
  static final ExecutorService EXECUTOR = new CallerRunsExecutor();

  private CallerRunsExecutor() {}

  /**
   * The result of an operation on such a channel. An interrupt doesn't end the wait, if there is
   * one; its flag stays set.
   *
   * @throws IOException if the operation threw one
   */
  static int result(Future<Integer> operation) throws IOException {
    boolean isInterrupted = false;
    try {
      while (true) {
        try {
          return operation.get();
        } catch (InterruptedException e) {
          isInterrupted = true;
        }
      }
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException failure ? failure : new IOException(e.getCause());
    } finally {
      if (isInterrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public void execute(Runnable task) {
    task.run();
  }

  @Override
  public void shutdown() {
    throw new UnsupportedOperationException("it belongs to all channels");
  }

  @Override
  public List<Runnable> shutdownNow() {
    throw new UnsupportedOperationException("it belongs to all channels");
  }

  @Override
  public boolean isShutdown() {
    return false;
  }

  @Override
  public boolean isTerminated() {
    return false;
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    return false;
  }
}
