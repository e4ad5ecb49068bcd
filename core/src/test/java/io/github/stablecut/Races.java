package io.github.stablecut;

import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.jetbrains.lincheck.Lincheck;
import org.jspecify.annotations.Nullable;

/** Lets two threads race, again and again, and judges what comes of it. */
public final class Races {
  /** The lead of a thread, in steps of a loop that does nothing, is below it. */
  private static final int MAX_LEAD = 2_000;

  private Races() {}

  /** Two threads on objects of their own. */
  public interface Race {
    /** What the first thread does. */
    void first();

    /** What the second thread does. */
    void second();

    /** Whether what came of it is right; asked when both threads have ended. */
    boolean isRight();

    /** Ends what was begun. */
    default void close() {}
  }

  /**
   * Runs a race in the orders of steps that Lincheck's model checker finds. It can look into
   * neither AssertJ nor the journal, so the race must do without.
   *
   * @param orders how many orders are tried at most
   * @param begin makes the objects for one order
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
   * Runs a race on the machine's own threads, each time with another lead of one of the two.
   *
   * @param begin makes the objects for one time
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
    var unused = start.await();
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
