package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.codec.ValueUnreadableException;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import java.nio.file.Path;
import java.util.NavigableSet;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Values that are read with another codec than the one that wrote them. */
final class WrongCodecTest {
  @TempDir private Path directory;
  private Store store;

  @BeforeEach
  void open() {
    store = Stablecut.open(directory);
  }

  @AfterEach
  void close() {
    store.close();
  }

  private void write(Update... updates) {
    assertThat(store.update(updates)).isNotNull();
  }

  private static void assertNamed(Callable<?> read, String object) {
    assertThatThrownBy(read::call)
        .isInstanceOf(ValueUnreadableException.class)
        .hasMessageContaining("\"" + object + "\"")
        .hasMessageContaining("in bucket \"b\"")
        .hasMessageContaining("expected 8")
        .hasMessageContaining("use the codec that wrote it");
  }

  @Test
  void namesTheObjectAndReportsNoDamage() {
    Codec<String> texts = Codec.string();
    Codec<Long> numbers = Codec.int64();
    write(
        Key.register("b", "register", texts).assign("one"),
        Key.multiValueRegister("b", "values", texts).assign("one"),
        Key.addWinsSet("b", "set", texts).add("one"),
        Key.list("b", "list", texts).insert(0, "one"),
        Key.counterMap("b", "map", texts).increment("one", 1),
        Key.stream("b", "stream", texts).append("one"),
        Key.map("b", "outer").register("inner", texts).assign("one"));

    assertNamed(() -> store.read(Key.register("b", "register", numbers)), "register");
    assertNamed(() -> store.read(Key.multiValueRegister("b", "values", numbers)), "values");
    assertNamed(() -> store.read(Key.list("b", "list", numbers)).get(0), "list");
    assertNamed(() -> store.read(Key.counterMap("b", "map", numbers)).firstKey(), "map");
    assertNamed(() -> store.read(Key.stream("b", "stream", numbers).get(0)), "stream");
    assertNamed(() -> store.read(Key.map("b", "outer").register("inner", numbers)), "inner");

    NavigableSet<Long> set = store.read(Key.addWinsSet("b", "set", numbers));
    assertThat(set).hasSize(1);
    assertThat(set.contains(1L)).isFalse();
    assertNamed(set::first, "set");
    assertNamed(() -> store.read(Key.addWinsSet("b", "set", numbers).firstPage(1)), "set");

    assertThat(store.status().health().failures()).isEmpty();
    assertThat(store.read(Key.register("b", "register", texts))).contains("one");
  }
}
