package io.github.stablecut.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The installed settings files are valid, also with their commented examples. */
final class ExampleSettingsTest {
  private static final Pattern EXAMPLE = Pattern.compile("(?m)^( *)# (?=[\\w.-]+ = )");

  @TempDir private Path directory;

  private static String text(String name) throws IOException {
    return Files.readString(Repository.file("cluster/dist/src/main/conf/" + name), UTF_8);
  }

  private ServerSettings read(String text) throws IOException {
    Path file = Files.writeString(directory.resolve("stablecut.conf"), text);
    return SettingsLoader.load(Optional.of(file), Map.of());
  }

  /** Returns the ports that a server with the settings opens; fails if it would refuse one. */
  private static List<String> permitted(ServerSettings settings) {
    List<String> ports = new ArrayList<>();
    ports.add(ServerPorts.requireSafe(settings.protocol(), "bind", "tls").toString());
    settings
        .operations()
        .ifPresent(
            port -> ports.add(ServerPorts.requireSafe(port, "operations.bind", "").toString()));
    settings
        .cluster()
        .map(ClusterSettings::endpoint)
        .ifPresent(
            port ->
                ports.add(ServerPorts.requireSafe(port, "cluster.bind", "cluster.tls").toString()));
    settings
        .dataCentre()
        .map(DataCentreSettings::endpoint)
        .ifPresent(
            port ->
                ports.add(
                    ServerPorts.requireSafe(port, "replication.listen", "replication.tls")
                        .toString()));
    return ports;
  }

  @Test
  void aServerAcceptsThemWithAndWithoutTheirExamples() throws Exception {
    String text = text("stablecut.conf");

    assertThat(permitted(read(text))).containsExactly("/127.0.0.1:8087", "/127.0.0.1:3001");
    assertThat(permitted(read(EXAMPLE.matcher(text).replaceAll("$1"))))
        .containsExactly("/0.0.0.0:8087", "/127.0.0.1:3001", "/10.0.0.1:7400");
  }

  @Test
  void aNodeAcceptsTheSettingsForSeveralMachines() throws Exception {
    ServerSettings node = read(text("node.conf"));

    assertThat(permitted(node))
        .containsExactly("/10.0.0.1:8087", "/127.0.0.1:3001", "/10.0.0.1:2552");
    ClusterSettings cluster = node.cluster().orElseThrow();
    assertThat(cluster.seeds())
        .hasSize(cluster.replicas())
        .contains(cluster.endpoint().bind() + ":" + cluster.endpoint().port());
  }

  @Test
  void theClusterPageShowsThem() throws Exception {
    String page = Files.readString(Repository.file("docs/cluster.md"), UTF_8);
    String settings = text("node.conf");

    assertThat(page).contains(settings.substring(settings.indexOf("stablecut {")));
  }
}
