package io.github.stablecut;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.map.ColumnType;
import io.github.stablecut.map.Comparison;
import io.github.stablecut.map.Put;
import io.github.stablecut.map.Table;
import io.github.stablecut.map.TableMap;
import io.github.stablecut.map.TableName;
import io.github.stablecut.map.TableRecord;
import io.github.stablecut.map.TableScan;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.testing.history.LinearizabilityCheck;
import io.github.stablecut.testing.history.RegisterOperation;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Conditional writes and reads of the latest value by many threads are linearizable, also when the
 * process is killed again and again and the outcome of its last operations is unknown.
 */
final class ConditionalHistoryTest {
  private static final int THREADS = 8;
  private static final int REGISTERS = 2;
  private static final int MAX_BYTES = 200_000;

  /** All values are unique: each contains the number of the life, the thread and the operation. */
  private static final long LIFE = 1_000_000_000L;

  private static final long THREAD = 10_000_000;

  @TempDir private Path directory;

  /** Stands for a value that a client does not know, except that it is not the expected one. */
  private static final long ANOTHER = -1;

  /** Registers that clients compare and set. */
  private interface Registers {
    static Registers of(String kind, Store store) {
      return switch (kind) {
        case "records" -> RecordRegisters.in(store);
        case "tables" -> TwoTables.in(store);
        default -> new ObjectRegisters(store);
      };
    }

    long read(int register);

    /**
     * Sets the register and returns the value found before; {@link #ANOTHER} if it is not known,
     * but nothing was set.
     */
    long compareAndSet(int register, long expected, long written);

    /** Checks the redundant data, if there is any. */
    default void checkIndexes() {}
  }

  /**
   * Checks that the indexes of a table find each of its records, and no record by another's value.
   */
  private static void checkIndexes(TableMap map, TableName name) {
    for (TableRecord record : map.scan(TableScan.all(name)).toList()) {
      for (String column : map.table(name).orElseThrow().indexes()) {
        Object value = record.get(column).orElseThrow();
        assertThat(map.scan(TableScan.byIndex(name, column, value)).toList())
            .as("%s = %s", column, value)
            .containsExactly(record);
      }
    }
  }

  /** Registers as objects. */
  private record ObjectRegisters(Store store) implements Registers {
    private static RegisterKey<Long> register(int number) {
      return Key.register("registers", "" + number, Codec.int64());
    }

    @Override
    public long read(int register) {
      return store.readLatest(register(register)).orElse(0L);
    }

    @Override
    public long compareAndSet(int register, long expected, long written) {
      RegisterKey<Long> key = register(register);
      ConditionalResult result =
          store.compareAndUpdate(
              List.of(key), values -> values.get(key).orElse(0L) == expected, key.assign(written));
      long found = result.found().get(key).orElse(0L);
      assertThat(result.isWritten()).isEqualTo(found == expected);
      return found;
    }
  }

  /** The tables of the namespace "n", which are created if they don't exist. */
  private static TableMap tables(Store store, Table... tables) {
    TableMap map = TableMap.over(store);
    if (!map.namespaces().contains("n")) {
      map.createNamespace("n");
    }
    for (Table table : tables) {
      if (!map.hasTable(table.name())) {
        map.createTable(table);
      }
    }
    return map;
  }

  /** A put on the condition that its record has a value; 0 if the record does not exist. */
  private static Put ifIs(long expected, Put put) {
    return expected == 0 ? put.ifNotExists() : put.onlyIf(Comparison.equal("value", expected));
  }

  /** Registers as records of a table, with indexes on key and value. */
  private record RecordRegisters(TableMap map) implements Registers {
    private static final Table TABLE =
        Table.named("n", "registers")
            .partitionKey("number", ColumnType.INT)
            .column("value", ColumnType.BIGINT)
            .index("number")
            .index("value");

    static Registers in(Store store) {
      return new RecordRegisters(tables(store, TABLE));
    }

    @Override
    public void checkIndexes() {
      ConditionalHistoryTest.checkIndexes(map, TABLE.name());
    }

    @Override
    public long read(int register) {
      return map.get(TABLE.key(register))
          .flatMap(record -> record.get("value", Long.class))
          .orElse(0L);
    }

    @Override
    public long compareAndSet(int register, long expected, long written) {
      Put put = Put.of(TABLE.key(register)).value("value", written);
      boolean isSet = map.mutate(ifIs(expected, put));
      return isSet ? expected : ANOTHER;
    }
  }

  /**
   * Registers as records of two tables in different partitions: the condition reads the first
   * table, the put writes both, and reads use the second.
   */
  private record TwoTables(TableMap map) implements Registers {
    private static final Table DECIDING =
        Table.named("n", "deciding")
            .partitionKey("number", ColumnType.INT)
            .column("value", ColumnType.BIGINT);

    private static final Table FOLLOWING =
        Table.named("n", "following")
            .partitionKey("name", ColumnType.TEXT)
            .column("value", ColumnType.BIGINT)
            .index("value");

    static Registers in(Store store) {
      return new TwoTables(tables(store, DECIDING, FOLLOWING));
    }

    @Override
    public void checkIndexes() {
      ConditionalHistoryTest.checkIndexes(map, FOLLOWING.name());
    }

    @Override
    public long read(int register) {
      return map.get(FOLLOWING.key("register " + register))
          .flatMap(record -> record.get("value", Long.class))
          .orElse(0L);
    }

    @Override
    public long compareAndSet(int register, long expected, long written) {
      Put deciding = Put.of(DECIDING.key(register)).value("value", written);
      boolean isSet =
          map.mutate(
              ifIs(expected, deciding),
              Put.of(FOLLOWING.key("register " + register)).value("value", written));
      return isSet ? expected : ANOTHER;
    }
  }

  private static Store open(Path directory, int partitions) {
    return Stablecut.open(directory, StoreOptions.defaults().withPartitions(partitions));
  }

  /** Records the clients' operations; called before each operation and after its answer. */
  private interface Log {
    void begin(long id, String operation);

    void end(long id, long found);
  }

  /** Threads that use registers. */
  private record Clients(Registers registers, long life, Log log) {
    void run(long operations) throws InterruptedException {
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        long first = life * LIFE + i * THREAD + 1;
        threads.add(new Thread(() -> work(first, operations)));
      }
      threads.forEach(Thread::start);
      for (Thread thread : threads) {
        thread.join();
      }
    }

    private void work(long first, long operations) {
      ThreadLocalRandom random = ThreadLocalRandom.current();
      long[] last = new long[REGISTERS];
      for (long id = first; id < first + operations; id++) {
        int register = random.nextInt(REGISTERS);
        if (random.nextInt(3) == 0) {
          log.begin(id, "read " + register);
          last[register] = registers.read(register);
        } else {
          log.begin(id, "write " + register + " " + last[register]);
          long found = registers.compareAndSet(register, last[register], id);
          last[register] = found == last[register] ? id : found == ANOTHER ? last[register] : found;
          log.end(id, found);
          continue;
        }
        log.end(id, last[register]);
      }
    }
  }

  /**
   * The process that is killed. It reports its operations to a file, which never blocks it: a full
   * pipe would block it until nothing is in flight to the journal.
   */
  static final class Life implements Log {
    private final OutputStream out;

    private Life(OutputStream out) {
      this.out = out;
    }

    public static void main(String[] args) throws InterruptedException, IOException {
      try (Store store = open(Path.of(args[0]), Integer.parseInt(args[1]));
          OutputStream out = new FileOutputStream(args[2])) {
        new Clients(Registers.of(args[4], store), Long.parseLong(args[3]), new Life(out))
            .run(THREAD - 1);
      }
    }

    @Override
    public void begin(long id, String operation) {
      report(System.nanoTime() + " begin " + id + " " + operation);
    }

    @Override
    public void end(long id, long found) {
      report(System.nanoTime() + " end " + id + " " + found);
    }

    private void report(String line) {
      try {
        out.write((line + " .\n").getBytes(UTF_8));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Combines the reported lines to operations. */
  private static final class History {
    private record Called(long time, List<String> words) {}

    private static final Pattern LINE =
        Pattern.compile("\\d+ (begin \\d+ (read \\d|write \\d \\d+)|end \\d+ -?\\d+) \\.");

    private final Map<Long, Called> called = new HashMap<>();
    private final List<List<RegisterOperation>> operations = new ArrayList<>();
    private int opened;
    private int refused;

    History() {
      for (int i = 0; i < REGISTERS; i++) {
        operations.add(new ArrayList<>());
      }
    }

    synchronized void begin(long time, long id, String operation) {
      called.put(id, new Called(time, List.of(operation.split(" ", -1))));
    }

    synchronized void end(long time, long id, long found) {
      Called call = called.remove(id);
      assertThat(call).isNotNull();
      if (found == ANOTHER) {
        refused++;
        return;
      }
      add(
          call,
          call.words.get(0).equals("read")
              ? RegisterOperation.read(call.time, time, found)
              : RegisterOperation.write(call.time, time, expected(call), id, found));
    }

    private void add(Called call, RegisterOperation operation) {
      operations.get(Integer.parseInt(call.words.get(1))).add(operation);
    }

    private static long expected(Called call) {
      return Long.parseLong(call.words.get(2));
    }

    /** A line that the kill cut short does not count. */
    void addLines(List<String> lines) {
      for (String line : lines) {
        if (!LINE.matcher(line).matches()) {
          continue;
        }
        String[] words = line.split(" ", 4);
        long time = Long.parseLong(words[0]);
        long id = Long.parseLong(words[2]);
        if (words[1].equals("begin")) {
          begin(time, id, words[3]);
        } else {
          end(time, id, Long.parseLong(words[3].substring(0, words[3].length() - 2)));
        }
      }
    }

    /** No open operation will be answered. */
    void lose() {
      called.forEach(
          (id, call) -> {
            if (call.words.get(0).equals("write")) {
              opened++;
              add(call, RegisterOperation.open(call.time, expected(call), id));
            }
          });
      called.clear();
    }

    /** Reads the present values, as one more client. */
    void read(Registers registers) {
      for (int i = 0; i < REGISTERS; i++) {
        long begin = System.nanoTime();
        long found = registers.read(i);
        operations.get(i).add(RegisterOperation.read(begin, System.nanoTime(), found));
      }
    }

    void check() {
      for (List<RegisterOperation> onOne : operations) {
        assertThat(onOne).hasSizeGreaterThan(10);
        Optional<String> violation = LinearizabilityCheck.violation(onOne);
        assertThat(violation).isEmpty();
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"objects, 1", "objects, 3", "records, 1", "records, 3", "tables, 1", "tables, 3"})
  void operationsOfManyThreadsAreLinearizable(String kind, int partitions) throws Exception {
    History history = new History();
    Log log =
        new Log() {
          @Override
          public void begin(long id, String operation) {
            history.begin(System.nanoTime(), id, operation);
          }

          @Override
          public void end(long id, long found) {
            history.end(System.nanoTime(), id, found);
          }
        };
    try (Store store = open(directory, partitions)) {
      Registers registers = Registers.of(kind, store);
      new Clients(registers, 0, log).run(300);
      history.read(registers);
    }

    history.check();
    int reported = history.operations.stream().mapToInt(List::size).sum();
    assertThat(reported + history.refused).isEqualTo(THREADS * 300 + REGISTERS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"objects", "records", "tables"})
  void staysLinearizableThroughSomeKills(String kind) throws Exception {
    killAndCheck(kind, 4);
  }

  @ParameterizedTest
  @ValueSource(strings = {"objects", "records", "tables"})
  @Tag("long")
  void staysLinearizableThroughManyKills(String kind) throws Exception {
    killAndCheck(kind, 40);
  }

  private void killAndCheck(String kind, int rounds) throws Exception {
    Random random = new Random();
    int partitions = 1 + random.nextInt(3);
    History history = new History();
    Path data = directory.resolve("data");
    for (int life = 1; life <= rounds; life++) {
      Path reported = Files.createFile(directory.resolve("told-" + life));
      Process child =
          ChildJvm.start(
              Life.class, data.toString(), "" + partitions, reported.toString(), "" + life, kind);
      long enough = 10_000L + random.nextInt(MAX_BYTES);
      while (child.isAlive() && Files.size(reported) < enough) {
        Thread.sleep(1);
      }
      child.toHandle().destroyForcibly();
      assertThat(child.waitFor()).as("killed, not ended").isEqualTo(128 + 9);
      history.addLines(Files.readAllLines(reported));
      history.lose();
      try (Store store = open(data, partitions)) {
        Registers registers = Registers.of(kind, store);
        history.read(registers);
        registers.checkIndexes();
      }
    }

    history.check();
    assertThat(history.opened).isPositive();
  }
}
