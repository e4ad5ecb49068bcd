package io.github.stablecut;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.option.StoreOptions;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Conditional writes and reads of the latest value, by many threads at once, are linearisable: what
 * they were told has an order, also when the process is killed, again and again, and nobody knows
 * what became of the last operations.
 */
final class ConditionalHistoryTest {
  private static final int THREADS = 8;
  private static final int REGISTERS = 2;
  private static final int MAX_BYTES = 200_000;

  /** All values are unique: each has the number of the life, the thread and the operation. */
  private static final long LIFE = 1_000_000_000L;

  private static final long THREAD = 10_000_000;

  @TempDir private Path directory;

  private static RegisterKey<Long> register(int number) {
    return Key.register("registers", "" + number, Codec.int64());
  }

  private static Store open(Path directory, int partitions) {
    return Stablecut.open(directory, StoreOptions.defaults().withPartitions(partitions));
  }

  /** Takes note of what clients do; called before each operation, and after its answer. */
  private interface Log {
    void begin(long id, String operation);

    void end(long id, long found);
  }

  /** Threads that work on registers. */
  private record Clients(Store store, long life, Log log) {
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
          last[register] = store.readLatest(register(register)).orElse(0L);
        } else {
          log.begin(id, "write " + register + " " + last[register]);
          long found = compareAndSet(register(register), last[register], id);
          last[register] = found == last[register] ? id : found;
          log.end(id, found);
          continue;
        }
        log.end(id, last[register]);
      }
    }

    private long compareAndSet(RegisterKey<Long> key, long expected, long written) {
      ConditionalResult result =
          store.compareAndUpdate(
              List.of(key), values -> values.get(key).orElse(0L) == expected, key.assign(written));
      long found = result.found().get(key).orElse(0L);
      assertThat(result.isWritten()).isEqualTo(found == expected);
      return found;
    }
  }

  /**
   * The process that is killed. It tells what it does to a file, which never makes it wait: a pipe
   * that is full would, until nothing is on its way to the journal any more.
   */
  static final class Life implements Log {
    private final OutputStream out;

    private Life(OutputStream out) {
      this.out = out;
    }

    public static void main(String[] args) throws InterruptedException, IOException {
      try (Store store = open(Path.of(args[0]), Integer.parseInt(args[1]));
          OutputStream out = new FileOutputStream(args[2])) {
        new Clients(store, Long.parseLong(args[3]), new Life(out)).run(THREAD - 1);
      }
    }

    @Override
    public void begin(long id, String operation) {
      tell(System.nanoTime() + " begin " + id + " " + operation);
    }

    @Override
    public void end(long id, long found) {
      tell(System.nanoTime() + " end " + id + " " + found);
    }

    private void tell(String line) {
      try {
        out.write((line + " .\n").getBytes(UTF_8));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** What was told, put together to operations. */
  private static final class History {
    private record Called(long time, List<String> words) {}

    private static final Pattern LINE =
        Pattern.compile("\\d+ (begin \\d+ (read \\d|write \\d \\d+)|end \\d+ \\d+) \\.");

    private final Map<Long, Called> called = new HashMap<>();
    private final List<List<RegisterOperation>> operations = new ArrayList<>();
    private int opened;

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

    /** A line that the kill has cut short is as if it had not been written. */
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

    /** Nobody will be answered any more. */
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

    /** Reads what is there, as one more client. */
    void read(Store store) {
      for (int i = 0; i < REGISTERS; i++) {
        long begin = System.nanoTime();
        long found = store.readLatest(register(i)).orElse(0L);
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
  @ValueSource(ints = {1, 3})
  void manyThreadsAreInOneOrder(int partitions) throws Exception {
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
      new Clients(store, 0, log).run(300);
      history.read(store);
    }

    history.check();
    assertThat(history.operations.stream().mapToInt(List::size).sum())
        .isEqualTo(THREADS * 300 + REGISTERS);
  }

  @Test
  void someKillsAreInTheOrderToo() throws Exception {
    killAndCheck(4);
  }

  @Test
  @Tag("long")
  void manyKillsAreInTheOrderToo() throws Exception {
    killAndCheck(40);
  }

  private void killAndCheck(int rounds) throws Exception {
    Random random = new Random();
    int partitions = 1 + random.nextInt(3);
    History history = new History();
    Path data = directory.resolve("data");
    for (int life = 1; life <= rounds; life++) {
      Path told = Files.createFile(directory.resolve("told-" + life));
      Process child =
          ChildJvm.start(Life.class, data.toString(), "" + partitions, told.toString(), "" + life);
      long enough = 10_000L + random.nextInt(MAX_BYTES);
      while (child.isAlive() && Files.size(told) < enough) {
        Thread.sleep(1);
      }
      child.toHandle().destroyForcibly();
      assertThat(child.waitFor()).as("killed, not ended").isEqualTo(128 + 9);
      history.addLines(Files.readAllLines(told));
      history.lose();
      try (Store store = open(data, partitions)) {
        history.read(store);
      }
    }

    history.check();
    assertThat(history.opened).isPositive();
  }
}
