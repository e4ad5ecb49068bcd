package io.github.stablecut.internal.copies;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * How a leader that has committed all that it was given has a voter lead at once that has all of
 * it: it asks one after the other until one does not decline. Who is asked takes the epoch behind
 * the one that was led. Confined to the copy's thread.
 */
final class Succession {
  private final CopyHost host;

  /** Those that are still to be asked if the one that was asked declines. */
  private final Deque<String> heirs = new ArrayDeque<>();

  /** The epoch that this copy has given away; 0 if none. */
  private long given;

  /** Whom it has asked; empty if nobody. */
  private String asked = "";

  /** The epoch that another one has given to this copy; 0 if none. */
  private long offered;

  /** Who has given it. */
  private String giver = "";

  Succession(CopyHost host) {
    this.host = host;
  }

  /**
   * Asks the first of those that have everything.
   *
   * @param epoch that this copy has led
   * @return whether there is one
   */
  boolean give(long epoch, List<String> able) {
    given = epoch;
    heirs.clear();
    heirs.addAll(able);
    return askNext();
  }

  /** Asks the next one, if there is one. */
  private boolean askNext() {
    asked = heirs.isEmpty() ? "" : heirs.remove();
    if (!asked.isEmpty()) {
      host.send(asked, new CopyMessage.TakeOver(given));
    }
    return !asked.isEmpty();
  }

  /**
   * One has declined: asks the next one.
   *
   * @return whether that was the last one
   */
  boolean declined(String from, long epoch) {
    return epoch == given && from.equals(asked) && !askNext();
  }

  /** Whether nobody takes over who was asked. */
  boolean isDeclined() {
    return given > 0 && asked.isEmpty();
  }

  /** This copy takes over from who has led an epoch. */
  void take(String from, long epoch) {
    giver = from;
    offered = epoch;
  }

  /** Whether this copy is about to take over. */
  boolean isOffered() {
    return offered > 0;
  }

  /** Whether who led an epoch leads it no more, as this copy is about to take over. */
  boolean isOver(long epoch) {
    return isOffered() && epoch <= offered;
  }

  /** Whether a layout has come meanwhile in which yet another copy is to lead. */
  boolean isLate(Layout newest, String self) {
    boolean isOwn = newest.leader().equals(giver) || newest.leader().equals(self);
    return isOffered() && newest.epoch() > offered && !isOwn;
  }

  /** This copy leads, or somebody else does. */
  void end() {
    offered = 0;
  }
}
