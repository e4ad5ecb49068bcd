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

/** What is found without waiting, and what is not. */
class ReadsInMemoryTest {
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
    return store.readsInMemory(Optional.empty()).orElseThrow().find(key);
  }

  @Test
  void anObjectThatWasReadSinceItWasWritten() {
    assertThat(find(LIKES)).as("may be on the disk").isEmpty();
    CausalToken token = store.update(LIKES.increment(1), TITLE.assign("one"));
    assertThat(store.read(LIKES)).isEqualTo(1);

    assertThat(find(LIKES)).contains(1L);
    assertThat(find(TITLE)).as("not read before").isEmpty();
    ReadsInMemory after = store.readsInMemory(Optional.of(token)).orElseThrow();
    assertThat(after.find(LIKES)).contains(1L);
    assertThat(token.vector().isAtOrBefore(after.token().vector())).isTrue();
  }

  @Test
  void notALargeOne() {
    var unused = store.update(TITLE.assign("x".repeat(100_000)));
    assertThat(store.read(TITLE)).isPresent();

    assertThat(find(TITLE)).isEmpty();
  }

  @Test
  void nothingAtAPointThatIsNotHereYet() {
    CausalToken now = store.update(LIKES.increment(1));
    long time = now.vector().get(0);
    CausalToken later =
        new CausalToken(now.storeId(), now.opening(), now.vector().with(0, time + 1));

    assertThat(store.readsInMemory(Optional.of(later))).isEmpty();
    assertThat(store.readsInMemory(Optional.of(now))).isPresent();
  }

  @Test
  void anErrorAsOtherReadersHaveIt() {
    var unused = store.update(LIKES.increment(1));
    assertThat(store.read(LIKES)).isEqualTo(1);

    assertThatThrownBy(() -> find(Key.addWinsSet("posts", "likes", Codec.string())))
        .isInstanceOf(TypeMismatchException.class);
    store.close();
    assertThatThrownBy(() -> store.readsInMemory(Optional.empty()))
        .isInstanceOf(StoreClosedException.class);
  }
}
