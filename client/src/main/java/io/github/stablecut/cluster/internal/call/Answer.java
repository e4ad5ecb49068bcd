package io.github.stablecut.cluster.internal.call;

import io.github.stablecut.CausalToken;
import io.github.stablecut.SessionId;
import io.github.stablecut.StoreStatus;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.replication.DataCentre;
import io.github.stablecut.replication.DataCentres;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** What a server answers to a {@link Call}. Immutable. */
public sealed interface Answer {
  /** Calls the visitor's method for this kind of answer. */
  void accept(Visitor visitor);

  /** A point that the server has come to; empty if it says none. */
  default Optional<CausalToken> reached() {
    return Optional.empty();
  }

  /** Its encoded size, at least. */
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

    /** {@link At}. */
    void at(At answer);

    /** {@link Tried}. */
    void tried(Tried answer);

    /** {@link Begun}. */
    void begun(Begun answer);

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

    /** {@link Opened}. */
    void opened(Opened answer);

    /** {@link Partition}. */
    void partition(Partition answer);

    /** {@link Layout}. */
    void layout(Layout answer);

    /** {@link Renewed}. */
    void renewed(Renewed answer);

    /** {@link Centres}. */
    void centres(Centres answer);
  }

  /**
   * The call has failed.
   *
   * @param failure the kind of exception, as {@link Failures} numbers it
   * @param position up to where everything was taken of a watch that has ended
   */
  record Failed(int failure, String message, Optional<CausalToken> position) implements Answer {
    @Override
    public void accept(Visitor visitor) {
      visitor.failed(this);
    }
  }

  /**
   * The server goes on with the client.
   *
   * @param version of these messages that both know
   * @param server the version of its program
   */
  record Welcome(int version, String server) implements Answer {
    @Override
    public void accept(Visitor visitor) {
      visitor.welcome(this);
    }
  }

  /** It is done, and there is nothing to say. */
  record Done() implements Answer {
    @Override
    public void accept(Visitor visitor) {
      visitor.done(this);
    }
  }

  /**
   * The answers to queries at one point, in their order.
   *
   * @param answers of a key the state of its object, of a question its answer, encoded
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
  record At(CausalToken point) implements Answer {
    @Override
    public Optional<CausalToken> reached() {
      return Optional.of(point);
    }

    @Override
    public void accept(Visitor visitor) {
      visitor.at(this);
    }
  }

  /**
   * What came of a conditional write.
   *
   * @param found the point at which the condition was evaluated
   * @param answers to the queries of the condition, in their order
   */
  record Tried(boolean isWritten, CausalToken point, CausalToken found, List<Bytes> answers)
      implements Answer {
    /** Copies the list. */
    public Tried {
      answers = List.copyOf(answers);
    }

    @Override
    public Optional<CausalToken> reached() {
      return Optional.of(point);
    }

    @Override
    public void accept(Visitor visitor) {
      visitor.tried(this);
    }
  }

  /**
   * Something has begun that is there until it is ended, or nobody has asked about it for too long.
   *
   * @param at the snapshot of a transaction or scan, the position of a watch
   */
  record Begun(Bytes descriptor, CausalToken at) implements Answer {
    @Override
    public void accept(Visitor visitor) {
      visitor.begun(this);
    }
  }

  /**
   * Objects that a scan has found. Those of one id and several types are on one page.
   *
   * @param isLast whether there are no more
   */
  record Page(List<Found> objects, boolean isLast) implements Answer {
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
   * A {@link Page} as a server makes it: each object is encoded when it is found.
   *
   * @param size how many objects
   * @param objects their bytes, as {@link AnswerCodec#write} writes them, in pieces
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
   * An object that a scan has found.
   *
   * @param state encoded; empty if the scan is of keys only
   */
  record Found(Bytes id, CrdtType<?, ?, ?, ?> type, Optional<Bytes> state) {}

  /**
   * What a watch has told.
   *
   * @param position up to where everything is in this answer or an earlier one
   */
  record Changes(List<Told> changes, CausalToken position) implements Answer {
    /** Copies the list. */
    public Changes {
      changes = List.copyOf(changes);
    }

    /** The position may be ahead of what the server has. */
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
   * @param token the point that a watch goes on after
   */
  record Told(CausalToken seen, CausalToken token, List<Named> objects) {
    /** Copies the list. */
    public Told {
      objects = List.copyOf(objects);
    }
  }

  /**
   * The name of an object.
   *
   * @param effects what was done to it, encoded, if the watch tells that
   */
  record Named(Bytes id, CrdtType<?, ?, ?, ?> type, List<Bytes> effects) {
    /** Copies the list. */
    public Named {
      effects = List.copyOf(effects);
    }
  }

  /**
   * What is still needed was noted.
   *
   * @param unknown what the server does not keep, or not any more
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

  /** How many objects of a range were deleted, and how many have no deletion. */
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
   * Which node of a cluster has which objects, as the server that is asked knows it.
   *
   * @param storeId which store it is
   * @param routing the seed of the function that maps objects to partitions
   * @param servers where nodes listen for clients, as {@code host:port}; none if it is one server
   * @param owners the place in {@code servers} of each partition's node, by partition; -1 if it is
   *     not known
   */
  record Layout(long storeId, long routing, List<String> servers, List<Integer> owners)
      implements Answer {
    /** Copies the lists. */
    public Layout {
      servers = List.copyOf(servers);
      owners = List.copyOf(owners);
    }

    @Override
    public void accept(Visitor visitor) {
      visitor.layout(this);
    }
  }

  /**
   * The data centres of the store's group.
   *
   * @param own the number of the one that is asked
   * @param group the id of the group
   * @param port where it listens; empty without TCP
   * @param isNew whether nothing was ever written to it, and it is alone
   * @param isCluster whether it is a cluster
   */
  record Centres(
      int own, long group, OptionalInt port, boolean isNew, boolean isCluster, List<DataCentre> all)
      implements Answer {
    /** Copies the list. */
    public Centres {
      all = List.copyOf(all);
    }

    /** What a store says. */
    public static Centres of(DataCentres known) {
      return new Centres(
          known.own(), known.group(), known.port(), known.isNew(), known.isCluster(), known.all());
    }

    @Override
    public void accept(Visitor visitor) {
      visitor.centres(this);
    }
  }

  /** A session. */
  record Opened(SessionId session) implements Answer {
    @Override
    public void accept(Visitor visitor) {
      visitor.opened(this);
    }
  }
}
