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
 * Writes down what clients do, as {@link HistoryFormat} says, and keeps it for {@link CausalCheck}.
 * Thread-safe.
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
   * Begins a file; one that is there is replaced.
   *
   * @param what how the history comes about
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

  /** A client's line of work: one transaction after the other. Confined to one thread at a time. */
  public static final class Session {
    private final String name;

    /**
     * Whether what its transactions throw leaves open what became of them, from their beginning.
     */
    private final boolean isAlwaysUnknown;

    private long transactions;
    private boolean isCommitting;

    private Session(String name, boolean isAlwaysUnknown) {
      this.name = name;
      this.isAlwaysUnknown = isAlwaysUnknown;
    }

    /**
     * To be called before a commit is asked for, in a session of {@link HistoryRecorder#open}: if
     * something is thrown before, the transaction has certainly no effect.
     */
    public void commits() {
      isCommitting = true;
    }

    /**
     * The id of the transaction that is being recorded; good as a value that nobody else writes.
     */
    public String transaction() {
      return name + "-" + transactions;
    }
  }

  /** A transaction to be recorded. */
  @FunctionalInterface
  public interface Work {
    /**
     * Runs it.
     *
     * @param told takes each operation with its answer, in order; a write before it is sent
     */
    void run(Session session, Consumer<RecordedOperation> told);
  }

  /**
   * Runs and records a transaction of any session that has none. If it throws, that another one was
   * faster means that it had no effect; whatever else leaves its outcome unknown. It is thrown on.
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
   * Begins a session of a client that keeps it, and carries what it has seen from node to node by
   * itself.
   *
   * @param name unlike {@code c0}, {@code c1}, ..., and of no other session
   */
  public Session open(String name) {
    return new Session(name, false);
  }

  /**
   * Runs and records a session's next transaction on a node. If it throws before {@link
   * Session#commits}, or because another one was faster, it had no effect; whatever is thrown later
   * leaves its outcome unknown. It is thrown on.
   */
  public void record(Session session, String node, Work work) {
    record(session, Optional.of(node), false, work);
  }

  /**
   * The same when all others have ended and all nodes are well: it has to see all that was
   * acknowledged.
   */
  public void recordFinal(Session session, String node, Work work) {
    record(session, Optional.of(node), true, work);
  }

  private void record(Session session, Optional<String> node, boolean isFinal, Work work) {
    session.transactions++;
    session.isCommitting = session.isAlwaysUnknown;
    List<RecordedOperation> operations = new ArrayList<>();
    Outcome outcome = Outcome.UNKNOWN;
    long start = System.nanoTime();
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
      RecordedTransaction.At at =
          new RecordedTransaction.At(node, isFinal, start, System.nanoTime());
      write(new RecordedTransaction(session.name, session.transaction(), at, outcome, operations));
    }
  }

  private synchronized Session take() {
    return idle.isEmpty() ? new Session("c" + sessions++, true) : idle.pop();
  }

  private synchronized void giveBack(Session session) {
    idle.push(session);
  }

  /** Writes a remark into the file: what happens to nodes meanwhile. */
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

  /** What was recorded so far. */
  public synchronized List<RecordedTransaction> history() {
    return List.copyOf(history);
  }

  /** Ends the file. */
  @Override
  public synchronized void close() {
    try {
      out.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
