package io.github.stablecut.map.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.ChildJvm;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.map.Column;
import io.github.stablecut.map.ColumnType;
import io.github.stablecut.map.MemoryRecords;
import io.github.stablecut.map.Put;
import io.github.stablecut.map.SchemaException;
import io.github.stablecut.map.SteppedRecords;
import io.github.stablecut.map.Table;
import io.github.stablecut.map.TableMap;
import io.github.stablecut.map.TableRecord;
import io.github.stablecut.map.TableScan;
import io.github.stablecut.map.storage.RecordReader;
import io.github.stablecut.option.ScanOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Index changes that fail or are killed at any step leave no index that lacks a record or has
 * entries of a deleted one.
 */
class IndexFailureTest {
  private static final Table TABLE =
      Table.named("n", "t")
          .partitionKey("p", ColumnType.INT)
          .column("v", ColumnType.INT)
          .column("w", ColumnType.INT)
          .index("w");
  private static final int RECORDS = 12;

  /** The number of records that are indexed at once. */
  private static final int AT_ONCE = 5;

  private static final Map<String, Consumer<TableMap>> CHANGES =
      Map.of(
          "createIndex", map -> map.createIndex(TABLE.name(), "v"),
          "changeType", map -> map.changeType(TABLE.name(), "w", ColumnType.TEXT),
          "dropColumn", map -> map.dropColumn(TABLE.name(), "w"),
          "dropIndex", map -> map.dropIndex(TABLE.name(), "w"));

  @TempDir Path directory;

  private static void fill(TableMap map) {
    map.createNamespace("n");
    map.createTable(TABLE);
    List<Put> puts = new ArrayList<>();
    for (int i = 0; i < RECORDS; i++) {
      puts.add(Put.of(TABLE.key(i)).value("v", i % 3).value("w", i % 2));
    }
    map.mutate(puts);
  }

  /** Checks the answers of indexes; returns the expected number of records and index entries. */
  @CanIgnoreReturnValue
  private static int checkIndexes(TableMap map, String as) {
    Table table = map.table(TABLE.name()).orElseThrow();
    List<TableRecord> all = map.scan(TableScan.all(TABLE.name())).toList();
    assertThat(all).as(as).hasSize(RECORDS);
    int count = RECORDS;
    for (String index : table.indexes()) {
      for (int value = 0; value < 3; value++) {
        boolean isText = table.find(index).orElseThrow().type() == ColumnType.TEXT;
        Object wanted = isText ? "" + value : (Object) value;
        List<TableRecord> expected =
            all.stream().filter(one -> one.get(index).filter(wanted::equals).isPresent()).toList();
        assertThat(map.scan(TableScan.byIndex(TABLE.name(), index, wanted)).toList())
            .as("%s: %s = %s", as, index, wanted)
            .containsExactlyInAnyOrderElementsOf(expected);
        count += expected.size();
      }
    }
    return count;
  }

  private static Bytes place(RecordReader records) {
    return TableNames.of(records, TABLE.name().namespace())
        .find(TABLE.name())
        .orElseThrow()
        .place();
  }

  /** The number of records and entries. */
  private static long count(MemoryRecords records) {
    Bytes place = place(records);
    return records.ids().stream().filter(id -> id.space().equals(place)).count();
  }

  @Test
  void openingTablesFinishesAChangeThatCrashedAtAnyStep() {
    CHANGES.forEach(
        (name, change) -> {
          for (int steps = 0; crashAndCheck(name, change, steps); steps++) {}
        });
  }

  /** Returns whether there were as many steps. */
  private static boolean crashAndCheck(String name, Consumer<TableMap> change, int steps) {
    MemoryRecords records = new MemoryRecords();
    SteppedRecords stepped = new SteppedRecords(records);
    TableMap map = StoredTables.over(stepped, AT_ONCE);
    fill(map);
    AtomicInteger left = new AtomicInteger(steps);
    stepped.before(
        () -> {
          if (left.getAndDecrement() <= 0) {
            throw new IllegalStateException("crashed");
          }
        });
    boolean isCrashed = false;
    try {
      change.accept(map);
    } catch (IllegalStateException e) {
      isCrashed = true;
    }
    String as = "%s after %d steps".formatted(name, steps);
    checkIndexes(map, as);
    TableMap reopened = TableMap.over(records);
    assertThat(count(records)).as(as).isEqualTo(checkIndexes(reopened, as));
    assertThat(Catalogue.entries(records, Catalogue.prefix('i'))).as(as).isEmpty();
    Table table = reopened.table(TABLE.name()).orElseThrow();
    if (steps > 0) {
      // Its first step decides it.
      TableMap whole = TableMap.over(new MemoryRecords());
      fill(whole);
      change.accept(whole);
      assertThat(table).as(as).isEqualTo(whole.table(TABLE.name()).orElseThrow());
    } else {
      assertThat(table).as(as).isEqualTo(TABLE);
    }
    return isCrashed;
  }

  @Test
  void writesMaintainAnIndexBeingBuiltAndScansByItAreRefused() {
    for (int atOnce : new int[] {1, AT_ONCE, RECORDS}) {
      MemoryRecords records = new MemoryRecords();
      SteppedRecords stepped = new SteppedRecords(records);
      TableMap building = StoredTables.over(stepped, atOnce);
      fill(building);
      TableMap other = TableMap.over(records);
      AtomicInteger step = new AtomicInteger();
      int last = 1 + (RECORDS + atOnce - 1) / atOnce;
      stepped.before(
          () -> {
            int now = step.getAndIncrement();
            if (now > 0 && now <= last) {
              assertThatThrownBy(() -> other.scan(TableScan.byIndex(TABLE.name(), "v", 0)))
                  .isInstanceOf(SchemaException.class)
                  .hasMessageContaining("is being built");
              assertThat(other.table(TABLE.name())).contains(TABLE);
              other.mutate(Put.of(TABLE.key(now * 5 % RECORDS)).value("v", now % 3));
            }
          });
      building.createIndex(TABLE.name(), "v");
      stepped.before(() -> {});

      assertThat(step).as("begun, built, ended").hasValue(last + 1);
      assertThat(building.table(TABLE.name())).contains(TABLE.index("v"));
      assertThat(count(records)).isEqualTo(checkIndexes(building, "built"));
    }
  }

  @Test
  void indexesRecordsInHalvesIfTheStorageRefusesThemTogether() {
    for (RuntimeException refusal :
        List.of(new ConflictException("others"), new LimitExceededException("too many"))) {
      MemoryRecords records = new MemoryRecords();
      SteppedRecords stepped = new SteppedRecords(records);
      TableMap map = TableMap.over(stepped);
      fill(map);
      AtomicInteger writes = new AtomicInteger();
      stepped.beforeWritesOf(
          ids -> {
            writes.getAndIncrement();
            if (ids.size() > 2 * AT_ONCE) {
              throw refusal;
            }
          });
      map.createIndex(TABLE.name(), "v");

      assertThat(writes).as("begun, 12, 6, 3, 3, 6, 3, 3, ended").hasValue(9);
      assertThat(count(records)).isEqualTo(checkIndexes(map, "built"));
    }
  }

  @Test
  void asksAnUnreachableStorageOnce() {
    SteppedRecords stepped = new SteppedRecords(new MemoryRecords());
    TableMap map = TableMap.over(stepped);
    fill(map);
    AtomicInteger writes = new AtomicInteger();
    stepped.beforeWritesOf(
        ids -> {
          if (ids.size() > AT_ONCE) {
            writes.getAndIncrement();
            throw new PartitionUnavailableException("injected");
          }
        });

    assertThatThrownBy(() -> map.createIndex(TABLE.name(), "v"))
        .isInstanceOf(PartitionUnavailableException.class);
    assertThat(writes).as("not in halves").hasValue(1);
  }

  @Test
  void keepsLargeRecordsOutOfMemory() {
    MemoryRecords records = new MemoryRecords();
    SteppedRecords stepped = new SteppedRecords(records);
    TableMap map = TableMap.over(stepped);
    fill(map);
    map.addColumn(TABLE.name(), new Column("b", ColumnType.BLOB));
    Table blobs = TABLE.column("b", ColumnType.BLOB);
    for (int i = 0; i < RECORDS; i++) {
      map.mutate(Put.of(blobs.key(i)).value("b", Bytes.wrap(new byte[1 << 20])));
    }
    AtomicInteger most = new AtomicInteger();
    stepped.beforeWritesOf(ids -> most.accumulateAndGet(ids.size(), Math::max));
    map.createIndex(TABLE.name(), "v");

    assertThat(most).as("four records of 1 MiB, and their entries").hasValue(8);
    assertThat(count(records)).isEqualTo(checkIndexes(map, "built"));
  }

  @Test
  void anIndexThatCannotBeBuiltIsAbsentAndRecordsStayUsable() {
    String uri = "stablecut:" + directory.resolve("data");
    Table texts = TABLE.column("s", ColumnType.TEXT);
    Put tooLong = Put.of(texts.key(RECORDS - 1)).value("s", "x".repeat(40_000));
    try (TableMap map = TableMap.open(uri)) {
      fill(map);
      map.addColumn(TABLE.name(), new Column("s", ColumnType.TEXT));
      map.mutate(Put.of(texts.key(0)).value("s", "x"), tooLong);

      assertThatThrownBy(() -> map.createIndex(TABLE.name(), "s"))
          .isInstanceOf(LimitExceededException.class);
      assertThat(map.table(TABLE.name())).contains(texts);
      map.mutate(Put.of(texts.key(RECORDS - 1)).value("s", "short"));
      map.createIndex(TABLE.name(), "s");
      assertThat(map.scan(TableScan.byIndex(TABLE.name(), "s", "short")).toList()).hasSize(1);
      map.dropIndex(TABLE.name(), "s");
      map.mutate(tooLong);
    }
    // The next opening removes a half-built one that can't be finished.
    try (Store store = Stablecut.open(directory.resolve("data"))) {
      StoreRecords records = new StoreRecords(store, false);
      SteppedRecords stepped = new SteppedRecords(records);
      TableMap map = TableMap.over(stepped);
      AtomicInteger left = new AtomicInteger(2);
      stepped.before(
          () -> {
            if (left.getAndDecrement() <= 0) {
              throw new IllegalStateException("crashed");
            }
          });
      assertThatThrownBy(() -> map.createIndex(TABLE.name(), "s"))
          .isInstanceOf(IllegalStateException.class);
      TableMap reopened = TableMap.over(store);
      assertThat(reopened.table(TABLE.name())).contains(texts);
      checkWhole(store, reopened, "reopened");
    }
  }

  private static void checkWhole(Store store, TableMap map, String as) {
    StoreRecords records = new StoreRecords(store, false);
    int expected = checkIndexes(map, as);
    assertThat(Catalogue.entries(records, Catalogue.prefix('i'))).as(as).isEmpty();
    int found = 0;
    try (var scan = store.snapshot().scan(ScanOptions.bucket(place(records)))) {
      while (scan.hasNext()) {
        found += scan.next().value().equals(Optional.empty()) ? 0 : 1;
      }
    }
    assertThat(found).as(as).isEqualTo(expected);
  }

  /** Changes tables, and reports each step. */
  static final class ChangingProcess {
    private ChangingProcess() {}

    public static void main(String[] args) {
      try (Store store = Stablecut.open(Path.of(args[0]))) {
        SteppedRecords stepped = new SteppedRecords(new StoreRecords(store, false));
        TableMap map = StoredTables.over(stepped, AT_ONCE);
        fill(map);
        stepped.before(() -> System.out.println("step"));
        Objects.requireNonNull(CHANGES.get(args[1])).accept(map);
        System.out.println("done");
        while (true) {
          Thread.onSpinWait();
        }
      }
    }
  }

  private void killAndCheck(String name, int round, Random random) throws Exception {
    Path data = directory.resolve(name + round);
    Process child = ChildJvm.start(ChangingProcess.class, data.toString(), name);
    int steps = 1 + random.nextInt(name.equals("createIndex") ? 6 : 4);
    int told = 0;
    while (told < steps) {
      List<String> line = ChildJvm.lines(child, 1);
      assertThat(line).as("the child has ended").isNotEmpty();
      told += line.get(0).equals("step") || line.get(0).equals("done") ? 1 : 0;
      steps = line.get(0).equals("done") ? told : steps;
    }
    child.toHandle().destroyForcibly();
    assertThat(child.waitFor()).as("killed, not ended").isEqualTo(128 + 9);
    String as = "%s, killed after %d steps".formatted(name, told);
    try (Store store = Stablecut.open(data)) {
      checkWhole(store, TableMap.over(store), as);
    }
  }

  @Test
  void openingTablesFinishesAKilledChange() throws Exception {
    for (String name : CHANGES.keySet()) {
      killAndCheck(name, 0, new Random());
    }
  }

  @Test
  @Tag("long")
  void openingTablesFinishesRepeatedlyKilledChanges() throws Exception {
    for (int round = 0; round < 10; round++) {
      for (String name : CHANGES.keySet()) {
        killAndCheck(name, round, new Random());
      }
    }
  }
}
