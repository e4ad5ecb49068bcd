package io.github.stablecut.journal.internal;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Executes tasks on the thread that hands them over, at once. Given to an asynchronous channel it
 * makes that a synchronous one, which an interrupt does not close. Thread-safe.
 */
final class CallerRunsExecutor extends AbstractExecutorService {
  static final ExecutorService EXECUTOR = new CallerRunsExecutor();

  private CallerRunsExecutor() {}

  /**
   * What an operation of such a channel has resulted in. An interrupt does not end the wait, where
   * there is one; its flag stays set.
   *
   * @throws IOException what the operation has thrown
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
