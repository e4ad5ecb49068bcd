package io.github.stablecut.cluster.internal.wire;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.internal.partition.BackupReadRequest;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.internal.partition.commit.Message;
import io.github.stablecut.internal.replica.ReplicaMessage;
import io.github.stablecut.internal.watch.CommitReadRequest;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A request of one node to another, about a partition. Immutable. */
public sealed interface Request {
  /** Calls the receiver's method for this family of requests. */
  void handTo(Receiver receiver);

  /**
   * Returns whether the request changes anything, so that without a reply its outcome is unknown.
   */
  default boolean isWrite() {
    return false;
  }

  /** Returns the approximate encoded size of the parts that may be large. */
  default long largeBytes() {
    return 0;
  }

  /** Handles each family of requests. */
  interface Receiver {
    /** A request for a timestamp. */
    void present(Present request);

    /** A request to the owner of a partition. */
    void toPartition(ToPartition request);

    /** A request to a node, whether or not it owns the partition. */
    void toNode(ToNode request);
  }

  /** Handles each kind of request to the owner of a partition. */
  interface PartitionReceiver {
    /** {@link Read}. */
    void read(Read request);

    /** {@link Query}. */
    void query(Query request);

    /** {@link Downstream}. */
    void downstream(Downstream request);

    /** {@link PresentOf}. */
    void presentOf(PresentOf request);

    /** {@link Check}. */
    void check(Check request);

    /** {@link HoldLease}. */
    void holdLease(HoldLease request);

    /** {@link ReleaseLease}. */
    void releaseLease(ReleaseLease request);

    /** {@link Commit}. */
    void commit(Commit request);

    /** {@link Latest}. */
    void latest(Latest request);

    /** {@link CommitIf}. */
    void commitIf(CommitIf request);

    /** {@link Execute}. */
    void execute(Execute request);

    /** {@link AwaitDurable}. */
    void awaitDurable(AwaitDurable request);

    /** {@link Scan}. */
    void scan(Scan request);

    /** {@link Commits}. */
    void commits(Commits request);

    /** {@link Backup}. */
    void backup(Backup request);

    /** {@link Checkpoint}. */
    void checkpoint(Checkpoint request);

    /** {@link Deliver}. */
    void deliver(Deliver request);
  }

  /** Handles each kind of request to a node. */
  interface NodeReceiver {
    /** {@link Fetch}. */
    void fetch(Fetch request);

    /** {@link Renew}. */
    void renew(Renew request);

    /** {@link BeginReplicas}. */
    void beginReplicas(BeginReplicas request);

    /** {@link BalanceLeaders}. */
    void evenOut(BalanceLeaders request);

    /** {@link CloseOwn}. */
    void closeOwn(CloseOwn request);

    /** A request of the receiver of a handoff to its sender. */
    void ofMove(OfMove request);

    /** {@link ToReplica}. */
    void toReplica(ToReplica request);

    /** {@link ToRegister}. */
    void toRegister(ToRegister request);
  }

  /**
   * Handles each kind of request about a handoff.
   *
   * @param <R> the result
   * @param <E> what a method may throw
   */
  interface MoveReceiver<R, E extends Exception> {
    /** {@link StartHandoff}. */
    R startHandoff(StartHandoff request) throws E;

    /** {@link ReadFile}. */
    R readFile(ReadFile request) throws E;

    /** {@link SuspendCheckpoints}. */
    R suspendCheckpoints(SuspendCheckpoints request) throws E;

    /** {@link Fence}. */
    R fence(Fence request) throws E;

    /** {@link CompleteHandoff}. */
    R completeHandoff(CompleteHandoff request) throws E;

    /** {@link AbortHandoff}. */
    R abortHandoff(AbortHandoff request) throws E;
  }

  /**
   * Asks the owner of a partition for the partition's present: {@link Reply.Vector}. Asks a node
   * for its clock, which every reply carries: {@link Reply.Done}.
   */
  record Present() implements Request {
    @Override
    public void handTo(Receiver receiver) {
      receiver.present(this);
    }
  }

  /** A request to the owner of a partition. */
  sealed interface ToPartition extends Request {
    /** Calls the receiver's method for this kind of request. */
    void handTo(PartitionReceiver receiver);

    @Override
    default void handTo(Receiver receiver) {
      receiver.toPartition(this);
    }
  }

  /** A request to a node, whether or not it owns the partition. */
  sealed interface ToNode extends Request {
    /** Calls the receiver's method for this kind of request. */
    void handTo(NodeReceiver receiver);

    @Override
    default void handTo(Receiver receiver) {
      receiver.toNode(this);
    }
  }

  /**
   * Reads an object at a snapshot: {@link Reply.ObjectVersion}.
   *
   * @param part the part that is read, encoded by {@code QuestionCodec}; others may be missing in
   *     the reply
   */
  record Read(Bytes id, Bytes part, VectorClock at) implements ToPartition {
    @Override
    public void handTo(PartitionReceiver receiver) {
      receiver.read(this);
    }

    @Override
    public long largeBytes() {
      return part.length();
    }
  }

  /**
   * Asks a question about an object at a snapshot: {@link Reply.Answer}.
   *
   * @param type the type that the object is supposed to have
   * @param question encoded by {@code QuestionCodec}
   */
  record Query(Bytes id, CrdtType<?, ?, ?, ?> type, Bytes question, VectorClock at)
      implements ToPartition {
    @Override
    public void handTo(PartitionReceiver receiver) {
      receiver.query(this);
    }

    @Override
    public long largeBytes() {
      return question.length();
    }
  }

  /**
   * Asks the owner to compute the effect of an operation on an object: {@link Reply.Effect}.
   *
   * @param type the object type that the operation requires
   * @param operation encoded by {@code CrdtCodec}
   * @param dots how many events the transaction has had
   */
  record Downstream(Bytes id, CrdtType<?, ?, ?, ?> type, Bytes operation, VectorClock at, int dots)
      implements ToPartition {
    @Override
    public void handTo(PartitionReceiver receiver) {
      receiver.downstream(this);
    }

    @Override
    public long largeBytes() {
      return operation.length();
    }
  }

  /**
   * Asks for a snapshot that includes everything acknowledged on an object: {@link Reply.Vector}.
   */
  record PresentOf(Bytes id) implements ToPartition {
    @Override
    public void handTo(PartitionReceiver receiver) {
      receiver.presentOf(this);
    }
  }

  /** Checks that a snapshot can be read: {@link Reply.Done}. */
  record Check(VectorClock at) implements ToPartition {
    @Override
    public void handTo(PartitionReceiver receiver) {
      receiver.check(this);
    }
  }

  /**
   * Acquires or renews a snapshot lease: {@link Reply.Done}. The holder renews it as long as it
   * needs the snapshot.
   */
  record HoldLease(long lease, VectorClock at) implements ToPartition {
    @Override
    public void handTo(PartitionReceiver receiver) {
      receiver.holdLease(this);
    }
  }

  /** Releases a snapshot lease: {@link Reply.Done}. */
  record ReleaseLease(long lease) implements ToPartition {
    @Override
    public void handTo(PartitionReceiver receiver) {
      receiver.releaseLease(this);
    }
  }

  /** Commits a transaction on one partition: {@link Reply.Vector}. */
  record Commit(CommitRequest request) implements ToPartition {
    @Override
    public void handTo(PartitionReceiver receiver) {
      receiver.commit(this);
    }

    @Override
    public boolean isWrite() {
      return true;
    }

    @Override
    public long largeBytes() {
      return request.bytes();
    }
  }

  /** Reads the latest versions of objects: {@link Reply.Latest}. */
  record Latest(VectorClock claimed, List<Bytes> ids) implements ToPartition {
    @Override
    public void handTo(PartitionReceiver receiver) {
      receiver.latest(this);
    }

    @Override
    public long largeBytes() {
      return ids.stream().mapToLong(id -> (long) Integer.BYTES + id.length()).sum();
    }
  }

  /**
   * Commits a transaction if the objects have not changed since they were read: {@link
   * Reply.Vector}, otherwise {@link Reply.PreconditionFailed}.
   */
  record CommitIf(Map<Bytes, VectorClock> seen, CommitRequest request) implements ToPartition {
    @Override
    public void handTo(PartitionReceiver receiver) {
      receiver.commitIf(this);
    }

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
   * Asks the owner to execute a conditional write: {@link Reply.ConditionalOutcome}, once its
   * outcome is durable.
   *
   * @param claimed a snapshot that the sender claims
   * @param batch encoded by {@code ConditionalBatchCodec}
   */
  record Execute(VectorClock claimed, Bytes batch) implements ToPartition {
    @Override
    public void handTo(PartitionReceiver receiver) {
      receiver.execute(this);
    }

    @Override
    public boolean isWrite() {
      return true;
    }

    @Override
    public long largeBytes() {
      return batch.length();
    }
  }

  /**
   * Waits until all commits that a vector includes are durable: {@link Reply.Done}; {@link
   * Reply.PreconditionFailed} if they were read in an earlier epoch of the partition.
   */
  record AwaitDurable(long epoch, VectorClock seen) implements ToPartition {
    @Override
    public void handTo(PartitionReceiver receiver) {
      receiver.awaitDurable(this);
    }
  }

  /**
   * Reads the first page of a range at a snapshot: {@link Reply.Page}.
   *
   * @param until the exclusive upper bound; empty if there is none
   * @param isDescending whether the greatest id comes first
   * @param isKeysOnly whether the page has no versions
   * @param maxObjects the maximum number of objects on the page
   */
  record Scan(
      Bytes from,
      Optional<Bytes> until,
      VectorClock at,
      boolean isDescending,
      boolean isKeysOnly,
      int maxObjects)
      implements ToPartition {
    @Override
    public void handTo(PartitionReceiver receiver) {
      receiver.scan(this);
    }
  }

  /** Reads the next commits for a watch: {@link Reply.Commits}. */
  record Commits(CommitReadRequest reading) implements ToPartition {
    @Override
    public void handTo(PartitionReceiver receiver) {
      receiver.commits(this);
    }
  }

  /** Reads the next piece for a backup: {@link Reply.Answer}, an encoded piece. */
  record Backup(BackupReadRequest reading) implements ToPartition {
    @Override
    public void handTo(PartitionReceiver receiver) {
      receiver.backup(this);
    }
  }

  /** Makes a checkpoint: {@link Reply.Done}. */
  record Checkpoint() implements ToPartition {
    @Override
    public void handTo(PartitionReceiver receiver) {
      receiver.checkpoint(this);
    }
  }

  /** Delivers a message about a distributed transaction. It has no {@link Reply}. */
  record Deliver(Message.ToPartition message) implements ToPartition {
    @Override
    public void handTo(PartitionReceiver receiver) {
      receiver.deliver(this);
    }

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

  /**
   * Tells a node to receive the partition from another node: {@link Reply.MoveStarted}.
   *
   * @param from the name of the node that owns it
   */
  record Fetch(String from) implements ToNode {
    @Override
    public void handTo(NodeReceiver receiver) {
      receiver.fetch(this);
    }
  }

  /**
   * Sends a message from one replica of the partition to another; there is no reply.
   *
   * @param from the sending replica
   * @param to the receiving replica
   */
  record ToReplica(String from, String to, ReplicaMessage message) implements ToNode {
    @Override
    public long largeBytes() {
      return ReplicaMessageCodec.largeBytes(message);
    }

    @Override
    public void handTo(NodeReceiver receiver) {
      receiver.toReplica(this);
    }
  }

  /**
   * Calls the configuration register: {@link Reply.Answer}.
   *
   * @param to the receiving node's name in the register
   */
  record ToRegister(String to, Bytes call) implements ToNode {
    @Override
    public void handTo(NodeReceiver receiver) {
      receiver.toRegister(this);
    }
  }

  /**
   * Makes the node of a partition accept no transactions on it for five seconds, as the cluster
   * leaves its group of data centres. The reply is {@link Reply.Done} if the other data centres
   * have all that was committed there.
   */
  record CloseOwn() implements ToNode {
    @Override
    public void handTo(NodeReceiver receiver) {
      receiver.closeOwn(this);
    }
  }

  /**
   * Asks a node without partitions to leave, and to return as a new node once another node has made
   * its cluster a new data centre of others. The reply is {@link Reply.Done}.
   *
   * @param address where that other node listens for other data centres
   * @param group the other node's current group, until its cluster has become a new data centre
   */
  record Renew(String address, long group) implements ToNode {
    @Override
    public void handTo(NodeReceiver receiver) {
      receiver.renew(this);
    }
  }

  /**
   * Asks the owner of partition 0 to introduce a configuration register, for a given number of
   * replicas, in a cluster of unreplicated partitions. The reply is {@link Reply.Done}.
   *
   * @param replicas 0 to ask a node only whether it could have replicas
   */
  record BeginReplicas(int replicas) implements ToNode {
    @Override
    public void handTo(NodeReceiver receiver) {
      receiver.beginReplicas(this);
    }
  }

  /**
   * Makes the receiving node transfer leadership to the replicas that the plan names first. The
   * reply is {@link Reply.Done}, at once.
   */
  record BalanceLeaders() implements ToNode {
    @Override
    public void handTo(NodeReceiver receiver) {
      receiver.evenOut(this);
    }
  }

  /** A request of the receiver of a handoff to its sender. */
  sealed interface OfMove extends ToNode {
    /** Returns the number of the move; no other move has it. */
    long move();

    /** Calls the receiver's method for this kind of request. */
    @CanIgnoreReturnValue
    <R, E extends Exception> R handTo(MoveReceiver<R, E> receiver) throws E;

    @Override
    default void handTo(NodeReceiver receiver) {
      receiver.ofMove(this);
    }
  }

  /**
   * Starts a handoff and lists the files to copy: {@link Reply.Files}.
   *
   * @param to the name of the receiving node
   */
  record StartHandoff(long move, String to) implements OfMove {
    @Override
    public <R, E extends Exception> R handTo(MoveReceiver<R, E> receiver) throws E {
      return receiver.startHandoff(this);
    }
  }

  /** Reads bytes of a file: {@link Reply.FilePart}. */
  record ReadFile(long move, String name, long from, int length) implements OfMove {
    @Override
    public <R, E extends Exception> R handTo(MoveReceiver<R, E> receiver) throws E {
      return receiver.readFile(this);
    }
  }

  /** Suspends checkpoints and merges, so that only the journal changes: {@link Reply.Files}. */
  record SuspendCheckpoints(long move) implements OfMove {
    @Override
    public <R, E extends Exception> R handTo(MoveReceiver<R, E> receiver) throws E {
      return receiver.suspendCheckpoints(this);
    }
  }

  /** Fences and closes the partition: {@link Reply.Files}, its final files. */
  record Fence(long move) implements OfMove {
    @Override
    public <R, E extends Exception> R handTo(MoveReceiver<R, E> receiver) throws E {
      return receiver.fence(this);
    }
  }

  /**
   * Gives the partition away permanently, once the copy is complete: {@link
   * Reply.HandoffCompleted}; {@link Reply.PreconditionFailed} if the sender has kept it, and will.
   * Repeated until there is a reply.
   *
   * @param to the name of the receiving node
   * @param minEpoch the lowest epoch that the partition may have there
   */
  record CompleteHandoff(long move, String to, long minEpoch) implements OfMove {
    @Override
    public <R, E extends Exception> R handTo(MoveReceiver<R, E> receiver) throws E {
      return receiver.completeHandoff(this);
    }
  }

  /** Aborts the handoff: {@link Reply.Done}. */
  record AbortHandoff(long move) implements OfMove {
    @Override
    public <R, E extends Exception> R handTo(MoveReceiver<R, E> receiver) throws E {
      return receiver.abortHandoff(this);
    }
  }
}
