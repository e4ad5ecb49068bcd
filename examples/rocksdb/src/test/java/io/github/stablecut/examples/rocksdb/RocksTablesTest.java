package io.github.stablecut.examples.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.FormatException;
import io.github.stablecut.error.NotAStoreException;
import io.github.stablecut.error.StoreClosedException;
import io.github.stablecut.error.StoreInUseException;
import io.github.stablecut.error.StoreIoException;
import io.github.stablecut.map.ColumnType;
import io.github.stablecut.map.Put;
import io.github.stablecut.map.Table;
import io.github.stablecut.map.TableCursor;
import io.github.stablecut.map.TableMap;
import io.github.stablecut.map.TableScan;
import io.github.stablecut.map.TableSnapshot;
import io.github.stablecut.map.storage.RecordId;
import io.github.stablecut.map.testing.TableMapContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables stored in RocksDB fulfil the contract of tables. */
class RocksTablesTest {
  @Nested
  class Contract extends TableMapContract {
    @Override
    protected TableMap open(Path data) {
      return TableMap.open("rocksdb:" + data);
    }
  }

  private static final Table TABLE =
      Table.named("n", "t")
          .partitionKey("p", ColumnType.INT)
          .clusteringKey("k", ColumnType.INT)
          .column("v", ColumnType.TEXT);

  @TempDir Path directory;

  private TableMap open() {
    return TableMap.open("rocksdb:" + directory);
  }

  private TableMap openWithRecords(int records) {
    TableMap map = open();
    map.createNamespace("n");
    map.createTable(TABLE);
    List<Put> puts = new ArrayList<>();
    for (int i = 0; i < records; i++) {
      puts.add(Put.of(TABLE.key(1, i)).value("v", "value " + i));
    }
    map.mutate(puts);
    return map;
  }

  @Test
  void closingTheStorageEndsOpenTransactionsAndScans() {
    TableMap map = openWithRecords(9);
    TableSnapshot snapshot = map.snapshot();
    TableCursor cursor = map.scan(TableScan.of(TABLE.name(), 1));
    TableCursor ofSnapshot = snapshot.scan(TableScan.all(TABLE.name()));
    assertThat(cursor.next().key()).isEqualTo(TABLE.key(1, 0));
    assertThat(ofSnapshot.hasNext()).isTrue();

    map.close();
    for (ThrowingCallable use :
        List.<ThrowingCallable>of(
            cursor::next,
            cursor::hasNext,
            () -> snapshot.get(TABLE.key(1, 1)),
            () -> snapshot.scan(TableScan.all(TABLE.name())),
            () -> map.get(TABLE.key(1, 1)),
            () -> map.scan(TableScan.all(TABLE.name())),
            () -> map.mutate(Put.of(TABLE.key(1, 1))),
            () -> map.truncateTable(TABLE.name()),
            map::snapshot)) {
      assertThatThrownBy(use).isInstanceOf(StoreClosedException.class);
    }
    ofSnapshot.close();
    cursor.close();
    cursor.close();
    snapshot.close();
    map.close();
    assertThat(cursor.hasNext()).isFalse();
    try (TableMap again = open()) {
      assertThat(again.scan(TableScan.of(TABLE.name(), 1)).toList()).hasSize(9);
      TableSnapshot closed = again.snapshot();
      TableCursor left = closed.scan(TableScan.all(TABLE.name()));
      closed.close();
      assertThat(left.toList()).hasSize(9);
      assertThatThrownBy(() -> closed.get(TABLE.key(1, 1)))
          .isInstanceOf(StoreClosedException.class);
    }
  }

  @Test
  void closesTheStorageWhileThreadsReadAndWrite() {
    TableMap map = openWithRecords(200);
    List<CompletableFuture<Void>> users = new ArrayList<>();
    CountDownLatch started = new CountDownLatch(4);
    for (int i = 0; i < 4; i++) {
      int number = i;
      users.add(CompletableFuture.runAsync(() -> use(map, number, started)));
    }
    started.countDown();
    assertThatCode(started::await).doesNotThrowAnyException();
    map.close();
    for (CompletableFuture<Void> user : users) {
      assertThatThrownBy(user::join).hasCauseInstanceOf(StoreClosedException.class);
    }
  }

  private static void use(TableMap map, int number, CountDownLatch started) {
    while (true) {
      if (number % 2 == 0) {
        map.mutate(Put.of(TABLE.key(2, number)).value("v", "x"));
      } else {
        assertThat(map.scan(TableScan.of(TABLE.name(), 1)).toList()).hasSize(200);
      }
      started.countDown();
    }
  }

  @Test
  void aScanFailsOnDamage() throws IOException {
    openWithRecords(20_000).close();
    open().close(); // writes what is in the log to a table file
    for (Path file : filesOf(".sst")) {
      byte[] bytes = Files.readAllBytes(file);
      for (int at = bytes.length / 3; at < bytes.length / 2; at++) {
        bytes[at] ^= 0x55;
      }
      Files.write(file, bytes);
    }
    try (TableMap map = open()) {
      for (TableScan scan :
          List.of(
              TableScan.of(TABLE.name(), 1),
              TableScan.of(TABLE.name(), 1).reversed(),
              TableScan.all(TABLE.name()))) {
        assertThatThrownBy(() -> map.scan(scan).toList())
            .isInstanceOf(StoreIoException.class)
            .hasMessageContaining("a scan failed");
      }
      assertThatThrownBy(() -> map.truncateTable(TABLE.name()))
          .isInstanceOf(StoreIoException.class)
          .hasMessageContaining("a removal failed");
    }
  }

  private List<Path> filesOf(String suffix) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> file.toString().endsWith(suffix)).toList();
    }
  }

  @Test
  void ordersKeysLikeRecords() {
    List<Bytes> parts =
        List.of(
            bytes(), bytes(0), bytes(0, 1), bytes(0, 255), bytes(1), bytes(255), bytes(255, 255));
    for (Bytes space : parts.subList(1, parts.size())) {
      for (Bytes lead : parts) {
        for (Bytes rest : parts) {
          RecordId one = new RecordId(space, lead, bytes(7), rest);
          assertThat(RocksFormat.id(RocksFormat.key(one))).isEqualTo(one);
          for (Bytes other : parts) {
            RecordId two = new RecordId(space, other, bytes(0), rest);
            assertThat(
                    Integer.signum(
                        Arrays.compareUnsigned(RocksFormat.key(one), RocksFormat.key(two))))
                .isEqualTo(Integer.signum(one.compareTo(two)));
          }
        }
      }
    }
  }

  @Test
  void reportsDamagedKeysAndValues() {
    Random random = new Random(7);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = new byte[random.nextInt(12)];
      random.nextBytes(bytes);
      for (Runnable reading :
          List.<Runnable>of(() -> RocksFormat.id(bytes), () -> RocksFormat.cells(bytes))) {
        try {
          reading.run();
        } catch (FormatException | IllegalArgumentException e) {
          assertThat(e).hasMessageMatching(".+");
        }
      }
    }
  }

  @Test
  void refusesAForeignDirectoryAndLeavesItUnchanged() throws IOException {
    Path store = directory.resolve("store");
    TableMap.open("stablecut:" + store).close();
    Path notes = Files.createDirectory(directory.resolve("notes"));
    Path file = Files.writeString(notes.resolve("todo.txt"), "x");
    for (Path other : List.of(store, notes, file)) {
      List<Path> before = list(other);
      assertThatThrownBy(() -> TableMap.open("rocksdb:" + other))
          .isInstanceOf(NotAStoreException.class)
          .hasMessageContaining(other.toString());
      assertThat(list(other)).isEqualTo(before);
    }
    TableMap.open("rocksdb:" + Files.createDirectory(directory.resolve("empty"))).close();
  }

  private static List<Path> list(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(directory)) {
      return files.sorted().toList();
    }
  }

  @Test
  void refusesAnOpenDatabase() {
    try (TableMap map = openWithRecords(1)) {
      assertThatThrownBy(this::open).isInstanceOf(StoreInUseException.class);
      assertThat(map.get(TABLE.key(1, 0))).isPresent();
    }
    open().close();
  }

  @Test
  void refusesAUriWithoutDirectory() {
    assertThatThrownBy(() -> TableMap.open("rocksdb://host/x"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("rocksdb:DIRECTORY");
  }

  private static Bytes bytes(int... values) {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      bytes[i] = (byte) values[i];
    }
    return Bytes.wrap(bytes);
  }
}
