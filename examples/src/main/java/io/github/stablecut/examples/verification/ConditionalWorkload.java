package io.github.stablecut.examples.verification;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.github.stablecut.Computation;
import io.github.stablecut.ConditionalResult;
import io.github.stablecut.Store;
import io.github.stablecut.examples.BackgroundThread;
import io.github.stablecut.key.Condition;
import io.github.stablecut.key.RegisterKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Clients that read registers linearizably and write them conditionally, by each of the store's
 * calls for that. Conditional writes expect what the client has seen last. Used once.
 */
final class ConditionalWorkload {
  private final TargetStores stores;
  private final ConditionalHistory history;
  private final Outcomes outcomes;
  private final int registers;
  private final long seed;

  /** Each written value is unique. */
  private final AtomicLong written = new AtomicLong();

  ConditionalWorkload(
      TargetStores stores,
      ConditionalHistory history,
      Outcomes outcomes,
      int registers,
      long seed) {
    this.stores = stores;
    this.history = history;
    this.outcomes = outcomes;
    this.registers = registers;
    this.seed = seed;
  }

  /**
   * Runs clients for a time.
   *
   * @param between the time between faults; zero for none
   * @param fault how long each fault lasts
   */
  void run(int clients, Duration time, Duration between, Duration fault) throws Exception {
    long endNanos = System.nanoTime() + time.toNanos();
    ExecutorService threads = Executors.newFixedThreadPool(clients);
    BackgroundThread faults =
        BackgroundThread.start("verification-faults", () -> injectFaults(between, fault));
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        int client = i;
        running.add(threads.submit(() -> runClient(client, endNanos)));
      }
      for (Future<?> one : running) {
        one.get();
      }
    } finally {
      faults.close();
      threads.shutdownNow();
    }
  }

  private void injectFaults(Duration between, Duration fault) throws InterruptedException {
    while (!between.isZero()) {
      Thread.sleep(between.toMillis());
      outcomes.count("fault " + stores.inject(), fault.toNanos());
      try {
        Thread.sleep(fault.toMillis());
      } finally {
        stores.heal();
      }
    }
  }

  private void runClient(int number, long endNanos) {
    Client client = new Client(number, stores.open(number));
    while (System.nanoTime() - endNanos < 0) {
      client.operate();
    }
    stores.release(client.store);
  }

  /** A client. Confined to one thread. */
  private final class Client {
    private final int number;
    private final Store store;
    private final Random random;
    private final long[] seen = new long[registers];

    Client(int number, Store store) {
      this.number = number;
      this.store = store;
      this.random = new Random(seed * 1_000 + number);
    }

    void operate() {
      int register = random.nextInt(registers);
      long value = written.incrementAndGet();
      long expected = seen[register];
      RegisterKey<Long> key = Workload.register(register);
      ConditionalHistory.Call call =
          new ConditionalHistory.Call(number, register, System.nanoTime());
      switch (random.nextInt(8)) {
        case 0 -> record("swap", register, call.swap(value), () -> swap(key, value));
        case 1, 2 ->
            record(
                "condition",
                register,
                call.compareAndSet(expected, value),
                () ->
                    found(
                        key,
                        store.compareAndUpdate(
                            Condition.is(key, optional(expected)), key.assign(value))));
        case 3, 4 ->
            record(
                "predicate",
                register,
                call.compareAndSet(expected, value),
                () ->
                    found(
                        key,
                        store.compareAndUpdate(
                            List.of(key),
                            values -> values.get(key).equals(optional(expected)),
                            key.assign(value))));
        default -> record("read", register, call.read(), () -> store.readLatest(key).orElse(0L));
      }
    }

    private long swap(RegisterKey<Long> key, long value) {
      return store.compute(
          List.of(key), values -> Computation.of(values.get(key).orElse(0L), key.assign(value)));
    }

    private void record(String name, int register, ObjectNode operation, LongSupplier execution) {
      long begunNanos = System.nanoTime();
      try {
        long found = execution.getAsLong();
        long endNanos = System.nanoTime();
        history.answered(operation, endNanos, found);
        boolean isWritten =
            operation.has("written") && operation.path("expected").asLong(found) == found;
        seen[register] = isWritten ? operation.path("written").asLong() : found;
        outcomes.count(name + " ok", endNanos - begunNanos);
      } catch (RuntimeException e) {
        if (!Outcomes.isWithoutEffect(e)) {
          history.unknown(operation);
        }
        outcomes.countFailure(name, e, System.nanoTime() - begunNanos);
      }
    }
  }

  private static Optional<Long> optional(long value) {
    return value == 0 ? Optional.empty() : Optional.of(value);
  }

  private static long found(RegisterKey<Long> key, ConditionalResult result) {
    return result.found().get(key).orElse(0L);
  }
}
