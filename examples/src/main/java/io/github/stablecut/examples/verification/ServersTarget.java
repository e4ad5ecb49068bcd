package io.github.stablecut.examples.verification;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.examples.bench.wire.FreePorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;

/**
 * A server, or a cluster with as many replicas of each partition as nodes, each in its own process.
 * A fault kills a server, kills all of them, or suspends one. Thread-safe.
 */
final class ServersTarget implements TargetStores {
  /** Servers that do not respond are given up for others. */
  private static final String TIMEOUT = "?timeout=10";

  private enum Fault {
    KILL_ONE,
    KILL_ALL,
    SUSPEND_ONE
  }

  private final List<String> addresses = new ArrayList<>();

  @GuardedBy("this")
  private final List<ServerProcess> servers = new ArrayList<>();

  @GuardedBy("this")
  private final Random random;

  /** The next faults, each kind as often as the others. */
  @GuardedBy("this")
  private final Deque<Fault> faults = new ArrayDeque<>();

  /** The killed or suspended servers. */
  @GuardedBy("this")
  private List<ServerProcess> faulty = List.of();

  ServersTarget(Path directory, int number, int partitions, long seed) throws IOException {
    this.random = new Random(seed);
    // A suspended process would not notice that its input ends.
    Runtime.getRuntime().addShutdownHook(new Thread(this::close, "verification-kill"));
    List<Integer> ports = FreePorts.find(2 * number);
    List<String> seeds =
        ports.subList(0, number).stream().map(port -> "127.0.0.1:" + port).toList();
    for (int i = 0; i < number; i++) {
      addresses.add("127.0.0.1:" + ports.get(number + i));
      ServerProcess server =
          new ServerProcess(
              directory.resolve("n" + i), ports.get(number + i), partitions, i, seeds);
      servers.add(server);
      server.start();
    }
    for (ServerProcess server : servers) {
      server.awaitReady();
    }
  }

  /** Connects a client, which prefers another server than the client before it. */
  @Override
  public Store open(int client) {
    List<String> rotated = new ArrayList<>(addresses);
    Collections.rotate(rotated, -client);
    return Stablecut.connect("stablecut://" + String.join(",", rotated) + TIMEOUT);
  }

  @Override
  public void release(Store store) {
    store.close();
  }

  @Override
  public synchronized String inject() {
    if (!faulty.isEmpty()) {
      return "none, because of the last one";
    }
    if (faults.isEmpty()) {
      List<Fault> kinds = Arrays.asList(Fault.values());
      Collections.shuffle(kinds, random);
      faults.addAll(kinds);
    }
    Fault fault = faults.remove();
    faulty =
        fault == Fault.KILL_ALL ? servers : List.of(servers.get(random.nextInt(servers.size())));
    faulty.forEach(fault == Fault.SUSPEND_ONE ? ServerProcess::suspend : ServerProcess::kill);
    return fault + " " + faulty;
  }

  @Override
  public synchronized void heal() {
    try {
      for (ServerProcess server : faulty) {
        server.restartOrResume();
      }
      // The time to the next fault begins when all serve again.
      for (ServerProcess server : faulty) {
        server.awaitReady();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    faulty = List.of();
  }

  @Override
  public synchronized void close() {
    servers.forEach(ServerProcess::kill);
  }
}
