package io.github.stablecut.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.Transaction;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.TypeMismatchException;
import io.github.stablecut.object.Operation.Mutator;
import io.github.stablecut.object.Operation.MutatorAccessor;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.Durability;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.TransactionOptions;
import io.github.stablecut.replication.LinkFaults;
import io.github.stablecut.replication.Replication;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Calls that can't be applied, and states that can't be written: objects stay readable. */
class ObjectFaultsTest {
  private static final StoreOptions FAST =
      StoreOptions.defaults().withDurability(Durability.periodic(Duration.ofSeconds(1)));
  private static final TransactionOptions SERIALISABLE =
      TransactionOptions.defaults().certify(Certification.READS_WRITES);

  private static final Mutator<String, String> ADD =
      Operation.mutator("add", Codec.string(), String::concat);
  private static final ObjectType<String> TEXT =
      ObjectType.of("text", Codec.string(), "").with(ADD);

  /** The same operation in another type. */
  private static final ObjectType<String> OTHER =
      ObjectType.of("other", Codec.string(), "").with(ADD);

  @TempDir private Path directory;

  private void inStore(Consumer<Store> test) {
    try (Store store = Stablecut.open(directory.resolve("store"), FAST)) {
      test.accept(store);
    }
  }

  private static <S> SharedObject<S> open(Store store, ObjectType<S> type) {
    return ObjectSpace.of(store).open("b", "object", type);
  }

  @Test
  void refusesACallByAHandleOfAnotherType() {
    inStore(
        store -> {
          SharedObject<String> text = open(store, TEXT);
          SharedObject<String> other = open(store, OTHER);
          text.call(ADD, "a");

          assertThatThrownBy(() -> other.call(ADD, "x"))
              .isInstanceOf(TypeMismatchException.class)
              .hasMessageContaining("of type text, not of type other");
          assertThatThrownBy(() -> other.space().run(tx -> other.in(tx).call(ADD, "x")))
              .isInstanceOf(TypeMismatchException.class);
          assertThatThrownBy(other::state).isInstanceOf(TypeMismatchException.class);
          assertThat(text.state()).isEqualTo("a");
          assertThat(text.position()).isEqualTo(1);
        });
  }

  /** Each is the first call when it is made. */
  @Test
  void ofCallsOfTwoTypesThoseOfTheFirstCount() {
    inStore(
        store -> {
          try (Transaction one = store.begin();
              Transaction another = store.begin()) {
            open(store, OTHER).in(ObjectSpace.of(another)).call(ADD, "x");
            open(store, TEXT).in(ObjectSpace.of(one)).call(ADD, "a");
            one.commit();
            another.commit();
          }
          open(store, TEXT).call(ADD, "b");
        });
    inStore(
        store -> {
          SharedObject<String> text = open(store, TEXT);
          assertThat(text.state()).isEqualTo("ab");
          assertThat(text.position()).isEqualTo(3);
          assertThatThrownBy(() -> open(store, OTHER).state())
              .isInstanceOf(TypeMismatchException.class);
          text.verify();
        });
  }

  /** A transaction's calls are not in the log before it has committed. */
  @Test
  void anAbortedTransactionGivesNoType() {
    inStore(
        store -> {
          SharedObject<String> object = open(store, TEXT);
          assertThatThrownBy(
                  () ->
                      object
                          .space()
                          .run(
                              tx -> {
                                object.in(tx).call(ADD, "a");
                                object.in(tx).call(ADD, "b");
                                throw new IllegalStateException("aborted");
                              }))
              .hasMessage("aborted");
          open(store, OTHER).call(ADD, "c");

          assertThatThrownBy(() -> object.call(ADD, "d")).isInstanceOf(TypeMismatchException.class);
          assertThatThrownBy(() -> object.space().run(tx -> object.in(tx).call(ADD, "e")))
              .isInstanceOf(TypeMismatchException.class);
          assertThat(open(store, OTHER).position()).isEqualTo(1);
        });
  }

  @Test
  void callsOfOneTransactionAreOfOneType() {
    inStore(
        store -> {
          ObjectSpace space = ObjectSpace.of(store);
          assertThatThrownBy(
                  () ->
                      space.run(
                          tx -> {
                            open(store, TEXT).in(tx).call(ADD, "a");
                            open(store, OTHER).in(tx).call(ADD, "b");
                          }))
              .isInstanceOf(TypeMismatchException.class);
          assertThat(open(store, TEXT).position()).isZero();
        });
  }

  /** The check of the type costs blind calls no conflicts. */
  @Test
  void blindCallsStillDependOnNothing() {
    inStore(
        store -> {
          open(store, TEXT).call(ADD, "a");
          try (Transaction one = store.begin(SERIALISABLE)) {
            open(store, TEXT).in(ObjectSpace.of(one)).call(ADD, "c");
            open(store, TEXT).call(ADD, "b");
            one.commit();
          }
          assertThat(open(store, TEXT).state()).isEqualTo("abc");
        });
  }

  @Test
  void anInvalidEntryHasNoEffect() {
    inStore(
        store -> {
          SharedObject<String> text = open(store, TEXT);
          text.call(ADD, "a");
          store.update(text.log().append(Bytes.utf8("appended by hand")));
          text.call(ADD, "b");
          assertThat(text.state()).isEqualTo("ab");
        });
  }

  /** How a call of a mutator may fail. */
  private enum Failure {
    ASSERTION,
    CHECKED,
    FORMAT,
    ENDLESS,
    NULL;

    Mutator<String, Operation.None> mutator() {
      return Operation.mutator(name(), state -> fail());
    }

    @SuppressWarnings("NullAway") // as users without null checks may write
    private String fail() {
      return switch (this) {
        case ASSERTION -> throw new AssertionError("an invariant");
        case CHECKED -> sneaky(new IOException("not declared"));
        case FORMAT -> throw new FormatException("of the state");
        case ENDLESS -> fail() + "x";
        case NULL -> null;
      };
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    private static <E extends Throwable> String sneaky(Throwable thrown) throws E {
      throw (E) thrown;
    }
  }

  @ParameterizedTest
  @EnumSource
  void aFailingCallHasNoEffectForAnyReader(Failure failure) {
    Mutator<String, Operation.None> failing = failure.mutator();
    ObjectType<String> type = TEXT.with(failing);
    inStore(
        store -> {
          SharedObject<String> object = open(store, type);
          object.call(ADD, "a");
          object.call(failing);
          object.call(ADD, "b");
          assertThat(object.state()).isEqualTo("ab");
          object.verify();
        });
    inStore(store -> assertThat(open(store, type).state()).isEqualTo("ab"));
  }

  private static long depth(long wanted) {
    return wanted == 0 ? 0 : 1 + depth(wanted - 1);
  }

  /** A call that needs much stack has the same effect, however small the reader's stack is. */
  @Test
  void aDeeplyRecursiveCallHasItsEffectForEveryReader() throws Exception {
    Mutator<Long, Long> deep =
        Operation.mutator("deep", Codec.int64(), (sum, wanted) -> sum + depth(wanted));
    ObjectType<Long> type = ObjectType.of("deep", Codec.int64(), 0L).with(deep);
    CompletableFuture<Long> read = new CompletableFuture<>();
    inStore(store -> open(store, type).call(deep, 20_000L));
    inStore(
        store -> {
          Thread small =
              new Thread(null, () -> read.complete(open(store, type).state()), "small", 256 << 10);
          small.setUncaughtExceptionHandler((thread, e) -> read.completeExceptionally(e));
          small.start();
          assertThat(read.join()).isEqualTo(20_000L);
        });
  }

  /** The call is executed on an uninterrupted thread, and the reader stays interrupted. */
  @Test
  void anInterruptIsNotTheOutcomeOfACall() {
    Mutator<String, Operation.None> waiting =
        Operation.mutator(
            "wait",
            state -> {
              try {
                Thread.sleep(0);
              } catch (InterruptedException e) {
                throw new IllegalArgumentException(e);
              }
              return state + "w";
            });
    ObjectType<String> type = TEXT.with(waiting);
    inStore(
        store -> {
          SharedObject<String> object = open(store, type);
          object.call(waiting);
          Thread.currentThread().interrupt();
          assertThat(object.state()).isEqualTo("w");
          assertThat(Thread.interrupted()).isTrue();
          assertThat(object.state()).isEqualTo("w");
          object.verify();
        });
  }

  /** Only this process lacks memory: the call stands, and the next reader executes it. */
  @Test
  void aLocalShortageIsNotTheOutcomeOfACall() {
    AtomicBoolean isFull = new AtomicBoolean(true);
    Mutator<String, String> large =
        Operation.mutator(
            "large",
            Codec.string(),
            (state, more) -> {
              if (isFull.get()) {
                throw new OutOfMemoryError("for the test");
              }
              return state + more;
            });
    ObjectType<String> type = TEXT.with(large);
    inStore(
        store -> {
          SharedObject<String> object = open(store, type);
          object.call(ADD, "a");
          object.call(large, "b");
          assertThatThrownBy(object::state).isInstanceOf(OutOfMemoryError.class);
          isFull.set(false);
          assertThat(object.state()).isEqualTo("ab");
        });
  }

  @Test
  void refusesAnArgumentThatCannotBeReadBack() {
    Codec<String> broken =
        Codec.string()
            .map(
                text -> text,
                text -> {
                  throw new FormatException("always");
                });
    Mutator<String, String> bad = Operation.mutator("bad", broken, String::concat);
    inStore(
        store -> {
          SharedObject<String> object = open(store, TEXT.with(bad));
          assertThatThrownBy(() -> object.call(bad, "x"))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining("can't read back the argument of operation bad of type text");
          assertThat(object.position()).isZero();
        });
  }

  @Test
  void outcomesHaveAStateAndAResult() {
    MutatorAccessor<String, Operation.None, String> nothing =
        Operation.mutatorAccessor("nothing", state -> outcomeOf(null, "result"));
    MutatorAccessor<String, Operation.None, String> silent =
        Operation.mutatorAccessor("silent", state -> outcomeOf(state, null));
    inStore(
        store -> {
          SharedObject<String> object = open(store, TEXT.with(nothing, silent));
          assertThatThrownBy(() -> object.call(nothing))
              .hasMessageContaining("returned null instead of a state");
          assertThatThrownBy(() -> object.call(silent)).hasMessageContaining("returned null");
          assertThat(object.position()).isZero();
        });
  }

  @SuppressWarnings("NullAway") // as users without null checks may write
  private static Operation.Outcome<String, String> outcomeOf(
      @Nullable String state, @Nullable String result) {
    return new Operation.Outcome<>(state, result);
  }

  @Test
  void namesWithDotsAreDifferentNames() {
    Mutator<String, String> one = Operation.mutator("b.c", Codec.string(), String::concat);
    Mutator<String, String> other = Operation.mutator("c", Codec.string(), (state, more) -> "!");
    ObjectType<String> a = ObjectType.of("a", Codec.string(), "").with(one);
    ObjectType<String> dotted = ObjectType.of("a.b", Codec.string(), "").with(other);
    ObjectType<String> escaped = ObjectType.of("a\\.b", Codec.string(), "").with(other);
    inStore(
        store -> {
          SharedObject<String> object = open(store, a);
          object.call(one, "x");
          assertThatThrownBy(() -> open(store, dotted).state())
              .isInstanceOf(TypeMismatchException.class)
              .hasMessageContaining("of type a, not of type a.b");
          assertThatThrownBy(() -> open(store, escaped).call(other, "y"))
              .isInstanceOf(TypeMismatchException.class);
          SharedObject<String> second = ObjectSpace.of(store).open("b", "second", dotted);
          second.call(other, "x");
          assertThat(second.state()).isEqualTo("!");
        });
  }

  @Test
  void namesAreShortText() {
    assertThatThrownBy(() -> Operation.mutator("n".repeat(256), state -> state))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1 to 255 bytes of UTF-8, not 256");
    assertThatThrownBy(() -> ObjectType.of("", Codec.string(), ""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("the name of a type");
    assertThatThrownBy(() -> Operation.accessor("\ud800", state -> state))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("surrogate");
  }

  @Test
  void aLocalViewInAnotherStoreBelongsToThatStore() {
    inStore(
        store -> {
          try (Store second = Stablecut.open(directory.resolve("second"), FAST)) {
            SharedObject<String> here = ObjectSpace.of(store).open("b", "object", TEXT, View.LOCAL);
            here.call(ADD, "a");
            assertThat(here.state()).isEqualTo("a");
            SharedObject<String> there = here.in(ObjectSpace.of(second));
            assertThat(there.state()).isEmpty();
            there.call(ADD, "other");
            assertThat(there.state()).isEqualTo("other");
            assertThat(here.state()).isEqualTo("a");
          }
        });
  }

  /** An earlier call arrives later, and is inserted where it belongs. */
  @Test
  void aLocalViewSeesLateCallsOfOtherDataCentres() {
    LinkFaults cable = new LinkFaults(1);
    try (Store here =
            Stablecut.open(
                directory.resolve("here"),
                StoreOptions.defaults()
                    .withReplication(Replication.tcp("127.0.0.1:0").through(cable::around)));
        Store there =
            Stablecut.open(
                directory.resolve("there"),
                StoreOptions.defaults()
                    .withReplication(
                        Replication.tcp("127.0.0.1:0")
                            .join("127.0.0.1:" + here.dataCentres().port().orElseThrow())
                            .through(cable::around)))) {
      CausalToken begun = there.update(open(there, TEXT).log().trim(0));
      SharedObject<String> one = ObjectSpace.of(here).open("b", "object", TEXT, View.LOCAL);
      SharedObject<String> other = ObjectSpace.of(there).open("b", "object", TEXT, View.LOCAL);
      assertThat(stateAfter(here, begun)).isEmpty();
      cable.cutAll();
      one.call(ADD, "h");
      other.call(ADD, "t");
      assertThat(one.state()).isEqualTo("h");
      assertThat(other.state()).isEqualTo("t");
      CausalToken ofOne = here.snapshot().token();
      CausalToken ofOther = there.snapshot().token();
      cable.heal();

      // For one of them, the other's call is late.
      String both = stateAfter(here, ofOther);
      assertThat(both).isIn("ht", "th").isEqualTo(stateAfter(there, ofOne));
      assertThat(one.state()).isEqualTo(both);
      assertThat(other.state()).isEqualTo(both);
    }
  }

  private static String stateAfter(Store store, CausalToken token) {
    try (Transaction after = store.begin(TransactionOptions.defaults().after(token))) {
      return open(store, TEXT).in(ObjectSpace.of(after)).state();
    }
  }
}
