package io.github.stablecut.cluster.internal.remote;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.SelfDots;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import java.util.List;
import java.util.Set;

/** Builds the parts of transactions for tests. */
final class TestParts {
  private TestParts() {}

  /** One update of an object in its initial state. */
  static CommitRequest.Part part(Update update, VectorClock snapshot) {
    return part(update, snapshot, Set.of());
  }

  /** One update of an object in its initial state, by a transaction that certifies objects. */
  static CommitRequest.Part part(Update update, VectorClock snapshot, Set<Bytes> certified) {
    Key<?> key = update.key();
    OperationContext context = new OperationContext(0, snapshot, new SelfDots());
    Object effect =
        CallTypes.downstream(key.type(), update.operation(), key.type().initial(), context);
    CommitRequest.ObjectWrite write =
        new CommitRequest.ObjectWrite(
            key.id(),
            key.type(),
            List.of(effect),
            List.of(CallTypes.encodeEffect(key.type(), effect)));
    return new CommitRequest.Part(0, snapshot, VectorClock.ZERO, List.of(write), certified);
  }
}
