package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Stablecut;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.StoreClosedException;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Values that reads find without waiting, and others. */
class InMemoryReadsTest {
  private static final CounterKey LIKES = Key.counter("posts", "likes");
  private static final RegisterKey<String> TITLE = Key.register("posts", "title", Codec.string());

  @TempDir private Path directory;
  private EmbeddedStore store;

  @BeforeEach
  void open() {
    store =
        (EmbeddedStore)
            Stablecut.open(directory.resolve("data"), StoreOptions.defaults().withPartitions(2));
  }

  @AfterEach
  void close() {
    store.close();
  }

  private <V> Optional<V> find(Key<V> key) {
    return store.readsInMemory(Optional.empty(), false).orElseThrow().find(key);
  }

  @Test
  void findsAnObjectReadSinceItsLastWrite() {
    assertThat(find(LIKES)).as("may be on the disk").isEmpty();
    CausalToken token = store.update(LIKES.increment(1), TITLE.assign("one"));
    assertThat(store.read(LIKES)).isEqualTo(1);

    assertThat(find(LIKES)).contains(1L);
    assertThat(find(TITLE)).as("not read before").isEmpty();
    InMemoryReads after = store.readsInMemory(Optional.of(token), false).orElseThrow();
    assertThat(after.find(LIKES)).contains(1L);
    assertThat(token.vector().isAtOrBefore(after.token().vector())).isTrue();
  }

  @Test
  void findsAnObjectWithFewUpdatesSinceItsRead() {
    store.update(LIKES.increment(1));
    assertThat(store.read(LIKES)).isEqualTo(1);
    for (int i = 2; i <= 9; i++) {
      store.update(LIKES.increment(1));
    }

    assertThat(find(LIKES)).contains(9L);
    for (int i = 10; i <= 18; i++) {
      store.update(LIKES.increment(1));
    }
    assertThat(find(LIKES)).as("more take longer").isEmpty();
    assertThat(store.read(LIKES)).isEqualTo(18);
    assertThat(find(LIKES)).contains(18L);
    store.update(LIKES.increment(1));
    assertThat(find(LIKES)).contains(19L);
    assertThat(find(LIKES)).contains(19L);
  }

  @Test
  void doesNotFindALargeObject() {
    store.update(TITLE.assign("x".repeat(100_000)));
    assertThat(store.read(TITLE)).isPresent();

    assertThat(find(TITLE)).isEmpty();
  }

  @Test
  void findsNothingAtAPointThatHasNotArrived() {
    CausalToken now = store.update(LIKES.increment(1));
    long time = now.vector().get(0);
    CausalToken later =
        new CausalToken(now.storeId(), now.opening(), now.vector().with(0, time + 1));

    assertThat(store.readsInMemory(Optional.of(later), false)).isEmpty();
    assertThat(store.readsInMemory(Optional.of(now), false)).isPresent();
  }

  /**
   * The other partition may still give a commit a time below the newest snapshot, and a second
   * object would include it.
   */
  @Test
  void findsSeveralObjectsOnlyOnceAllCommitsUpToTheSnapshotArrived() {
    CounterKey there = LIKES;
    CounterKey here = LIKES;
    for (int i = 0; store.partitionOf(here) == store.partitionOf(there); i++) {
      here = Key.counter("posts", "likes of " + i);
    }
    store.update(there.increment(1));
    assertThat(store.read(there)).isEqualTo(1);
    var newer = store.update(here.increment(1));
    assertThat(store.read(here)).isEqualTo(1);

    InMemoryReads several = store.readsInMemory(Optional.of(newer), true).orElseThrow();

    assertThat(several.find(here)).contains(1L);
    assertThat(several.find(there)).isEmpty();
    assertThat(store.readsInMemory(Optional.of(newer), false).orElseThrow().find(there))
        .contains(1L);
  }

  @Test
  void reportsAnErrorLikeOtherReaders() {
    store.update(LIKES.increment(1));
    assertThat(store.read(LIKES)).isEqualTo(1);

    assertThatThrownBy(() -> find(Key.addWinsSet("posts", "likes", Codec.string())))
        .isInstanceOf(TypeMismatchException.class);
    store.close();
    assertThatThrownBy(() -> store.readsInMemory(Optional.empty(), false))
        .isInstanceOf(StoreClosedException.class);
  }
}
