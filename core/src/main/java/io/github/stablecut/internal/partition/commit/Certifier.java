package io.github.stablecut.internal.partition.commit;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.causality.Timestamp;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.Footprint;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.internal.index.IndexedEffect;
import io.github.stablecut.internal.index.Intent;
import io.github.stablecut.internal.index.KnownTypes;
import io.github.stablecut.internal.index.ObjectEntry;
import io.github.stablecut.internal.index.ObjectIndex;
import io.github.stablecut.internal.record.TransactionId;
import io.github.stablecut.key.Key;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Certifies transactions before they commit or prepare (protocol 1.8). It finds committed
 * transactions in the index, so a restart loses nothing. Used under the commit lock; never blocks.
 */
public final class Certifier {
  /** Maximum comparisons of certified ranges before the commit lock is taken. */
  private static final int EARLY_ROUNDS = 4;

  private final LocalDataCentre local;
  private final ObjectIndex index;
  private final StableTime times;

  /** The objects that prepared transactions have certified. */
  private final CertifiedObjects certified;

  private final PreparedTransactions prepared;

  /**
   * @param times shows which commits are durable
   */
  Certifier(PartitionState state, StableTime times) {
    this.local = state.local();
    this.index = state.index();
    this.certified = state.certified();
    this.prepared = state.prepared();
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
   * @throws CommitBlockedException if the request has to wait for a prepared transaction ({@link
   *     #holder})
   */
  void check(CommitRequest request) {
    // Indexed loops, here and elsewhere on every commit's path: iterators allocate.
    List<CommitRequest.ObjectWrite> writes = request.writes();
    for (int i = 0; i < writes.size(); i++) {
      CommitRequest.ObjectWrite write = writes.get(i);
      ObjectEntry entry = index.find(write.id());
      if (!request.allowsOtherTypes()
          && entry != null
          && !entry.types().contains(write.type())
          && !request.hasFoundType(write)) {
        checkType(write, entry, request.snapshot());
      }
    }
    if (request.waitsForCertified()) {
      if (holder(request).isPresent()) {
        throw new CommitBlockedException();
      }
    } else {
      for (Bytes id : request.certified()) {
        checkUnchanged(id, request);
      }
      if (holder(request).isPresent()) {
        throw new CommitBlockedException();
      }
      for (Bytes id : request.certified()) {
        checkUnannounced(id, request.footprints(id));
      }
      checkRanges(request);
      for (CommitRequest.ObjectWrite write : request.writes()) {
        checkUnmarked(write);
      }
    }
  }

  /** Checks a write of a type that the object is not known to have. */
  private void checkType(CommitRequest.ObjectWrite write, ObjectEntry entry, VectorClock snapshot) {
    KnownTypes types = entry.types();
    if (!types.isEmpty()
        && !entry.content().isHidden(local, snapshot, index.floor(), write.type())) {
      if (entry.content().isNewborn(times.stable())) {
        // The type may still be lost in a crash, so this is a conflict, not a mistake of the
        // caller.
        throw conflict(write, types.all().get(0), "a transaction that is not durable yet");
      }
      throw Key.mismatch(write.id(), write.type(), types.all());
    }
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

  /**
   * Returns the reason why a request is held back; empty if it is not. A writer that certifies
   * nothing waits for transactions that have certified what it writes.
   *
   * <p>A certifying request waits only for transactions at or below its snapshot, as the outcome of
   * an acknowledged transaction may still be in transit. It waits only if this partition alone
   * decides it: then it has prepared nothing that others could wait for. Nor does a part that
   * follows certified parts wait.
   */
  Optional<Holder> holder(CommitRequest request) {
    if (!request.waitsForCertified()) {
      return request.facts().id().isPresent() ? Optional.empty() : unsettled(request);
    }
    if (certified.isEmpty()) {
      return Optional.empty();
    }
    for (CommitRequest.ObjectWrite write : request.writes()) {
      Optional<TransactionId> holder = certified.holder(write);
      if (holder.isPresent()) {
        return Optional.of(new Holder(write.id(), holder.get()));
      }
    }
    return Optional.empty();
  }

  /** A prepared transaction at or below the snapshot that touches what a request certifies. */
  private Optional<Holder> unsettled(CommitRequest request) {
    long snapshot = local.timeIn(request.snapshot());
    for (CommitRequest.ObjectWrite write : request.writes()) {
      for (TransactionId holder : certified.holders(write)) {
        PreparedTransactions.Entry entry = prepared.get(holder);
        if (entry != null && entry.time <= snapshot) {
          return Optional.of(new Holder(write.id(), holder));
        }
      }
    }
    for (Bytes id : request.certified()) {
      for (Intent intent : intents(id)) {
        if (intent.time() <= snapshot && touches(intent, id, request.footprints(id))) {
          return Optional.of(new Holder(id, intent.transaction()));
        }
      }
    }
    return Optional.empty();
  }

  private List<Intent> intents(Bytes id) {
    return index.get(id).map(entry -> entry.content().intents()).orElse(List.of());
  }

  /**
   * Refuses a transaction whose snapshot lacks a commit of this data centre, durable or not, that
   * may have changed what it certifies of the object; commits of other data centres are not
   * certified against. Also refuses it if commits after the snapshot may have left memory, which
   * takes a transaction older than the last two checkpoints.
   */
  private void checkUnchanged(Bytes id, CommitRequest request) {
    // The floor rises before effects are dropped, so it is read after them.
    boolean isUnchanged =
        index
                .get(id)
                .map(
                    entry ->
                        entry.content().lacksNothingOf(local, request.snapshot())
                            || isUntouched(entry, request.snapshot(), request.footprints(id)))
                .orElse(true)
            && index.floor().isAtOrBefore(request.snapshot());
    if (!isUnchanged) {
      throw new ConflictException(
          "object %s was changed after the transaction's snapshot of %s: run the transaction again"
              .formatted(Key.nameOf(id), Timestamp.format(request.snapshot())));
    }
  }

  /** Whether no effect of this data centre after a snapshot touches what is certified. */
  private boolean isUntouched(ObjectEntry entry, VectorClock snapshot, Set<Footprint> footprints) {
    if (entry.types().isEmpty()
        || entry.content().unlisted().isPresent()
        || footprints.contains(Footprint.whole())) {
      return false;
    }
    List<IndexedEffect> since = entry.content().effects().notIn(snapshot);
    return (long) since.size() * footprints.size() <= Footprints.MAX_COMPARISONS
        && since.stream()
            .filter(effect -> effect.commit().origin().dataCentre() == local.number())
            .allMatch(
                effect ->
                    effect
                        .effect()
                        .filter(found -> !Footprints.touches(effect.type(), found, footprints))
                        .isPresent());
  }

  /**
   * Compares the certified ranges now, without the commit lock, so that {@link #check} need only
   * examine later changes. Repeats a few times if so much changed meanwhile that {@link #check}
   * would have to examine everything again.
   *
   * @return the conflict if an object of a range has changed; not thrown, as the request may be a
   *     repeated one that was executed before
   */
  public Optional<ConflictException> conflictInRanges(CommitRequest request) {
    if (request.ranges().isEmpty()) {
      return Optional.empty();
    }
    try {
      for (int round = 0; round < EARLY_ROUNDS; round++) {
        long changes = index.changes();
        checkAllOfRanges(request);
        request.setRangesCheckedAt(changes);
        if (index.remembersChangesSince(changes)) {
          break;
        }
      }
      return Optional.empty();
    } catch (ConflictException e) {
      return Optional.of(e);
    }
  }

  private void checkRanges(CommitRequest request) {
    if (request.ranges().isEmpty()) {
      return;
    }
    if (request.rangesCheckedAt() < 0
        || !index.forEachChangedSince(
            request.rangesCheckedAt(), id -> checkInNoRange(id, request))) {
      checkAllOfRanges(request);
    }
    if (!index.floor().isAtOrBefore(request.snapshot())) {
      throw changedInRange(request.ranges().get(0).from(), request);
    }
    for (PreparedTransactions.Entry writer : prepared.all()) {
      if (!writer.part.facts().id().equals(request.facts().id())) {
        for (CommitRequest.ObjectWrite write : writer.part.writes()) {
          checkInNoRange(write.id(), request);
        }
      }
    }
  }

  private void checkInNoRange(Bytes id, CommitRequest request) {
    if (request.ranges().stream().anyMatch(range -> range.contains(id))) {
      throw changedInRange(id, request);
    }
  }

  private void checkAllOfRanges(CommitRequest request) {
    VectorClock snapshot = request.snapshot();
    for (Footprint.Elements range : request.ranges()) {
      index.forEachWithEffects(
          range,
          (id, entry) -> {
            if (!entry.content().lacksNothingOf(local, snapshot)) {
              throw changedInRange(id, request);
            }
          });
    }
  }

  private static ConflictException changedInRange(Bytes id, CommitRequest request) {
    return new ConflictException(
        "object %s, in a range that the transaction has scanned, was changed after its snapshot of %s, or is being written: run the transaction again"
            .formatted(Key.nameOf(id), Timestamp.format(request.snapshot())));
  }

  private void checkUnannounced(Bytes id, Set<Footprint> footprints) {
    for (Intent intent : intents(id)) {
      if (touches(intent, id, footprints)) {
        throw new ConflictException(
            "object %s is being written by transaction %s: run the transaction again"
                .formatted(Key.nameOf(id), intent.transaction()));
      }
    }
  }

  /** Whether an undecided transaction may change what is certified of an object. */
  private boolean touches(Intent intent, Bytes id, Set<Footprint> footprints) {
    PreparedTransactions.Entry writer = prepared.get(intent.transaction());
    return writer == null
        || writer.part.writes().stream()
            .filter(write -> write.id().equals(id))
            .anyMatch(write -> Footprints.mayTouch(write, footprints));
  }

  private void checkUnmarked(CommitRequest.ObjectWrite write) {
    Optional<TransactionId> holder = certified.holder(write);
    if (holder.isPresent()) {
      throw new ConflictException(
          "object %s is certified by transaction %s: run the transaction again"
              .formatted(Key.nameOf(write.id()), holder.get()));
    }
  }
}
