package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.option.Durability;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Transactions on other nodes may depend on data that one node loses. */
final class NodeDurabilityTest {
  @TempDir private Path directory;

  @Test
  void refusesANodeThatAcknowledgesBeforeSyncing() {
    StoreOptions options =
        StoreOptions.defaults().withDurability(Durability.periodic(Duration.ofSeconds(1)));
    ClusterSettings settings =
        new ClusterSettings(
            "n0", Endpoint.loopback(1), List.of("127.0.0.1:1"), 1, 0, Long.MAX_VALUE);

    assertThatThrownBy(() -> ClusterNode.join(directory.resolve("n0"), options, settings))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining("syncs each commit")
        .hasMessageContaining("batch or group");
  }
}
