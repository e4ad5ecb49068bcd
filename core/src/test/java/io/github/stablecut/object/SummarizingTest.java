package io.github.stablecut.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.object.Operation.Mutator;
import io.github.stablecut.object.Operation.MutatorAccessor;
import io.github.stablecut.option.Durability;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** States that replace calls: when they do, and when they must not. */
class SummarizingTest {
  private static final StoreOptions FAST =
      StoreOptions.defaults().withDurability(Durability.periodic(Duration.ofSeconds(1)));

  private static final Mutator<String, String> ADD =
      Operation.mutator("add", Codec.string(), String::concat);
  private static final MutatorAccessor<String, String, Integer> ADD_AND_COUNT =
      Operation.mutatorAccessor(
          "addAndCount",
          Codec.string(),
          (state, more) -> new Operation.Outcome<>(state + more, state.length() + more.length()));

  @TempDir private Path directory;

  private void inStore(Consumer<Store> test) {
    try (Store store = Stablecut.open(directory.resolve("store"), FAST)) {
      test.accept(store);
    }
  }

  private static <S> SharedObject<S> open(Store store, ObjectType<S> type) {
    return ObjectSpace.of(store).open("b", "object", type);
  }

  /** The calls are valid; they are only summarized once the codec accepts the state again. */
  @Test
  void aCodecThatRefusesAStateDoesNotBlockCalls() {
    AtomicBoolean refuses = new AtomicBoolean(true);
    Codec<String> states =
        Codec.string()
            .map(
                state -> {
                  if (refuses.get()) {
                    throw new IllegalStateException("not now");
                  }
                  return state;
                },
                text -> text);
    MutatorAccessor<String, String, Integer> keep =
        Operation.mutatorAccessor(
            "keep", Codec.string(), (state, last) -> new Operation.Outcome<>(last, last.length()));
    ObjectType<String> type = ObjectType.of("picky", states, "").with(keep);
    String large = "x".repeat(10_000);
    inStore(
        store -> {
          SharedObject<String> object = open(store, type);
          for (int i = 0; i < 5; i++) {
            assertThat(object.call(keep, large)).isEqualTo(10_000);
          }
          assertThat(store.read(object.log().first())).isZero();
          refuses.set(false);
          for (int i = 0; i < 5; i++) {
            assertThat(object.call(keep, large)).isEqualTo(10_000);
          }
          assertThat(store.read(object.log().first())).isPositive();
        });
  }

  /** A state that the store refuses now may be smaller later. */
  @Test
  void oneOversizedStateDoesNotEndSummarizing() {
    StoreOptions small = FAST.withLimits(StoreOptions.Limits.defaults().withValueBytes(10_000));
    MutatorAccessor<String, String, Integer> add =
        Operation.mutatorAccessor(
            "add",
            Codec.string(),
            (state, more) ->
                more.equals("clear")
                    ? new Operation.Outcome<>("", 0)
                    : new Operation.Outcome<>(state + more, state.length()));
    ObjectType<String> type = ObjectType.of("growing", Codec.string(), "").with(add);
    try (Store store = Stablecut.open(directory, small)) {
      SharedObject<String> object = open(store, type);
      for (int i = 0; i < 20; i++) {
        object.call(add, "x".repeat(1_000));
      }
      assertThat(store.read(object.log().first())).isZero();
      object.call(add, "clear");
      for (int i = 0; i < 100; i++) {
        object.call(add, "x".repeat(1_000));
        object.call(add, "clear");
      }
      assertThat(store.read(object.log().first())).isPositive();
    }
  }

  /** From such a state the object would be opened as another one. */
  @Test
  void namesACodecThatCannotReadItsOwnBytes() {
    Codec<String> forgetful = Codec.string().map(state -> state, text -> text + "?");
    ObjectType<String> type = ObjectType.of("forgetful", forgetful, "").with(ADD, ADD_AND_COUNT);
    inStore(
        store -> {
          SharedObject<String> object = open(store, type);
          for (int i = 1; i <= 40; i++) {
            assertThat(object.call(ADD_AND_COUNT, "x".repeat(1_000))).isEqualTo(1_000 * i);
          }

          assertThat(store.read(object.log().first())).isZero();
          assertThatThrownBy(object::verify)
              .isInstanceOf(NotDeterministicException.class)
              .hasMessageContaining("does not read back the state");
        });
    inStore(store -> assertThat(open(store, type).state()).isEqualTo("x".repeat(40_000)));
  }

  /** They may still be rolled back, and others may come before them. */
  @Test
  void doesNotSummarizeCallsOfAnOpenTransaction() {
    ObjectType<String> type = ObjectType.of("text", Codec.string(), "").with(ADD, ADD_AND_COUNT);
    inStore(
        store -> {
          SharedObject<String> object = open(store, type);
          object
              .space()
              .run(
                  tx -> {
                    for (int i = 0; i < 40; i++) {
                      object.in(tx).call(ADD, "x".repeat(1_000));
                    }
                    assertThat(object.in(tx).call(ADD_AND_COUNT, "y")).isEqualTo(40_001);
                    assertThat(tx.read(object.log().first())).isZero();
                  });

          assertThat(object.call(ADD_AND_COUNT, "y")).isEqualTo(40_002);
          assertThat(store.read(object.log().first())).isEqualTo(41);
          assertThat(object.state()).isEqualTo("x".repeat(40_000) + "yy");
        });
  }
}
