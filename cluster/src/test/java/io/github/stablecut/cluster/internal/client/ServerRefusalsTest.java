package io.github.stablecut.cluster.internal.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.SocketFactory;
import org.junit.jupiter.api.Test;

/** Chooses the next server after refusals. */
class ServerRefusalsTest {
  private final AtomicLong nanos = new AtomicLong();
  private final ServerRefusals refusals = new ServerRefusals(nanos::get);
  private final ServerPool cutOff = server(1);
  private final ServerPool busy = server(2);
  private final ServerPool well = server(3);
  private final List<ServerPool> all = List.of(cutOff, busy, well);

  private static ServerPool server(int port) {
    return new ServerPool(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
        SocketFactory.getDefault(),
        Duration.ZERO);
  }

  @Test
  void doesNotPreferAServerThatOnlyRefusedLongAgo() {
    refusals.refused(cutOff);
    nanos.addAndGet(Duration.ofMinutes(3).toNanos());
    assertThat(refusals.hasRefusedLately(cutOff)).isFalse();
    assertThat(refusals.best(all)).contains(busy);

    refusals.refused(busy);
    assertThat(refusals.best(all)).contains(well);

    refusals.refused(well);
    assertThat(refusals.best(all)).as("all have refused, two of them recently").contains(cutOff);
    refusals.served(busy);
    assertThat(refusals.best(all)).contains(busy);
  }

  @Test
  void choosesTheFirstIfAllHaveRefusedRecently() {
    all.forEach(refusals::refused);

    assertThat(refusals.best(all)).contains(cutOff);
    assertThat(refusals.best(List.of())).isEmpty();
  }
}
