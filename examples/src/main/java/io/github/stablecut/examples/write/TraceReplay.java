package io.github.stablecut.examples.write;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.Transaction;
import io.github.stablecut.examples.BackgroundThread;
import io.github.stablecut.examples.trace.Trace;
import io.github.stablecut.examples.trace.Trace.Patch;
import java.util.List;

/**
 * Replays a recorded session at a desk as a separate author, while others write, too. Their edits
 * shift the positions of the recorded ones and never change their content. Thread-safe.
 */
final class TraceReplay implements AutoCloseable {
  private static final int PER_COMMIT_MILLIS = 25;

  private final Desk desk;
  private final List<Trace.Transaction> transactions;
  private final int perSecond;
  private final BackgroundThread thread;

  @GuardedBy("this")
  private boolean isRunning;

  @GuardedBy("this")
  private int done;

  /** The progress of a replay. */
  record Progress(boolean isRunning, int done, int all) {}

  /**
   * Creates a replay that has not started.
   *
   * @param perSecond the approximate number of the trace's transactions per second
   */
  TraceReplay(Trace trace, int perSecond, Desk desk) {
    this.desk = desk;
    this.transactions = trace.transactions();
    this.perSecond = perSecond;
    this.thread = BackgroundThread.start("trace-replay", this::run);
  }

  /** Resumes or pauses. */
  synchronized void setRunning(boolean runs) {
    isRunning = runs && done < transactions.size();
    notifyAll();
    desk.signal().raise();
  }

  synchronized Progress progress() {
    return new Progress(isRunning, done, transactions.size());
  }

  private void run() throws InterruptedException {
    SharedText text = new SharedText();
    int each = Math.max(1, perSecond * PER_COMMIT_MILLIS / 1_000);
    long pauseMillis = Math.max(1, 1_000L * each / perSecond);
    while (true) {
      int from = awaitTurn();
      int until = Math.min(transactions.size(), from + each);
      write(text, transactions.subList(from, until));
      advance(until);
      Thread.sleep(pauseMillis);
    }
  }

  private synchronized int awaitTurn() throws InterruptedException {
    while (!isRunning) {
      wait();
    }
    return done;
  }

  private synchronized void advance(int until) {
    done = until;
    isRunning &= done < transactions.size();
  }

  private void write(SharedText text, List<Trace.Transaction> some) {
    try (Transaction transaction = desk.store().begin()) {
      text.becomes(transaction.read(Paper.TEXT).toString());
      for (Trace.Transaction recorded : some) {
        for (Patch patch : recorded.patches()) {
          text.edit(patch).forEach(part -> Paper.edit(transaction, part));
        }
      }
      transaction.commit();
    }
  }

  @Override
  public void close() {
    thread.close();
  }
}
