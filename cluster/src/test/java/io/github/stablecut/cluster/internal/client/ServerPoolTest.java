package io.github.stablecut.cluster.internal.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.client.ServerUnavailableException;
import io.github.stablecut.cluster.ScriptedServer;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.Call;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.time.Duration;
import java.util.Optional;
import javax.net.SocketFactory;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocketFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Opens connections to a server: name lookup, timeouts and TLS. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ServerPoolTest {
  private static final Duration LONG = Duration.ofMinutes(10);

  @Test
  void resolvesTheNameAgain() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(call -> Optional.of(ScriptedServer.usual(call)))) {
      InetAddress before = InetAddress.getByAddress("localhost", new byte[] {127, 0, 0, 2});
      ServerPool pool =
          new ServerPool(
              new InetSocketAddress(before, server.address().getPort()),
              SocketFactory.getDefault(),
              LONG);

      assertThat(pool.call(Call.Plain.LAYOUT)).isInstanceOf(Answer.PartitionOwners.class);
      pool.close();
    }
  }

  @Test
  void timesOutOnAServerThatIsSilentDuringTheTlsHandshake() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      ServerPool pool =
          new ServerPool(
              (InetSocketAddress) silent.getLocalSocketAddress(),
              SSLSocketFactory.getDefault(),
              LONG);

      assertThatThrownBy(() -> pool.take(Duration.ofMillis(200)))
          .isInstanceOf(ServerUnavailableException.class);
      pool.close();
    }
  }

  @Test
  void distinguishesAnExpiredCertificateFromOneOfAnotherHost() {
    SSLException expired =
        new SSLException("failed", new CertificateExpiredException("NotAfter: yesterday"));
    SSLException other = new SSLException("failed", new CertificateException("no name matches"));
    InetSocketAddress server = InetSocketAddress.createUnresolved("db1", 8087);

    assertThat(ServerPool.withoutTls(server, expired))
        .hasMessageContainingAll("is not valid at this time", "renew it there");
    assertThat(ServerPool.withoutTls(server, other))
        .hasMessageContaining("use a name that the certificate has");
  }
}
