package io.github.stablecut.internal.transaction;

import io.github.stablecut.CausalToken;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.question.Question;
import io.github.stablecut.crdt.question.StreamQuestion;
import io.github.stablecut.internal.index.Version;
import io.github.stablecut.internal.partition.PartitionAccess;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ObjectQuery;
import io.github.stablecut.key.Query;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Reads of small objects that are in memory, at one snapshot. They neither wait nor access a disk
 * nor take long, so event-loop threads may execute them. Other objects have to be read in another
 * way. Immutable.
 */
public final class InMemoryReads {
  /** Larger objects are not found: encoding them would take too long. */
  private static final int MAX_BYTES = 16 << 10;

  private final EmbeddedStore store;
  private final VectorClock snapshot;
  private final boolean areSeveral;

  /**
   * @param areSeveral whether several objects are read. A read of one object need not wait for
   *     commits up to the snapshot that are still in flight on its partition. With two objects, the
   *     second might include a commit that the first lacked when it was read.
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
   * Returns the value of an object, or the answer to a question about it.
   *
   * @return empty if this node does not have the object in memory as the snapshot sees it, the
   *     object is large, or the question may execute users' code
   * @throws io.github.stablecut.error.TypeMismatchException if the object's type differs from the
   *     key's
   */
  public <V> Optional<V> find(Query<V> query) {
    Key<?> key = query.target();
    if (key.dependsOnTime() || !isCheap(query)) {
      return Optional.empty();
    }
    PartitionAccess partition = store.partitions().of(key.id());
    if (areSeveral && !snapshot.isAtOrBefore(partition.stable())) {
      return Optional.empty();
    }
    Version kept = partition.hit(key.id(), snapshot);
    Version hit = kept == null ? partition.folded(key.id(), snapshot) : kept;
    return hit == null || hit.isInPages() || hit.heldBytes() > MAX_BYTES
        ? Optional.empty()
        : Optional.of(query.view(hit.stateAs(key.type(), key.id()), snapshot));
  }

  /**
   * Requests the value of an object from another node, if that is possible without waiting.
   *
   * @return completes on a thread that must not be blocked; fails if the value is not available
   *     this way
   */
  public <V> Optional<CompletableFuture<V>> ask(Query<V> query) {
    Key<?> key = query.target();
    if (areSeveral || key.dependsOnTime() || !(query instanceof Key<?>) || !isCheap(query)) {
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

  /**
   * Whether a query is cheap: not of a map entry, for which the whole map would be searched, nor of
   * a stream, which may have to be folded.
   */
  private static boolean isCheap(Query<?> query) {
    return query instanceof ObjectQuery<?, ?> question
        ? !(question.question() instanceof StreamQuestion)
            && !(question.question() instanceof Question.InEntry)
        : query.target().valueInMap().isEmpty();
  }
}
