package io.github.stablecut.cluster.internal.antidote;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The protocol's data type numbers ({@code CRDT_type}), declared in the order in which answers list
 * map entries with the same key: that of the names of AntidoteDB's modules.
 */
public enum WireType {
  /** A counter that never goes below 0 ({@code counter_b}). */
  BCOUNTER(15),
  /** A counter that can be reset ({@code counter_fat}). */
  FATCOUNTER(12),
  /** A counter ({@code counter_pn}). */
  COUNTER(3),
  /** A flag in which disabling wins ({@code flag_dw}). */
  FLAG_DW(14),
  /** A flag in which enabling wins ({@code flag_ew}). */
  FLAG_EW(13),
  /** A map that only grows ({@code map_go}). */
  GMAP(8),
  /** A map whose entries can be removed ({@code map_rr}). */
  RRMAP(11),
  /** A register in which the last writer wins ({@code register_lww}). */
  LWWREG(5),
  /** A register that keeps concurrent values ({@code register_mv}). */
  MVREG(6),
  /** A set in which additions win ({@code set_aw}). */
  ORSET(4),
  /** A set in which removals win ({@code set_rw}). */
  RWSET(10);

  private static final Map<Long, WireType> BY_NUMBER =
      Arrays.stream(values())
          .collect(Collectors.toUnmodifiableMap(type -> (long) type.number, Function.identity()));

  private final int number;

  WireType(int number) {
    this.number = number;
  }

  /** The number in messages. */
  int number() {
    return number;
  }

  static Optional<WireType> of(long number) {
    return Optional.ofNullable(BY_NUMBER.get(number));
  }
}
