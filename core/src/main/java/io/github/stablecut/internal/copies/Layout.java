package io.github.stablecut.internal.copies;

import java.util.Collection;
import java.util.List;

/**
 * Who leads a partition, and whose votes count, as the register says. Immutable.
 *
 * @param epoch from 1; 0 before the first layout
 * @param leader the leader of the epoch; empty before the first layout
 * @param voters the copies of which a majority decides, in the order in which they are preferred as
 *     leaders
 */
public record Layout(long epoch, String leader, List<String> voters) {
  /** Copies the list, and checks it. */
  public Layout {
    voters = List.copyOf(voters);
    if (epoch < 0 || voters.isEmpty() || (epoch > 0 && !voters.contains(leader))) {
      throw new IllegalArgumentException(
          "not a layout: epoch %d, leader \"%s\", voters %s".formatted(epoch, leader, voters));
    }
  }

  /** The layout of a partition that nobody has led yet. */
  public static Layout first(List<String> voters) {
    return new Layout(0, "", voters);
  }

  /** The next one, in which a voter leads. */
  public Layout ledBy(String next) {
    return new Layout(epoch + 1, next, voters);
  }

  /** Whether copies are more than half of the voters. */
  public boolean isMajority(Collection<String> copies) {
    return voters.stream().filter(copies::contains).count() * 2 > voters.size();
  }
}
