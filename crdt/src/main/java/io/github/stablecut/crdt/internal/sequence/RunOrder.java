package io.github.stablecut.crdt.internal.sequence;

import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** The order of runs by data centre and dot. Immutable. */
public final class RunOrder {
  private static final Comparator<Dots> BY_DATA_CENTRE_AND_DOT =
      Comparator.comparingInt(Dots::dataCentre).thenComparing(Dots::first);

  /** The position of each run in the order. */
  private final int[] ranks;

  private final boolean interleaving;

  /**
   * @param runs the dots of each run, in ascending order
   */
  public RunOrder(List<Dots> runs) {
    int[] order =
        IntStream.range(0, runs.size())
            .boxed()
            .sorted(Comparator.comparing(runs::get, BY_DATA_CENTRE_AND_DOT))
            .mapToInt(i -> i)
            .toArray();
    ranks = new int[order.length];
    boolean interleave = false;
    for (int i = 0; i < order.length; i++) {
      ranks[order[i]] = i;
      if (i > 0) {
        Dots before = runs.get(order[i - 1]);
        Dots run = runs.get(order[i]);
        interleave |=
            before.dataCentre() == run.dataCentre() && before.last().compareTo(run.first()) >= 0;
      }
    }
    interleaving = interleave;
  }

  /** Whether the dots of two runs interleave or coincide. */
  public boolean isInterleaving() {
    return interleaving;
  }

  /** Whether a run directly follows its left neighbour in this order. */
  public boolean followsLeft(int run) {
    return run > 0 && ranks[run] == ranks[run - 1] + 1;
  }
}
