package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.replication.LinkFaults;
import io.github.stablecut.replication.Replication;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three JVMs, each a data centre of two partitions, transfer between accounts over links that lose,
 * repeat and delay messages. They are killed in turn, again and again: no reader ever sees half a
 * transfer, and in the end each has everything that any of them acknowledged.
 */
final class DataCentresKillTest {
  private static final int DATA_CENTRES = 3;
  private static final int KILLS = 2;
  private static final int ACCOUNTS = 8;

  /** The approximate number of transfers that each one acknowledges between two kills. */
  private static final int STEP = 40;

  @TempDir private Path directory;

  private final List<Life> lives = new ArrayList<>();

  private static CounterKey account(int number) {
    return Key.counter("accounts", "a" + number);
  }

  private static CounterKey written(int dataCentre) {
    return Key.counter("written", "w" + dataCentre);
  }

  private static long sum(Reader reader) {
    return IntStream.range(0, ACCOUNTS).mapToLong(number -> reader.read(account(number))).sum();
  }

  private static Store open(Path directory, List<String> seeds, LinkFaults faults) {
    Replication replication = Replication.tcp("127.0.0.1:0").through(faults::around);
    for (String seed : seeds) {
      replication = replication.join(seed);
    }
    return Stablecut.open(
        directory, StoreOptions.defaults().withPartitions(2).withReplication(replication));
  }

  private static String addressOf(Store store) {
    return "127.0.0.1:" + store.dataCentres().port().orElseThrow();
  }

  /** A data centre's process: reports its address and the transfers that it acknowledged. */
  static final class Program {
    private Program() {}

    public static void main(String[] args) {
      LinkFaults faults = new LinkFaults(Long.parseLong(args[1]));
      List<String> seeds = List.of(args).subList(2, args.length);
      try (Store store = open(Path.of(args[0]), seeds, faults)) {
        faults.lose(0.05);
        faults.repeat(0.05);
        faults.delay(Duration.ZERO, Duration.ofMillis(20));
        report("listens " + addressOf(store));
        Random random = new Random();
        CounterKey own = written(store.dataCentres().own());
        for (long n = store.read(own) + 1; ; n++) {
          store.update(
              account(random.nextInt(ACCOUNTS)).increment(7),
              account(random.nextInt(ACCOUNTS)).decrement(7),
              own.increment());
          report("written " + n);
          long sum = sum(store.snapshot());
          if (sum != 0) {
            report("failed: the accounts have " + sum);
          }
          if (n % 100 == 0) {
            store.checkpoint();
          }
        }
      }
    }

    private static void report(String line) {
      System.out.println(line);
      System.out.flush();
    }
  }

  /** A process and its reports so far. */
  private final class Life {
    private final int number;
    private final AtomicLong written;
    private final Process process;
    private final Thread listener;
    private volatile String address = "";
    private volatile String failure = "";

    Life(int number, long seed, long writtenBefore, List<String> seeds) throws IOException {
      this.number = number;
      this.written = new AtomicLong(writtenBefore);
      List<String> args = new ArrayList<>();
      args.add(directory.resolve("dc" + number).toString());
      args.add(Long.toString(seed));
      args.addAll(seeds);
      this.process = ChildJvm.start(Program.class, args.toArray(String[]::new));
      this.listener = new Thread(this::listen, "listener-" + number);
      listener.start();
    }

    private void listen() {
      try (BufferedReader lines = process.inputReader()) {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          if (line.startsWith("listens ")) {
            address = line.substring("listens ".length());
          } else if (line.startsWith("written ")) {
            written.set(Long.parseLong(line.substring("written ".length())));
          } else if (line.startsWith("failed")) {
            failure = line;
          }
        }
      } catch (IOException e) {
        // It was killed.
      }
    }

    /** Waits until it has acknowledged some more. */
    void awaitWritten(long least) {
      long there =
          Arrival.await(
              written::get, now -> now >= least || !process.isAlive() || !failure.isEmpty());
      assertThat(failure).isEmpty();
      assertThat(there).as("data centre %d", number).isGreaterThanOrEqualTo(least);
    }

    void kill() throws InterruptedException {
      process.destroyForcibly().waitFor();
      listener.join();
    }
  }

  private List<String> addresses() {
    return lives.stream().map(life -> life.address).filter(known -> !known.isEmpty()).toList();
  }

  private Life start(int number, long seed, long writtenBefore) throws IOException {
    Life life = new Life(number, seed, writtenBefore, addresses());
    Arrival.await(() -> life.address, known -> !known.isEmpty() || !life.process.isAlive());
    return life;
  }

  @AfterEach
  void endAll() throws InterruptedException {
    for (Life life : lives) {
      life.kill();
    }
  }

  @Test
  void losesNothingAcknowledgedAndShowsNoHalfTransfer() throws Exception {
    Random random = new Random(7);
    for (int number = 0; number < DATA_CENTRES; number++) {
      lives.add(start(number, number, 0));
    }
    for (int kill = 0; kill < KILLS; kill++) {
      for (Life life : lives) {
        life.awaitWritten(life.written.get() + STEP);
      }
      Life killed = lives.remove(random.nextInt(DATA_CENTRES));
      killed.kill();
      lives.add(start(killed.number, 100 + kill, killed.written.get()));
    }
    for (Life life : lives) {
      life.awaitWritten(life.written.get() + STEP);
      life.kill();
    }
    checkAll();
  }

  private void checkAll() {
    List<Store> stores = new ArrayList<>();
    try {
      for (int number = 0; number < DATA_CENTRES; number++) {
        List<String> seeds = stores.stream().map(DataCentresKillTest::addressOf).toList();
        stores.add(open(directory.resolve("dc" + number), seeds, new LinkFaults(0)));
      }
      List<Long> own =
          IntStream.range(0, DATA_CENTRES)
              .mapToObj(number -> stores.get(number).read(written(number)))
              .toList();
      for (Life life : lives) {
        assertThat(own.get(life.number)).isGreaterThanOrEqualTo(life.written.get());
      }
      for (Store store : stores) {
        List<Long> there =
            Arrival.await(
                () ->
                    IntStream.range(0, DATA_CENTRES)
                        .mapToObj(number -> store.read(written(number)))
                        .toList(),
                own::equals);
        assertThat(there).isEqualTo(own);
        assertThat(sum(store.snapshot())).isZero();
      }
      for (int number = 0; number < ACCOUNTS; number++) {
        CounterKey account = account(number);
        assertThat(stores.stream().map(store -> store.read(account)).distinct()).hasSize(1);
      }
    } finally {
      stores.forEach(Store::close);
    }
  }
}
