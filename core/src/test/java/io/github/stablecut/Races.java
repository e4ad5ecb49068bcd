package io.github.stablecut;

import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.jetbrains.lincheck.Lincheck;
import org.jspecify.annotations.Nullable;

/** Lets two threads race repeatedly and checks the outcomes. */
public final class Races {
  /** The upper bound of a thread's lead, in steps of an empty loop. */
  private static final int MAX_LEAD = 2_000;

  private Races() {}

  /** Two threads and their own objects. */
  public interface Race {
    /** The work of the first thread. */
    void first();

    /** The work of the second thread. */
    void second();

    /** Whether the outcome is right; called when both threads have ended. */
    boolean isRight();

    /** Releases the objects. */
    default void close() {}
  }

  /**
   * Runs a race in the orders of steps that Lincheck's model checker finds. It can instrument
   * neither AssertJ nor the journal, so the race must not use them.
   *
   * @param orders the maximum number of orders
   * @param begin creates the objects for one order
   */
  public static void inEveryOrder(int orders, Supplier<Race> begin) {
    Lincheck.runConcurrentTest(orders, () -> runOnce(begin.get()));
  }

  private static void runOnce(Race race) {
    Thread first = new Thread(race::first);
    Thread second = new Thread(race::second);
    first.start();
    second.start();
    try {
      first.join();
      second.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    judge(race);
  }

  /**
   * Runs a race on real threads, each time with another lead of one of the two.
   *
   * @param begin creates the objects for one run
   */
  public static void manyTimes(int times, Supplier<Race> begin) throws Exception {
    for (int time = 0; time < times; time++) {
      Race race = begin.get();
      CyclicBarrier start = new CyclicBarrier(2);
      FutureTask<@Nullable Void> second = new FutureTask<>(() -> run(start, race::second));
      Thread thread = new Thread(second);
      thread.start();
      run(start, race::first);
      second.get();
      thread.join();
      judge(race);
      race.close();
    }
  }

  private static @Nullable Void run(CyclicBarrier start, Runnable part) throws Exception {
    start.await();
    for (int left = ThreadLocalRandom.current().nextInt(MAX_LEAD); left > 0; left--) {
      Thread.onSpinWait();
    }
    part.run();
    return null;
  }

  private static void judge(Race race) {
    if (!race.isRight()) {
      throw new AssertionError("this is wrong: " + race);
    }
  }
}
