package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.internal.meter.LatencyRecorder;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;

/** Recorded latencies, compared with the calls themselves. */
final class LatenciesProperties {
  @Property
  void thatShareOfTheCallsWasWithinThePercentile(
      @ForAll @Size(min = 1, max = 50) List<@LongRange(min = 0, max = 1L << 40) Long> nanos,
      @ForAll @LongRange(min = 1, max = 100) long percent) {
    LatencyRecorder recorder = new LatencyRecorder();
    nanos.forEach(recorder::record);

    long said = recorder.latencies().within(percent / 100.0).toNanos();

    List<Long> sorted = nanos.stream().sorted().toList();
    int place = (int) Math.ceil(percent / 100.0 * sorted.size()) - 1;
    long exact = Math.max(1_024, sorted.get(place));
    assertThat(said).isBetween(exact, exact + exact / 4);
    assertThat(recorder.latencies().count()).isEqualTo(nanos.size());
  }

  @Property
  void theDifferenceHasTheCallsBetween(
      @ForAll @Size(max = 20) List<@LongRange(min = 0, max = 1L << 40) Long> before,
      @ForAll @Size(max = 20) List<@LongRange(min = 0, max = 1L << 40) Long> after) {
    LatencyRecorder recorder = new LatencyRecorder();
    LatencyRecorder alone = new LatencyRecorder();
    before.forEach(recorder::record);
    Latencies earlier = recorder.latencies();
    after.forEach(recorder::record);
    after.forEach(alone::record);

    assertThat(recorder.latencies().since(earlier)).isEqualTo(alone.latencies());
    assertThat(earlier.and(alone.latencies())).isEqualTo(recorder.latencies());
  }
}
