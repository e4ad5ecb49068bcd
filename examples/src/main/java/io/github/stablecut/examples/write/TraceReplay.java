package io.github.stablecut.examples.write;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.Transaction;
import io.github.stablecut.examples.BackgroundThread;
import io.github.stablecut.examples.trace.Trace;
import io.github.stablecut.examples.trace.Trace.Patch;
import java.util.List;

/**
 * A recorded session that is written into the text at a desk, by an author of its own, while others
 * write too: what they do moves where the recorded edits go, and never what they do. Thread-safe.
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

  /** How far it is. */
  record Progress(boolean isRunning, int done, int all) {}

  /**
   * A replay that has not begun.
   *
   * @param perSecond how many transactions of the trace in a second, about
   */
  TraceReplay(Trace trace, int perSecond, Desk desk) {
    this.desk = desk;
    this.transactions = trace.transactions();
    this.perSecond = perSecond;
    this.thread = BackgroundThread.start("trace-replay", this::run);
  }

  /** Goes on, or pauses. */
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
    long pause = Math.max(1, 1_000L * each / perSecond);
    while (true) {
      int from = awaitTurn();
      int until = Math.min(transactions.size(), from + each);
      write(text, transactions.subList(from, until));
      advance(until);
      Thread.sleep(pause);
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
