package io.github.stablecut.internal.backup;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.causality.LocalDataCentre;
import io.github.stablecut.error.CorruptStoreException;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.UnsupportedFormatException;
import io.github.stablecut.file.Sha256;
import io.github.stablecut.internal.backup.BackupManifest.BackupFile;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** The file BACKUP round-trips, and anything else is refused. */
final class BackupManifestProperties {
  private static final BackupManifest SAMPLE = sample(0);

  private static BackupManifest sample(int dataCentre) {
    return new BackupManifest(
        0x9f86d081884c7d65L,
        0x0a1b2c3d4e5f6071L,
        new LocalDataCentre(dataCentre),
        Instant.parse("2026-11-20T08:00:00.123Z"),
        List.of(
            new BackupFile(0, "run-7", 73728, "0".repeat(64)),
            new BackupFile(0, "CURRENT", 30, "f".repeat(64))));
  }

  private static String signed(String content) {
    byte[] sum = Sha256.begin().digest(content.getBytes(UTF_8));
    return content + "sha256=" + HexFormat.of().formatHex(sum) + "\n";
  }

  private static String unsigned() {
    String text = SAMPLE.toText();
    return text.substring(0, text.lastIndexOf("sha256="));
  }

  @Example
  void roundTrips() {
    assertThat(BackupManifest.parse(SAMPLE.toText(), "B")).isEqualTo(SAMPLE);
    assertThat(signed(unsigned())).isEqualTo(SAMPLE.toText());
    assertThat(SAMPLE.toText()).doesNotContain("dataCentre");
    assertThat(BackupManifest.parse(sample(1_023).toText(), "B")).isEqualTo(sample(1_023));
  }

  @Example
  void refusesAnInvalidDataCentre() {
    String text = unsigned().replaceFirst("\nfile=", "\ndataCentre=1024\nfile=");

    assertThatThrownBy(() -> BackupManifest.parse(signed(text), "B"))
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContaining("1024");
  }

  @Property
  void detectsEveryChangedCharacter(@ForAll @IntRange(max = 10_000) int place, @ForAll char other) {
    StringBuilder text = new StringBuilder(SAMPLE.toText());
    int at = place % text.length();
    if (text.charAt(at) == other) {
      return;
    }
    text.setCharAt(at, other);

    assertThatThrownBy(() -> BackupManifest.parse(text.toString(), "B"))
        .isInstanceOf(StablecutException.class);
  }

  /** The checksum detects damage; this test is about writers that recompute it. */
  @Property
  void noContentCausesAnotherExceptionOrAFileElsewhere(
      @ForAll @IntRange(max = 10_000) int place,
      @ForAll @IntRange(max = 40) int cut,
      @ForAll String inserted) {
    String content = unsigned();
    int from = place % content.length();
    int to = Math.min(content.length(), from + cut);
    String changed = signed(content.substring(0, from) + inserted + content.substring(to));

    try {
      assertThat(BackupManifest.parse(changed, "B").files())
          .allMatch(file -> !file.name().contains("/") && !file.name().contains(".."));
    } catch (StablecutException e) {
      assertThat(e).hasMessageStartingWith("B ");
    }
  }

  @Example
  void refusesFilesElsewhereAndDuplicates() {
    for (String name : List.of("../run-7", "/etc/passwd", "run-7", "thesis", "p0/run-8")) {
      String line = "file=p0/" + name + " bytes=1 sha256=" + "0".repeat(64) + "\n";

      assertThatThrownBy(() -> BackupManifest.parse(signed(unsigned() + line), "B"))
          .isInstanceOf(CorruptStoreException.class)
          .hasMessageContaining("can't be in a backup");
    }
  }

  @Example
  void namesAPartitionWithoutFiles() {
    String line = "file=p2/CURRENT bytes=1 sha256=" + "0".repeat(64) + "\n";

    assertThatThrownBy(() -> BackupManifest.parse(signed(unsigned() + line), "B"))
        .isInstanceOf(CorruptStoreException.class)
        .hasMessageContaining("lacks the files of partition 1");
    String both = line.replace("p2", "p1") + line;
    assertThat(BackupManifest.parse(signed(unsigned() + both), "B").partitions()).isEqualTo(3);
  }

  @Example
  void namesANewerFormat() {
    String newer = unsigned().replace("format=1", "format=2");

    assertThatThrownBy(() -> BackupManifest.parse(signed(newer), "B"))
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessageContainingAll("format 2", "reads 1");
  }
}
