package io.github.stablecut.internal.partition;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.internal.index.Intent;
import io.github.stablecut.internal.index.ObjectEntry;
import io.github.stablecut.internal.index.ObjectIndex;
import io.github.stablecut.internal.record.TransactionId;
import io.github.stablecut.key.Key;
import java.util.List;
import java.util.Optional;

/**
 * Certifies transactions before they commit or prepare (protocol 1.8). It knows committed
 * transactions from the index, so a restart loses nothing. Used under the commit lock; never waits.
 */
final class Certifier {
  private final LocalDataCentre local;
  private final ObjectIndex index;
  private final StableTime times;

  /** The objects that prepared transactions have certified. */
  private final CertifiedObjects certified;

  /**
   * @param times tells which commits are durable
   */
  Certifier(PartitionState state, StableTime times) {
    this.local = state.local();
    this.index = state.index();
    this.certified = state.certified();
    this.times = times;
  }

  /**
   * The reason to hold a writer back.
   *
   * @param object the object in question
   * @param transaction the undecided transaction that has certified it
   */
  record Holder(Bytes object, TransactionId transaction) {}

  /**
   * Checks a part before it is committed or prepared.
   *
   * @throws TypeMismatchException if an object in memory has another type
   * @throws ConflictException if another transaction has changed a certified object
   * @throws HeldBackException if the request certifies nothing and writes an object that a prepared
   *     transaction has certified
   */
  void check(CommitRequest request) {
    for (CommitRequest.ObjectWrite write : request.writes()) {
      Optional<ObjectEntry> entry = index.get(write.id());
      if (entry.isPresent() && !entry.get().isOnly(write.type())) {
        checkType(write, entry.get());
      }
    }
    if (request.certified().isEmpty()) {
      if (holder(request).isPresent()) {
        throw new HeldBackException();
      }
    } else {
      for (Bytes id : request.certified()) {
        checkUnchanged(id, request);
        checkUnannounced(id);
      }
      for (CommitRequest.ObjectWrite write : request.writes()) {
        checkUnmarked(write.id());
      }
    }
  }

  private void checkType(CommitRequest.ObjectWrite write, ObjectEntry entry) {
    entry
        .type()
        .filter(type -> type.typeId() != write.type().typeId())
        .ifPresent(
            type -> {
              if (entry.content().isNewborn(times.stable())) {
                // The type may still be lost in a crash, so this is a conflict, not a mistake of
                // the caller.
                throw conflict(write, type, "a transaction that is not durable yet");
              }
              Key.checkType(write.id(), write.type(), type);
            });
    for (Intent intent : entry.content().intents()) {
      if (intent.type().typeId() != write.type().typeId()) {
        String by = "transaction %s, which is not decided".formatted(intent.transaction());
        throw conflict(write, intent.type(), by);
      }
    }
  }

  private static ConflictException conflict(
      CommitRequest.ObjectWrite write, CrdtType<?, ?, ?, ?> other, String by) {
    return new ConflictException(
        "object %s may become a %s by %s, and can't become a %s meanwhile: run the transaction again"
            .formatted(Key.nameOf(write.id()), other.name(), by, write.type().name()));
  }

  /** Why an uncertified writer is held back; empty if it is not, or if it certifies. */
  Optional<Holder> holder(CommitRequest request) {
    if (certified.isEmpty() || !request.certified().isEmpty()) {
      return Optional.empty();
    }
    for (CommitRequest.ObjectWrite write : request.writes()) {
      Optional<TransactionId> holder = certified.holder(write.id());
      if (holder.isPresent()) {
        return Optional.of(new Holder(write.id(), holder.get()));
      }
    }
    return Optional.empty();
  }

  /**
   * Refuses a transaction whose snapshot lacks a commit of this data centre on the object, durable
   * or not; commits of other data centres are not certified against. Also refuses it if commits
   * after the snapshot may have left memory, which takes a transaction older than the last two
   * checkpoints.
   */
  private void checkUnchanged(Bytes id, CommitRequest request) {
    boolean isUnchanged =
        index.floor().isAtOrBefore(request.snapshot())
            && index
                .get(id)
                .map(entry -> entry.content().lacksNothingOf(local, request.snapshot()))
                .orElse(true);
    if (!isUnchanged) {
      throw new ConflictException(
          "object %s was changed after the transaction's snapshot of %s: run the transaction again"
              .formatted(Key.nameOf(id), Timestamp.format(request.snapshot())));
    }
  }

  private void checkUnannounced(Bytes id) {
    List<Intent> intents = index.get(id).map(entry -> entry.content().intents()).orElse(List.of());
    if (!intents.isEmpty()) {
      throw new ConflictException(
          "object %s is being written by transaction %s: run the transaction again"
              .formatted(Key.nameOf(id), intents.get(0).transaction()));
    }
  }

  private void checkUnmarked(Bytes id) {
    Optional<TransactionId> holder = certified.holder(id);
    if (holder.isPresent()) {
      throw new ConflictException(
          "object %s is certified by transaction %s: run the transaction again"
              .formatted(Key.nameOf(id), holder.get()));
    }
  }
}
