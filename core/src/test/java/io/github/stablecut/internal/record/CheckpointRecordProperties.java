package io.github.stablecut.internal.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.crdt.FormatException;
import java.util.Arrays;
import java.util.HexFormat;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.LongRange;

/** The record of a checkpoint round-trips, and other bytes are refused. */
final class CheckpointRecordProperties {
  @Provide
  Arbitrary<VectorClock> vectors() {
    return Arbitraries.longs()
        .between(0, Long.MAX_VALUE)
        .array(long[].class)
        .ofMaxSize(4)
        .map(VectorClock::ofEntries);
  }

  @Property
  void roundTrips(
      @ForAll("vectors") VectorClock at,
      @ForAll("vectors") VectorClock low,
      @ForAll @LongRange(min = 1) long oldest,
      @ForAll @LongRange(min = 0) long ceiling) {
    CheckpointRecord announced = new CheckpointRecord(at, low, low, at, oldest, ceiling);

    assertThat(CheckpointRecord.read(announced.encode(), 7)).isEqualTo(announced);
  }

  @Property
  void refusesTruncatedAndOverlongBytes(@ForAll("vectors") VectorClock at) {
    byte[] body = new CheckpointRecord(at, at, at, at, 5, 6).encode();

    assertThatThrownBy(() -> CheckpointRecord.read(Arrays.copyOf(body, body.length - 1), 7))
        .isInstanceOf(FormatException.class);
    assertThatThrownBy(() -> CheckpointRecord.read(Arrays.copyOf(body, body.length + 1), 7))
        .isInstanceOf(FormatException.class)
        .hasMessageContaining("checkpoint record at journal position 7 is malformed");
  }

  /** As released: 300 and 128 take two bytes each, low bits first. */
  @Example
  void hasTheReleasedFormat() {
    CheckpointRecord announced =
        new CheckpointRecord(
            VectorClock.of(300),
            VectorClock.of(2),
            VectorClock.ZERO,
            VectorClock.of(300),
            128,
            301);

    assertThat(HexFormat.of().formatHex(announced.encode()))
        .isEqualTo("01" + "01ac02" + "0102" + "00" + "01ac02" + "8001" + "ad02");
  }
}
