package io.github.stablecut.examples.advertising;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.stablecut.web.WebServer;
import io.github.stablecut.web.testing.Browser;
import io.github.stablecut.web.testing.Client;
import io.github.stablecut.web.testing.Pictures;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Records views during an analysis, and shows both on a page. */
final class AdvertisingTest {
  private static final int PAGES = 20;
  private static final int PER_SECOND = 200;

  @TempDir private Path directory;

  private Advertising advertising;
  private WebServer server;
  private Client client;

  @BeforeEach
  void open() throws IOException {
    advertising =
        Advertising.open(directory.resolve("data"), PAGES, PER_SECOND, Duration.ofMillis(100));
    server =
        WebServer.start(
            AdvertisingPage.of(advertising),
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    client = new Client(server.uri());
  }

  @AfterEach
  void close() {
    server.close();
    advertising.close();
  }

  private void analyse(int runs) {
    assertThat(client.post("/api/analysis", "{'runs':" + runs + "}").status()).isEqualTo(200);
  }

  private JsonNode await(Predicate<JsonNode> isThere) {
    return client.await("/api/state", isThere);
  }

  private static double sum(JsonNode state, String figure) {
    double sum = 0;
    for (JsonNode tick : state.get("ticks")) {
      sum += tick.get(figure).asDouble();
    }
    return sum;
  }

  @Test
  void anAnalysisIsStableWhileViewsAreRecorded() {
    JsonNode before = await(state -> sum(state, "perSecond") > 2 * PER_SECOND);
    assertThat(before.get("wantedPerSecond").asInt()).isEqualTo(PER_SECOND);
    assertThat(before.get("isAnalysing").asBoolean()).isFalse();
    assertThat(sum(before, "p99Millis")).isGreaterThanOrEqualTo(sum(before, "p50Millis"));
    assertThat(sum(before, "readPerSecond")).isZero();

    analyse(1);
    JsonNode analysed =
        await(
            state ->
                state.get("found").get("rounds").asInt() > 2 && sum(state, "readPerSecond") > 0);
    JsonNode found = analysed.get("found");
    assertThat(found.get("views").asLong()).isPositive();
    assertThat(found.get("different").asInt()).isZero();

    analyse(0);
    JsonNode later =
        await(state -> sum(state, "perSecond") > sum(analysed, "perSecond") + PER_SECOND);
    assertThat(later.get("found").get("different").asInt()).isZero();
    assertThat(later.get("found").get("views")).isEqualTo(found.get("views"));

    analyse(1);
    await(state -> state.get("found").get("views").asLong() > found.get("views").asLong());
    assertThat(client.post("/api/analysis", "{'runs':2}").error())
        .isEqualTo("runs is a number, 0 to 1, not 2");
  }

  @Test
  void showsThePlotAndTakesItsPicture() throws IOException {
    try (Browser browser = Browser.start(directory.resolve("browser"))) {
      browser.look(1100, 820, false);
      browser.open(server.uri());
      browser.await("document.querySelectorAll('polyline').length === 3");
      browser.click("#analyse");
      browser.await("document.querySelectorAll('.shade').length > 4");
      browser.await("document.querySelector('#analysis').textContent.includes('always the same')");
      browser.photograph(Pictures.file("advertising"));
      browser.click("#analyse");
      browser.await("document.querySelector('#analysis').textContent.includes('has ended')");
      browser.look(390, 844, true);
      assertThat(browser.evaluate("document.documentElement.scrollWidth <= innerWidth").asBoolean())
          .as("nothing is wider than a phone")
          .isTrue();
      assertThat(browser.errors()).isEmpty();
    }
  }
}
