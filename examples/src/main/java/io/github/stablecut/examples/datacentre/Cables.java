package io.github.stablecut.examples.datacentre;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.replication.LinkFaults;
import io.github.stablecut.replication.ReplicationTransport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The cables between places, one per pair. All stores of a place use the same cables, whatever
 * group they belong to. Thread-safe.
 */
public final class Cables {
  /** The delay of a slow cable. */
  public static final Duration DELAY = Duration.ofSeconds(4);

  /** The faults of messages from the place of the row to the place of the column. */
  private final LinkFaults[][] faults;

  @GuardedBy("this")
  private final Cable[][] states;

  /** Creates fast cables between a number of places, which are numbered from 0. */
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
      throw new IllegalArgumentException(
          "a cable connects two places, not " + one + " with itself");
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

  /** The state of the cable between two places. */
  public synchronized Cable get(int one, int other) {
    return states[one][other];
  }

  /**
   * Wraps a transport so that a place sends to the others of a group through its cables.
   *
   * @param places the group's places, in the order of their data centres' numbers
   */
  ReplicationTransport from(int place, List<Integer> places, ReplicationTransport transport) {
    List<ReplicationTransport> directions = new ArrayList<>();
    for (int other : places) {
      directions.add(faults[place][other].around(transport));
    }
    return new SplitTransport(transport, directions);
  }
}
