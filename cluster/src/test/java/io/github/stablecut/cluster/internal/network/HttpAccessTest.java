package io.github.stablecut.cluster.internal.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import java.net.InetAddress;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Web pages don't reach the admin port, and changes need the token. */
class HttpAccessTest {
  private final HttpAccess local =
      new HttpAccess(InetAddress.getLoopbackAddress(), "my-machine", Optional.of("the token"));

  private static HttpHeaders headers(String... namesAndValues) {
    HttpHeaders headers = new DefaultHttpHeaders();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      headers.add(namesAndValues[i], namesAndValues[i + 1]);
    }
    return headers;
  }

  @Test
  void aLoopbackPortIsAddressedByAnIpAddressAsLocalhostOrAsConfigured() {
    for (String host :
        List.of(
            "127.0.0.1:3001",
            "127.0.0.1",
            "localhost:3001",
            "LOCALHOST",
            "[::1]:3001",
            "my-machine:3001")) {
      assertThat(local.refusal(false, headers("Host", host))).as(host).isEmpty();
    }
    assertThat(local.refusal(false, headers())).as("HTTP 1.0").isEmpty();
    for (String host :
        List.of(
            "evil.example:3001",
            "127.0.0.1.evil.example",
            "localhost.evil",
            "[evil]:1",
            "[::1]evil.example",
            "127.0.0.1:3001@evil.example")) {
      assertThat(local.refusal(false, headers("Host", host))).as(host).isPresent();
      assertThat(local.refusal(true, headers("Host", host, HttpAccess.OPERATOR, "the token")))
          .as(host)
          .isPresent();
    }
  }

  @Test
  void aReachablePortMayHaveAnyName() throws Exception {
    HttpAccess open =
        new HttpAccess(InetAddress.getByName("0.0.0.0"), "0.0.0.0", Optional.of("the token"));

    assertThat(open.refusal(false, headers("Host", "node1.example"))).isEmpty();
    assertThat(open.refusal(true, headers("Host", "node1.example"))).isPresent();
  }

  @Test
  void dataIsForThisMachineAndForRequestsWithTheToken() throws Exception {
    InetAddress any = InetAddress.getByName("0.0.0.0");
    HttpAccess open = new HttpAccess(any, "0.0.0.0", Optional.of("the token"));
    HttpAccess withoutToken = new HttpAccess(any, "0.0.0.0", Optional.empty());

    assertThat(local.isTrusted(headers())).isTrue();
    assertThat(open.isTrusted(headers(HttpAccess.OPERATOR, "the token"))).isTrue();
    assertThat(open.isTrusted(headers(HttpAccess.OPERATOR, "another"))).isFalse();
    assertThat(open.isTrusted(headers())).isFalse();
    assertThat(withoutToken.isTrusted(headers(HttpAccess.OPERATOR, ""))).isFalse();
    assertThat(withoutToken.refusal(true, headers(HttpAccess.OPERATOR, ""))).isPresent();
  }

  @Test
  void changesNeedTheTokenAndNoOrigin() {
    assertThat(local.refusal(true, headers("Host", "127.0.0.1", HttpAccess.OPERATOR, "the token")))
        .isEmpty();
    for (String wrong : List.of("", "yes", "the toke", "the token2")) {
      assertThat(local.refusal(true, headers("Host", "127.0.0.1", HttpAccess.OPERATOR, wrong)))
          .hasValueSatisfying(
              why -> assertThat(why).contains("needs the header " + HttpAccess.OPERATOR));
    }
    assertThat(
            local.refusal(
                true,
                headers(
                    "Host",
                    "127.0.0.1",
                    "Origin",
                    "http://evil.example",
                    HttpAccess.OPERATOR,
                    "the token")))
        .isPresent();
  }
}
