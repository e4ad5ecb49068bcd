package io.github.stablecut;

import static io.github.stablecut.DataCentreStores.readAfter;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.key.Key;
import io.github.stablecut.object.ObjectSpace;
import io.github.stablecut.object.WrongDataCentreException;
import io.github.stablecut.object.collection.ComposedMap;
import io.github.stablecut.object.collection.ComposedTree;
import io.github.stablecut.object.collection.SharedList;
import io.github.stablecut.object.collection.SharedMap;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Objects called in one of two data centres and read in both. */
class ObjectHomeTest {
  @TempDir private Path directory;
  private Store one;
  private Store other;

  @BeforeEach
  void open() {
    DataCentreStores stores = new DataCentreStores(directory);
    one = stores.first("one");
    other = stores.joined("other", one);
  }

  @AfterEach
  void close() {
    other.close();
    one.close();
  }

  private static ObjectSpace ofOne(Store store) {
    return ObjectSpace.of(store, 0);
  }

  private static SharedList<String> list(ObjectSpace space) {
    return SharedList.open(space, "b", "list", Codec.string());
  }

  private static List<Map<String, Long>> maps(ObjectSpace space) {
    return List.of(
        SharedMap.open(space, "b", "map", Codec.string(), Codec.int64()),
        ComposedMap.open(space, "b", "composed", 3, Codec.string(), Codec.int64()),
        ComposedTree.open(space, "b", "tree", Codec.string(), Codec.int64()));
  }

  private static CausalToken tokenOf(Store store) {
    return store.update(Key.counter("b", "told").increment(1));
  }

  private static void assertRefused(Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOf(WrongDataCentreException.class)
        .hasMessageContaining("is data centre 0, and this is data centre 1");
  }

  @Test
  void anObjectIsCalledAtHomeAndReadElsewhere() {
    list(ofOne(one)).add("a");
    maps(ofOne(one)).forEach(map -> map.put("a", 1L));
    CausalToken told = tokenOf(one);
    readAfter(other, told, Key.counter("b", "told"));

    assertThat(list(ofOne(other))).containsExactly("a");
    assertRefused(() -> list(ofOne(other)).add("b"));
    assertRefused(() -> list(ofOne(other)).clear());
    assertRefused(() -> list(ofOne(other)).removeIf(element -> true));
    for (Map<String, Long> map : maps(ofOne(other))) {
      assertThat(map).containsExactlyEntriesOf(Map.of("a", 1L));
      assertRefused(() -> map.put("b", 2L));
      assertRefused(() -> map.putAll(Map.of("b", 2L)));
      assertRefused(map::clear);
    }
  }

  /** Also of objects that don't exist yet: nothing is created elsewhere. */
  @Test
  void createsNothingElsewhere() {
    maps(ofOne(other)).forEach(map -> assertRefused(() -> map.put("b", 2L)));
    maps(ofOne(other)).forEach(map -> assertThat(map).isEmpty());
  }

  @Test
  void aTransactionOfOneHomeReadsObjectsOfAnother() {
    SharedList<String> away = list(ofOne(other));
    ObjectSpace here = ObjectSpace.of(other, 1);
    Map<String, Long> mine = SharedMap.open(here, "b", "mine", Codec.string(), Codec.int64());
    ComposedMap<String, Long> map =
        ComposedMap.open(ofOne(other), "b", "composed", 3, Codec.string(), Codec.int64());
    ComposedTree<String, Long> tree =
        ComposedTree.open(ofOne(other), "b", "tree", Codec.string(), Codec.int64());

    here.run(tx -> mine.put("size", (long) away.in(tx).size()));
    assertRefused(() -> here.run(tx -> away.in(tx).add("b")));
    assertRefused(() -> here.run(tx -> map.in(tx).put("b", 1L)));
    assertRefused(() -> here.run(tx -> tree.in(tx).put("b", 1L)));
    try (Transaction transaction = other.begin()) {
      assertRefused(() -> away.in(ObjectSpace.of(transaction)).add("b"));
    }

    assertThat(mine).containsEntry("size", 0L);
    assertThat(away).isEmpty();
  }

  /** The same handle is at home in one store and not in another. */
  @Test
  void aHandleKeepsItsHome() {
    SharedList<String> list = list(ofOne(one));

    list.add("a");
    assertRefused(() -> list.in(ObjectSpace.of(other)).add("b"));
    list(ofOne(other)).in(ObjectSpace.of(one)).add("c");

    assertThat(list).containsExactly("a", "c");
  }

  @Test
  void homesAreNumbers() {
    assertThatThrownBy(() -> ObjectSpace.of(one, -1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("-1 is not the number of a data centre");
  }
}
