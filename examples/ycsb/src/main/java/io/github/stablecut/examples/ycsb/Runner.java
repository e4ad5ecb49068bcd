package io.github.stablecut.examples.ycsb;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import site.ycsb.Workload;
import site.ycsb.WorkloadException;
import site.ycsb.measurements.Measurements;
import site.ycsb.workloads.CoreWorkload;

/** A workload on a store, with its own sequence of inserted keys. */
final class Runner implements AutoCloseable {
  private final Workload workload;
  private final Properties properties;
  private final RecordStore store;
  private final int threads;
  private final ExecutorService clients;

  Runner(RecordStore store, Properties properties, int threads) throws WorkloadException {
    this.store = store;
    this.properties = properties;
    this.threads = threads;
    this.clients = Executors.newFixedThreadPool(threads);
    Measurements.setProperties(properties);
    this.workload = new CoreWorkload();
    workload.init(properties);
  }

  /** The loop of a client; returns the number of operations. */
  private interface Loop {
    long run(Binding database, Object state) throws WorkloadException;
  }

  private long all(Loop loop) throws InterruptedException, ExecutionException {
    List<Callable<Long>> tasks = new ArrayList<>();
    for (int client = 0; client < threads; client++) {
      Object state;
      try {
        state = workload.initThread(properties, client, threads);
      } catch (WorkloadException e) {
        throw new ExecutionException(e);
      }
      tasks.add(() -> loop.run(new Binding(store), state));
    }
    long sum = 0;
    for (Future<Long> task : clients.invokeAll(tasks)) {
      sum += task.get();
    }
    return sum;
  }

  /** Inserts all records. */
  void load(int records) throws InterruptedException, ExecutionException {
    long inserted =
        all(
            (database, state) -> {
              long count = 0;
              for (; count < records / threads; count++) {
                if (!workload.doInsert(database, state)) {
                  throw new WorkloadException("an insertion failed");
                }
              }
              return count;
            });
    if (inserted != records) {
      throw new IllegalArgumentException(
          "%,d records can't be inserted by %d threads: take a multiple"
              .formatted(records, threads));
    }
  }

  /** Runs the workload; returns operations per second. */
  @CanIgnoreReturnValue
  double run(long millis) throws InterruptedException, ExecutionException {
    long startNanos = System.nanoTime();
    long endNanos = startNanos + millis * 1_000_000;
    long done =
        all(
            (database, state) -> {
              long count = 0;
              for (; System.nanoTime() < endNanos; count++) {
                if (!workload.doTransaction(database, state)) {
                  throw new WorkloadException("an operation failed");
                }
              }
              return count;
            });
    return done * 1e9 / (System.nanoTime() - startNanos);
  }

  @Override
  public void close() {
    clients.shutdown();
  }
}
