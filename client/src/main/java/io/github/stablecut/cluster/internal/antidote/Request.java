package io.github.stablecut.cluster.internal.antidote;

import io.github.stablecut.crdt.Bytes;
import java.util.List;
import java.util.Optional;

/** A request of a client. Immutable. */
public sealed interface Request {
  /** Calls the visitor's method for this kind of request. */
  <R> R accept(Visitor<R> visitor);

  /**
   * Handles each kind of request.
   *
   * @param <R> the result
   */
  interface Visitor<R> {
    /** {@link Start}. */
    R start(Start request);

    /** {@link Abort}. */
    R abort(Abort request);

    /** {@link Commit}. */
    R commit(Commit request);

    /** {@link Read}. */
    R read(Read request);

    /** {@link Update}. */
    R update(Update request);

    /** {@link StaticUpdate}. */
    R staticUpdate(StaticUpdate request);

    /** {@link StaticRead}. */
    R staticRead(StaticRead request);

    /** {@link Validate}. */
    R validate(Validate request);

    /** {@link CreateDataCentre}. */
    R createDataCentre(CreateDataCentre request);

    /** {@link ConnectDataCentres}. */
    R connectDataCentres(ConnectDataCentres request);

    /** {@link DescribeConnection}. */
    R describeConnection(DescribeConnection request);
  }

  /**
   * Begins a transaction ({@code ApbStartTransaction}).
   *
   * @param clock a lower bound of its snapshot; empty for no bound
   */
  record Start(Optional<Bytes> clock) implements Request {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.start(this);
    }
  }

  /** Ends a transaction without effect ({@code ApbAbortTransaction}). */
  record Abort(Bytes descriptor) implements Request {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.abort(this);
    }
  }

  /** Commits a transaction ({@code ApbCommitTransaction}). */
  record Commit(Bytes descriptor) implements Request {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.commit(this);
    }
  }

  /** Reads in a transaction ({@code ApbReadObjects}). */
  record Read(List<BoundObject> objects, Bytes descriptor) implements Request {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.read(this);
    }

    /** Copies the list. */
    public Read {
      objects = List.copyOf(objects);
    }
  }

  /** Updates in a transaction ({@code ApbUpdateObjects}). */
  record Update(List<ObjectUpdate> updates, Bytes descriptor) implements Request {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.update(this);
    }

    /** Copies the list. */
    public Update {
      updates = List.copyOf(updates);
    }
  }

  /** A transaction that consists of updates ({@code ApbStaticUpdateObjects}). */
  record StaticUpdate(Optional<Bytes> clock, List<ObjectUpdate> updates) implements Request {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.staticUpdate(this);
    }

    /** Copies the list. */
    public StaticUpdate {
      updates = List.copyOf(updates);
    }
  }

  /** A transaction that consists of reads ({@code ApbStaticReadObjects}). */
  record StaticRead(Optional<Bytes> clock, List<BoundObject> objects) implements Request {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.staticRead(this);
    }

    /** Copies the list. */
    public StaticRead {
      objects = List.copyOf(objects);
    }
  }

  /**
   * Reads in a transaction the objects that have changed ({@code ApbValidateOrReadObjects}).
   *
   * @param tokens the tokens of earlier answers for the objects, in their order; empty ones for
   *     none
   */
  record Validate(List<BoundObject> objects, List<Bytes> tokens, Bytes descriptor)
      implements Request {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.validate(this);
    }

    /** Copies the lists and checks that there is a token for each object. */
    public Validate {
      objects = List.copyOf(objects);
      tokens = List.copyOf(tokens);
      if (objects.size() != tokens.size()) {
        throw new ProtocolException(
            "validate-or-read has %,d objects and %,d tokens: send one token for each object, an empty one for none"
                .formatted(objects.size(), tokens.size()));
      }
    }
  }

  /** Joins nodes to a data centre ({@code ApbCreateDC}). */
  record CreateDataCentre(List<String> nodes) implements Request {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.createDataCentre(this);
    }

    /** Copies the list. */
    public CreateDataCentre {
      nodes = List.copyOf(nodes);
    }
  }

  /** Connects data centres ({@code ApbConnectToDCs}). */
  record ConnectDataCentres(List<Bytes> descriptors) implements Request {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.connectDataCentres(this);
    }

    /** Copies the list. */
    public ConnectDataCentres {
      descriptors = List.copyOf(descriptors);
    }
  }

  /** Requests this data centre's connection descriptor ({@code ApbGetConnectionDescriptor}). */
  record DescribeConnection() implements Request {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.describeConnection(this);
    }
  }
}
