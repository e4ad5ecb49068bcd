package io.github.stablecut.cluster.internal.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.cluster.Endpoint;
import io.github.stablecut.cluster.ServerSettings;
import io.github.stablecut.cluster.SettingsException;
import io.github.stablecut.cluster.SettingsLoader;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.Durability;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.Timeouts;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads settings files and refuses invalid ones. */
final class SettingsFileTest {
  @TempDir private Path directory;

  private ServerSettings read(String text, Map<String, ?> options) throws IOException {
    Path file = Files.writeString(directory.resolve("stablecut.conf"), text);
    return SettingsFile.read(Optional.of(file), options);
  }

  private void assertRefused(String text, String... words) {
    assertThatThrownBy(() -> read(text, Map.of("data", "d")))
        .isInstanceOf(SettingsException.class)
        .hasMessageContainingAll(words);
  }

  @Test
  void theDefaultsAreThoseOfTheReference() {
    ServerSettings settings = SettingsLoader.defaults(Path.of("d"));

    assertThat(settings.data()).isEqualTo(Path.of("d"));
    assertThat(settings.protocol()).isEqualTo(Endpoint.loopback(8087));
    assertThat(settings.operations()).contains(Endpoint.loopback(3001));
    assertThat(settings.store().durability()).isEqualTo(Durability.batch());
    assertThat(settings.store().timeouts()).isEqualTo(Timeouts.defaults());
    assertThat(settings.limits().sizes().request()).isEqualTo(256L << 20);
    assertThat(settings.limits().transactions())
        .isEqualTo(new ServerSettings.Transactions(1_000, 10_000, Duration.ofSeconds(60)));
    assertThat(settings.threads().workers())
        .isEqualTo(4 * Runtime.getRuntime().availableProcessors());
  }

  @Test
  void everyStoreOptionThatIsDataHasASetting() throws Exception {
    StoreOptions other =
        read(
                """
                stablecut.store {
                  partitions = 3, durability = periodic, max-transaction-age = 61 s
                  timeouts { commit = 11 s, read = 11 s, session = 23 h }
                  cache-bytes = 1 MiB, max-operation-bytes = 1 MiB, max-transaction-bytes = 2 MiB
                  retention = 2 h, segment-bytes = 64 MiB, recent-bytes = 1 MiB, reserve-bytes = 1 MiB
                  checkpoints { journal-bytes = 1 MiB, operations = 1, interval = 1 s, paged-from-bytes = 1 KiB }
                  fold-after = 0, max-nesting = 2, max-watches = 2, max-clock-jump = 11 s
                  max-sessions = 7, max-sessions-per-client = 3
                }
                """,
                Map.of("data", "d"))
            .store();
    StoreOptions defaults = StoreOptions.defaults();
    List<String> inCode =
        List.of("clock", "executor", "hooks", "replication", "objectTypes", "isEnabled");

    assertOther(defaults, other, inCode);
    assertOther(defaults.limits(), other.limits(), inCode);
    assertOther(defaults.index(), other.index(), inCode);
    assertOther(defaults.checkpoints(), other.checkpoints(), inCode);
    assertOther(defaults.timeouts(), other.timeouts(), inCode);
  }

  private static void assertOther(Record defaults, Record other, List<String> inCode)
      throws ReflectiveOperationException {
    for (RecordComponent component : defaults.getClass().getRecordComponents()) {
      if (!inCode.contains(component.getName())) {
        assertThat(component.getAccessor().invoke(other))
            .as(component.getName())
            .isNotEqualTo(component.getAccessor().invoke(defaults));
      }
    }
  }

  @Test
  void aServersStoreHasTheLibrarysDefaultsExceptSizes() {
    StoreOptions settings = SettingsLoader.defaults(Path.of("d")).store();
    StoreOptions defaults = StoreOptions.defaults();

    assertThat(settings.checkpoints()).isEqualTo(defaults.checkpoints());
    assertThat(settings.index()).isEqualTo(defaults.index());
    assertThat(settings.maxClockJump()).isEqualTo(defaults.maxClockJump());
    assertThat(settings.limits())
        .isEqualTo(defaults.limits().withTransactionBytes(256 << 20).withValueBytes(192 << 20));
  }

  @Test
  void includesOnlyFiles() throws IOException {
    Path other = Files.writeString(directory.resolve("other.conf"), "stablecut.port = 9001");
    for (String include :
        List.of("\"other.conf\"", "file(\"" + other + "\")", "required(file(\"other.conf\"))")) {
      assertThat(read("include " + include, Map.of("data", "d")).protocol().port()).isEqualTo(9001);
    }
    for (String include :
        List.of(
            "url(\"http://127.0.0.1:1/x\")",
            "url(\"file:" + other + "\")",
            "\"http://127.0.0.1:1/x\"",
            "\"file:" + other + "\"",
            "classpath(\"reference.conf\")")) {
      assertRefused("include " + include, "only local files can be included");
    }
    Files.writeString(other, "include url(\"http://127.0.0.1:1/x\")");
    assertRefused("include \"other.conf\"", "only local files can be included");
  }

  @Test
  void theCommandLineOverridesTheFile() throws IOException {
    String file =
        """
        stablecut.port = 9000
        stablecut { bind = "::1", store { durability = group, durability-window = 2 ms } }
        stablecut.operations.enabled = false
        other.program.is.not.ours = true
        """;

    ServerSettings settings = read(file, Map.of("data", "e", "port", 9001));

    assertThat(settings.protocol().port()).isEqualTo(9001);
    assertThat(settings.protocol().bind()).isEqualTo("::1");
    assertThat(settings.operations()).isEmpty();
    assertThat(settings.store().durability()).isEqualTo(Durability.group(Duration.ofMillis(2)));
  }

  @Test
  void readsEachTimeoutOfTheStore() throws IOException {
    ServerSettings settings =
        read(
            "stablecut.store.timeouts { commit = 1 s, read = 200 ms, session = 30 d }",
            Map.of("data", "d"));

    assertThat(settings.store().timeouts())
        .isEqualTo(
            new Timeouts(Duration.ofSeconds(1), Duration.ofMillis(200), Duration.ofDays(30)));
  }

  @Test
  void readsTheCertificationOfClients() throws IOException {
    Map<String, Certification> certifications =
        Map.of(
            "off", Certification.NONE,
            "read-then-updated", Certification.READ_THEN_UPDATED,
            "updated", Certification.WRITES);
    for (Map.Entry<String, Certification> each : certifications.entrySet()) {
      ServerSettings settings =
          read("stablecut.transactions.certification = " + each.getKey(), Map.of("data", "d"));
      assertThat(settings.limits().transactions().certification()).isEqualTo(each.getValue());
    }
    assertRefused("stablecut.transactions.certification = on", "off, read-then-updated or updated");
  }

  @Test
  void refusesAnUnknownSettingAndNamesTheNearest() {
    assertRefused(
        "stablecut.store.timeouts.comit = 1 s",
        "no setting stablecut.store.timeouts.comit",
        "most similar is stablecut.store.timeouts.commit");
    assertRefused(
        "stablecut.prot = 1",
        "no setting stablecut.prot",
        "stablecut.conf",
        "most similar is stablecut.port");
    assertRefused(
        "stablecut.transaction.max_open = 1",
        "stablecut.transaction.max_open",
        "most similar is stablecut.transactions.max-open");
    assertRefused("stablecut.store.cache = 1 MiB", "most similar is stablecut.store.cache-bytes");
  }

  @Test
  void refusesAFileOfAnotherProgram() throws IOException {
    assertRefused("stabelcut.port = 3", "has no stablecut, only [stabelcut]");
    assertThat(read("# nothing", Map.of("data", "d")).protocol().port()).isEqualTo(8087);
  }

  @Test
  void refusesNodeSettingsWithoutACluster() throws IOException {
    assertRefused("stablecut.cluster.node = n1", "cluster.node is set, but no cluster", "--join");
    assertThatThrownBy(() -> read("", Map.of("data", "d", "cluster.form-with", 2)))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining("cluster.form-with is set");
    assertThat(read("stablecut.cluster.bind = \"::1\"", Map.of("data", "d")).cluster()).isEmpty();
    // A server without a cluster also reads its admin token there.
    assertThat(read("", Map.of("data", "d", "cluster.secret", "s")).secret())
        .contains(Path.of("s"));
    assertThat(
            read(
                    "stablecut.cluster.node = n1",
                    Map.of("data", "d", "cluster.join", List.of("127.0.0.1:2552")))
                .cluster())
        .isPresent();
  }

  @Test
  void theDataPortIsAThousandAboveTheNodePortUnlessSet() throws IOException {
    Map<String, Object> node =
        Map.of("data", "d", "cluster.node", "n1", "cluster.join", List.of("127.0.0.1:2552"));

    assertThat(dataPort("", node)).isEqualTo(3_552);
    assertThat(dataPort("stablecut.cluster.port = 4000", node)).isEqualTo(5_000);
    assertThat(dataPort("stablecut.cluster.data-port = 7", node)).isEqualTo(7);
    assertThat(dataPort("stablecut.cluster.data-port = 0", node)).isEqualTo(0);
    assertThatThrownBy(() -> dataPort("stablecut.cluster.port = 65000", node))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining("cluster.data-port is 0 to 65,535, not 66000");
  }

  @Test
  void aMappedDataPortNamesBothPorts() throws IOException {
    Map<String, ?> node =
        Map.of("data", "d", "cluster.node", "n1", "cluster.join", List.of("127.0.0.1:2552"));
    String mapped = "stablecut.cluster.data-listen-port = 9\n";

    assertThat(read(mapped, node).cluster().orElseThrow().dataListenPort()).isEqualTo(9);
    assertThatThrownBy(() -> read(mapped + "stablecut.cluster.data-port = 0", node))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining("set cluster.data-port, too");
  }

  private int dataPort(String text, Map<String, ?> options) throws IOException {
    return read(text, options).cluster().orElseThrow().dataPort();
  }

  @Test
  void namesAnInvalidSetting() {
    assertRefused("stablecut.port = many", "port", "stablecut.conf: 1");
    assertRefused("stablecut.port = 70000", "a port is 0 to 65535, not 70000");
    assertRefused("stablecut.idle-timeout = 10 parsecs", "idle-timeout");
    assertRefused("stablecut.max-connections = 0", "max-connections is at least 1, not 0");
    assertRefused("stablecut.max-request-bytes = 2 GiB", "at most 1 GiB");
    assertRefused("stablecut.transactions.idle-timeout = 0 s", "transactions.idle-timeout is 1 ms");
    assertRefused("stablecut.shutdown-timeout = 10 s", "shutdown-timeout is 0 to 9 s");
    assertRefused("stablecut.store.durability = never", "batch, group or periodic, not \"never\"");
    assertRefused("stablecut.store.max-transaction-bytes = 1 GiB", "at most 256 MiB");
    assertRefused(
        "stablecut.store.partitions = 5000",
        "partitions must be 1 to 1,024, or 0 for the default, not 5,000");
    assertRefused(
        "stablecut.store.timeouts.commit = 2 h",
        "timeout commit must be 1 millisecond to 1 hour",
        "2 hours");
    assertRefused("stablecut.store.timeouts.read = 0 s", "timeout read must be", "not 0 seconds");
    assertRefused("stablecut.store.timeouts.session = soon", "timeouts.session");
    assertRefused("stablecut.tls.certificate = c.pem", "go together");
    assertRefused("stablecut.tls.client-authority = c.pem", "give all three files");
    assertRefused(
        "stablecut.store.retention = -1 s", "retention must not be negative", "minus 1 second");
    assertRefused("stablecut {", "not valid HOCON");
  }

  @Test
  void reportsAMissingFileAndAMissingDataDirectory() {
    assertThatThrownBy(
            () -> SettingsFile.read(Optional.of(directory.resolve("none")), Map.of("data", "d")))
        .hasMessageContaining("none can't be read");
    assertThatThrownBy(() -> SettingsFile.read(Optional.empty(), Map.of()))
        .hasMessageContaining("--data DIR");
  }

  @Test
  void computesTheEditDistanceOfNames() {
    assertThat(KnownKeys.distance("port", "port")).isZero();
    assertThat(KnownKeys.distance("prot", "port")).isEqualTo(2);
    assertThat(KnownKeys.distance("", "port")).isEqualTo(4);
    assertThat(KnownKeys.distance("sitting", "kitten")).isEqualTo(3);
  }
}
