package io.github.stablecut.tools;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.error.CorruptStoreException;
import io.github.stablecut.internal.recovery.OpenStoreImage;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.Durability;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.tools.JournalEntry.Transaction;
import io.github.stablecut.tools.Verification.Depth;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The directory of a store that acknowledges before it syncs, after a crash of the process and, by
 * the boot that the file SYNCED names, of the machine: tools show what an opening keeps.
 */
final class SyncedTogetherTest {
  private static final List<CounterKey> KEYS =
      IntStream.range(0, 12).mapToObj(i -> Key.counter("b", "" + i)).toList();

  private static final StoreOptions OPTIONS =
      StoreOptions.defaults()
          .withPartitions(3)
          .withDurability(Durability.periodic(Duration.ofSeconds(10)))
          .withLimits(StoreOptions.Limits.defaults().withSegmentBytes(1 << 20))
          .withCheckpoints(CheckpointPolicy.byCall().withEndlessRetention());

  @TempDir private Path directory;

  private Path data;
  private Store store;

  /** One transaction is synced, and the next one is not. */
  @BeforeEach
  void write() {
    data = directory.resolve("data");
    store = Stablecut.open(data, OPTIONS);
    incrementAll(store);
    store.checkpoint();
    incrementAll(store);
  }

  private static void incrementAll(Store store) {
    store.update(KEYS.stream().map(CounterKey::increment).toArray(Update[]::new));
  }

  @AfterEach
  void close() {
    store.close();
  }

  /** The directory as the next process would find it after a kill of this one. */
  private Path killed() throws IOException {
    Path copy = directory.resolve("killed");
    OpenStoreImage.make(data, copy);
    return copy;
  }

  private static Path synced(Path copy) {
    return copy.resolve("SYNCED");
  }

  private Path rebooted() throws IOException {
    Path copy = killed();
    String text = Files.readString(synced(copy));
    String other =
        text.substring(0, text.indexOf("crc32c="))
            .replaceFirst("boot=.*\n", "boot=00000000-0000-0000-0000-000000000000\n");
    CRC32C sum = new CRC32C();
    sum.update(other.getBytes(UTF_8));
    Files.writeString(synced(copy), other + "crc32c=%08x\n".formatted(sum.getValue()));
    return copy;
  }

  /** The number of transactions in the journals, on whichever partitions. */
  private static long transactions(List<JournalEntry> entries) {
    return entries.stream()
        .flatMap(
            entry ->
                entry.content() instanceof Transaction found
                    ? Stream.of(found.time())
                    : Stream.empty())
        .distinct()
        .count();
  }

  private static long transactions(Path copy) {
    List<JournalEntry> entries = new ArrayList<>();
    JournalDump.run(copy, JournalDump.Filter.ALL, entries::add);
    return transactions(entries);
  }

  @Test
  void afterACrashOfTheProcessEverythingCounts() throws Exception {
    Path copy = killed();

    assertThat(Verification.run(copy, Depth.FULL, ToolProgress.NONE).damages()).isEmpty();
    assertThat(transactions(copy)).isEqualTo(2);
    try (Store after = Stablecut.open(copy, OPTIONS)) {
      assertThat(KEYS).allMatch(key -> after.read(key) == 2);
    }
  }

  @Test
  void afterACrashOfTheMachineJointlySyncedRecordsCount() throws Exception {
    Path copy = rebooted();

    VerificationReport report = Verification.run(copy, Depth.FULL, ToolProgress.NONE);
    assertThat(report.damages()).isEmpty();
    assertThat(report.notes()).anyMatch(note -> note.contains("not synced together"));
    assertThat(transactions(copy)).isEqualTo(1);
    try (Store after = Stablecut.open(copy, StoreOptions.forTools())) {
      assertThat(KEYS).allMatch(key -> after.read(key) == 1);
      assertThat(synced(copy)).doesNotExist();
      incrementAll(after);
    }
    assertThat(transactions(copy)).isEqualTo(2);
    assertThat(Verification.run(copy, Depth.FULL, ToolProgress.NONE).damages()).isEmpty();
  }

  @Test
  void findsADamagedFileAndDoesNotSkipIt() throws Exception {
    Path copy = killed();
    Files.writeString(synced(copy), "stablecut synced\n");

    assertThat(Verification.run(copy, Depth.FULL, ToolProgress.NONE).damages())
        .anyMatch(damage -> damage.contains("SYNCED is damaged"));
    assertThatThrownBy(() -> Stablecut.open(copy, OPTIONS))
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContaining(synced(copy).toString());
  }

  @Test
  void readsEverythingWrittenOfAnOpenStore() {
    List<JournalEntry> entries = new ArrayList<>();

    JournalDump.ofOpen(data, JournalDump.Filter.ALL, entries::add);

    assertThat(transactions(entries)).isEqualTo(2);
  }
}
