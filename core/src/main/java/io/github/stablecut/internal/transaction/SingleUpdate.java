package io.github.stablecut.internal.transaction;

import io.github.stablecut.CausalToken;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.MissingRightsException;
import io.github.stablecut.crdt.OperationContext;
import io.github.stablecut.crdt.SelfDots;
import io.github.stablecut.error.UnexpectedFailureException;
import io.github.stablecut.internal.hook.StoreHooks;
import io.github.stablecut.internal.materializer.CallTypes;
import io.github.stablecut.internal.partition.CommitRequest;
import io.github.stablecut.internal.partition.CommitRequest.ObjectWrite;
import io.github.stablecut.internal.partition.Footprints;
import io.github.stablecut.internal.partition.KeySizeLimit;
import io.github.stablecut.internal.partition.PartitionAccess;
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
 * A transaction of one update, as most are. It reads nothing but the object that it writes,
 * certifies nothing and takes nothing back, so it needs no {@link WriteBuffer}: what it writes goes
 * to the commit as it is. Confined to one thread until it is on its way.
 */
final class SingleUpdate {
  private final EmbeddedStore store;
  private final Update update;
  private final PartitionAccess partition;

  /** Claimed until the outcome is known. */
  private final ActiveSnapshots.Registration claim;

  /** Held until the outcome is known. */
  private final HeapPermits.Held room;

  private SingleUpdate(
      EmbeddedStore store,
      Update update,
      ActiveSnapshots.Registration claim,
      HeapPermits.Held room) {
    this.store = store;
    this.update = update;
    this.partition = store.partitions().of(update.key().id());
    this.claim = claim;
    this.room = room;
  }

  /** Whether updates are one that certifies nothing, and that no hook is to see. */
  static boolean isOne(StoreHooks hooks, Update... updates) {
    if (Objects.requireNonNull(updates, "updates").length != 1) {
      return false;
    }
    Update only = Objects.requireNonNull(updates[0], "update");
    return !CallTypes.needsCertification(only.key().type(), only.operation())
        && !hooks.concern(updates);
  }

  /** Begins the transaction of {@link #isOne one} update, once there is room for what it holds. */
  static SingleUpdate begin(EmbeddedStore store, Update... one) {
    store.checkCall();
    HeapPermits.Held room = WriteMemoryLimit.take(store.hooks(), one);
    try {
      return new SingleUpdate(store, one[0], store.partitions().begin(), room);
    } catch (RuntimeException | Error e) {
      room.close();
      throw e;
    }
  }

  /** The transaction of an update that needs to know nothing of its object. */
  static SingleUpdate blind(
      EmbeddedStore store, Update update, ActiveSnapshots.Registration claim) {
    return new SingleUpdate(store, update, claim, HeapPermits.NOTHING);
  }

  /** As {@link EmbeddedTransaction#commit}. */
  CausalToken commit(Optional<RequestId> request) {
    try {
      return store.commit(partition, made(TransactionMetadata.of(request)));
    } finally {
      end();
    }
  }

  /** As {@link EmbeddedTransaction#commitAsync}. */
  CompletionStage<CausalToken> commitAsync() {
    CompletionStage<CausalToken> token;
    try {
      token = store.commitAsync(partition, made(TransactionMetadata.none()), this::end);
    } catch (RuntimeException | Error e) {
      end();
      throw e;
    }
    return token.whenComplete((done, failure) -> end());
  }

  /** As {@link EmbeddedTransaction#commitAtOnce}. */
  Optional<CompletionStage<CausalToken>> commitAtOnce(Executor executor) {
    Optional<CompletionStage<CausalToken>> token = Optional.empty();
    try {
      token = store.commitAtOnce(partition, made(TransactionMetadata.none()), this::end, executor);
      return token;
    } finally {
      if (token.isEmpty()) {
        end();
      }
    }
  }

  private void end() {
    claim.end();
    room.close();
  }

  private CommitRequest made(TransactionMetadata facts) {
    claim.keep();
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
            claim.snapshot(),
            store.pruneFrontier(partition, claim.snapshot()),
            List.of(write),
            Footprints.NONE);
    return CommitRequest.of(part, facts);
  }

  private Object effect(Key<?> key) {
    CrdtType<?, ?, ?, ?> type = key.type();
    OperationContext context =
        new OperationContext(store.local().number(), claim.snapshot(), new SelfDots());
    try {
      return CallTypes.needsState(type, update.operation())
          ? new SnapshotSource(store, claim.snapshot()).downstream(key, update.operation(), context)
          : CallTypes.downstream(type, update.operation(), type.initial(), context);
    } catch (MissingRightsException e) {
      throw store.refused(key, claim.snapshot(), e);
    }
  }
}
