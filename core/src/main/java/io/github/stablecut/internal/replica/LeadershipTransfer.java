package io.github.stablecut.internal.replica;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;

/**
 * How a leader that has committed all that it was given has a voter lead at once that has all of
 * it: it waits until one of those that it prefers has, if they are about to, and asks one after the
 * other until one neither declines nor says nothing for a while, as it may have died a moment ago.
 * Should two take over, the register agrees on one of them. Who is asked takes the epoch behind the
 * one that was led. Confined to the copy's thread.
 */
final class LeadershipTransfer {
  /** The longest wait for what voters lack: an election would take about as long. */
  private static final long PATIENCE_NANOS = Election.SILENCE_NANOS;

  /** Who was asked has most likely won the register in that time, and asks for promises. */
  private static final long SILENCE_NANOS = Election.SILENCE_NANOS / 3;

  private final ReplicaHost host;

  /**
   * Those that may lead instead, the preferred ones first; empty if this copy gives nothing away.
   */
  private List<String> candidates = List.of();

  /** Any of them is to have everything before one is asked. */
  private List<String> awaited = List.of();

  private long since;

  /** Those that are still to be asked if the one that was asked declines. */
  private final Deque<String> heirs = new ArrayDeque<>();

  /** The epoch that this copy has given away; 0 if none. */
  private long given;

  /** Whom it has asked; empty if nobody. */
  private String asked = "";

  /** Whether time has not passed since. */
  private boolean hasJustAsked;

  /** When time had passed for the first time since. */
  private long askedAt;

  /** The epoch that another one has given to this copy; 0 if none. */
  private long offered;

  /** Who has given it. */
  private String giver = "";

  LeadershipTransfer(ReplicaHost host) {
    this.host = host;
  }

  /**
   * This copy, whose journal takes nothing any more, is to have another one lead.
   *
   * @param candidates the other voters, the preferred ones first
   * @param awaited any of them is to have everything first, unless none is about to; of those whose
   *     disks have room, if there is one
   */
  void begin(List<String> candidates, List<String> awaited, long now) {
    this.candidates = List.copyOf(candidates);
    this.awaited = List.copyOf(awaited);
    since = now;
  }

  /** Whether this copy is to have another one lead, and has asked none yet. */
  boolean isBegun() {
    return !candidates.isEmpty();
  }

  /** Whether nobody is waited for any more. */
  boolean isReady(LogReplicator own, long now) {
    List<String> near = awaited.stream().filter(own::isNear).toList();
    List<String> roomy = near.stream().filter(own::hasRoom).toList();
    List<String> best = roomy.isEmpty() ? near : roomy;
    return now - since > PATIENCE_NANOS || best.isEmpty() || best.stream().anyMatch(own::hasAll);
  }

  /** The candidates that have everything, first those whose disks have room. */
  List<String> able(LogReplicator own) {
    return candidates.stream()
        .filter(own::hasAll)
        .sorted(Comparator.comparing(one -> !own.hasRoom(one)))
        .toList();
  }

  /** This copy does not lead any more. */
  void resigned() {
    candidates = List.of();
  }

  /**
   * Asks the first of those that have everything, if there is one.
   *
   * @param epoch that this copy has led
   */
  void give(long epoch, List<String> able) {
    given = epoch;
    heirs.clear();
    heirs.addAll(able);
    boolean unused = askNext();
  }

  /** Asks the next one, if there is one. */
  private boolean askNext() {
    asked = heirs.isEmpty() ? "" : heirs.remove();
    hasJustAsked = true;
    if (!asked.isEmpty()) {
      host.send(asked, new ReplicaMessage.TakeOver(given));
    }
    return !asked.isEmpty();
  }

  /**
   * Time has passed, and nobody is about to lead a later epoch: asks the next one, if there is one,
   * when the one that was asked has said nothing for a while.
   *
   * @param epoch that this copy has led last
   */
  void tick(long epoch, long now) {
    if (hasJustAsked) {
      hasJustAsked = false;
      askedAt = now;
    }
    if (epoch == given && !heirs.isEmpty() && now - askedAt >= SILENCE_NANOS) {
      boolean unused = askNext();
    }
  }

  /**
   * One has declined: asks the next one.
   *
   * @return whether that was the last one
   */
  boolean declined(String from, long epoch) {
    return epoch == given && from.equals(asked) && !askNext();
  }

  /** Whether nobody takes over an epoch that this copy has given away. */
  boolean isDeclined(long epoch) {
    return given == epoch && asked.isEmpty();
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
  boolean isLate(Configuration newest, String self) {
    boolean isOwn = newest.leader().equals(giver) || newest.leader().equals(self);
    return isOffered() && newest.epoch() > offered && !isOwn;
  }

  /** This copy leads, or somebody else does. */
  void end() {
    offered = 0;
  }
}
