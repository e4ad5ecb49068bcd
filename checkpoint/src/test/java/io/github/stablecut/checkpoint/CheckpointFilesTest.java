package io.github.stablecut.checkpoint;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The names of files and the content of CURRENT. */
class CheckpointFilesTest {
  @Test
  void readsTheNamesThatItWrites() {
    assertThat(CheckpointFiles.manifestNumber(CheckpointFiles.manifest(12))).hasValue(12);
    assertThat(CheckpointFiles.fileNumber(CheckpointFiles.run(7))).hasValue(7);
    assertThat(CheckpointFiles.fileNumber(CheckpointFiles.history(8))).hasValue(8);
    assertThat(CheckpointFiles.fileNumber(CheckpointFiles.unfinished(CheckpointFiles.run(9))))
        .hasValue(9);
    assertThat(CheckpointFiles.fileNumber(CheckpointFiles.unfinished(CheckpointFiles.history(10))))
        .hasValue(10);
    assertThat(CheckpointFiles.fileNumber(CheckpointFiles.sorting(CheckpointFiles.run(11))))
        .hasValue(11);
    assertThat(CheckpointFiles.fileNumber(CheckpointFiles.fences(CheckpointFiles.run(12))))
        .hasValue(12);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "LOCK",
        "STABLECUT",
        "journal",
        "run",
        "run-",
        "run-x",
        "run-1.txt",
        "run-01",
        "run--1",
        "MANIFEST-",
        "MANIFEST-1.tmp",
        "CURRENT.tmp",
        "current",
        "run-1234567890123456789",
        "hist-1.sort.tmp",
        ""
      })
  void ignoresOtherNames(String name) {
    assertThat(CheckpointFiles.isOurs(name)).isFalse();
  }

  @Test
  void readsTheCurrentThatItWrites() {
    byte[] current = CheckpointFiles.current(12);

    assertThat(new String(current, US_ASCII)).startsWith("MANIFEST-12 crc32c=");
    assertThat(CheckpointFiles.manifestOf(current)).hasValue(12);
  }

  @Test
  void detectsAnyChangedByteOfCurrent() {
    byte[] current = CheckpointFiles.current(12);
    for (int at = 0; at < current.length; at++) {
      for (int value = 0; value < 256; value++) {
        byte[] damaged = current.clone();
        damaged[at] = (byte) value;

        assertThat(CheckpointFiles.manifestOf(damaged))
            .as("byte %d is %d", at, value)
            .isEqualTo(damaged[at] == current[at] ? OptionalLong.of(12) : OptionalLong.empty());
      }
    }
  }

  @Test
  void detectsATruncatedCurrent() {
    byte[] current = CheckpointFiles.current(12);
    for (int length = 0; length < current.length; length++) {
      assertThat(CheckpointFiles.manifestOf(Arrays.copyOf(current, length))).isEmpty();
    }
  }
}
