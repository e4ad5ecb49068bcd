package io.github.stablecut.internal.transaction;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.SelfDots;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.TransactionExpiredException;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.internal.partition.Partition;
import io.github.stablecut.internal.partition.PartitionAccess;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.internal.partition.commit.TransactionPart;
import io.github.stablecut.internal.record.TransactionMetadata;
import io.github.stablecut.internal.transaction.SimulatedDataCentres.DataCentre;
import io.github.stablecut.key.ResettableCounterKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletionException;

/**
 * Transactions on other nodes of a data centre, unknown to its partitions before the commit:
 * restarts of the partitions do not end them, and nothing waits for them. Each resets an object
 * that others increment meanwhile. Confined to one thread.
 */
final class TransactionsElsewhere {
  private static final int MOST = 4;

  private final Random random;
  private final List<OpenTransaction> held = new ArrayList<>();
  private int refused;

  /**
   * An uncommitted transaction.
   *
   * @param part as it is sent to the owner of the partition
   */
  private record OpenTransaction(DataCentre at, Bytes object, Bytes part) {}

  TransactionsElsewhere(Random random) {
    this.random = random;
  }

  /** The number of transactions refused because their reads were pruned or promised to be. */
  int refused() {
    return refused;
  }

  /** Begins a transaction in a data centre, or commits one. */
  void step(SimulatedDataCentres all) {
    if (held.size() < MOST && random.nextBoolean()) {
      begin(all.any(), all.resettable(random.nextInt(SimulatedDataCentres.NAMES)));
    } else if (!held.isEmpty()) {
      commit(all, held.remove(random.nextInt(held.size())));
    }
  }

  private void begin(DataCentre at, ResettableCounterKey key) {
    // Nodes exchange only what is in journals.
    VectorClock snapshot =
        at.local.lowerOthers(
            at.store.partitions().snapshot(),
            at.streams(0).recorded().meet(at.streams(1).recorded()));
    PartitionAccess access = at.store.partitions().of(key.id());
    Object state =
        access
            .versionAt(key.id(), snapshot)
            .<Object>map(Version::state)
            .orElseGet(key.type()::initial);
    Object reset =
        CallTypes.downstream(
            key.type(),
            key.reset().operation(),
            state,
            new OperationContext(at.local.number(), snapshot, new SelfDots()));
    CommitRequest.ObjectWrite write =
        new CommitRequest.ObjectWrite(
            key.id(),
            key.type(),
            List.of(reset),
            List.of(CallTypes.encodeEffect(key.type(), reset)));
    CommitRequest.Part part =
        new CommitRequest.Part(
            at.local.number(), snapshot, VectorClock.ZERO, List.of(write), Set.of());
    held.add(
        new OpenTransaction(
            at, key.id(), TransactionPart.of(part, TransactionMetadata.none()).toWire()));
  }

  private void commit(SimulatedDataCentres all, OpenTransaction one) {
    Partition partition = (Partition) one.at.store.partitions().of(one.object);
    try {
      partition
          .commitAsync(
              TransactionPart.fromWire(one.part, partition::pruneFrontier).toRequest(),
              Runnable::run)
          .toCompletableFuture()
          .join();
    } catch (TransactionExpiredException e) {
      refused++;
    } catch (CompletionException e) {
      if (!(e.getCause() instanceof StablecutException)) {
        throw e;
      }
      refused++;
    }
    all.tap(one.at);
  }
}
