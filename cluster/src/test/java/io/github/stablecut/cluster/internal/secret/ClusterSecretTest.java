package io.github.stablecut.cluster.internal.secret;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.cluster.SettingsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The secret file that the nodes of a cluster share. */
class ClusterSecretTest {
  @TempDir private Path directory;

  private Path file() {
    return directory.resolve("made").resolve("secret");
  }

  @Test
  void createsItOnceReadableOnlyByItsOwner() throws Exception {
    ClusterSecret made = ClusterSecret.of(file());

    assertThat(ClusterSecret.of(file())).isEqualTo(made);
    made.certificate().verify(made.certificate().getPublicKey());
    made.certificate().checkValidity();
    assertThat(made.token()).hasSize(64);
    assertThat(made.toString()).doesNotContain(made.token());
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
        .isEqualTo("rw-------");
    assertThat(
            PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("made"))))
        .isEqualTo("rwx------");
    assertThat(directory.resolve("made")).isDirectoryNotContaining("glob:**.cluster-secret-*");
    assertThat(ClusterSecret.of(directory.resolve("other"))).isNotEqualTo(made);
  }

  @Test
  void concurrentCreatorsGetTheSameSecret() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(8);
    List<Future<ClusterSecret>> all = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      all.add(threads.submit(() -> ClusterSecret.of(file())));
    }

    for (Future<ClusterSecret> one : all) {
      assertThat(one.get()).isEqualTo(all.get(0).get());
    }
    threads.shutdown();
  }

  @Test
  void doesNotCreateASecretThatIsExpectedToExist() {
    assertThatThrownBy(() -> ClusterSecret.existing(file()))
        .isInstanceOf(SettingsException.class)
        .hasMessageStartingWith("there is no file " + file())
        .hasMessageContaining("--secret FILE");
    assertThat(file()).doesNotExist();
    assertThat(ClusterSecret.of(file())).isEqualTo(ClusterSecret.existing(file()));
  }

  @Test
  void refusesAFileThatOthersCanRead() throws Exception {
    ClusterSecret.of(file());
    Path open = Files.setPosixFilePermissions(file(), PosixFilePermissions.fromString("rw-r-----"));

    assertThatThrownBy(() -> ClusterSecret.of(open))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining("is accessible to others than its owner")
        .hasMessageContaining("chmod 600 " + open);
  }

  @Test
  void refusesAFileWithOtherContent() throws Exception {
    ClusterSecret.of(file());
    String text = Files.readString(file());
    for (String other :
        List.of(
            "",
            text.replace("token", "tokn"),
            text.replace("BEGIN CERTIFICATE", "BEGIN"),
            text.replace("MII", "NII"),
            text.replaceFirst("(PRIVATE KEY-----\n)....", "$1####"))) {
      Path damaged = Files.writeString(file(), other);
      assertThatThrownBy(() -> ClusterSecret.of(damaged))
          .isInstanceOf(SettingsException.class)
          .hasMessageContaining("is not a cluster's secret")
          .hasMessageContaining("copy the file from another node");
    }
  }

  @Test
  void reportsAnUnwritableFile() throws Exception {
    Path file = Files.writeString(directory.resolve("file"), "");

    assertThatThrownBy(() -> ClusterSecret.of(file.resolve("secret")))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining("set cluster.secret to another file");
  }
}
