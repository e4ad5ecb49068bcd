package io.github.stablecut.cluster.internal.wire;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.materializer.FoundObject;
import io.github.stablecut.internal.recovery.PartitionImage.CopiedFile;
import io.github.stablecut.internal.watch.CommitReadRequest;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A reply to a {@link Request}. Immutable. */
public sealed interface Reply {
  /** Calls the receiver's method for this kind of reply. */
  void handTo(Receiver receiver);

  /** Returns the approximate encoded size of the parts that may be large. */
  default long largeBytes() {
    return 0;
  }

  /**
   * Returns whether a request to retry may be sent instead of this reply when there is no memory
   * for it: not if the request has changed something.
   */
  default boolean isReplaceable() {
    return true;
  }

  /** Handles each kind of reply. */
  interface Receiver {
    /** {@link Done}. */
    void done(Done reply);

    /** {@link Vector}. */
    void vector(Vector reply);

    /** {@link PreconditionFailed}. */
    void preconditionFailed(PreconditionFailed reply);

    /** {@link ObjectVersion}. */
    void objectVersion(ObjectVersion reply);

    /** {@link Answer}. */
    void answer(Answer reply);

    /** {@link Effect}. */
    void effect(Effect reply);

    /** {@link ConditionalOutcome}. */
    void conditionalOutcome(ConditionalOutcome reply);

    /** {@link Latest}. */
    void latest(Latest reply);

    /** {@link Page}. */
    void page(Page reply);

    /** {@link Commits}. */
    void commits(Commits reply);

    /** {@link Files}. */
    void files(Files reply);

    /** {@link FilePart}. */
    void filePart(FilePart reply);

    /** {@link HandoffCompleted}. */
    void handoffCompleted(HandoffCompleted reply);

    /** {@link MoveStarted}. */
    void moveStarted(MoveStarted reply);

    /** {@link Failed}. */
    void failed(Failed reply);

    /** {@link Busy}. */
    void busy(Busy reply);

    /** {@link Stale}. */
    void stale(Stale reply);
  }

  /** The request was executed; there is nothing to return. */
  record Done() implements Reply {
    @Override
    public void handTo(Receiver receiver) {
      receiver.done(this);
    }
  }

  /** A snapshot or commit vector. */
  record Vector(VectorClock vector) implements Reply {
    @Override
    public void handTo(Receiver receiver) {
      receiver.vector(this);
    }
  }

  /** A precondition no longer holds; nothing was done. */
  record PreconditionFailed() implements Reply {
    @Override
    public void handTo(Receiver receiver) {
      receiver.preconditionFailed(this);
    }
  }

  /**
   * An object's version at a snapshot.
   *
   * @param version empty if the object has no effects there
   * @param frontier the vector at which the state may have been pruned
   */
  record ObjectVersion(Optional<Version> version, VectorClock frontier) implements Reply {
    @Override
    public void handTo(Receiver receiver) {
      receiver.objectVersion(this);
    }

    @Override
    public long largeBytes() {
      return version.map(Version::wholeBytes).orElse(0L);
    }
  }

  /**
   * The answer to a question about an object, or to another request.
   *
   * @param encoded by {@code QuestionCodec}, or as the request says
   */
  record Answer(Bytes encoded) implements Reply {
    @Override
    public void handTo(Receiver receiver) {
      receiver.answer(this);
    }

    @Override
    public long largeBytes() {
      return encoded.length();
    }
  }

  /**
   * The effect of an operation.
   *
   * @param effect encoded by {@code CrdtCodec}
   * @param dots how many events the transaction has had with it
   * @param frontier the vector at which the state that it was made from may have been pruned
   */
  record Effect(Bytes effect, int dots, VectorClock frontier) implements Reply {
    @Override
    public void handTo(Receiver receiver) {
      receiver.effect(this);
    }

    @Override
    public long largeBytes() {
      return effect.length();
    }
  }

  /**
   * The outcome of a conditional write.
   *
   * @param isWritten whether its condition held
   * @param at its commit vector; or a point at which the condition did not hold
   * @param answers the answers to its queries, encoded by {@code ConditionalBatchCodec}
   */
  record ConditionalOutcome(boolean isWritten, VectorClock at, Bytes answers) implements Reply {
    @Override
    public void handTo(Receiver receiver) {
      receiver.conditionalOutcome(this);
    }

    @Override
    public boolean isReplaceable() {
      return !isWritten;
    }

    @Override
    public long largeBytes() {
      return answers.length();
    }
  }

  /**
   * The latest versions of objects, as {@link
   * io.github.stablecut.internal.partition.commit.ConditionalWrites.Latest}.
   *
   * @param epoch the partition's epoch
   * @param frontier the vector at which the states may have been pruned
   */
  record Latest(
      long epoch,
      VectorClock at,
      VectorClock frontier,
      Map<Bytes, Version> versions,
      Map<Bytes, VectorClock> seen)
      implements Reply {
    @Override
    public void handTo(Receiver receiver) {
      receiver.latest(this);
    }

    @Override
    public long largeBytes() {
      return versions.values().stream().mapToLong(Version::wholeBytes).sum();
    }
  }

  /**
   * A page of a scan.
   *
   * @param next the id of the first object of the next page; empty if this is the last one
   */
  record Page(List<FoundObject> found, Optional<Bytes> next) implements Reply {
    @Override
    public void handTo(Receiver receiver) {
      receiver.page(this);
    }

    @Override
    public long largeBytes() {
      return found.stream()
          .flatMap(one -> one.version().stream())
          .mapToLong(Version::wholeBytes)
          .sum();
    }
  }

  /** The next commits for a watch. */
  record Commits(CommitReadRequest.Piece piece) implements Reply {
    @Override
    public void handTo(Receiver receiver) {
      receiver.commits(this);
    }
  }

  /**
   * The files of a partition.
   *
   * @param storeId the store that the partition belongs to
   */
  record Files(long storeId, List<CopiedFile> files) implements Reply {
    @Override
    public void handTo(Receiver receiver) {
      receiver.files(this);
    }

    /** Copies the list. */
    public Files {
      files = List.copyOf(files);
    }
  }

  /**
   * A part of a file.
   *
   * @param checksum CRC32C of the bytes as the sender read them
   */
  record FilePart(Bytes bytes, long checksum) implements Reply {
    @Override
    public void handTo(Receiver receiver) {
      receiver.filePart(this);
    }
  }

  /**
   * The partition was given away permanently.
   *
   * @param epoch its epoch at the new owner
   */
  record HandoffCompleted(long epoch) implements Reply {
    @Override
    public void handTo(Receiver receiver) {
      receiver.handoffCompleted(this);
    }
  }

  /**
   * The node has begun to receive the partition.
   *
   * @param move the number of the move; no other move has it
   */
  record MoveStarted(long move) implements Reply {
    @Override
    public void handTo(Receiver receiver) {
      receiver.moveStarted(this);
    }
  }

  /** The request failed. */
  record Failed(StablecutException failure) implements Reply {
    @Override
    public void handTo(Receiver receiver) {
      receiver.failed(this);
    }
  }

  /** Backpressure: there is no memory for the request or its reply; nothing was done. */
  record Busy(String why) implements Reply {
    @Override
    public void handTo(Receiver receiver) {
      receiver.busy(this);
    }
  }

  /**
   * The request names another epoch of the partition; nothing was done.
   *
   * @param epoch the epoch at this node; 0 if this node does not own the partition
   */
  record Stale(long epoch) implements Reply {
    @Override
    public void handTo(Receiver receiver) {
      receiver.stale(this);
    }
  }
}
