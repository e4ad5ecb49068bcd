package io.github.stablecut.cluster.internal.membership;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.cluster.SettingsException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A node that is a seed must recognize itself among the seeds. */
class SeedAddressesTest {
  private static final NodeSettings.Endpoint OWN =
      new NodeSettings.Endpoint("127.0.0.1", 2551, 2661, Optional.empty());

  private static void assertFits(NodeSettings.Endpoint own, String... seeds) {
    assertThatCode(() -> SeedAddresses.check(List.of(seeds), own)).doesNotThrowAnyException();
  }

  private static void assertRefused(NodeSettings.Endpoint own, String seed) {
    assertThatThrownBy(() -> SeedAddresses.check(List.of("127.0.0.9:1", seed), own))
        .isInstanceOf(SettingsException.class)
        .hasMessage(
            "the seed %s is this node, whose address is %s: use %s in the seeds of all nodes, or set cluster.bind and cluster.port to match the seed"
                .formatted(seed, own.address(), own.address()));
  }

  @Test
  void acceptsTheOwnAddressAndOthers() {
    assertFits(OWN, "127.0.0.1:2551");
    assertFits(OWN, "localhost:2552", "127.0.0.2:2551", "[::1]:2551");
    assertFits(OWN);
  }

  @Test
  void refusesTheOwnAddressInAnotherSpelling() {
    assertRefused(OWN, "localhost:2551");
    assertRefused(OWN, "127.0.0.1:02551");
    assertRefused(new NodeSettings.Endpoint("localhost", 2551, Optional.empty()), "127.0.0.1:2551");
    assertRefused(
        new NodeSettings.Endpoint("::1", 2551, Optional.empty()), "[0:0:0:0:0:0:0:1]:2551");
  }

  @Test
  void refusesTheBoundPortIfOthersUseAnother() {
    assertRefused(OWN, "127.0.0.1:2661");
    assertRefused(OWN, "localhost:2661");
  }

  @Test
  void acceptsUnresolvableSeeds() {
    assertFits(OWN, "[no address]:2551");
  }

  @Test
  void refusesWildcardAddresses() {
    for (String host : List.of("0.0.0.0", "::")) {
      NodeSettings.Endpoint own = new NodeSettings.Endpoint(host, 2551, Optional.empty());
      assertThatThrownBy(() -> SeedAddresses.check(List.of(own.address()), own))
          .isInstanceOf(SettingsException.class)
          .hasMessageContaining("no other node reaches this one at " + own.address())
          .hasMessageContaining("set cluster.bind to one address");
    }
  }
}
