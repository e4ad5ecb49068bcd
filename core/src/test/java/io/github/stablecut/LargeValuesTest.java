package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.OperationRefusedException;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.register.LwwRecord;
import io.github.stablecut.journal.JvmFlags;
import io.github.stablecut.key.GrowOnlyMapKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ListKey;
import io.github.stablecut.key.ObjectKey;
import io.github.stablecut.key.ObjectMapKey;
import io.github.stablecut.key.RecursiveMapKey;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.IndexOptions;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.tools.ToolProgress;
import io.github.stablecut.tools.Verification;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Objects above the size limit of a state in one piece, whose values each have the largest size of
 * an operation: they are stored, read and changed one value at a time.
 */
class LargeValuesTest {
  private static final String HEAP = "-Xmx1g";
  private static final int VALUES = 17;
  private static final int VALUE_BYTES = (16 << 20) - 100;
  private static final int COLUMN_BYTES = (16 << 20) - 400;
  private static final int ELEMENTS = 40;
  private static final int ELEMENT_BYTES = 8 << 20;
  private static final int FEW = 20;

  private static final RecursiveMapKey MAP = Key.map("b", "map");
  private static final RecursiveMapKey INNER = MAP.map("inner");
  private static final ListKey<Bytes> LIST = Key.list("b", "list", Codec.bytes());

  @TempDir private Path directory;

  @Test
  @Tag("long")
  void anObjectHoldsManyValuesOfTheMaximumSize() throws Exception {
    run(WritingProcess.class, "written", "changed");
  }

  /** Without an index, the size of an object is unknown before it is written. */
  @Test
  void anObjectTooLargeForOnePieceIsPagedAtTheNextAttempt() throws Exception {
    run(UserWithoutIndex.class, "refused", "written");
  }

  @Test
  @Tag("long")
  void storesARecordOfManyColumnsOfTheMaximumSize() throws Exception {
    run(RecordUser.class, "written", "changed");
  }

  private void run(Class<?> user, String... said) throws Exception {
    List<String> flags = new ArrayList<>(JvmFlags.all());
    flags.add(HEAP);
    Process child =
        ChildJvm.builder(flags, user, directory.resolve("data").toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();

    assertThat(ChildJvm.lines(child, Integer.MAX_VALUE)).containsExactly(said);
    assertThat(child.waitFor()).isZero();
    assertThat(
            Verification.run(directory.resolve("data"), Verification.Depth.FULL, ToolProgress.NONE)
                .damages())
        .isEmpty();
  }

  private static Store open(Path data, IndexOptions index) {
    return Stablecut.open(
        data,
        StoreOptions.defaults()
            .withIndex(index)
            .withCheckpoints(CheckpointPolicy.byCall().withRetention(Duration.ZERO)));
  }

  private static RegisterKey<Bytes> register(ObjectMapKey map, int i) {
    return map.register("register " + i, Codec.bytes());
  }

  private static Bytes value(int content, int size) {
    byte[] bytes = new byte[size];
    Arrays.fill(bytes, (byte) content);
    return Bytes.wrap(bytes);
  }

  private static void check(boolean holds, String what, int which) {
    if (!holds) {
      throw new AssertionError(what + " " + which);
    }
  }

  /** What another JVM does without an index. */
  static final class UserWithoutIndex {
    private UserWithoutIndex() {}

    public static void main(String[] args) {
      Path data = Path.of(args[0]);
      GrowOnlyMapKey map = Key.growOnlyMap("b", "map");
      try (Store store = LargeValuesTest.open(data, IndexOptions.off())) {
        for (int i = 0; i < VALUES; i++) {
          store.update(register(map, i).assign(value(i, VALUE_BYTES)));
        }
        try {
          store.checkpoint();
        } catch (OperationRefusedException e) {
          System.out.println("refused");
        }
        store.checkpoint();
      }
      try (Store store = LargeValuesTest.open(data, IndexOptions.defaults())) {
        for (int i = 0; i < VALUES; i++) {
          Bytes read = store.read(register(map, i)).orElseThrow();
          check(read.equals(value(i, VALUE_BYTES)), "value", i);
        }
      }
      System.out.println("written");
    }
  }

  /** What another JVM does with a record. */
  static final class RecordUser {
    private static final ObjectKey<LwwRecord.Operation, Optional<SortedMap<Integer, Bytes>>>
        RECORD = Key.of(Bytes.utf8("b"), Bytes.utf8("record"), LwwRecord.TYPE);

    private RecordUser() {}

    public static void main(String[] args) {
      Path data = Path.of(args[0]);
      try (Store store = LargeValuesTest.open(data, IndexOptions.defaults())) {
        for (int i = 0; i < VALUES; i++) {
          store.update(write(i, i));
        }
        store.checkpoint();
      }
      System.out.println("written");
      try (Store store = LargeValuesTest.open(data, IndexOptions.defaults())) {
        store.update(write(8, 9));
        store.checkpoint();
      }
      try (Store store = LargeValuesTest.open(data, IndexOptions.defaults())) {
        SortedMap<Integer, Bytes> columns = store.read(RECORD).orElseThrow();
        for (int i = 0; i < VALUES; i++) {
          Bytes expected = value(i == 8 ? 9 : i, COLUMN_BYTES);
          check(Optional.of(expected).equals(Optional.ofNullable(columns.get(i))), "column", i);
        }
      }
      System.out.println("changed");
    }

    private static Update write(int column, int content) {
      return RECORD.update(
          new LwwRecord.Write(
              new TreeMap<>(Map.of(column, Optional.of(value(content, COLUMN_BYTES))))));
    }
  }

  /** What the other JVM does. */
  static final class WritingProcess {
    private WritingProcess() {}

    public static void main(String[] args) {
      Path data = Path.of(args[0]);
      try (Store store = open(data)) {
        write(store);
      }
      System.out.println("written");
      try (Store store = open(data)) {
        read(store, 0);
        change(store);
      }
      try (Store store = open(data)) {
        read(store, 1);
      }
      System.out.println("changed");
    }

    private static Store open(Path data) {
      return LargeValuesTest.open(data, IndexOptions.defaults());
    }

    /** Without a checkpoint in between: the first checkpoint gets everything. */
    private static void write(Store store) {
      for (int i = 0; i < VALUES; i++) {
        RecursiveMapKey map = i % 2 == 0 ? MAP : INNER;
        store.update(register(map, i).assign(value(i, VALUE_BYTES)));
      }
      for (int i = 0; i < ELEMENTS; i++) {
        store.update(LIST.insert(i, value(i, ELEMENT_BYTES)));
      }
      store.checkpoint();
      check(store.status().checkpoints().entries().get(0) > VALUES + ELEMENTS, "pages", 0);
    }

    private static void read(Store store, int changed) {
      for (int i = 0; i < VALUES; i++) {
        RecursiveMapKey map = i % 2 == 0 ? MAP : INNER;
        int content = i == 8 ? i + changed : i;
        Bytes read = store.read(register(map, i)).orElseThrow();
        check(read.equals(value(content, VALUE_BYTES)), "value", i);
      }
      for (int i = 0; i < ELEMENTS; i++) {
        int content = i == 20 ? i + changed : i;
        Bytes read = store.read(LIST.get(i)).orElseThrow();
        check(read.equals(value(content, ELEMENT_BYTES)), "element", i);
      }
      check(store.read(MAP.contains(register(MAP, 2))), "entry", 2);
      check(store.read(MAP.size()) == 1 + (VALUES + 1) / 2, "size", store.read(MAP.size()));
      check(store.read(LIST.size()) == ELEMENTS, "size", store.read(LIST.size()));
    }

    private static void change(Store store) {
      store.update(
          register(MAP, 8).assign(value(9, VALUE_BYTES)),
          LIST.delete(20, 1),
          LIST.insert(20, value(21, ELEMENT_BYTES)));
      int runs = store.status().checkpoints().entries().size();
      store.checkpoint();
      List<Long> entries = store.status().checkpoints().entries();
      check(entries.size() == runs + 1, "runs", entries.size());
      check(entries.get(runs) < FEW, "entries", entries.get(runs).intValue());
    }
  }
}
