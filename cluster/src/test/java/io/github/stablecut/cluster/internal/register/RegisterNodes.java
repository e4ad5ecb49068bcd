package io.github.stablecut.cluster.internal.register;

import io.github.stablecut.cluster.Eventually;
import io.github.stablecut.internal.replica.Configuration;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** Real servers of the configuration register, each of which can be cut off from the others. */
abstract class RegisterNodes {
  static final List<String> NODES = List.of("n1", "n2", "n3");
  static final Configuration FIRST = Configuration.first(NODES);

  @TempDir Path directory;

  final Map<String, RatisRegister> registers = new ConcurrentHashMap<>();

  /** The directories on a small disk, by node. */
  final Map<String, Path> small = new HashMap<>();

  final Set<String> cutOff = ConcurrentHashMap.newKeySet();
  final ExecutorService network = Executors.newCachedThreadPool();

  void start(String name) {
    start(name, NODES);
  }

  void start(String name, List<String> keepers) {
    start(name, keepers, keepers);
  }

  void start(String name, List<String> first, List<String> keepers) {
    registers.put(
        Configuration.nodeOf(name),
        RatisRegister.start(
            name,
            new RatisRegister.Keepers(first, keepers),
            4_711,
            partition -> NODES,
            small.getOrDefault(name, directory.resolve(name)),
            (to, request) -> call(Configuration.nodeOf(name), to, request)));
  }

  CompletionStage<byte[]> call(String from, String to, byte[] request) {
    return CompletableFuture.supplyAsync(() -> answer(from, to, request), network);
  }

  byte[] answer(String from, String to, byte[] request) {
    String node = Configuration.nodeOf(to);
    RatisRegister target = registers.get(node);
    if (target == null || cutOff.contains(from) || cutOff.contains(node)) {
      throw new UncheckedIOException(new IOException(to + " is unreachable"));
    }
    return target.handle(to, request).toCompletableFuture().join();
  }

  RatisRegister on(String name) {
    return Objects.requireNonNull(registers.get(name));
  }

  /** Reads partition 5, with retries while there is no leader. */
  Configuration read(String node) {
    long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (true) {
      try {
        return on(node).read(5).toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
      } catch (CompletionException e) {
        if (System.nanoTime() - deadline > 0) {
          throw e;
        }
        LockSupport.parkNanos(20_000_000);
      }
    }
  }

  /** Waits until all reachable keepers know that a server was admitted. */
  void awaitAdmission(String replica) throws Exception {
    for (String node : registers.keySet()) {
      if (!cutOff.contains(node)) {
        Eventually.holds(
            "%s knows that %s is admitted".formatted(node, replica),
            () -> knows(on(node), replica));
      }
    }
  }

  static boolean knows(RatisRegister register, String replica) throws IOException {
    RaftServer keeper = register.ratisServer();
    RaftConfiguration peers =
        keeper.getDivision(keeper.getGroupIds().iterator().next()).getRaftConf();
    return peers.getPreviousPeers().isEmpty()
        && peers.getCurrentPeers().stream().anyMatch(one -> one.getId().toString().equals(replica));
  }

  static boolean join(CompletionStage<Boolean> replaced) {
    return replaced.toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
  }

  @AfterEach
  void close() {
    registers.values().forEach(RatisRegister::close);
    network.shutdownNow();
  }
}
