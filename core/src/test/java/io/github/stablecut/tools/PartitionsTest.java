package io.github.stablecut.tools;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.error.CorruptStoreException;
import io.github.stablecut.key.Key;
import io.github.stablecut.tools.JournalDump.Filter;
import io.github.stablecut.tools.Verification.Depth;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tools inspect every partition that the identity names. */
final class PartitionsTest {
  @TempDir private Path temporary;

  private Path data() {
    return temporary.resolve("data");
  }

  /** Creates a store of one partition, with its files duplicated as those of a second one. */
  @BeforeEach
  void makeTwoPartitions() throws IOException {
    try (Store store = Stablecut.open(data())) {
      store.update(Key.counter("b", "k").increment(1));
      store.checkpoint();
    }
    SampleStore.copy(data().resolve("p0"), data().resolve("p1"));
    rewrite(data().resolve("STABLECUT"), "partitions=1", "partitions=2");
    rewrite(data().resolve("p1/PARTITION"), "number=0", "number=1");
  }

  /** Changes a file whose last line is the checksum of the others. */
  private static void rewrite(Path file, String what, String with) throws IOException {
    String text = Files.readString(file).replace(what, with);
    String content = text.substring(0, text.indexOf("crc32c="));
    CRC32C crc = new CRC32C();
    crc.update(content.getBytes(UTF_8));
    Files.writeString(file, content + "crc32c=%08x\n".formatted(crc.getValue()));
  }

  private List<String> damages() {
    return Verification.run(data(), Depth.FULL, ToolProgress.NONE).damages();
  }

  @Test
  void verifiesAll() throws IOException {
    // Each journal has a clock ceiling, a part of the transaction, and the issued clock time.
    assertThat(Verification.run(data(), Depth.FULL, ToolProgress.NONE).checked())
        .isEqualTo(new VerificationReport.Coverage(2, 6, 2, 2, 2, 2));
    for (String file : List.of("p0/checkpoint/run-1", "p1/checkpoint/run-1")) {
      SampleStore.flip(data().resolve(file), 100);
      assertThat(damages()).last().asString().contains(file);
    }
  }

  @Test
  void verifiesPartitionsWithADirectoryIfTheIdentityIsDamaged() throws IOException {
    SampleStore.flip(data().resolve("STABLECUT"), 40);
    SampleStore.flip(data().resolve("p1/checkpoint/run-1"), 100);

    assertThat(damages())
        .satisfiesExactly(
            first -> assertThat(first).contains("STABLECUT is damaged"),
            second -> assertThat(second).contains("p1/checkpoint/run-1"));
  }

  @Test
  void inspectsAll() {
    StoreDescription facts = Inspection.of(data(), ToolProgress.NONE);

    assertThat(facts.partitions()).hasSize(2);
    assertThat(facts.partitions().get(0).journal().segments().get(0).path())
        .startsWith(data().resolve("p0"));
    assertThat(facts.partitions().get(1).journal().segments().get(0).path())
        .startsWith(data().resolve("p1"));
    assertThat(facts.partitions()).allMatch(partition -> partition.checkpoints().objects() == 1);
  }

  @Test
  void dumpsTheJournalsOfAll() {
    List<JournalEntry> entries = new ArrayList<>();

    JournalDump.Result result = JournalDump.run(data(), Filter.ALL, entries::add);

    assertThat(result.damages()).isEmpty();
    assertThat(entries).extracting(JournalEntry::partition).containsExactly(0, 0, 0, 1, 1, 1);
  }

  @Test
  void namesAMissingOne() throws IOException {
    Files.move(data().resolve("p1"), temporary.resolve("elsewhere"));

    assertThat(damages())
        .satisfiesExactly(
            first -> assertThat(first).startsWith("partition 1 of 2 is missing"),
            second -> assertThat(second).isEqualTo(missing()));
    assertThatThrownBy(() -> Inspection.of(data(), ToolProgress.NONE))
        .isInstanceOf(CorruptStoreException.class)
        .hasMessage(missing());
    assertThatThrownBy(() -> JournalDump.run(data(), Filter.ALL, entry -> {}))
        .isInstanceOf(CorruptStoreException.class)
        .hasMessage(missing());
  }

  @Test
  void namesTheReasonsForWhichAnOpeningWouldFail() throws IOException {
    SampleStore.flip(data().resolve("OPENED"), 20);
    assertThat(damages()).singleElement().asString().contains("OPENED is damaged");
    SampleStore.flip(data().resolve("OPENED"), 20);

    rewrite(data().resolve("p1/PARTITION"), "number=1", "number=0");
    assertThat(damages()).singleElement().asString().contains("p1 is partition 0 of the store");
    rewrite(data().resolve("p1/PARTITION"), "number=0", "number=1");

    rewrite(data().resolve("p1/PARTITION"), "epoch=1", "epoch=0");
    assertThat(damages()).singleElement().asString().contains("partition 1 is older");
    rewrite(data().resolve("p1/PARTITION"), "epoch=0", "epoch=1");

    SampleStore.flip(data().resolve("p0/PARTITION"), 30);
    assertThat(damages()).singleElement().asString().contains("p0/PARTITION is damaged");
    Files.delete(data().resolve("p0/PARTITION"));
    assertThat(damages()).singleElement().asString().contains("there is no file");
  }

  private String missing() {
    return data().resolve("p1/journal") + " is missing: restore the directory from a backup";
  }
}
