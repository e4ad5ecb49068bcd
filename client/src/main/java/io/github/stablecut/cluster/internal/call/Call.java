package io.github.stablecut.cluster.internal.call;

import io.github.stablecut.CausalToken;
import io.github.stablecut.SessionId;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.key.Condition;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Query;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.ScanOptions;
import io.github.stablecut.option.SnapshotOptions;
import io.github.stablecut.option.TransactionOptions;
import io.github.stablecut.option.WatchOptions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A request of a client to a server. Immutable. */
public sealed interface Call {
  /** Calls the visitor's method for this kind of call. */
  <R> R accept(Visitor<R> visitor);

  /**
   * Whether the call may be retried, at any server, after its answer was lost, because it changes
   * nothing or takes effect only once.
   */
  default boolean isRepeatable() {
    return true;
  }

  /** Whether the result depends on the point that the server has reached. */
  default boolean isOfPresent() {
    return false;
  }

  /** The objects that the call concerns; empty if it concerns none in particular. */
  default List<Key<?>> objects() {
    return List.of();
  }

  /** The objects of updates. */
  private static List<Key<?>> objects(List<Update> updates) {
    return updates.stream().<Key<?>>map(Update::key).toList();
  }

  private static List<Key<?>> objects(Condition condition, List<Update> updates) {
    return Stream.concat(
            condition.tests().<Key<?>>map(test -> test.query().target()), objects(updates).stream())
        .toList();
  }

  /**
   * Handles each kind of call.
   *
   * @param <R> the result
   */
  interface Visitor<R> {
    /** {@link Hello}. */
    R hello(Hello call);

    /** {@link Read}. */
    R read(Read call);

    /** {@link Write}. */
    R write(Write call);

    /** {@link WriteIf}. */
    R writeIf(WriteIf call);

    /** {@link WriteOnce}. */
    R writeOnce(WriteOnce call);

    /** {@link Begin}. */
    R begin(Begin call);

    /** {@link ReadIn}. */
    R readIn(ReadIn call);

    /** {@link WriteIn}. */
    R writeIn(WriteIn call);

    /** {@link BeginNested}. */
    R beginNested(BeginNested call);

    /** {@link End}. */
    R end(End call);

    /** {@link Point}. */
    R point(Point call);

    /** {@link NearSnapshot}. */
    R nearSnapshot(NearSnapshot call);

    /** {@link OpenPoint}. */
    R openPoint(OpenPoint call);

    /** {@link OpenScan}. */
    R openScan(OpenScan call);

    /** {@link OpenWatch}. */
    R openWatch(OpenWatch call);

    /** {@link Take}. */
    R take(Take call);

    /** {@link Renew}. */
    R renew(Renew call);

    /** {@link Close}. */
    R close(Close call);

    /** {@link Delete}. */
    R delete(Delete call);

    /** {@link FindPartition}. */
    R findPartition(FindPartition call);

    /** {@link AfterPoint}. */
    R after(AfterPoint call);

    /** {@link Plain}. */
    R plain(Plain call);
  }

  /**
   * The first call of a connection, answered with {@link Answer.Welcome}.
   *
   * @param version the newest protocol version that the client knows, at least 1
   */
  record Hello(int version) implements Call {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.hello(this);
    }
  }

  /** The freshness of a read. */
  enum Freshness {
    /** At least everything acknowledged before. */
    NEWEST,
    /** The latest state of one object. */
    LATEST
  }

  /**
   * Reads; answered with {@link Answer.Values}.
   *
   * @param at the point to read at; empty to read as {@code freshness} says
   */
  record Read(Freshness freshness, Optional<CausalToken> at, List<Query<?>> queries)
      implements Call {
    /** Copies the list. */
    public Read {
      queries = List.copyOf(queries);
    }

    @Override
    public List<Key<?>> objects() {
      return queries.stream().<Key<?>>map(Query::target).toList();
    }

    @Override
    public boolean isOfPresent() {
      return at.isEmpty();
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.read(this);
    }
  }

  /** Executes updates; answered with {@link Answer.Point}. */
  record Write(List<Update> updates) implements Call {
    /** Copies the list. */
    public Write {
      updates = List.copyOf(updates);
    }

    @Override
    public List<Key<?>> objects() {
      return Call.objects(updates);
    }

    @Override
    public boolean isOfPresent() {
      return true;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.write(this);
    }

    @Override
    public boolean isRepeatable() {
      return false;
    }
  }

  /** Executes updates if a condition holds; answered with {@link Answer.ConditionalResult}. */
  record WriteIf(Condition condition, List<Update> updates) implements Call {
    /** Copies the list. */
    public WriteIf {
      updates = List.copyOf(updates);
    }

    @Override
    public List<Key<?>> objects() {
      return Call.objects(condition, updates);
    }

    @Override
    public boolean isOfPresent() {
      return true;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.writeIf(this);
    }

    @Override
    public boolean isRepeatable() {
      return false;
    }
  }

  /**
   * Executes a session's request exactly once, however often it is sent. Answered with {@link
   * Answer.Point}, or with a condition by an {@link Answer.ConditionalResult} without answers.
   */
  record WriteOnce(
      SessionId session, long number, Optional<Condition> condition, List<Update> updates)
      implements Call {
    /** Copies the list. */
    public WriteOnce {
      updates = List.copyOf(updates);
    }

    @Override
    public List<Key<?>> objects() {
      return condition.map(found -> Call.objects(found, updates)).orElse(Call.objects(updates));
    }

    @Override
    public boolean isOfPresent() {
      return true;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.writeOnce(this);
    }
  }

  /** Begins a transaction; answered with {@link Answer.OpenedHandle}. */
  record Begin(TransactionOptions options) implements Call {
    @Override
    public boolean isOfPresent() {
      return true;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.begin(this);
    }
  }

  /**
   * Identifies a transaction or one nested in it.
   *
   * @param descriptor the descriptor in {@link Answer.OpenedHandle}
   * @param depth the nesting depth; 0 is the outermost
   */
  record TransactionRef(Bytes descriptor, int depth) {}

  /** Reads in a transaction; answered with {@link Answer.Values}. */
  record ReadIn(TransactionRef transaction, List<Query<?>> queries) implements Call {
    /** Copies the list. */
    public ReadIn {
      queries = List.copyOf(queries);
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.readIn(this);
    }
  }

  /** Executes updates in a transaction; answered with {@link Answer.Done}. */
  record WriteIn(TransactionRef transaction, List<Update> updates) implements Call {
    /** Copies the list. */
    public WriteIn {
      updates = List.copyOf(updates);
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.writeIn(this);
    }

    @Override
    public boolean isRepeatable() {
      return false;
    }
  }

  /** Begins a nested transaction, one level deeper; answered with {@link Answer.Done}. */
  record BeginNested(TransactionRef transaction) implements Call {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.beginNested(this);
    }

    @Override
    public boolean isRepeatable() {
      return false;
    }
  }

  /** The ways to end a transaction. */
  enum Ending {
    /** Commit. */
    COMMIT,
    /** Abort. */
    ABORT,
    /** Abort unless the transaction has ended. */
    CLOSE
  }

  /**
   * Ends a transaction; answered with {@link Answer.Point} after a commit, else {@link
   * Answer.Done}.
   */
  record End(TransactionRef transaction, Ending ending) implements Call {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.end(this);
    }

    @Override
    public boolean isRepeatable() {
      return false;
    }
  }

  /**
   * Requests a point; answered with {@link Answer.Point}.
   *
   * @param latest the objects whose acknowledged updates the point must include, or an empty list
   *     for all objects; empty for the newest snapshot
   */
  record Point(Optional<List<Key<?>>> latest) implements Call {
    @Override
    public boolean isOfPresent() {
      return true;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.point(this);
    }
  }

  /**
   * Requests a snapshot's point, which may be slightly stale; answered with {@link Answer.Point}.
   *
   * @param options which replicas may provide it, and what it must include
   */
  record NearSnapshot(SnapshotOptions options) implements Call {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.nearSnapshot(this);
    }
  }

  /**
   * Checks that a point is readable and, on request, pins it. Answered with {@link
   * Answer.OpenedHandle}, whose descriptor is empty without a pin.
   */
  record OpenPoint(CausalToken point, boolean isPinned) implements Call {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.openPoint(this);
    }
  }

  /**
   * Opens a scan; answered with {@link Answer.OpenedHandle}.
   *
   * @param transaction the transaction that scans; empty for a scan at a point
   * @param at the point; empty in a transaction
   * @param range empty for all objects
   */
  record OpenScan(
      Optional<TransactionRef> transaction, Optional<CausalToken> at, Optional<ScanOptions> range)
      implements Call {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.openScan(this);
    }
  }

  /** Opens a watch; answered with {@link Answer.OpenedHandle}. */
  record OpenWatch(Bytes bucket, Bytes keyPrefix, WatchOptions options) implements Call {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.openWatch(this);
    }
  }

  /**
   * Reads the next results of a scan or a watch; answered with {@link Answer.Page} or {@link
   * Answer.Changes}. The server sends at most what one call requests, so the client controls the
   * flow.
   *
   * @param descriptor the descriptor in {@link Answer.OpenedHandle}
   * @param bytes the approximate maximum size; the answer has at least one object or change
   * @param waitMillis how long to wait for the first change, at most {@link #MAX_WAIT_MILLIS}
   */
  record Take(Bytes descriptor, int bytes, int waitMillis) implements Call {
    /** Limits a server's wait, so that it retains nothing for a disconnected client. */
    public static final int MAX_WAIT_MILLIS = 1_000;

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.take(this);
    }

    @Override
    public boolean isRepeatable() {
      return false;
    }
  }

  /** Renews transactions, pins, scans and watches; answered with {@link Answer.Renewed}. */
  record Renew(List<Bytes> descriptors) implements Call {
    /** The pause between two renewals of a client. */
    public static final Duration INTERVAL = Duration.ofSeconds(15);

    /** Copies the list. */
    public Renew {
      descriptors = List.copyOf(descriptors);
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.renew(this);
    }
  }

  /** Closes a pin, a scan or a watch if it exists; answered with {@link Answer.Done}. */
  record Close(Bytes descriptor) implements Call {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.close(this);
    }
  }

  /**
   * Deletes the objects of a range; answered with {@link Answer.Deleted}. Not repeatable: a second
   * call would delete objects beyond the limit, or those written since.
   */
  record Delete(ScanOptions range) implements Call {
    @Override
    public boolean isRepeatable() {
      return false;
    }

    @Override
    public boolean isOfPresent() {
      return true;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.delete(this);
    }
  }

  /** Requests an object's partition number; answered with {@link Answer.Partition}. */
  record FindPartition(Key<?> object) implements Call {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.findPartition(this);
    }
  }

  /**
   * A call that the server executes once it has reached a point that the client obtained from
   * another server. So it sees what that server has acknowledged, and is ordered after it.
   *
   * @param call the call; not itself an {@code After}
   */
  record AfterPoint(CausalToken point, Call call) implements Call {
    @Override
    public List<Key<?>> objects() {
      return call.objects();
    }

    @Override
    public boolean isRepeatable() {
      return call.isRepeatable();
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.after(this);
    }
  }

  /** Calls without parameters. */
  enum Plain implements Call {
    /** Writes a checkpoint; answered with {@link Answer.Done}. */
    CHECKPOINT,
    /** Requests the store's status; answered with {@link Answer.Status}. */
    STATUS,
    /** Opens a session; answered with {@link Answer.OpenedSession}. */
    OPEN_SESSION,
    /** Requests the partitions' owners; answered with {@link Answer.PartitionOwners}. */
    LAYOUT,
    /**
     * Requests the data centres of the store's group; answered with {@link Answer.DataCentreList}.
     */
    DATA_CENTRES;

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.plain(this);
    }
  }
}
