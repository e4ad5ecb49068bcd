package io.github.stablecut.testing.history;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import io.github.stablecut.error.ConflictException;
import io.github.stablecut.file.PrivateFiles;
import io.github.stablecut.testing.history.RecordedTransaction.Outcome;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Records transactions of clients to a file in {@link HistoryFormat}, and retains them for {@link
 * CausalCheck}. Thread-safe.
 */
public final class HistoryRecorder implements AutoCloseable {
  private final BufferedWriter out;
  private final List<RecordedTransaction> history = new ArrayList<>();
  private final Deque<Session> idle = new ArrayDeque<>();
  private int sessions;

  private HistoryRecorder(BufferedWriter out) {
    this.out = out;
  }

  /**
   * Creates a file, replacing an existing one.
   *
   * @param what describes the workload
   */
  public static HistoryRecorder create(Path file, String what) {
    try {
      BufferedWriter out =
          new BufferedWriter(
              Channels.newWriter(PrivateFiles.open(file, CREATE, TRUNCATE_EXISTING, WRITE), UTF_8));
      out.write(HistoryFormat.meta(what));
      return new HistoryRecorder(out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A client's sequence of transactions. Confined to one thread at a time. */
  public static final class Session {
    private final String name;

    /** Whether any failure leaves a transaction's outcome unknown, from its beginning. */
    private final boolean isAlwaysUnknown;

    private long transactions;
    private boolean isCommitting;

    private Session(String name, boolean isAlwaysUnknown) {
      this.name = name;
      this.isAlwaysUnknown = isAlwaysUnknown;
    }

    /**
     * Marks that a commit is about to be requested, in a session of {@link HistoryRecorder#open}. A
     * failure before this call proves that the transaction has no effect.
     */
    public void commits() {
      isCommitting = true;
    }

    /** The id of the current transaction, which is also a unique value to write. */
    public String transaction() {
      return name + "-" + transactions;
    }
  }

  /** The body of a recorded transaction. */
  @FunctionalInterface
  public interface Work {
    /**
     * Executes the transaction.
     *
     * @param recorder receives each operation with its answer, in order; a write before it is sent
     */
    void run(Session session, Consumer<RecordedOperation> recorder);
  }

  /**
   * Runs and records a transaction of any idle session. A conflict proves that it had no effect;
   * any other failure leaves its outcome unknown. Rethrows failures.
   */
  public void record(Work work) {
    Session session = take();
    try {
      record(session, Optional.empty(), false, work);
    } finally {
      giveBack(session);
    }
  }

  /**
   * Opens a session for a client that keeps it, and that itself carries its token from node to
   * node.
   *
   * @param name unique, and unlike {@code c0}, {@code c1}, ...
   */
  public Session open(String name) {
    return new Session(name, false);
  }

  /**
   * Runs and records a session's next transaction on a node. A failure before {@link
   * Session#commits}, or a conflict, proves that it had no effect; a later failure leaves its
   * outcome unknown. Rethrows failures.
   */
  public void record(Session session, String node, Work work) {
    record(session, Optional.of(node), false, work);
  }

  /**
   * Like {@link #record(Session, String, Work)}, after all other transactions have ended and all
   * nodes are healthy: the transaction must see everything acknowledged.
   */
  public void recordFinal(Session session, String node, Work work) {
    record(session, Optional.of(node), true, work);
  }

  private void record(Session session, Optional<String> node, boolean isFinal, Work work) {
    session.transactions++;
    session.isCommitting = session.isAlwaysUnknown;
    List<RecordedOperation> operations = new ArrayList<>();
    Outcome outcome = Outcome.UNKNOWN;
    long startNanos = System.nanoTime();
    try {
      work.run(session, operations::add);
      outcome = Outcome.OK;
    } catch (ConflictException e) {
      outcome = Outcome.FAIL;
      throw e;
    } finally {
      if (outcome == Outcome.UNKNOWN && !session.isCommitting) {
        outcome = Outcome.FAIL;
      }
      RecordedTransaction.Execution at =
          new RecordedTransaction.Execution(node, isFinal, startNanos, System.nanoTime());
      write(new RecordedTransaction(session.name, session.transaction(), at, outcome, operations));
    }
  }

  private synchronized Session take() {
    return idle.isEmpty() ? new Session("c" + sessions++, true) : idle.pop();
  }

  private synchronized void giveBack(Session session) {
    idle.push(session);
  }

  /** Writes a remark to the file, such as a fault of a node. */
  public void note(String what) {
    append(HistoryFormat.meta(what));
  }

  private synchronized void write(RecordedTransaction transaction) {
    history.add(transaction);
    append(HistoryFormat.line(transaction));
  }

  private synchronized void append(String line) {
    try {
      out.write(line);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The transactions recorded so far. */
  public synchronized List<RecordedTransaction> history() {
    return List.copyOf(history);
  }

  /** Completes the file. */
  @Override
  public synchronized void close() {
    try {
      out.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
