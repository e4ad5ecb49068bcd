package io.github.stablecut.cluster.internal.call;

import io.github.stablecut.CausalToken;
import io.github.stablecut.SessionId;
import io.github.stablecut.StoreStatus;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.replication.DataCentre;
import io.github.stablecut.replication.DataCentres;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

/** A server's answer to a {@link Call}. Immutable. */
public sealed interface Answer {
  /** Calls the visitor's method for this kind of answer. */
  void accept(Visitor visitor);

  /** The point that the server has reached according to this answer; empty if it names none. */
  default Optional<CausalToken> reached() {
    return Optional.empty();
  }

  /** A lower bound of the encoded size. */
  default long minBytes() {
    return 0;
  }

  /** Handles each kind of answer. */
  interface Visitor {
    /** {@link Failed}. */
    void failed(Failed answer);

    /** {@link Welcome}. */
    void welcome(Welcome answer);

    /** {@link Done}. */
    void done(Done answer);

    /** {@link Values}. */
    void values(Values answer);

    /** {@link Point}. */
    void point(Point answer);

    /** {@link ConditionalResult}. */
    void conditionalResult(ConditionalResult answer);

    /** {@link OpenedHandle}. */
    void openedHandle(OpenedHandle answer);

    /** {@link Page}. */
    void page(Page answer);

    /** {@link EncodedPage}. */
    void page(EncodedPage answer);

    /** {@link Changes}. */
    void changes(Changes answer);

    /** {@link Deleted}. */
    void deleted(Deleted answer);

    /** {@link Status}. */
    void status(Status answer);

    /** {@link OpenedSession}. */
    void openedSession(OpenedSession answer);

    /** {@link Partition}. */
    void partition(Partition answer);

    /** {@link PartitionOwners}. */
    void partitionOwners(PartitionOwners answer);

    /** {@link Renewed}. */
    void renewed(Renewed answer);

    /** {@link DataCentreList}. */
    void dataCentreList(DataCentreList answer);
  }

  /**
   * The call failed.
   *
   * @param failure the kind of exception, as {@link CallFailures} numbers it
   * @param position the position of a watch that has ended
   * @param rights what a bounded counter lacks
   */
  record Failed(
      int failure, String message, Optional<CausalToken> position, Optional<MissingRights> rights)
      implements Answer {
    /** A failure that a number and a message describe. */
    public Failed(int failure, String message) {
      this(failure, message, Optional.empty(), Optional.empty());
    }

    @Override
    public void accept(Visitor visitor) {
      visitor.failed(this);
    }
  }

  /**
   * The figures of a {@link io.github.stablecut.crdt.MissingRightsException}.
   *
   * @param missing the number of missing rights
   * @param rights the rights of each data centre, by its number
   */
  record MissingRights(long missing, SortedMap<Integer, Long> rights) {
    /** Copies the map. */
    public MissingRights {
      rights = Collections.unmodifiableSortedMap(new TreeMap<>(rights));
    }
  }

  /**
   * The server accepts the client.
   *
   * @param version the protocol version that both know
   * @param server the version of the server's program
   */
  record Welcome(int version, String server) implements Answer {
    @Override
    public void accept(Visitor visitor) {
      visitor.welcome(this);
    }
  }

  /** The call succeeded and has no result. */
  record Done() implements Answer {
    @Override
    public void accept(Visitor visitor) {
      visitor.done(this);
    }
  }

  /**
   * The answers to queries at one point, in the order of the queries.
   *
   * @param answers encoded: the object's state for a key, the answer for a question
   */
  record Values(CausalToken at, List<Bytes> answers) implements Answer {
    /** Copies the list. */
    public Values {
      answers = List.copyOf(answers);
    }

    @Override
    public Optional<CausalToken> reached() {
      return Optional.of(at);
    }

    @Override
    public void accept(Visitor visitor) {
      visitor.values(this);
    }

    @Override
    public long minBytes() {
      return answers.stream().mapToLong(Bytes::length).sum();
    }
  }

  /** A point. */
  record Point(CausalToken point) implements Answer {
    @Override
    public Optional<CausalToken> reached() {
      return Optional.of(point);
    }

    @Override
    public void accept(Visitor visitor) {
      visitor.point(this);
    }
  }

  /**
   * The result of a conditional write.
   *
   * @param found the point at which the condition was evaluated
   * @param answers to the queries of the condition, in their order
   */
  record ConditionalResult(
      boolean isWritten, CausalToken point, CausalToken found, List<Bytes> answers)
      implements Answer {
    /** Copies the list. */
    public ConditionalResult {
      answers = List.copyOf(answers);
    }

    @Override
    public Optional<CausalToken> reached() {
      return Optional.of(point);
    }

    @Override
    public void accept(Visitor visitor) {
      visitor.conditionalResult(this);
    }
  }

  /**
   * A handle or a transaction was opened; it lives until it is closed or expires.
   *
   * @param at the snapshot of a transaction or scan, the position of a watch
   */
  record OpenedHandle(Bytes descriptor, CausalToken at) implements Answer {
    @Override
    public void accept(Visitor visitor) {
      visitor.openedHandle(this);
    }
  }

  /**
   * Objects found by a scan. Objects with the same id and different types are on the same page.
   *
   * @param isLast whether this is the last page
   */
  record Page(List<ScannedObject> objects, boolean isLast) implements Answer {
    /** Copies the list. */
    public Page {
      objects = List.copyOf(objects);
    }

    @Override
    public void accept(Visitor visitor) {
      visitor.page(this);
    }
  }

  /**
   * A {@link Page} as a server builds it, which encodes each object as the scan finds it.
   *
   * @param size the number of objects
   * @param objects their bytes in pieces, as {@link AnswerCodec#write} writes them
   */
  record EncodedPage(int size, List<Bytes> objects, boolean isLast) implements Answer {
    /** Copies the list. */
    public EncodedPage {
      objects = List.copyOf(objects);
    }

    @Override
    public void accept(Visitor visitor) {
      visitor.page(this);
    }

    @Override
    public long minBytes() {
      return objects.stream().mapToLong(Bytes::length).sum();
    }
  }

  /**
   * An object found by a scan.
   *
   * @param state encoded; empty in a scan of keys
   */
  record ScannedObject(Bytes id, CrdtType<?, ?, ?, ?> type, Optional<Bytes> state) {}

  /**
   * Changes observed by a watch.
   *
   * @param position the point up to which this answer and the earlier ones are complete
   */
  record Changes(List<Change> changes, CausalToken position) implements Answer {
    /** Copies the list. */
    public Changes {
      changes = List.copyOf(changes);
    }

    /** The position is no reached point: it may be ahead of the server. */
    @Override
    public Optional<CausalToken> reached() {
      return changes.isEmpty()
          ? Optional.empty()
          : Optional.of(changes.get(changes.size() - 1).seen());
    }

    @Override
    public void accept(Visitor visitor) {
      visitor.changes(this);
    }
  }

  /**
   * A change.
   *
   * @param seen the point right after it
   * @param token the point after which a watch resumes
   */
  record Change(CausalToken seen, CausalToken token, List<ChangedObject> objects) {
    /** Copies the list. */
    public Change {
      objects = List.copyOf(objects);
    }
  }

  /**
   * A changed object.
   *
   * @param effects the encoded effects, if the watch requested them
   */
  record ChangedObject(Bytes id, CrdtType<?, ?, ?, ?> type, List<Bytes> effects) {
    /** Copies the list. */
    public ChangedObject {
      effects = List.copyOf(effects);
    }
  }

  /**
   * Handles were renewed.
   *
   * @param unknown the handles that the server does not know
   */
  record Renewed(List<Bytes> unknown) implements Answer {
    /** Copies the list. */
    public Renewed {
      unknown = List.copyOf(unknown);
    }

    @Override
    public void accept(Visitor visitor) {
      visitor.renewed(this);
    }
  }

  /** The number of objects that a range deletion deleted, and of those that can't be deleted. */
  record Deleted(long deleted, long kept, CausalToken point) implements Answer {
    @Override
    public Optional<CausalToken> reached() {
      return Optional.of(point);
    }

    @Override
    public void accept(Visitor visitor) {
      visitor.deleted(this);
    }
  }

  /** Facts about the store. */
  record Status(StoreStatus status) implements Answer {
    @Override
    public void accept(Visitor visitor) {
      visitor.status(this);
    }
  }

  /** The number of a partition. */
  record Partition(int number) implements Answer {
    @Override
    public void accept(Visitor visitor) {
      visitor.partition(this);
    }
  }

  /**
   * The owners of a cluster's partitions, as the server knows them.
   *
   * @param storeId the id of the store
   * @param routing the seed of the function that maps objects to partitions
   * @param servers the nodes' addresses for clients, as {@code host:port}; empty for a single
   *     server
   * @param owners by partition, the index of its owner in {@code servers}; -1 if unknown
   */
  record PartitionOwners(long storeId, long routing, List<String> servers, List<Integer> owners)
      implements Answer {
    /** Copies the lists. */
    public PartitionOwners {
      servers = List.copyOf(servers);
      owners = List.copyOf(owners);
    }

    @Override
    public void accept(Visitor visitor) {
      visitor.partitionOwners(this);
    }
  }

  /**
   * The data centres of the store's group.
   *
   * @param own the number of the answering data centre
   * @param group the id of the group
   * @param port the TCP port of its links; empty without TCP
   * @param isNew whether the data centre is alone and was never written to
   * @param isCluster whether the data centre is a cluster
   */
  record DataCentreList(
      int own, long group, OptionalInt port, boolean isNew, boolean isCluster, List<DataCentre> all)
      implements Answer {
    /** Copies the list. */
    public DataCentreList {
      all = List.copyOf(all);
    }

    /** The data centres of a store. */
    public static DataCentreList of(DataCentres known) {
      return new DataCentreList(
          known.own(), known.group(), known.port(), known.isNew(), known.isCluster(), known.all());
    }

    @Override
    public void accept(Visitor visitor) {
      visitor.dataCentreList(this);
    }
  }

  /** A session. */
  record OpenedSession(SessionId session) implements Answer {
    @Override
    public void accept(Visitor visitor) {
      visitor.openedSession(this);
    }
  }
}
