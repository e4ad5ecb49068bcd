package io.github.stablecut.examples.cities;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.web.WebServer;
import io.github.stablecut.web.testing.Browser;
import io.github.stablecut.web.testing.Pictures;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Plays the page of the cities in a browser. */
final class CitiesBrowserTest {
  @TempDir private Path directory;

  @Test
  void playsThePageAndTakesItsPictures() throws IOException {
    try (Browser browser = Browser.start(directory.resolve("browser"));
        Cities cities = Cities.open(directory.resolve("cities"));
        WebServer server =
            WebServer.start(
                CitiesPage.of(cities),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
      browser.look(1280, 800, false);
      browser.open(server.uri());
      browser.await("document.querySelectorAll('.feed article').length === 3");

      sellAndPost(browser);
      continueDisconnected(browser);
      seeAnOrphan(browser);
      lookElsewhere(browser);

      assertThat(browser.errors()).isEmpty();
    }
  }

  /** Sells a ticket and posts in one city; all cities show both. */
  private static void sellAndPost(Browser browser) {
    browser.click("[data-city='0'] .seats .primary");
    browser.await("document.querySelectorAll('i[data-city=sold]').length === 3");
    browser.click(".pane[data-city='0'] > form input");
    browser.type("Two of us, from the north!");
    browser.enter();
    browser.await("document.querySelectorAll('.feed article').length === 6");
    browser.click(".pane[data-city='1'] .feed article:last-child .like");
    browser.await("document.querySelectorAll('.feed')[2].textContent.includes('♥ 2')");
    browser.click(".pane[data-city='1'] .feed article:last-child .like + button");
    browser.type("Our choir of twelve.");
    browser.enter();
    browser.await("document.querySelectorAll('.feed .comment').length === 3");
  }

  /** Checks that a disconnected city continues alone. */
  private static void continueDisconnected(Browser browser) {
    browser.click(".pane[data-city='2'] .switch");
    browser.await("document.querySelector('.pane.offline') !== null");
    browser.click(".pane[data-city='2'] .seats .primary");
    browser.await(
        "document.querySelectorAll('.pane[data-city=\"2\"] i[data-city=sold]').length === 2");
    assertThat(
            browser
                .evaluate(
                    "document.querySelectorAll('.pane[data-city=\"0\"] i[data-city=sold]').length")
                .asInt())
        .isEqualTo(1);
    browser.click(".pane[data-city='2'] .switch");
    browser.await("document.querySelectorAll('i[data-city=sold]').length === 6");
  }

  /**
   * Plays the scene as eventual readers see it, and repeats it if the post was faster than its
   * comment.
   */
  private static void seeAnOrphan(Browser browser) throws IOException {
    browser.click("#modes button[value=eventual]");
    do {
      browser.click("#play");
      browser.await(
          "document.querySelector('.orphan') || !document.querySelector('#play').disabled");
    } while (browser.evaluate("document.querySelector('.orphan') === null").asBoolean());
    browser.photograph(Pictures.file("cities"));
    browser.await("!document.querySelector('.orphan')");
    browser.await("!document.querySelector('#play').disabled");
    assertThat(text(browser, "#modes button[value=eventual] small")).contains("1 orphan seen");
    assertThat(text(browser, "#modes button[value=causal] small")).isEqualTo("0 orphans seen");
  }

  private static void lookElsewhere(Browser browser) throws IOException {
    browser.look(1280, 800, true);
    browser.photograph(Pictures.file("cities-dark"));
    browser.look(390, 844, false);
    browser.photograph(Pictures.file("cities-phone"));
    assertThat(browser.evaluate("document.documentElement.scrollWidth <= innerWidth").asBoolean())
        .as("nothing is wider than a phone")
        .isTrue();
  }

  private static String text(Browser browser, String selector) {
    return browser
        .evaluate("document.querySelector(%s).textContent".formatted(Browser.quoted(selector)))
        .asText();
  }
}
