package io.github.stablecut.causality;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

/** A timestamp holds a physical time, a logical part and a partition, in this order. */
class TimestampProperties {
  private static final long LAST_COUNT = (1L << 53) - 1;
  private static final long FIRST_MILLIS = Instant.parse("2020-01-01T00:00:00Z").toEpochMilli();
  private static final long LAST_MILLIS = FIRST_MILLIS + (1L << 42) - 1;

  @Property
  void holdsACountAndAPartition(
      @ForAll @LongRange(max = LAST_COUNT) long count,
      @ForAll @IntRange(max = Timestamp.MAX_PARTITIONS - 1) int partition) {
    long timestamp = Timestamp.of(count, partition);

    assertThat(timestamp).isNotNegative();
    assertThat(Timestamp.count(timestamp)).isEqualTo(count);
    assertThat(Timestamp.partition(timestamp)).isEqualTo(partition);
  }

  @Property
  void isOrderedByCountFirst(
      @ForAll @LongRange(max = LAST_COUNT - 1) long count,
      @ForAll @IntRange(max = Timestamp.MAX_PARTITIONS - 1) int partition) {
    assertThat(Timestamp.of(count + 1, 0)).isGreaterThan(Timestamp.of(count, partition));
  }

  @Property
  void keepsMilliseconds(@ForAll @LongRange(min = 1577836800000L, max = 5975883311103L) long at) {
    long timestamp = Timestamp.of(Timestamp.countAt(at), 3);

    assertThat(Timestamp.epochMillis(timestamp)).isEqualTo(at);
  }

  @Property
  void makesAnyMachineTimeATimestamp(@ForAll long epochMillis) {
    long timestamp = Timestamp.of(Timestamp.countAt(epochMillis), 0);

    assertThat(timestamp).isNotNegative();
    assertThat(Timestamp.epochMillis(timestamp)).isBetween(FIRST_MILLIS, LAST_MILLIS);
  }

  @Example
  void runsAheadOfThePhysicalClockWhenAMillisecondIsFull() {
    long full = Timestamp.countAt(FIRST_MILLIS) + 2047;

    assertThat(Timestamp.epochMillis(Timestamp.of(full, 0))).isEqualTo(FIRST_MILLIS);
    assertThat(Timestamp.epochMillis(Timestamp.of(full + 1, 0))).isEqualTo(FIRST_MILLIS + 1);
  }

  @Example
  void isReadable() {
    long count = Timestamp.countAt(Instant.parse("2026-11-20T08:00:00.123Z").toEpochMilli()) + 4;

    assertThat(Timestamp.format(Timestamp.of(count, 9))).isEqualTo("2026-11-20T08:00:00.123Z+4");
  }
}
