package io.github.stablecut.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.object.Operation.Mutator;
import io.github.stablecut.object.Operation.MutatorAccessor;
import io.github.stablecut.object.Operation.Outcome;
import io.github.stablecut.object.collection.ComposedTree;
import io.github.stablecut.object.collection.SharedList;
import io.github.stablecut.object.collection.SharedMap;
import io.github.stablecut.object.collection.TreeType;
import io.github.stablecut.option.Durability;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Objects stay readable and callable whatever users' functions and codecs throw. */
final class UserCodeFailuresTest {
  private static final Mutator<String, String> ADD =
      Operation.mutator("add", Codec.string(), String::concat);

  @TempDir private Path directory;
  private Store store;
  private ObjectSpace space;

  @BeforeEach
  void open() {
    store =
        Stablecut.open(
            directory,
            StoreOptions.defaults().withDurability(Durability.periodic(Duration.ofSeconds(1))));
    space = ObjectSpace.of(store);
  }

  @AfterEach
  void close() {
    store.close();
  }

  /** An exception whose cause can't be read. */
  private static final class Unreadable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public synchronized Throwable getCause() {
      throw new IllegalStateException("no cause for you");
    }

    @Override
    public String getMessage() {
      throw new IllegalStateException("no message for you");
    }
  }

  private static RuntimeException circular() {
    RuntimeException one = new IllegalStateException("one");
    RuntimeException other = new IllegalStateException("other", one);
    return (RuntimeException) one.initCause(other);
  }

  @SuppressWarnings("unchecked") // the cast is never executed
  private static <T extends Throwable> void sneak(Throwable thrown) throws T {
    throw (T) thrown;
  }

  static Stream<Supplier<Throwable>> thrown() {
    return Stream.of(
        UserCodeFailuresTest::circular,
        Unreadable::new,
        () -> new IllegalStateException(new InterruptedException("always")),
        () -> new IOException("checked"),
        () -> new AssertionError("a rule"),
        StackOverflowError::new);
  }

  @ParameterizedTest
  @MethodSource("thrown")
  void aThrowingCallHasNoEffectWhateverItThrows(Supplier<Throwable> thrown) {
    Mutator<String, Operation.None> bad =
        Operation.mutator(
            "bad",
            state -> {
              UserCodeFailuresTest.<RuntimeException>sneak(thrown.get());
              return state;
            });
    SharedObject<String> object =
        space.open("b", "o", ObjectType.of("text", Codec.string(), "").with(ADD, bad));

    object.call(ADD, "a");
    object.call(bad);
    object.call(ADD, "b");

    assertThat(object.state()).isEqualTo("ab");
    assertThat(Thread.interrupted()).isFalse();
    assertThatCode(object::verify).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @MethodSource("thrown")
  void theCallerOfAnOperationWithAResultGetsItsException(Supplier<Throwable> thrown) {
    Throwable one = thrown.get();
    MutatorAccessor<String, String, Integer> bad =
        Operation.mutatorAccessor(
            "bad",
            Codec.string(),
            Codec.int64().map(Integer::longValue, Long::intValue),
            (state, given) -> {
              UserCodeFailuresTest.<RuntimeException>sneak(one);
              return new Outcome<>(state, 1);
            });
    SharedObject<String> object =
        space.open("b", "o", ObjectType.of("text", Codec.string(), "").with(ADD, bad));
    object.call(ADD, "a");

    assertThatThrownBy(() -> object.call(bad, "x")).isSameAs(one);

    assertThat(object.state()).isEqualTo("a");
    assertThat(object.position()).isEqualTo(1);
  }

  @ParameterizedTest
  @MethodSource("thrown")
  void aThrowingStateCodecDoesNotBlockCalls(Supplier<Throwable> thrown) {
    AtomicBoolean throwsNow = new AtomicBoolean(true);
    Codec<String> states =
        new Codec<>() {
          @Override
          public Bytes encode(String value) {
            if (throwsNow.get()) {
              UserCodeFailuresTest.<RuntimeException>sneak(thrown.get());
            }
            return Codec.string().encode(value);
          }

          @Override
          public String decode(Bytes bytes) {
            return Codec.string().decode(bytes);
          }
        };
    MutatorAccessor<String, String, Integer> count =
        Operation.mutatorAccessor(
            "count",
            Codec.string(),
            (state, more) -> new Outcome<>(state + more, state.length() + more.length()));
    SharedObject<String> object =
        space.open("b", "o", ObjectType.of("text", states, "").with(ADD, count));
    String thousand = "x".repeat(1_000);
    for (int i = 1; i <= 40; i++) {
      assertThat(object.call(count, thousand)).isEqualTo(i * 1_000);
    }
    for (int i = 0; i < 100; i++) {
      object.call(ADD, thousand);
    }

    assertThat(store.read(object.log().first())).isZero();
    assertThatThrownBy(object::verify)
        .isInstanceOf(NotDeterministicException.class)
        .hasMessageContaining("the codec of type text can't write the state");

    throwsNow.set(false);
    for (int i = 0; i < 200; i++) {
      object.call(count, thousand);
    }
    assertThat(store.read(object.log().first())).isPositive();
    assertThat(object.state()).hasSize(340_000);
  }

  /** Arguments are what every reader finds in the log, including the caller. */
  @Test
  void aLossyCodecLosesForTheCallerToo() {
    Codec<Long> tens = Codec.int64().map(value -> value / 10, value -> value * 10);
    MutatorAccessor<Long, Long, Long> add =
        Operation.mutatorAccessor(
            "add", tens, (state, more) -> new Outcome<>(state + more, state + more));
    SharedObject<Long> object =
        space.open("b", "o", ObjectType.of("number", Codec.int64(), 0L).with(add));

    assertThat(object.call(add, 15L)).isEqualTo(10);
    assertThat(space.<Long>transact(tx -> object.in(tx).call(add, 25L))).isEqualTo(30);
    assertThat(object.state()).isEqualTo(30);
  }

  @Test
  void verificationDuringWritesFindsNoFault() throws Exception {
    SharedObject<String> object =
        space.open("b", "o", ObjectType.of("text", Codec.string(), "").with(ADD));
    ExecutorService executor = Executors.newSingleThreadExecutor();
    try {
      Future<?> writing =
          executor.submit(
              () -> {
                for (int i = 0; i < 500; i++) {
                  object.call(ADD, "x");
                }
              });
      do {
        object.verify();
      } while (!writing.isDone());
      assertThat(writing.get()).isNull();
    } finally {
      executor.shutdown();
    }
  }

  /** Values written by an earlier version of a codec. */
  @Test
  void computesAndRemovesValuesOfAnEarlierCodec() {
    Codec<String> now = Codec.string().map(value -> "2" + value, written -> written.substring(1));
    Codec<String> before =
        Codec.string().map(value -> "1" + value, written -> written.substring(1));
    for (boolean isTree : new boolean[] {false, true}) {
      Map<String, String> old =
          isTree
              ? ComposedTree.open(space, "b", "tree", Codec.string(), before)
              : SharedMap.open(space, "b", "map", Codec.string(), before);
      old.putAll(Map.of("a", "x", "b", "x", "c", "x", "d", "x"));
      Map<String, String> map =
          isTree
              ? ComposedTree.open(space, "b", "tree", Codec.string(), now)
              : SharedMap.open(space, "b", "map", Codec.string(), now);

      assertThat(map.compute("a", (key, value) -> value + "y")).isEqualTo("xy");
      assertThat(map.merge("b", "z", String::concat)).isEqualTo("xz");
      assertThat(map.computeIfPresent("c", (key, value) -> null)).isNull();
      map.entrySet().removeIf(entry -> entry.getKey().equals("never"));
      var entries = map.entrySet().iterator();
      while (entries.hasNext()) {
        if (entries.next().getKey().equals("d")) {
          entries.remove();
        }
      }

      assertThat(map).isEqualTo(Map.of("a", "xy", "b", "xz"));
    }
  }

  @Test
  void doesNotLogCallsThatChangeNothing() {
    SharedMap<String, Long> map = SharedMap.open(space, "b", "map", Codec.string(), Codec.int64());
    SharedList<String> list = SharedList.open(space, "b", "list", Codec.string());
    map.put("a", 1L);
    list.add("x");
    long calls = store.read(map.object().log().tail());

    assertThat(map.remove("b")).isNull();
    assertThat(map.replace("b", 2L)).isNull();
    assertThat(map.putIfAbsent("a", 2L)).isEqualTo(1);
    assertThat(map.remove("a", 2L)).isFalse();
    assertThat(list.remove("y")).isFalse();

    assertThat(store.read(map.object().log().tail())).isEqualTo(calls);
    assertThat(map.put("a", 1L)).isEqualTo(1);
    assertThat(store.read(map.object().log().tail())).isEqualTo(calls + 1);
  }

  @Test
  void removingFromATreeThatWasNeverCreatedDoesNotCreateIt() {
    ComposedTree<String, Long> tree =
        ComposedTree.open(space, "b", "tree", Codec.string(), Codec.int64());

    assertThat(tree.remove("a")).isNull();
    assertThat(tree.replace("a", 1L)).isNull();

    assertThat(store.snapshot().read(space.open("b", "tree", TreeType.BASE).log().tail())).isZero();
  }

  /** Blind calls in transactions are summarized, too. */
  @Test
  void summarizesBlindCallsInTransactions() {
    ComposedTree<String, String> tree =
        ComposedTree.open(space, "b", "tree", Codec.string(), Codec.string());
    SharedObject<String> object =
        space.open("b", "o", ObjectType.of("text", Codec.string(), "").with(ADD));
    String value = "x".repeat(1_000);
    for (int i = 0; i < 300; i++) {
      tree.fastPut("k" + i % 10, value);
      space.run(tx -> object.in(tx).call(ADD, value));
    }

    assertThat(store.read(object.log().first())).isPositive();
    assertThat(object.state()).hasSize(300_000);
    assertThat(tree).hasSize(10).containsEntry("k7", value);
  }
}
