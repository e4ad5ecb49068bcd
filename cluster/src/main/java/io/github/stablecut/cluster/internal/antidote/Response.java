package io.github.stablecut.cluster.internal.antidote;

import io.github.stablecut.crdt.Bytes;
import java.util.List;
import java.util.Optional;

/** What a server answers. Immutable. */
public sealed interface Response {
  /**
   * Any request failed ({@code ApbErrorResp}).
   *
   * @param message what happened, and what to do: one sentence or two
   */
  record Failed(ErrorCode code, String message) implements Response {}

  /** Updates were executed, or a transaction ended ({@code ApbOperationResp}). */
  record Done() implements Response {}

  /** Updates were refused ({@code ApbOperationResp}); the transaction goes on without them. */
  record Refused(ErrorCode code) implements Response {}

  /** A transaction has begun ({@code ApbStartTransactionResp}). */
  record Started(Bytes descriptor) implements Response {}

  /** Values ({@code ApbReadObjectsResp}), in the order of the request. */
  record Values(List<WireValue> values) implements Response {
    /** Copies the list. */
    public Values {
      values = List.copyOf(values);
    }
  }

  /** A transaction is committed ({@code ApbCommitResp}). */
  record Committed(Bytes clock) implements Response {}

  /** A commit failed ({@code ApbCommitResp}). */
  record NotCommitted(ErrorCode code) implements Response {}

  /** Values and what they were read at ({@code ApbStaticReadObjectsResp}). */
  record StaticValues(List<WireValue> values, Bytes clock) implements Response {
    /** Copies the list. */
    public StaticValues {
      values = List.copyOf(values);
    }
  }

  /**
   * The values of objects that have changed ({@code ApbValidateOrReadObjectsResp}).
   *
   * @param values in the order of the request; empty, and on the wire a value with no field, where
   *     the token was valid
   * @param tokens for later requests
   */
  record Validated(List<Optional<WireValue>> values, List<Bytes> tokens) implements Response {
    /** Copies the lists. */
    public Validated {
      values = List.copyOf(values);
      tokens = List.copyOf(tokens);
    }
  }

  /** The data centre is made ({@code ApbCreateDCResp}). */
  record DataCentreCreated() implements Response {}

  /** The data centres are connected ({@code ApbConnectToDCsResp}). */
  record DataCentresConnected() implements Response {}

  /** How to connect ({@code ApbGetConnectionDescriptorResp}). */
  record ConnectionDescribed(Bytes descriptor) implements Response {}
}
