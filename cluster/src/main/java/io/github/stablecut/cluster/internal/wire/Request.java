package io.github.stablecut.cluster.internal.wire;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.partition.CommitRequest;
import io.github.stablecut.internal.partition.Message;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What the owner of a partition is asked. Immutable. */
public sealed interface Request {
  /** Whether it changes anything, so that without an answer nobody knows whether it did. */
  default boolean isWrite() {
    return false;
  }

  /** About what its bytes are, if they may be many. */
  default long largeBytes() {
    return 0;
  }

  /** What an object was at a snapshot: {@link Reply.Found}. */
  record Read(Bytes id, VectorClock at) implements Request {}

  /** What the partition's present is: {@link Reply.At}. */
  record Present() implements Request {}

  /** A present at which everything acknowledged on an object is seen: {@link Reply.At}. */
  record PresentOf(Bytes id) implements Request {}

  /** Whether a snapshot may be read: {@link Reply.Done}. */
  record Check(VectorClock at) implements Request {}

  /** A snapshot is to be kept for a while; repeated as long as it is needed: {@link Reply.Done}. */
  record Hold(long claim, VectorClock at) implements Request {}

  /** A snapshot needs not be kept any more: {@link Reply.Done}. */
  record Release(long claim) implements Request {}

  /** A transaction is to be committed: {@link Reply.At}. */
  record Commit(CommitRequest request) implements Request {
    @Override
    public boolean isWrite() {
      return true;
    }

    @Override
    public long largeBytes() {
      return request.bytes();
    }
  }

  /** What objects are now: {@link Reply.Latest}. */
  record Latest(VectorClock claimed, List<Bytes> ids) implements Request {
    @Override
    public long largeBytes() {
      return ids.stream().mapToLong(id -> (long) Integer.BYTES + id.length()).sum();
    }
  }

  /** To be committed if nothing has changed: {@link Reply.At}, or {@link Reply.Changed}. */
  record CommitIf(Map<Bytes, Long> seen, CommitRequest request) implements Request {
    @Override
    public boolean isWrite() {
      return true;
    }

    @Override
    public long largeBytes() {
      return request.bytes();
    }
  }

  /**
   * To be answered once a commit is durable: {@link Reply.Done}, or {@link Reply.Changed} if it was
   * seen in an earlier epoch of the partition.
   */
  record AwaitDurable(long epoch, long time) implements Request {}

  /**
   * The first objects of a range at a snapshot: {@link Reply.Page}.
   *
   * @param until above the range; empty if nothing is
   */
  record Scan(Bytes from, Optional<Bytes> until, VectorClock at) implements Request {}

  /** A checkpoint is to be made: {@link Reply.Done}. */
  record Checkpoint() implements Request {}

  /** About a move of the partition, from the node that gets it to the one that has it. */
  sealed interface OfMove extends Request {
    /** A number that no other move has. */
    long move();
  }

  /**
   * The partition's files are to be copied: {@link Reply.Files}.
   *
   * @param to the name of the node that copies them
   */
  record Copy(long move, String to) implements OfMove {}

  /** Bytes of a file: {@link Reply.FilePart}. */
  record ReadFile(long move, String name, long from, int length) implements OfMove {}

  /** No file but the journal is to change any more: {@link Reply.Files}. */
  record Quiet(long move) implements OfMove {}

  /** The partition is to be closed: {@link Reply.Files}, which are its last. */
  record HandOver(long move) implements OfMove {}

  /**
   * The copy is complete, and the partition is to be given away for good; repeated until there is
   * an answer: {@link Reply.Given}, or {@link Reply.Changed} if it was not and will not be given.
   *
   * @param to the name of the node that gets it
   * @param minEpoch its epoch there
   */
  record Give(long move, String to, long minEpoch) implements OfMove {}

  /** The copy was given up: {@link Reply.Done}. */
  record Keep(long move) implements OfMove {}

  /**
   * The node that is asked is to get the partition: {@link Reply.Begun}.
   *
   * @param from the name of the node that has it
   */
  record Fetch(String from) implements Request {}

  /** About a transaction of several partitions; not answered by a {@link Reply}. */
  record Deliver(Message.ToPartition message) implements Request {
    @Override
    public boolean isWrite() {
      return true;
    }

    @Override
    public long largeBytes() {
      if (message instanceof Message.Prepare prepare) {
        return prepare.part().bytes();
      }
      return message instanceof Message.Decide decide ? decide.part().bytes() : 0;
    }
  }
}
