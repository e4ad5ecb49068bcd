package io.github.stablecut.cluster;

import eu.antidotedb.client.AntidoteClient;
import eu.antidotedb.client.Bucket;
import eu.antidotedb.client.InteractiveTransaction;
import eu.antidotedb.client.Key;
import eu.antidotedb.client.SetKey;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/**
 * A program of a user of AntidoteDB's Java client whose cluster may lose a node. The arguments are
 * the ports of all nodes. Each write is retried at the next node until one acknowledges it; a retry
 * changes nothing. Ends when its input ends, after checking that all acknowledged writes are
 * present.
 */
final class FailoverMain {
  private static final int SETS = 6;
  private static final int PER_SET = 50;
  private static final long PAUSE_NANOS = 50_000_000;
  private static final long VISIBLE_NANOS = 20_000_000_000L;

  private final List<InetSocketAddress> nodes;
  private final Bucket bucket = Bucket.bucket("failover-java");
  private final Map<String, Integer> failures = new TreeMap<>();
  private volatile boolean isOver;
  private int at;
  private AntidoteClient client;

  private FailoverMain(List<InetSocketAddress> nodes) {
    this.nodes = nodes;
    this.client = next();
  }

  private AntidoteClient next() {
    return new AntidoteClient(nodes.get(at++ % nodes.size()));
  }

  private <T> T retried(Function<AntidoteClient, T> action) {
    while (true) {
      try {
        return action.apply(client);
      } catch (RuntimeException e) {
        failures.merge(String.valueOf(e.getMessage()), 1, Integer::sum);
        LockSupport.parkNanos(PAUSE_NANOS);
        client = next();
      }
    }
  }

  private static SetKey<String> set(String name, int i) {
    return Key.set("%s-%d-%d".formatted(name, i / PER_SET / SETS, i % SETS));
  }

  /**
   * The client sends no clocks, so the acknowledged writes of another node become visible after a
   * moment.
   */
  private void check(SetKey<String> set, int i) {
    long deadline = System.nanoTime() + VISIBLE_NANOS;
    while (!retried(node -> bucket.read(node.noTransaction(), set)).contains("" + i)) {
      if (System.nanoTime() - deadline > 0) {
        System.out.printf("wrong: %d is not there, and was acknowledged%n", i);
        System.exit(1);
      }
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private void write(int i) {
    retried(
        node -> {
          bucket.update(node.noTransaction(), set("one", i).add("" + i));
          return true;
        });
  }

  private void writePair(int i) {
    retried(
        node -> {
          try (InteractiveTransaction transaction = node.startTransaction()) {
            bucket.update(transaction, set("left", i).add("" + i));
            bucket.update(transaction, set("right", i + 1).add("" + i));
            transaction.commitTransaction();
            return true;
          }
        });
  }

  private void run() {
    int i = 0;
    for (; !isOver; i++) {
      write(i);
      if (i % 4 == 0) {
        writePair(i);
      }
      if (i % 10 == 0) {
        System.out.println("acknowledged " + i);
      }
    }
    for (int k = 0; k < i; k++) {
      check(set("one", k), k);
      if (k % 4 == 0) {
        check(set("left", k), k);
        check(set("right", k + 1), k);
      }
    }
    System.out.printf("ok: %d are there; %s%n", i, failures);
  }

  private void awaitEnd() {
    try {
      System.in.transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      System.out.println("wrong: the input can't be read: " + e);
    }
    isOver = true;
  }

  public static void main(String[] args) {
    InetAddress here = InetAddress.getLoopbackAddress();
    FailoverMain run =
        new FailoverMain(
            Arrays.stream(args)
                .map(port -> new InetSocketAddress(here, Integer.parseInt(port)))
                .toList());
    Thread input = new Thread(run::awaitEnd, "input");
    input.setDaemon(true);
    input.start();
    run.run();
    System.exit(0);
  }
}
