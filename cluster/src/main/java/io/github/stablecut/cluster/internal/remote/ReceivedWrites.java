package io.github.stablecut.cluster.internal.remote;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.error.OutcomeUnknownException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The writes that other nodes have requested, by the run of the node and the number of the write,
 * until the node no longer awaits their replies. A node repeats a write whose connection broke;
 * here, each is executed at most once, and every repetition gets the reply. Thread-safe.
 */
public final class ReceivedWrites {
  /** The most writes of one run that are remembered; older ones are not executed either. */
  static final int MAX_WRITES = 100_000;

  /** The most runs; the one that is unused for longest gives way. */
  private static final int MAX_RUNS = 1_000;

  private final ReplySender replies;

  @GuardedBy("this")
  private final Map<Long, Run> runs =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Run> eldest) {
          return size() > MAX_RUNS;
        }
      };

  /** A write, where its reply goes, and its reply once it is known. */
  private static final class Write {
    private Requester from;
    private @Nullable Reply reply;

    Write(Requester from) {
      this.from = from;
    }
  }

  /** The writes of one run of a node. */
  private static final class Run {
    @GuardedBy("this")
    private final TreeMap<Long, Write> writes = new TreeMap<>();

    /** Invariant: no write below it is remembered, and none is executed. */
    @GuardedBy("this")
    private long oldest = Long.MIN_VALUE;

    synchronized void forgetBelow(long number) {
      oldest = Math.max(oldest, number);
      writes.headMap(oldest).clear();
    }
  }

  /**
   * @param replies sends the replies
   */
  public ReceivedWrites(ReplySender replies) {
    this.replies = replies;
  }

  private synchronized Run run(long number) {
    return runs.computeIfAbsent(number, unknown -> new Run());
  }

  /**
   * Records a write. A repetition gets the reply: now if it is known, otherwise in place of the
   * first transmission.
   *
   * @return whether the write has to be executed; the caller then {@linkplain #end ends} it
   */
  boolean begin(Requester from, long number) {
    Run run = run(from.run());
    Reply known;
    synchronized (run) {
      Write write = run.writes.get(number);
      if (number < run.oldest) {
        // The requester awaits no reply, or this node has forgotten whether it was executed.
        known = unknownOutcome();
      } else if (write == null) {
        run.writes.put(number, new Write(from));
        if (run.writes.size() > MAX_WRITES) {
          run.forgetBelow(run.writes.firstKey() + 1);
        }
        return true;
      } else {
        write.from = from;
        known = write.reply;
      }
    }
    if (known != null) {
      replies.send(from, number, known);
    }
    return false;
  }

  /** Sends the reply to a write, and keeps it for repetitions. */
  void end(Requester from, long number, Reply reply) {
    Requester to = from;
    Run run = run(from.run());
    synchronized (run) {
      Write write = run.writes.get(number);
      if (write != null) {
        // The first reply counts: a second one reports that the first could not be sent.
        write.reply = write.reply == null ? kept(reply) : write.reply;
        to = write.from;
      }
    }
    replies.send(to, number, reply);
  }

  /**
   * Returns what a repetition gets. A large reply is not kept; if the request has changed nothing,
   * it may be sent again.
   */
  private static Reply kept(Reply reply) {
    if (reply.largeBytes() <= Links.MAX_BYTES) {
      return reply;
    }
    return reply.isReplaceable() ? new Reply.Stale(0) : unknownOutcome();
  }

  private static Reply unknownOutcome() {
    return new Reply.Failed(
        new OutcomeUnknownException(
            "the connection ended before the reply to a write arrived: read to find out whether the transaction is committed"));
  }

  /**
   * Forgets the writes of a run of a node that no longer awaits their replies.
   *
   * @param oldest the lowest number whose reply it may await
   */
  public void answered(long run, long oldest) {
    run(run).forgetBelow(oldest);
  }
}
