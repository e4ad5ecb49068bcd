package io.github.stablecut.internal.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Stablecut;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.internal.link.PartitionSnapshotCall;
import io.github.stablecut.internal.link.Sockets;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.replication.Replication;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The snapshots of this node's partitions that another node of the data centre requests for a
 * joiner.
 */
final class CutsTest {
  @TempDir Path directory;
  private EmbeddedStore store;

  @BeforeEach
  void open() {
    store =
        (EmbeddedStore)
            Stablecut.open(
                directory.resolve("data"),
                StoreOptions.defaults().withReplication(Replication.tcp("127.0.0.1:0")));
  }

  @AfterEach
  void close() {
    store.close();
  }

  private PartitionSnapshotCall begin(int partition) throws IOException {
    EmbeddedReplication party = (EmbeddedReplication) store.dataCentres();
    return PartitionSnapshotCall.begin(
        new Sockets(Optional.empty()), party.address(), party.group(), party.store(), partition);
  }

  /** Begins a second one, which waits until the first one has its checkpoint. */
  private CompletableFuture<PartitionSnapshotCall> beginLater() {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return begin(0);
          } catch (IOException e) {
            throw new CompletionException(e);
          }
        });
  }

  private List<String> temporaries() throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("data"))) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.startsWith("cut-"))
          .sorted()
          .toList();
    }
  }

  private void awaitTemporaries(String... names) throws IOException {
    while (!temporaries().equals(List.of(names))) {
      Thread.onSpinWait();
    }
  }

  private List<String> received(PartitionSnapshotCall call, String name) throws IOException {
    Path files = Files.createDirectory(directory.resolve(name));
    call.receive(files);
    try (Stream<Path> all = Files.walk(files)) {
      return all.filter(Files::isRegularFile)
          .map(file -> files.relativize(file).toString())
          .sorted()
          .toList();
    }
  }

  @Test
  void twoOfOnePartitionDoNotDisturbEachOther() throws Exception {
    store.update(Key.counter("b", "k").increment(1));
    VectorClock present = store.partitions().snapshot();

    try (PartitionSnapshotCall first = begin(0)) {
      CompletableFuture<PartitionSnapshotCall> later = beginLater();
      awaitTemporaries("cut-0-0.tmp", "cut-0-1.tmp");
      first.choose(present);
      List<String> files = received(first, "first");
      try (PartitionSnapshotCall second = later.join()) {
        second.choose(present);
        assertThat(received(second, "second")).isEqualTo(files).contains("BACKUP");
      }
    }

    awaitTemporaries();
  }

  @Test
  void theNextOpeningDeletesTheRemainsOfACrash() throws IOException {
    store.close();
    Path left = Files.createDirectory(directory.resolve("data").resolve("cut-0-0.tmp"));
    Files.writeString(left.resolve("journal"), "half");

    open();

    assertThat(left).doesNotExist();
  }

  @Test
  void refusesAbsentPartitionsAndStrangers() {
    EmbeddedReplication party = (EmbeddedReplication) store.dataCentres();

    assertThatThrownBy(() -> begin(1).close())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("partition 1 has moved to another node")
        .hasMessageContaining("join again");
    for (long[] ids : new long[][] {{party.group() + 1, party.store()}, {party.group(), 7}}) {
      assertThatThrownBy(
              () ->
                  PartitionSnapshotCall.begin(
                          new Sockets(Optional.empty()), party.address(), ids[0], ids[1], 0)
                      .close())
          .isInstanceOf(IOException.class)
          .hasMessageContaining("belongs to another data centre");
    }
  }

  @Test
  void checkpointsResumeWhenTheRequesterGoesAway() throws IOException {
    store.update(Key.counter("b", "k").increment(1));

    begin(0).close();

    store.checkpoint();
    assertThat(store.partitions().local().get(0).watermarks().checkpointTime())
        .isNotEqualTo(VectorClock.ZERO);
    awaitTemporaries();
  }

  @Test
  void aRequesterThatGoesAwayIsNoFaultHere() throws IOException {
    for (int call = 0; call < 5; call++) {
      begin(0).close();
      awaitTemporaries();
    }

    assertThat(store.status().health().toString()).doesNotContain("connection of replication");
    assertThat(store.status().health().failures()).isEmpty();
  }
}
