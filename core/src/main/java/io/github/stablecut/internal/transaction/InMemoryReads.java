package io.github.stablecut.internal.transaction;

import io.github.stablecut.CausalToken;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.Question;
import io.github.stablecut.crdt.StreamQuestion;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.partition.PartitionAccess;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ObjectQuery;
import io.github.stablecut.key.Query;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Reads at one snapshot of objects that are in memory and small: they neither wait, nor read a
 * disk, nor take long, so that threads may execute them that nobody else must wait for. What they
 * don't find has to be read in another way. Immutable.
 */
public final class InMemoryReads {
  /** Objects that take more are not found: encoding them would take long. */
  private static final int MOST_BYTES = 16 << 10;

  private final EmbeddedStore store;
  private final VectorClock snapshot;
  private final boolean areSeveral;

  /**
   * @param areSeveral whether several objects are read. Where a partition's commits up to the
   *     snapshot may still be on their way, only a read of one object need not wait for them: of
   *     two objects the second might have a commit that the first lacked when it was read.
   */
  InMemoryReads(EmbeddedStore store, VectorClock snapshot, boolean areSeveral) {
    this.store = store;
    this.snapshot = snapshot;
    this.areSeveral = areSeveral;
  }

  /** The snapshot. */
  public CausalToken token() {
    return store.token(snapshot);
  }

  /**
   * The value of an object, or the answer to a question about it.
   *
   * @return empty if the object is not in memory on this node as the snapshot sees it, or if it is
   *     large, or the question may execute code of users
   * @throws io.github.stablecut.error.TypeMismatchException if it has another type than the key
   */
  public <V> Optional<V> find(Query<V> query) {
    Key<?> key = query.target();
    if (key.dependsOnTime() || !isShort(query)) {
      return Optional.empty();
    }
    PartitionAccess partition = store.partitions().of(key.id());
    if (areSeveral && !snapshot.isAtOrBefore(partition.stable())) {
      return Optional.empty();
    }
    Version kept = partition.hit(key.id(), snapshot);
    Version hit = kept == null ? partition.folded(key.id(), snapshot) : kept;
    return hit == null || hit.isInPages() || hit.heldBytes() > MOST_BYTES
        ? Optional.empty()
        : Optional.of(query.view(hit.stateAs(key.type(), key.id()), snapshot));
  }

  /**
   * The value of an object on another node, if that can be asked without a wait.
   *
   * @return completes on a thread that nothing may block; fails if the value can't be had this way
   */
  public <V> Optional<CompletableFuture<V>> ask(Query<V> query) {
    Key<?> key = query.target();
    if (areSeveral || key.dependsOnTime() || !(query instanceof Key<?>) || !isShort(query)) {
      return Optional.empty();
    }
    return store
        .partitions()
        .of(key.id())
        .asked(key.id(), snapshot)
        .map(
            asked ->
                asked
                    .thenApply(
                        found ->
                            query.view(
                                found.isPresent()
                                    ? found.get().stateAs(key.type(), key.id())
                                    : key.type().initial(),
                                snapshot))
                    .toCompletableFuture());
  }

  /** A whole map is not looked at for what is in it, and a stream may be folded. */
  private static boolean isShort(Query<?> query) {
    return query instanceof ObjectQuery<?, ?> question
        ? !(question.question() instanceof StreamQuestion)
            && !(question.question() instanceof Question.InEntry)
        : query.target().valueInMap().isEmpty();
  }
}
