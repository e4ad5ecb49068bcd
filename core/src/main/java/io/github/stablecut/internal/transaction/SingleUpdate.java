package io.github.stablecut.internal.transaction;

import io.github.stablecut.CausalToken;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.MissingRightsException;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.SelfDots;
import io.github.stablecut.error.UnexpectedFailureException;
import io.github.stablecut.internal.hook.StoreHooks;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.internal.partition.PartitionAccess;
import io.github.stablecut.internal.partition.commit.CommitRequest;
import io.github.stablecut.internal.partition.commit.CommitRequest.ObjectWrite;
import io.github.stablecut.internal.partition.commit.Footprints;
import io.github.stablecut.internal.partition.commit.KeySizeLimit;
import io.github.stablecut.internal.record.RequestId;
import io.github.stablecut.internal.record.TransactionMetadata;
import io.github.stablecut.internal.thread.HeapPermits;
import io.github.stablecut.internal.truncation.ActiveSnapshots;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * A transaction of a single update, the most frequent kind. It reads only the object that it
 * writes, certifies nothing and rolls nothing back, so it needs no {@link WriteBuffer}. Confined to
 * one thread until it is submitted.
 */
final class SingleUpdate {
  private final EmbeddedStore store;
  private final Update update;
  private final PartitionAccess partition;

  /** The snapshot, registered until the outcome is known. */
  private final ActiveSnapshots.Registration registration;

  /** Held until the outcome is known. */
  private final HeapPermits.Permits permits;

  private SingleUpdate(
      EmbeddedStore store,
      Update update,
      ActiveSnapshots.Registration registration,
      HeapPermits.Permits permits) {
    this.store = store;
    this.update = update;
    this.partition = store.partitions().of(update.key().id());
    this.registration = registration;
    this.permits = permits;
  }

  /** Whether there is exactly one update, which certifies nothing and concerns no hook. */
  static boolean isOne(StoreHooks hooks, Update... updates) {
    if (Objects.requireNonNull(updates, "updates").length != 1) {
      return false;
    }
    Update only = Objects.requireNonNull(updates[0], "update");
    return !CallTypes.needsCertification(only.key().type(), only.operation())
        && !hooks.concern(updates);
  }

  /** Begins the transaction of a {@link #isOne single} update after waiting for memory permits. */
  static SingleUpdate begin(EmbeddedStore store, Update... one) {
    store.checkCall();
    HeapPermits.Permits permits = WriteMemoryLimit.acquire(store.hooks(), one);
    try {
      return new SingleUpdate(store, one[0], store.partitions().begin(), permits);
    } catch (RuntimeException | Error e) {
      permits.close();
      throw e;
    }
  }

  /** Creates the transaction of an update that need not read its object. */
  static SingleUpdate blind(
      EmbeddedStore store, Update update, ActiveSnapshots.Registration registration) {
    return new SingleUpdate(store, update, registration, HeapPermits.NOTHING);
  }

  /** Like {@link EmbeddedTransaction#commit}. */
  CausalToken commit(Optional<RequestId> request) {
    try {
      return store.commit(partition, request(TransactionMetadata.of(request)));
    } finally {
      end();
    }
  }

  /** Like {@link EmbeddedTransaction#commitAsync}. */
  CompletionStage<CausalToken> commitAsync() {
    CompletionStage<CausalToken> token;
    try {
      token = store.commitAsync(partition, request(TransactionMetadata.none()), this::end);
    } catch (RuntimeException | Error e) {
      end();
      throw e;
    }
    return token.whenComplete((done, failure) -> end());
  }

  /** Like {@link EmbeddedTransaction#commitAtOnce}. */
  Optional<CompletionStage<CausalToken>> commitAtOnce(Executor executor) {
    Optional<CompletionStage<CausalToken>> token = Optional.empty();
    try {
      token =
          store.commitAtOnce(partition, request(TransactionMetadata.none()), this::end, executor);
      return token;
    } finally {
      if (token.isEmpty()) {
        end();
      }
    }
  }

  private void end() {
    registration.end();
    permits.close();
  }

  private CommitRequest request(TransactionMetadata facts) {
    registration.keep();
    try {
      return make(facts);
    } catch (OutOfMemoryError e) {
      throw UnexpectedFailureException.of("the update was not executed", e);
    }
  }

  private CommitRequest make(TransactionMetadata facts) {
    Key<?> key = update.key();
    Object effect = effect(key);
    byte[] encoded = CallTypes.encodeEffect(key.type(), effect);
    WriteBuffer.checkSize(store, key, encoded.length, encoded.length + key.id().length());
    KeySizeLimit.check(update, encoded.length);
    ObjectWrite write = new ObjectWrite(key.id(), key.type(), List.of(effect), List.of(encoded));
    CommitRequest.Part part =
        new CommitRequest.Part(
            store.local().number(),
            registration.snapshot(),
            store.pruneFrontier(partition, registration.snapshot()),
            List.of(write),
            Footprints.NONE);
    return CommitRequest.of(part, facts);
  }

  private Object effect(Key<?> key) {
    CrdtType<?, ?, ?, ?> type = key.type();
    OperationContext context =
        new OperationContext(store.local().number(), registration.snapshot(), new SelfDots());
    try {
      return CallTypes.needsState(type, update.operation())
          ? new SnapshotSource(store, registration.snapshot())
              .downstream(key, update.operation(), context)
          : CallTypes.downstream(type, update.operation(), type.initial(), context);
    } catch (MissingRightsException e) {
      throw store.refused(key, registration.snapshot(), e);
    }
  }
}
