package io.github.stablecut.cluster.internal.antidote;

import io.github.stablecut.crdt.Bytes;
import java.util.List;
import java.util.Optional;

/** An answer of a server. Immutable. */
public sealed interface Response {
  /** Calls the visitor's method for this kind of response. */
  <R> R accept(Visitor<R> visitor);

  /**
   * Handles each kind of response.
   *
   * @param <R> the result
   */
  interface Visitor<R> {
    /** {@link Failed}. */
    R failed(Failed response);

    /** {@link Done}. */
    R done(Done response);

    /** {@link Refused}. */
    R refused(Refused response);

    /** {@link Started}. */
    R started(Started response);

    /** {@link Values}. */
    R values(Values response);

    /** {@link Committed}. */
    R committed(Committed response);

    /** {@link NotCommitted}. */
    R notCommitted(NotCommitted response);

    /** {@link StaticValues}. */
    R staticValues(StaticValues response);

    /** {@link Validated}. */
    R validated(Validated response);

    /** {@link DataCentreCreated}. */
    R dataCentreCreated(DataCentreCreated response);

    /** {@link DataCentresConnected}. */
    R dataCentresConnected(DataCentresConnected response);

    /** {@link DataCentreNotCreated}. */
    R dataCentreNotCreated(DataCentreNotCreated response);

    /** {@link DataCentresNotConnected}. */
    R dataCentresNotConnected(DataCentresNotConnected response);

    /** {@link ConnectionDescribed}. */
    R connectionDescribed(ConnectionDescribed response);
  }

  /**
   * A request of any kind failed ({@code ApbErrorResp}).
   *
   * @param message what happened, and what to do: one sentence or two
   */
  record Failed(ErrorCode code, String message) implements Response {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.failed(this);
    }
  }

  /** Updates were executed, or a transaction ended ({@code ApbOperationResp}). */
  record Done() implements Response {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.done(this);
    }
  }

  /** Updates were refused ({@code ApbOperationResp}); the transaction continues without them. */
  record Refused(ErrorCode code) implements Response {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.refused(this);
    }
  }

  /** A transaction has begun ({@code ApbStartTransactionResp}). */
  record Started(Bytes descriptor) implements Response {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.started(this);
    }
  }

  /** Values ({@code ApbReadObjectsResp}), in the order of the request. */
  record Values(List<WireValue> values) implements Response {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.values(this);
    }

    /** Copies the list. */
    public Values {
      values = List.copyOf(values);
    }
  }

  /** A transaction is committed ({@code ApbCommitResp}). */
  record Committed(Bytes clock) implements Response {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.committed(this);
    }
  }

  /** A commit failed ({@code ApbCommitResp}). */
  record NotCommitted(ErrorCode code) implements Response {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.notCommitted(this);
    }
  }

  /** Values and the clock that they were read at ({@code ApbStaticReadObjectsResp}). */
  record StaticValues(List<WireValue> values, Bytes clock) implements Response {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.staticValues(this);
    }

    /** Copies the list. */
    public StaticValues {
      values = List.copyOf(values);
    }
  }

  /**
   * The values of objects that have changed ({@code ApbValidateOrReadObjectsResp}).
   *
   * @param values in the order of the request; empty where the token was valid, which a message
   *     expresses by a value without a field
   * @param tokens for later requests
   */
  record Validated(List<Optional<WireValue>> values, List<Bytes> tokens) implements Response {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.validated(this);
    }

    /** Copies the lists. */
    public Validated {
      values = List.copyOf(values);
      tokens = List.copyOf(tokens);
    }
  }

  /** The data centre was created ({@code ApbCreateDCResp}). */
  record DataCentreCreated() implements Response {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.dataCentreCreated(this);
    }
  }

  /** The data centres were connected ({@code ApbConnectToDCsResp}). */
  record DataCentresConnected() implements Response {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.dataCentresConnected(this);
    }
  }

  /**
   * The data centre was not created ({@code ApbCreateDCResp}).
   *
   * @param reason the obstacle, and what to do; AntidoteDB's clients don't show it
   */
  record DataCentreNotCreated(ErrorCode code, String reason) implements Response {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.dataCentreNotCreated(this);
    }
  }

  /**
   * The data centres were not connected ({@code ApbConnectToDCsResp}).
   *
   * @param reason the obstacle, and what to do; AntidoteDB's clients don't show it
   */
  record DataCentresNotConnected(ErrorCode code, String reason) implements Response {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.dataCentresNotConnected(this);
    }
  }

  /** This data centre's connection descriptor ({@code ApbGetConnectionDescriptorResp}). */
  record ConnectionDescribed(Bytes descriptor) implements Response {
    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.connectionDescribed(this);
    }
  }
}
