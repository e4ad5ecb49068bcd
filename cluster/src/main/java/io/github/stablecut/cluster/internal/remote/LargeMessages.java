package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.cluster.internal.wire.Reply;
import io.github.stablecut.cluster.internal.wire.RequestCodec;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.StoreIoException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Receives the large messages of other nodes, and rejects those for which there is no memory, so
 * that their senders retry. Confined to the event loop of large messages.
 */
public final class LargeMessages {
  private final ReplySender replies;
  private final PendingRequests requests;
  private final TrafficBudgets traffic;
  private final ChunkAssembler requestsIn;
  private final ChunkAssembler repliesIn;
  private final ChunkAssembler replicaMessagesIn;
  private final ReplicaTurns turns;

  /**
   * @param replies rejects requests
   * @param requests the requests of this node, whose replies arrive
   * @param nanoTime a monotonic clock
   */
  public LargeMessages(
      ReplySender replies,
      PendingRequests requests,
      TrafficBudgets traffic,
      LongSupplier nanoTime) {
    this.replies = replies;
    this.requests = requests;
    this.traffic = traffic;
    this.requestsIn = new ChunkAssembler(traffic.requestsIn());
    this.repliesIn = new ChunkAssembler(traffic.answersIn());
    this.replicaMessagesIn = new ChunkAssembler(traffic.replicaMessagesIn());
    this.turns = new ReplicaTurns(nanoTime);
  }

  /** A message that arrives in chunks, in order. */
  public interface Incoming {
    /**
     * Adds a chunk.
     *
     * @return false if the message is dropped: the rest of it is ignored
     */
    boolean add(Bytes chunk);

    /** Returns the complete message; null if there is no memory for it, and it is dropped. */
    @Nullable Bytes finish();

    /** Releases the memory of the complete message. Idempotent, on any thread. */
    void release();

    /** Drops the message, whose rest does not arrive. */
    void drop();
  }

  /**
   * Begins a request, or a message to a replica.
   *
   * @param first the request with its first chunk
   */
  public Incoming request(RequestEnvelope first) {
    if (!RequestCodec.isForReplica(first.request())) {
      return new IncomingRequest(first);
    }
    ReplicaTurns.Source source = new ReplicaTurns.Source(first.from().name(), first.partition());
    boolean isNext = turns.isNext(source);
    ChunkAssembler.Assembly assembly = replicaMessagesIn.begin(!isNext);
    if (isNext) {
      turns.recordExceeding(assembly.reservation());
    }
    return new ReplicaMessage(first, source, assembly);
  }

  /** Begins a reply, and skips it if no request awaits it. */
  public Incoming reply(long number) {
    PendingRequests.ReplyState awaited = requests.awaited(number);
    return awaited == PendingRequests.ReplyState.NO
        ? new Unawaited()
        : new IncomingReply(number, awaited == PendingRequests.ReplyState.RETRYABLE);
  }

  /** Begins the answer to a driver, which must not be refused. */
  public Incoming driverReply() {
    return new IncomingDriverReply();
  }

  private abstract static class Assembled implements Incoming {
    private final ChunkAssembler.Assembly assembly;

    Assembled(ChunkAssembler.Assembly assembly) {
      this.assembly = assembly;
    }

    @Override
    public boolean add(Bytes chunk) {
      boolean isAdded = assembly.add(chunk);
      if (!isAdded) {
        refused(chunk.length());
      }
      return isAdded;
    }

    @Override
    public @Nullable Bytes finish() {
      try {
        return assembly.finish();
      } catch (OutOfMemoryError e) {
        refused(assembly.bytes());
        return null;
      }
    }

    /** Tells the sender that there is no memory for a number of bytes. */
    abstract void refused(int bytes);

    @Override
    public void release() {
      assembly.reservation().close();
    }

    @Override
    public void drop() {
      assembly.drop();
    }
  }

  private final class IncomingRequest extends Assembled {
    private final Requester from;
    private final long number;

    IncomingRequest(RequestEnvelope first) {
      super(requestsIn.begin(true));
      this.from = first.from();
      this.number = first.number();
    }

    @Override
    void refused(int bytes) {
      replies.send(from, number, busy(traffic.requestsIn(), bytes));
    }
  }

  /** A message to a replica, which may exceed the memory if it is its sender's turn. */
  private final class ReplicaMessage extends Assembled {
    private final Requester from;
    private final long number;
    private final ReplicaTurns.Source source;

    ReplicaMessage(
        RequestEnvelope first, ReplicaTurns.Source source, ChunkAssembler.Assembly assembly) {
      super(assembly);
      this.from = first.from();
      this.number = first.number();
      this.source = source;
    }

    @Override
    public @Nullable Bytes finish() {
      turns.recordComplete(source);
      return super.finish();
    }

    @Override
    void refused(int bytes) {
      turns.recordDrop(source);
      replies.send(from, number, busy(traffic.replicaMessagesIn(), bytes));
    }
  }

  private final class IncomingReply extends Assembled {
    private final long number;
    private final boolean isRefusable;

    IncomingReply(long number, boolean isRefusable) {
      super(repliesIn.begin(isRefusable));
      this.number = number;
      this.isRefusable = isRefusable;
    }

    @Override
    void refused(int bytes) {
      if (isRefusable) {
        requests.complete(number, busy(traffic.answersIn(), bytes));
      } else {
        // The request was executed: it must not be sent again.
        requests.unread(
            number,
            new StoreIoException("there is no memory for a reply of %,d bytes".formatted(bytes)));
      }
    }
  }

  private final class IncomingDriverReply extends Assembled {
    IncomingDriverReply() {
      super(repliesIn.begin(false));
    }

    @Override
    void refused(int bytes) {
      // The driver asks again.
    }
  }

  /** A message that nothing waits for. */
  private static final class Unawaited implements Incoming {
    @Override
    public boolean add(Bytes chunk) {
      return false;
    }

    @Override
    public @Nullable Bytes finish() {
      return null;
    }

    @Override
    public void release() {
      // It has no memory.
    }

    @Override
    public void drop() {
      // Nothing is kept.
    }
  }

  private static Reply busy(TrafficBudget full, int bytes) {
    return new Reply.Busy(String.valueOf(full.refusal(bytes).getMessage()));
  }
}
