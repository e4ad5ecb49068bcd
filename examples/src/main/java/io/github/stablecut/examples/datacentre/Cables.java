package io.github.stablecut.examples.datacentre;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.replication.LinkFaults;
import io.github.stablecut.replication.ReplicationTransport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The cables between some places, one for each two of them. All stores of a place use the same
 * ones, whatever group they belong to. Thread-safe.
 */
public final class Cables {
  /** How much later a slow cable carries everything. */
  public static final Duration DELAY = Duration.ofSeconds(4);

  /** What happens to what the place of the row sends to the place of the column. */
  private final LinkFaults[][] faults;

  @GuardedBy("this")
  private final Cable[][] states;

  /** Fast cables between some places, which are numbered from 0. */
  public Cables(int places) {
    this.faults = new LinkFaults[places][places];
    this.states = new Cable[places][places];
    for (int from = 0; from < places; from++) {
      Arrays.setAll(faults[from], to -> new LinkFaults(to));
      Arrays.fill(states[from], Cable.FAST);
    }
  }

  /** Changes the cable between two places, in both directions. */
  public synchronized void set(int one, int other, Cable state) {
    if (one == other) {
      throw new IllegalArgumentException("a cable is between two, not from " + one + " to itself");
    }
    states[one][other] = state;
    states[other][one] = state;
    for (LinkFaults direction : List.of(faults[one][other], faults[other][one])) {
      direction.heal();
      switch (state) {
        case FAST -> {}
        case SLOW -> direction.delay(DELAY, Duration.ZERO);
        case CUT -> direction.cutAll();
      }
    }
  }

  /** How the cable between two places is. */
  public synchronized Cable get(int one, int other) {
    return states[one][other];
  }

  /**
   * What a place sends to the others of a group, through its cables.
   *
   * @param places the group's places, in the order of the numbers of its data centres
   */
  ReplicationTransport from(int place, List<Integer> places, ReplicationTransport transport) {
    List<ReplicationTransport> directions = new ArrayList<>();
    for (int other : places) {
      directions.add(faults[place][other].around(transport));
    }
    return new SplitTransport(transport, directions);
  }
}
