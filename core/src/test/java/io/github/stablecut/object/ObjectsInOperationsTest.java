package io.github.stablecut.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.NestedCallException;
import io.github.stablecut.object.Operation.Accessor;
import io.github.stablecut.object.Operation.Mutator;
import io.github.stablecut.object.Operation.MutatorAccessor;
import io.github.stablecut.object.Operation.None;
import io.github.stablecut.object.Operation.Outcome;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Operations that use objects, which different readers of a log would execute differently. */
class ObjectsInOperationsTest {
  @TempDir private Path directory;
  private Store store;

  /** The object that the operations use. */
  private volatile Callable<?> use = () -> "";

  private final Mutator<String, String> add =
      Operation.mutator("add", Codec.string(), (text, more) -> text + more);
  private final Mutator<String, None> addUsed = Operation.mutator("addUsed", text -> text + used());
  private final MutatorAccessor<String, None, Integer> addUsedAndCount =
      Operation.mutatorAccessor(
          "addUsedAndCount", text -> new Outcome<>(text + used(), text.length()));
  private final Accessor<String, None, Boolean> isEmpty =
      Operation.accessor("isEmpty", Codec.bool(), String::isEmpty);
  private final ObjectType<String> type =
      ObjectType.of("text", Codec.string(), "").with(add, addUsed, addUsedAndCount, isEmpty);

  private SharedObject<String> object;
  private SharedObject<String> other;

  @BeforeEach
  void open() {
    store = Stablecut.open(directory);
    object = ObjectSpace.of(store).open("b", "object", type);
    other = ObjectSpace.of(store).open("b", "other", type);
    object.call(add, "a");
    other.call(add, "b");
  }

  @AfterEach
  void close() {
    store.close();
  }

  private Object used() {
    try {
      return use.call();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private void use(Use how, SharedObject<String> used) {
    use =
        () ->
            switch (how) {
              case STATE -> used.state();
              case ACCESSOR -> used.get(isEmpty);
              case POSITION -> used.position();
              case CALL -> {
                used.call(add, "c");
                yield "";
              }
            };
  }

  enum Use {
    STATE,
    ACCESSOR,
    POSITION,
    CALL
  }

  /** An operation that uses its own object would never end. */
  @ParameterizedTest
  @EnumSource
  void aLoggedCallThatUsesAnObjectHasNoEffect(Use how) {
    for (SharedObject<String> used : List.of(object, other)) {
      use(how, used);
      object.call(addUsed);

      assertThat(object.state()).isEqualTo("a");
      object.verify();
    }
    assertThat(other.position()).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource
  void theCallerOfOneWithAResultGetsAnError(Use how) {
    List<SharedObject<String>> all = new ArrayList<>(List.of(object, other));
    for (SharedObject<String> used : all) {
      use(how, used);

      assertThatThrownBy(() -> object.call(addUsedAndCount))
          .hasRootCauseInstanceOf(NestedCallException.class);
      assertThatThrownBy(() -> object.space().run(tx -> object.in(tx).call(addUsedAndCount)))
          .hasRootCauseInstanceOf(NestedCallException.class);
      assertThat(object.position()).isEqualTo(1);
    }
    assertThat(other.position()).isEqualTo(1);
  }

  @Test
  void aValueReadBeforeIsAnArgument() {
    object.call(add, other.state());
    assertThat(object.state()).isEqualTo("ab");
  }
}
