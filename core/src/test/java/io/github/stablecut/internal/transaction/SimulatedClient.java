package io.github.stablecut.internal.transaction;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.internal.record.RequestId;
import io.github.stablecut.internal.record.SessionName;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import java.util.Map;
import java.util.Optional;

/** A client in {@link SimulatedClients}. Confined to one thread. */
final class SimulatedClient {
  final int number;
  final SessionName session;

  /** The process that it is a client of. */
  final int home;

  VectorClock token = VectorClock.ZERO;
  Optional<OpenTransaction> running = Optional.empty();
  long requests;

  SimulatedClient(int number, SessionName session, int home) {
    this.number = number;
    this.session = session;
    this.home = home;
  }

  /** An open transaction. */
  static final class OpenTransaction {
    final SimulatedTransaction seen;

    /** On the snapshot from which the parts are made. */
    ActiveSnapshots.Registration claim;

    Optional<RequestId> request = Optional.empty();
    Map<Integer, CommitRequest.Part> parts = Map.of();
    boolean isCommitting;

    /** Whether it was sent and its answer was lost. */
    boolean wasLost;

    OpenTransaction(SimulatedTransaction seen, ActiveSnapshots.Registration claim) {
      this.seen = seen;
      this.claim = claim;
    }
  }

  /** Begins a transaction. */
  void begin(SimulatedTransaction transaction, ActiveSnapshots.Registration claim) {
    running = Optional.of(new OpenTransaction(transaction, claim));
  }

  /** Ends the open transaction. */
  void end() {
    running.ifPresent(ended -> ended.claim.end());
    running = Optional.empty();
  }
}
