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

/** What a client asks of a server. Immutable. */
public sealed interface Call {
  /** Calls the visitor's method for this kind of call. */
  <R> R accept(Visitor<R> visitor);

  /**
   * Whether it may be made again, also elsewhere, if its answer was lost: it changes nothing, or
   * not a second time.
   */
  default boolean isRepeatable() {
    return true;
  }

  /** Whether what it sees or says depends on how far the server has come by itself. */
  default boolean isOfPresent() {
    return false;
  }

  /** The objects that it is about; empty if it is about none in particular. */
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

    /** {@link Nest}. */
    R nest(Nest call);

    /** {@link End}. */
    R end(End call);

    /** {@link Point}. */
    R point(Point call);

    /** {@link Near}. */
    R near(Near call);

    /** {@link Hold}. */
    R hold(Hold call);

    /** {@link OpenScan}. */
    R openScan(OpenScan call);

    /** {@link OpenWatch}. */
    R openWatch(OpenWatch call);

    /** {@link Take}. */
    R take(Take call);

    /** {@link Renew}. */
    R renew(Renew call);

    /** {@link LetGo}. */
    R letGo(LetGo call);

    /** {@link Delete}. */
    R delete(Delete call);

    /** {@link Place}. */
    R place(Place call);

    /** {@link After}. */
    R after(After call);

    /** {@link Plain}. */
    R plain(Plain call);
  }

  /**
   * The first call of a connection: {@link Answer.Welcome}.
   *
   * @param version the newest version of these messages that the client knows, which is at least 1
   */
  record Hello(int version) implements Call {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.hello(this);
    }
  }

  /** What a read sees. */
  enum Moment {
    /** What was acknowledged. */
    NEWEST,
    /** This very moment, of one object. */
    LATEST
  }

  /**
   * Reads: {@link Answer.Values}.
   *
   * @param at the point that is read; empty for a moment
   */
  record Read(Moment moment, Optional<CausalToken> at, List<Query<?>> queries) implements Call {
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

  /** Executes updates: {@link Answer.At}. */
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

  /** Executes updates if a condition holds: {@link Answer.Tried}. */
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
   * Executes a session's request, once however often it is made: {@link Answer.At}, or {@link
   * Answer.Tried} without answers if it has a condition.
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

  /** Begins a transaction: {@link Answer.Begun}. */
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
   * A transaction, or one that is nested in it.
   *
   * @param descriptor as {@link Answer.Begun} has it
   * @param depth how many it is nested in; 0 is the outermost
   */
  record Inside(Bytes descriptor, int depth) {}

  /** Reads in a transaction: {@link Answer.Values}. */
  record ReadIn(Inside transaction, List<Query<?>> queries) implements Call {
    /** Copies the list. */
    public ReadIn {
      queries = List.copyOf(queries);
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.readIn(this);
    }
  }

  /** Executes updates in a transaction: {@link Answer.Done}. */
  record WriteIn(Inside transaction, List<Update> updates) implements Call {
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

  /** Begins a transaction in a transaction, one deeper: {@link Answer.Done}. */
  record Nest(Inside transaction) implements Call {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.nest(this);
    }

    @Override
    public boolean isRepeatable() {
      return false;
    }
  }

  /** How a transaction ends. */
  enum Ending {
    /** It is committed. */
    COMMIT,
    /** It is aborted. */
    ABORT,
    /** It is aborted unless it has ended. */
    CLOSE
  }

  /** Ends a transaction: {@link Answer.At} if it is committed, {@link Answer.Done} if not. */
  record End(Inside transaction, Ending ending) implements Call {
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
   * Asks for a point: {@link Answer.At}.
   *
   * @param latest the objects of which it has all that was acknowledged, of all objects if there
   *     are none; empty for the newest snapshot
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
   * Asks for the point of a snapshot, which may be of a moment ago: {@link Answer.At}.
   *
   * @param options from which copies it is taken, and what it contains
   */
  record Near(SnapshotOptions options) implements Call {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.near(this);
    }
  }

  /**
   * Checks that a point can be read, and keeps it so if it is wanted: {@link Answer.Begun}, whose
   * descriptor is empty if it is not kept.
   */
  record Hold(CausalToken point, boolean isPinned) implements Call {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.hold(this);
    }
  }

  /**
   * Begins a scan: {@link Answer.Begun}.
   *
   * @param transaction in which it is; empty for one at a point
   * @param at the point; empty in a transaction
   * @param range empty for all objects
   */
  record OpenScan(
      Optional<Inside> transaction, Optional<CausalToken> at, Optional<ScanOptions> range)
      implements Call {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.openScan(this);
    }
  }

  /** Begins a watch: {@link Answer.Begun}. */
  record OpenWatch(Bytes bucket, Bytes keyPrefix, WatchOptions options) implements Call {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.openWatch(this);
    }
  }

  /**
   * Takes what a scan finds or a watch tells next: {@link Answer.Page} or {@link Answer.Changes}.
   * As much as the client has room for; nothing more is sent before it asks again.
   *
   * @param descriptor as {@link Answer.Begun} has it
   * @param bytes how much it may be, about; one object or change is always taken
   * @param waitMillis how long to wait for the first change, at most {@link #MAX_WAIT_MILLIS}
   */
  record Take(Bytes descriptor, int bytes, int waitMillis) implements Call {
    /** A server waits no longer, so that it keeps nothing for a client that is gone. */
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

  /** Says that transactions, pins, scans and watches are still needed: {@link Answer.Renewed}. */
  record Renew(List<Bytes> descriptors) implements Call {
    /** The time between two renewals of a client. */
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

  /** Ends a pin, a scan or a watch, if there is one: {@link Answer.Done}. */
  record LetGo(Bytes descriptor) implements Call {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.letGo(this);
    }
  }

  /**
   * Deletes the objects of a range: {@link Answer.Deleted}. Made again, it would delete the next
   * ones behind its limit, or what was written since.
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

  /** Asks for the partition that an object is on: {@link Answer.Partition}. */
  record Place(Key<?> object) implements Call {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.place(this);
    }
  }

  /**
   * A call that is made once the server has come to a point, which the client has got from another
   * one: so it sees what that has acknowledged, and is later.
   *
   * @param call none of these
   */
  record After(CausalToken point, Call call) implements Call {
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

  /** A call that says nothing more. */
  enum Plain implements Call {
    /** Makes a checkpoint: {@link Answer.Done}. */
    CHECKPOINT,
    /** Asks for facts about the store: {@link Answer.Status}. */
    STATUS,
    /** Opens a session: {@link Answer.Opened}. */
    OPEN_SESSION,
    /** Asks who has which objects: {@link Answer.Layout}. */
    LAYOUT,
    /** Asks for the data centres of the store's group: {@link Answer.Centres}. */
    DATA_CENTRES;

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.plain(this);
    }
  }
}
