package io.github.stablecut.cluster.internal.datacentre;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.error.ReplicationRefusedException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The data centre of a server that does not replicate. */
final class UnconnectedDataCentreTest {
  private final UnconnectedDataCentre server = new UnconnectedDataCentre(() -> 0x2aL);

  @Test
  void isConnectedToItself() {
    assertThat(server.descriptor()).isEqualTo("stablecut 000000000000002a");

    server.connect(List.of());
    server.connect(server.addresses(List.of(server.descriptor())));
  }

  @Test
  void knowsNoOthers() {
    assertThat(server.own()).isEmpty();
    assertThat(server.all()).isEmpty();
    assertThat(server.last()).isEmpty();
  }

  @Test
  void refusesEverythingElseAndSaysHowToEnableIt() {
    assertThatThrownBy(
            () ->
                server.addresses(
                    List.of(server.descriptor(), "stablecut 000000000000002b 127.0.0.1:7600")))
        .isInstanceOf(ReplicationRefusedException.class)
        .hasMessageContaining("--dc-listen")
        .hasMessageContaining("000000000000002b");
    assertThatThrownBy(() -> server.beginToJoin("127.0.0.1:7600"))
        .hasMessageContaining("--dc-listen");
    assertThatThrownBy(() -> server.detach(1)).hasMessageContaining("--dc-listen");
    assertThatThrownBy(server::beginToLeave).hasMessageContaining("--dc-listen");
  }
}
