package io.github.stablecut;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The events that a store gives to Java Flight Recorder. */
final class FlightRecorderTest {
  @TempDir private Path directory;

  @Test
  void recordsCommitsSyncsCheckpointsMergesAndReads() throws IOException {
    Path file = directory.resolve("recording.jfr");
    try (Recording recording = new Recording()) {
      for (String name : List.of("Commit", "Sync", "Checkpoint", "Merge", "Read")) {
        recording.enable("io.github.stablecut." + name).withoutThreshold();
      }
      recording.start();
      write();
      recording.stop();
      recording.dump(file);
    }

    Map<String, List<RecordedEvent>> events =
        RecordingFile.readAllEvents(file).stream()
            .collect(Collectors.groupingBy(event -> event.getEventType().getLabel()));
    assertThat(events.get("Commit")).hasSize(41);
    assertThat(events.get("Commit"))
        .anySatisfy(event -> assertThat(event.getInt("partitions")).isEqualTo(2));
    assertThat(events.get("Commit"))
        .allSatisfy(event -> assertThat(event.getDuration()).isPositive());
    assertThat(events.get("Sync"))
        .anySatisfy(event -> assertThat(event.getLong("records")).isPositive());
    assertThat(events.get("Checkpoint"))
        .anySatisfy(event -> assertThat(event.getLong("objects")).isPositive());
    assertThat(events.get("Slow read"))
        .anySatisfy(event -> assertThat(event.getString("object")).contains("k7"));
    assertThat(events.get("Merge"))
        .allSatisfy(event -> assertThat(event.getLong("bytes")).isPositive());
  }

  private void write() {
    StoreOptions options =
        StoreOptions.defaults().withPartitions(2).withCheckpoints(CheckpointPolicy.byCall());
    try (Store store = Stablecut.open(directory.resolve("store"), options)) {
      store.update(onPartition(store, 0).increment(1), onPartition(store, 1).increment(1));
      for (int i = 0; i < 20; i++) {
        store.update(Key.counter("b", "k" + i).increment(1));
        store.updateAsync(Key.counter("b", "k").increment(1)).toCompletableFuture().join();
        store.checkpoint();
      }
    }
    try (Store store = Stablecut.open(directory.resolve("store"), options)) {
      assertThat(store.read(Key.counter("b", "k7"))).isEqualTo(1);
    }
  }

  private static CounterKey onPartition(Store store, int partition) {
    for (int i = 0; ; i++) {
      CounterKey key = Key.counter("c", "k" + i);
      if (store.partitionOf(key) == partition) {
        return key;
      }
    }
  }
}
