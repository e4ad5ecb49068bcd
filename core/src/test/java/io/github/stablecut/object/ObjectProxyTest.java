package io.github.stablecut.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.object.annotation.Accessor;
import io.github.stablecut.object.annotation.Mutator;
import io.github.stablecut.object.annotation.MutatorAccessor;
import io.github.stablecut.option.Durability;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Objects behind interfaces: refused calls and interfaces, and that a refusal changes nothing. */
class ObjectProxyTest {
  private static final ObjectType<String> TEXT =
      ObjectType.of("text", Codec.string(), "")
          .with(
              Operation.mutator("add", Codec.string(), String::concat),
              Operation.<String>mutator("clear", state -> ""),
              Operation.<String, String, Integer>mutatorAccessor(
                  "addAndCount",
                  Codec.string(),
                  (state, more) -> new Operation.Outcome<>(state + more, state.length())),
              Operation.<String, Long, String>accessor(
                  "from",
                  Codec.int64(),
                  Codec.string(),
                  (state, begin) -> state.substring(begin.intValue())),
              Operation.<String, Integer>accessor("length", String::length));

  @TempDir private Path directory;
  private Store store;
  private SharedObject<String> object;

  @BeforeEach
  void open() {
    store =
        Stablecut.open(
            directory,
            StoreOptions.defaults().withDurability(Durability.periodic(Duration.ofSeconds(1))));
    object = ObjectSpace.of(store).open("b", "text", TEXT);
  }

  @AfterEach
  void close() {
    store.close();
  }

  interface ValidInterface {
    static int unrelated() {
      return 1;
    }

    @Mutator
    void add(String more);

    @MutatorAccessor
    int addAndCount(String more);

    @Accessor
    String from(long begin);

    @Accessor
    int length();

    default int addTwice(String more) {
      add(more);
      add(more);
      return length();
    }

    @Override
    String toString();
  }

  @Test
  void defaultAndStaticMethodsStay() {
    ValidInterface good = object.as(ValidInterface.class);
    assertThat(good.addTwice("ab")).isEqualTo(4);
    assertThat(good.addAndCount("c")).isEqualTo(4);
    assertThat(good.from(3)).isEqualTo("bc");
    assertThat(good).hasToString("ValidInterface of " + object);
  }

  interface CountedObject<A, R> {
    @Mutator
    void add(A more);

    @Accessor
    R length();
  }

  interface CountedText extends CountedObject<String, Object> {
    @Override
    @Mutator
    void add(String more);

    @Override
    @Accessor
    Integer length();
  }

  /** The compiler adds bridge methods for methods with narrowed types. */
  @Test
  void inheritedMethodsMayBeNarrowed() {
    CountedText narrow = object.as(CountedText.class);
    CountedObject<String, Object> wide = narrow;
    narrow.add("ab");
    wide.add("c");

    assertThat(narrow.length()).isEqualTo(3);
    assertThat(wide.length()).isEqualTo(3);
  }

  interface TwoAnnotations {
    @Mutator
    @Accessor
    void add(String more);
  }

  interface Body {
    @Mutator
    default void add(String more) {}
  }

  interface WrongArgument {
    @Mutator
    void add(Long more);
  }

  interface MissingArgument {
    @Mutator
    void add();
  }

  interface TooManyArguments {
    @Mutator
    void clear(String more);
  }

  interface WrongResult {
    @Accessor
    int from(long begin);
  }

  interface NoResult {
    @Accessor
    void length();
  }

  interface NarrowArgument {
    @Accessor
    String from(int begin);
  }

  @ParameterizedTest
  @CsvSource({
    "TwoAnnotations, needs this annotation and no other",
    "Body, it has a body",
    "WrongArgument, takes no argument of class Long",
    "MissingArgument, the operation has an argument",
    "TooManyArguments, the operation has no argument",
    "WrongResult, has no result of class Integer",
    "NoResult, an accessor returns something",
    "NarrowArgument, takes no argument of class Integer",
  })
  void refusesAnUnsuitableInterfaceAtOnce(String name, String why) throws ClassNotFoundException {
    Class<?> calls = Class.forName(ObjectProxyTest.class.getName() + "$" + name);
    assertThatThrownBy(() -> object.as(calls))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is not an operation of the object")
        .hasMessageContaining(why);
  }

  interface AnyArgument {
    @Mutator
    void add(Object more);
  }

  interface OtherResult {
    @MutatorAccessor
    String addAndCount(String more);
  }

  /** The operation does not declare the class of its result. */
  @Test
  void anUnsuitableCallChangesNothing() {
    assertThatThrownBy(() -> object.as(AnyArgument.class).add(5))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("was called with a java.lang.Integer");
    assertThatThrownBy(() -> object.as(OtherResult.class).addAndCount("x"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("can't return the java.lang.Integer");
    assertThatThrownBy(
            () ->
                object
                    .space()
                    .run(
                        tx ->
                            assertThat(object.in(tx).as(OtherResult.class).addAndCount("x"))
                                .isNull()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(object.position()).isZero();
    object.as(AnyArgument.class).add("fits");
    assertThat(object.state()).isEqualTo("fits");
  }
}
